"""Weights and matrix entries as integers with one scale, exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._types import Int64
from concordant.errors import InputError

# Room for sums of weights over all pairs of items: see Pairwise, which checks the product.
LARGEST = 2**62

Weight = int | Fraction


def exact_units(values: Any, what: str = "weight") -> tuple[Int64, int]:
    """Scale numbers to integers exactly: `values == units / scale`.

    A float counts as the shortest decimal that reads back as it, so 0.1 is one tenth.

    Example:
        >>> units, scale = exact_units([0.5, 2, 1.25])
        >>> units.tolist(), scale
        ([50, 200, 125], 100)
    """
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(f"the {what}s must be single numbers: {error}") from None
    if not array.dtype.isnative:
        # numpy 2.1.0 can crash on comparing numbers in the byte order of another machine.
        array = array.astype(array.dtype.newbyteorder("="))
    kind = array.dtype.kind
    if kind in "iub":
        _refuse(array, (array >= LARGEST) | (array <= -LARGEST), what, "is too large (2**62)")
        return array.astype(np.int64), 1
    if kind == "f":
        _refuse(array, ~np.isfinite(array), what, "is not finite")
        if not isinstance(values, np.ndarray) and (np.abs(array) >= 2**53).any():
            # A list that mixes integers and floats: numpy has rounded the large integers.
            array = np.asarray(values, object)
        elif array.dtype == np.float64:
            largest = float(np.abs(array).max(initial=0.0))
            digits = 0
            # Up to 2**50, the nearest integer is the decimal, and no other one reads back.
            while largest * 10**digits < 2**50:
                scaled = np.rint(array * 10**digits)
                if (scaled / 10**digits == array).all():
                    return scaled.astype(np.int64), 10**digits
                digits += 1
    elif kind != "O":
        found = "text" if kind in "US" else array.dtype
        raise InputError(f"a {what} must be a number, not {found}")
    exact = [_fraction(array, i, value, what) for i, value in enumerate(array.flat)]
    scale = math.lcm(*(value.denominator for value in exact)) if exact else 1
    units = [int(value * scale) for value in exact]
    if any(abs(value) >= LARGEST for value in units):
        raise InputError(
            f"the {what}s cannot be scaled to integers exactly in 62 bits: round them to fewer "
            "decimals, or divide them by a common factor"
        )
    return np.array(units, np.int64).reshape(array.shape), scale


def _fraction(array: npt.NDArray[Any], number: int, value: Any, what: str) -> Fraction:
    try:
        if isinstance(value, str):
            raise TypeError
        if isinstance(value, float | np.floating):
            return Fraction(str(value))
        return Fraction(value)
    except (TypeError, ValueError, OverflowError):
        place, ranking = _place(array, number)
        raise InputError(f"{place}{what} {value!r} is not a number", ranking=ranking) from None


def _refuse(array: npt.NDArray[Any], bad: npt.NDArray[np.bool_], what: str, why: str) -> None:
    if bad.any():
        number = int(np.flatnonzero(bad)[0])
        place, ranking = _place(array, number)
        raise InputError(f"{place}{what} {array.flat[number]} {why}", ranking=ranking)


def _place(array: npt.NDArray[Any], number: int) -> tuple[str, int | None]:
    """Say where an entry stands: in a list of rankings, or in a matrix."""
    if array.ndim == 1:
        return f"ranking {number + 1}: ", number
    if array.ndim == 2:
        row, column = divmod(number, array.shape[1])
        return f"row {row + 1}, column {column + 1}: ", None
    return "", None


def check_weights(weights: Any, n: int) -> tuple[Int64, int]:
    """Scale the weights of n rankings to integers; 1 each where there are none.

    Example:
        >>> units, scale = check_weights([0.5, 2], 2)
        >>> units.tolist(), scale
        ([5, 20], 10)
    """
    if weights is None:
        return np.ones(n, np.int64), 1
    units, scale = exact_units(weights)
    if units.shape != (n,):
        found = f"{units.size}" if units.ndim == 1 else f"a table of {units.shape}"
        raise InputError(f"{found} weights for {n} rankings: give one number per ranking")
    if (units < 0).any():
        r = int(np.argmax(units < 0))
        raise InputError(f"ranking {r + 1}: weight {units[r] / scale:g} is negative", ranking=r)
    if n * int(units.max(initial=0)) >= LARGEST and sum(units.tolist()) >= LARGEST:
        raise InputError(
            "the weights add up to more than can be counted exactly (2**62): divide them by a "
            "common factor, or round them to fewer decimals"
        )
    return units, scale


def exact_weight(units: int, scale: int) -> Weight:
    """Return `units / scale` exactly: an int if it is whole, else a Fraction.

    Example:
        >>> exact_weight(4, 2), exact_weight(1, 2)
        (2, Fraction(1, 2))
    """
    weight = Fraction(units, scale)
    return int(weight) if weight.denominator == 1 else weight


def decimal_text(value: Weight) -> str | None:
    """Write a number as a decimal, or return None where no decimal is exact.

    Example:
        >>> decimal_text(Fraction(5, 4)), decimal_text(Fraction(1, 3)), decimal_text(7)
        ('1.25', None, '7')
    """
    value = Fraction(value)
    denominator, digits = value.denominator, 0
    while denominator % 10 == 0:
        denominator, digits = denominator // 10, digits + 1
    for factor in (2, 5):
        while denominator % factor == 0:
            denominator, digits = denominator // factor, digits + 1
    if denominator != 1:
        return None
    if not digits:
        return str(value.numerator)
    scaled = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{scaled[:-digits]}.{scaled[-digits:]}"
