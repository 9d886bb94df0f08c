"""Rank matrices: checks, signs of label pairs, and Kendall's tau.

The pairs of m labels are in the order (0, 1), (0, 2) … (1, 2) …. The sign of a pair is 1 if the
first label is before the second, -1 if it is behind, and 0 if they are tied or one of them is not
ranked.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any, Literal

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from scipy.stats import rankdata

from concordant._types import Float, Int64
from concordant.errors import InputError, SettingError, show


def pairs_of(m: int) -> tuple[Int64, Int64]:
    """Return the first and the second label of each pair.

    Example:
        >>> [labels.tolist() for labels in pairs_of(3)]
        [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(m, 1)
    return first.astype(np.int64), second.astype(np.int64)


def n_labels_of(n_pairs: int) -> int:
    """Return the number of labels that have `n_pairs` pairs.

    Example:
        >>> n_labels_of(0), n_labels_of(1), n_labels_of(6)
        (1, 2, 4)
    """
    return (1 + math.isqrt(1 + 8 * n_pairs)) // 2


def as_frame(table: Any, name: str) -> nw.DataFrame[Any] | None:
    """Return a frame of pandas or polars in one form for both, None for anything else.

    Raises:
        InputError: If two columns have the same name.

    Example:
        >>> as_frame([[1, 2]], "y") is None
        True
    """
    try:
        frame = nw.from_native(table, eager_only=True, pass_through=True)
        return frame if isinstance(frame, nw.DataFrame) and frame.schema is not None else None
    except DuplicateError:
        columns = list(table.columns)
        twice = next(each for each in columns if columns.count(each) > 1)
        raise InputError(f"two columns of {name} are called {show(twice)}: rename one") from None


def check_ranks(y: Any) -> tuple[Float, Sequence[Any]]:
    """Return a rank matrix as an array, with NaN for labels that are not ranked, and its labels.

    Labels are the columns of a frame, else the numbers from 0, as a `range`.

    Raises:
        InputError: If it is not a matrix of numbers.

    Example:
        >>> ranks, labels = check_ranks([[1, 2], [2, float("nan")]])
        >>> ranks.tolist(), labels
        ([[1.0, 2.0], [2.0, nan]], range(0, 2))
    """
    if y is None:
        raise InputError(
            "label ranking requires y to be passed, but the target y is None: give the rank of "
            "each label in each row"
        )
    frame = as_frame(y, "y")
    names: list[Any] | None = None
    if frame is not None:
        names = list(frame.columns)
        for name, kind in frame.schema.items():
            if not kind.is_numeric():
                raise InputError(
                    f"column {show(name)} of y is not numeric: y has the rank of each label"
                )
        y = np.column_stack(
            [frame.get_column(name).cast(nw.Float64).to_numpy() for name in names]
            or [np.zeros((0, 0))]
        )
    try:
        ranks = np.asarray(y)
        if ranks.dtype.kind == "c":
            raise InputError("Complex data not supported: ranks are real numbers")
        ranks = ranks.astype(np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("y is not a matrix of numbers: give the rank of each label") from None
    if ranks.ndim != 2:
        raise InputError(
            f"y has {ranks.ndim} dimension{'s' * (ranks.ndim != 1)}: give a matrix with a row for "
            "each case and a column for each label's rank (1 = best, NaN = not ranked)"
        )
    if np.isinf(ranks).any():
        row, label = np.argwhere(np.isinf(ranks))[0].tolist()
        column = label if names is None else show(names[label])
        raise InputError(
            f"y contains infinity or a value too large in row {row}, column {column}: a label "
            "that is not ranked is NaN"
        )
    return ranks, range(ranks.shape[1]) if names is None else names


def check_weights(sample_weight: Any, n: int) -> Float:
    """Return the weight of each case, 1 by default.

    Raises:
        InputError: If their number is not n, or one is negative or not a number.

    Example:
        >>> check_weights(None, 2), check_weights(3, 2)
        (array([1., 1.]), array([3., 3.]))
    """
    if sample_weight is None:
        return np.ones(n)
    try:
        weights = np.array(sample_weight, np.float64)
    except (TypeError, ValueError):
        raise InputError("sample_weight must hold numbers") from None
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.ndim != 1:
        raise InputError("Sample weights must be 1D array or scalar")
    if weights.shape != (n,):
        raise InputError(f"sample_weight has {weights.size} values for {n} cases")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError("sample_weight must hold numbers that are not negative")
    return weights


def match_columns(ranks: Float, names: Sequence[Any], labels: Sequence[Any]) -> Float:
    """Return the columns of a rank matrix in the order of the labels.

    Names are matched as text. The columns of an array have no names, and are taken as they are; so
    are columns that are not numbers if the labels are those of an array.

    Args:
        ranks: The ranks.
        names: The names of its columns; a `range` for an array, as `check_ranks` returns it.
        labels: The labels.

    Raises:
        InputError: If names of columns and labels differ.

    Example:
        >>> match_columns(np.array([[1.0, 2.0]]), ["b", "a"], ["a", "b"]).tolist()
        [[2.0, 1.0]]
    """
    columns, wanted = list(map(str, names)), list(map(str, labels))
    if len(names) == len(labels) and (isinstance(names, range) or isinstance(labels, range)):
        return ranks
    if sorted(columns) == sorted(wanted):
        matched: Float = ranks[:, [columns.index(label) for label in wanted]]
        return matched
    numbers = list(range(len(labels)))
    if len(names) == len(labels) and numbers in (list(names), list(labels)):
        return ranks
    other = [name for name in names if str(name) not in wanted]
    other += [label for label in labels if str(label) not in columns]
    raise InputError(
        f"the columns of y are not the labels: {show((other or list(names))[0])} is in one of "
        "them only; give a column for each label, by its name"
    )


def label_frame(
    values: Any, labels: list[Any], kind: Literal["pandas", "polars"], index: Any = None
) -> Any:
    """Return a frame of pandas or polars with a column for each label; `index` is for pandas.

    Raises:
        SettingError: If the package is not installed.

    Example:
        >>> label_frame(np.array([[2, 1]]), ["tea", "milk"], "pandas").to_dict("list")
        {'tea': [2], 'milk': [1]}
    """
    try:
        package = importlib.import_module(kind)
    except ImportError:
        raise SettingError(f"{kind} is not installed: pip install {kind}") from None
    if kind == "pandas":
        return package.DataFrame(values, columns=labels, index=index)
    return package.DataFrame(values, schema=[str(label) for label in labels], orient="row")


def pair_signs(ranks: Float) -> Float:
    """Return the sign of each label pair in each row.

    Example:
        >>> pair_signs(np.array([[1, 2, 3], [2, 2, np.nan]])).tolist()
        [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    """
    first, second = pairs_of(ranks.shape[1])
    signs = np.sign(ranks[:, second] - ranks[:, first])
    return np.nan_to_num(signs, copy=False)


def ranks_of(orders: Int64) -> Int64:
    """Return the rank of each label, 1 = best, in each order.

    Example:
        >>> ranks_of(np.array([[2, 0, 1]])).tolist()
        [[2, 3, 1]]
    """
    ranks = np.empty_like(orders)
    np.put_along_axis(ranks, orders, np.arange(1, orders.shape[1] + 1)[None, :], axis=1)
    return ranks


def rank_rows(ranks: Float) -> Float:
    """Return each row as ranks from 1; ties share their mean, and NaN stays.

    Example:
        >>> rank_rows(np.array([[0.3, 0.1, 0.3], [5, np.nan, 2]])).tolist()
        [[2.5, 1.0, 2.5], [2.0, nan, 1.0]]
    """
    ranked: Float = rankdata(ranks, axis=1, nan_policy="omit")
    return ranked


def kendall_tau(truth: Any, predicted: Any) -> Float:
    """Return Kendall's tau of each row: from -1 (all pairs reversed) to 1 (all pairs right).

    Only pairs that the truth orders strictly count. A pair that the prediction ties is neither
    right nor wrong. A row whose truth orders no pair is NaN. Columns of frames are matched by name.

    Example:
        >>> kendall_tau([[1, 2, 3], [1, 2, np.nan], [1, 1, 1]], [[1, 3, 2], [2, 1, 3], [1, 2, 3]])
        array([ 0.33333333, -1.        ,         nan])
    """
    real_ranks, labels = check_ranks(truth)
    guessed_ranks, names = check_ranks(predicted)
    if len(names) == len(labels):
        guessed_ranks = match_columns(guessed_ranks, names, labels)
    real, guess = pair_signs(real_ranks), pair_signs(guessed_ranks)
    if real.shape != guess.shape:
        raise InputError(
            f"{real.shape[0]} rankings of {n_labels_of(real.shape[1])} labels cannot be compared "
            f"with {guess.shape[0]} of {n_labels_of(guess.shape[1])}"
        )
    known = np.abs(real).sum(1)
    # Avoid a warning about division by zero for rows without a pair.
    tau: Float = np.where(known > 0, (real * guess).sum(1) / np.maximum(known, 1), np.nan)
    return tau


def mean_tau(truth: Any, predicted: Any, sample_weight: Any = None) -> float:
    """Return the mean of Kendall's tau over the rows whose truth orders a pair; NaN without any.

    Example:
        >>> mean_tau([[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [1, 3, 2]])
        0.6666666666666666
    """
    tau = kendall_tau(truth, predicted)
    return mean_over_rows(tau, check_weights(sample_weight, tau.size))


def mean_over_rows(values: Float, weight: Float) -> float:
    """Return the weighted mean of the values that are not NaN; NaN without any.

    Example:
        >>> mean_over_rows(np.array([1.0, 0.0, np.nan]), np.array([3.0, 1.0, 1.0]))
        0.75
    """
    counts = ~np.isnan(values) & (weight > 0)
    if not counts.any():
        return float("nan")
    return float(np.average(values[counts], weights=weight[counts]))
