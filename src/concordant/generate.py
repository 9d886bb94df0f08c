"""Random rankings: Mallows, Plackett–Luce, uniform, and partial rankings made of complete ones.

Every generator takes a `seed`, an int or a numpy `Generator`. The same seed gives the same
rankings. Drawing more rankings with the same seed does not change the first ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from concordant._checks import at_least
from concordant._types import Int32, Item, N
from concordant.errors import InputError, SettingError
from concordant.rankings import Rankings

# Places for which random numbers are drawn at a time, to limit the memory.
_BATCH = 1 << 22
# Larger numbers would not fit into memory, or have a digit too many.
MOST_ITEMS = 1_000_000
MOST_RANKINGS = 100_000_000
MOST_PLACES = 500_000_000


@overload
def mallows(
    items: int,
    rankings: int,
    theta: float,
    *,
    center: Sequence[str] | None = None,
    seed: int | np.random.Generator | None = None,
) -> Rankings[str]: ...
@overload
def mallows(
    items: int,
    rankings: int,
    theta: float,
    *,
    center: Sequence[Item] | None = None,
    seed: int | np.random.Generator | None = None,
) -> Rankings: ...
def mallows(
    items: int,
    rankings: int,
    theta: float,
    *,
    center: Sequence[Item] | None = None,
    seed: int | np.random.Generator | None = None,
) -> Rankings:
    """Draw complete rankings from the Mallows model, exactly.

    The probability of a ranking is proportional to exp(-theta · d), where d is its Kendall distance
    to the center (Mallows 1957). Rankings are drawn by repeated insertion (Doignon, Pekeč and
    Regenwetter 2004), in O(m log m) each.

    Args:
        items: The number of items, m.
        rankings: The number of rankings, n.
        theta: The concentration: 0 is uniform; larger values give rankings closer to the center.
        center: The m items, best first: names of any kind, which become the items of the result, or
            the numbers 1 to m in another order. The default is "1", "2", …, in this order.
        seed: An int or a numpy `Generator`.

    Example:
        >>> mallows(5, 100, theta=0.2, seed=1)
        Rankings(5 items, 100 rankings)
        >>> for ranking, weight in mallows(3, 1, theta=50, center=["b", "c", "a"], seed=1):
        ...     print(ranking, weight)
        [('b',), ('c',), ('a',)] 1
    """
    from concordant._kernels.permutations import repeated_insertion

    m, n = check_size(items, rankings)
    if not (_is_number(theta) and math.isfinite(theta) and theta >= 0):
        raise SettingError(f"theta must be a finite number of at least 0, not {theta!r}")
    names, order = _read_center(m, center)
    rng = _generator(seed)
    orders = np.empty((n, m), np.int32)
    for start, end in _batches(n, m):
        uniforms = rng.random((end - start, m))
        repeated_insertion(uniforms, float(theta), order, orders[start:end])
    return _complete(names, orders)


@overload
def plackett_luce(
    rankings: int,
    *,
    weights: Mapping[N, float],
    seed: int | np.random.Generator | None = None,
) -> Rankings[N]: ...
@overload
def plackett_luce(
    rankings: int,
    *,
    weights: Sequence[float] | npt.ArrayLike,
    seed: int | np.random.Generator | None = None,
) -> Rankings[str]: ...
def plackett_luce(
    rankings: int,
    *,
    weights: Sequence[float] | Mapping[Any, float] | npt.ArrayLike,
    seed: int | np.random.Generator | None = None,
) -> Rankings:
    """Draw complete rankings from the Plackett–Luce model.

    The best item is drawn with a probability proportional to its weight, then the next one among
    those left, and so on (Luce 1959, Plackett 1975). This is equivalent to sorting by the
    logarithms of the weights plus independent Gumbel noise (Yellott 1977).

    Args:
        rankings: The number of rankings, n.
        weights: A positive number per item, or a mapping from item to number. Without a mapping,
            the items are "1", "2", …
        seed: An int or a numpy `Generator`.

    Example:
        >>> plackett_luce(100, weights={"a": 5, "b": 3, "c": 1}, seed=1)
        Rankings(3 items, 100 rankings)
    """
    check_size(1, rankings)
    names: Sequence[Item] | None = None
    if isinstance(weights, Mapping):
        names = list(weights)
        weights = list(weights.values())
    try:
        strengths = np.asarray(weights, np.float64)
    except (TypeError, ValueError) as error:
        raise SettingError(f"the weights of the items are not numbers: {error}") from None
    if strengths.ndim != 1 or strengths.size == 0:
        raise SettingError("weights must hold one positive number per item")
    _, n = check_size(strengths.size, rankings)
    if names is None:
        names = _numbers(strengths.size)
    bad = np.flatnonzero(~(np.isfinite(strengths) & (strengths > 0)))
    if bad.size:
        raise SettingError(
            f"the weight of item {names[bad[0]]!r} must be finite and positive, "
            f"not {strengths[bad[0]]:g}"
        )
    rng = _generator(seed)
    logarithms = np.log(strengths)
    orders = np.empty((n, strengths.size), np.int32)
    for start, end in _batches(n, strengths.size):
        # -log of a standard exponential is Gumbel noise; the largest sum comes first.
        noise = np.log(rng.standard_exponential((end - start, strengths.size)))
        orders[start:end] = np.argsort(noise - logarithms, axis=1, kind="stable")
    return _complete(names, orders)


def uniform(
    items: int, rankings: int, *, seed: int | np.random.Generator | None = None
) -> Rankings[str]:
    """Draw complete rankings that are all equally likely.

    Args:
        items: The number of items, m; they are named "1" to "m".
        rankings: The number of rankings, n.
        seed: An int or a numpy `Generator`.

    Example:
        >>> uniform(5, 100, seed=1)
        Rankings(5 items, 100 rankings)
    """
    m, n = check_size(items, rankings)
    orders = np.tile(np.arange(m, dtype=np.int32), (n, 1))
    _generator(seed).permuted(orders, axis=1, out=orders)
    return _complete(_numbers(m), orders)


def partial(
    rankings: Rankings[N],
    *,
    drop: float = 2 / 3,
    same_bucket: float = 5 / 6,
    seed: int | np.random.Generator | None = None,
) -> Rankings[N]:
    """Turn complete rankings into partial rankings with ties, as Zhou, Hao, Li and Glover do.

    Each ranking is processed from its best item to its worst. An item is discarded with probability
    `drop`. A retained item joins the bucket of the previous retained item with probability
    `same_bucket`; otherwise it starts a new bucket. The defaults are the paper's p_d = 2/3 and
    p_k = 5/6. If its p_d is read as the probability to retain an item, use `drop=1/3`.

    No pair is reversed: a pair that the result orders strictly has the same order in the given
    ranking. Tied items stay tied, and unranked items stay unranked. Equal rankings (whose weights
    are repeat counts) are transformed independently; other weights are kept.

    Args:
        rankings: The rankings to transform.
        drop: The probability that an item is discarded.
        same_bucket: The probability that a retained item joins the current bucket.
        seed: An int or a numpy `Generator`.

    Example:
        >>> complete = mallows(20, 50, theta=0.1, seed=1)
        >>> partial(complete, seed=1)
        Rankings(20 items, 50 rankings, partial, ties)
        >>> partial(complete, drop=0, same_bucket=0, seed=1) == complete
        True
    """
    if not isinstance(rankings, Rankings):
        raise InputError(f"partial() takes Rankings, not {type(rankings).__name__}")
    for name, value in (("drop", drop), ("same_bucket", same_bucket)):
        if not (_is_number(value) and 0 <= value <= 1):
            raise SettingError(f"{name} must be a probability between 0 and 1, not {value!r}")
    rng = _generator(seed)
    data = rankings.explicit()
    counts_ballots = data.scale == 1 and int(data.units.sum()) == data.n_rankings
    repeats = data.units if counts_ballots else np.ones(data.n_distinct, np.int64)
    source = np.repeat(np.arange(data.n_distinct), repeats)
    lengths = np.zeros(source.size, np.int64)
    members: list[Int32] = []
    buckets: list[Int32] = []
    for start, end in _batches(source.size, data.n_items):
        batch = source[start:end]
        size = data.lengths[batch]
        row = np.repeat(np.arange(end - start), size)
        # Indices into `data`: the start of the ranking there plus the position within it.
        place = np.arange(row.size) + np.repeat(
            data.offsets[batch] - (np.cumsum(size) - size), size
        )
        uniforms = rng.random((row.size, 2))
        kept = uniforms[:, 0] >= drop
        row, place = row[kept], place[kept]
        opens = uniforms[kept, 1] >= same_bucket
        opens[1:] &= data.buckets[place[1:]] != data.buckets[place[:-1]]
        # Only changes of the bucket numbers matter, so they may continue through all rankings of
        # the batch.
        lengths[start:end] = np.bincount(row, minlength=end - start)
        members.append(data.members[place])
        buckets.append(np.cumsum(opens, dtype=np.int32))
    weights: Any = None
    if not counts_ballots:
        weights = [Fraction(units, data.scale) for units in data.units.tolist()]
    return Rankings.from_arrays(
        data.items,
        np.concatenate([[0], np.cumsum(lengths)]),
        np.concatenate(members),
        np.concatenate(buckets),
        weights,
        n_rankings=data.n_rankings,
        n_voters=data.n_voters,
    )


def relabel(rankings: Rankings[N], *, seed: int | np.random.Generator | None = None) -> Rankings[N]:
    """Permute the items at random: the same rankings with other item names.

    Models draw around a center in which item "1" is first. Methods that break ties by item number
    then have an unfair advantage. After relabelling, the numbers carry no information.

    Args:
        rankings: The rankings. The result has the same items, in the same order.
        seed: An int or a numpy `Generator`.

    Example:
        >>> data = relabel(mallows(4, 1, theta=50, seed=1), seed=2)
        >>> [buckets for buckets, weight in data], data.items
        ([[('4',), ('3',), ('1',), ('2',)]], ('1', '2', '3', '4'))
    """
    if not isinstance(rankings, Rankings):
        raise InputError(f"relabel() takes Rankings, not {type(rankings).__name__}")
    places = _generator(seed).permutation(rankings.n_items)
    return Rankings.from_arrays(
        rankings.items,
        rankings.offsets,
        places[rankings.members],
        rankings.buckets,
        rankings.exact_weights,
        n_rankings=rankings.n_rankings,
        n_voters=rankings.n_voters,
        unranked=rankings.unranked,
    )


def check_size(items: int, rankings: int) -> tuple[int, int]:
    """Return the numbers of items and rankings, or raise an error if they are not valid.

    Example:
        >>> check_size(5, 100)
        (5, 100)
    """
    at_least("the number of items", items, 1, MOST_ITEMS)
    at_least("the number of rankings", rankings, 1, MOST_RANKINGS)
    m, n = int(items), int(rankings)
    if m * n > MOST_PLACES:
        raise SettingError(
            f"{n:,} rankings of {m:,} items have {m * n:,} places: at most {MOST_PLACES:,} can be "
            "drawn; choose fewer rankings or items"
        )
    return m, n


def _complete(names: Sequence[Item], orders: Int32) -> Rankings:
    """Make rankings of complete orders of item indices, one per row."""
    n, m = orders.shape
    return Rankings.from_arrays(
        names,
        np.arange(n + 1, dtype=np.int64) * m,
        orders.ravel(),
        np.tile(np.arange(m, dtype=np.int32), n),
    )


def _read_center(m: int, center: Sequence[Item] | None) -> tuple[Sequence[Item], Int32]:
    """Return the names of the items, and the center as item indices, best first."""
    if center is None:
        return _numbers(m), np.arange(m, dtype=np.int32)
    if isinstance(center, str):
        raise SettingError(f"the center must be a list of items, best first, not {center!r}")
    names = list(center)
    if len(names) != m:
        raise SettingError(f"the center has {len(names)} items, but {m} were asked for")
    try:
        if len(set(names)) < m:
            raise SettingError("the center ranks an item twice")
    except TypeError as error:
        raise SettingError(f"the center must be a list of items without ties: {error}") from None
    numbers = _numbers(m)
    if {str(name) for name in names} == set(numbers):
        # Numbers of unnamed items: the items keep their numerical order.
        return numbers, np.array([int(str(name)) - 1 for name in names], np.int32)
    return names, np.arange(m, dtype=np.int32)


def _numbers(m: int) -> list[str]:
    return [str(number) for number in range(1, m + 1)]


def _batches(n: int, m: int) -> list[tuple[int, int]]:
    """Split n rankings of m items into ranges of a limited number of places."""
    step = max(1, _BATCH // m)
    return [(start, min(start + step, n)) for start in range(0, n, step)]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    if isinstance(seed, bool) or not (
        seed is None or isinstance(seed, int | np.integer | np.random.Generator)
    ):
        raise SettingError(f"seed must be an int or a numpy Generator, not {seed!r}")
    if isinstance(seed, int | np.integer) and seed < 0:
        raise SettingError(f"seed must not be negative, but is {seed}")
    return np.random.default_rng(seed)
