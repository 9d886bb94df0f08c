"""Significance of lists: which items are ranked high by more than chance, and where lists differ.

`list_significance` is robust rank aggregation (Kolde, Laur, Adler and Vilo 2012). `list_cutoff`
estimates the place from which lists no longer agree (Hall and Schimek 2012).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
import numpy.typing as npt
from scipy.special import bdtrc, betainc, betaincinv

from concordant._checks import at_least, one_of
from concordant._names import plain_item
from concordant._types import Float, Int64, Item, N, Name, Unranked
from concordant.errors import InputError, SettingError
from concordant.rankings import Rankings

if TYPE_CHECKING:
    import polars as pl

# With more lists than this, p-values are Bonferroni's: the exact ones take cubic time.
_MOST_EXACT = 200
_MOST_LISTS = 10_000
# With more lists than this, comparing all pairs takes too long.
_MOST_COMPARED = 1_000
# Hall and Schimek's constants: C > 1/4 of the threshold, and how far each stage goes back.
_DEVIATION, _BACK = 0.251, 1.2


@dataclass(frozen=True, slots=True)
class ListSignificance(Generic[Name]):
    """How likely chance would rank each item as high as the lists do.

    All tuples are in the order of `items`, the most significant first.

    Attributes:
        items: The items.
        rho: The ρ score of each item: the smallest of the probabilities that chance puts the item
            into its k best places, for all k. It is not a p-value, as it is the best of several.
        p_values: The p-value of each item: the probability that chance gives such a ρ or a smaller
            one. It is exact for up to 200 lists, and Bonferroni's bound for more.
        bonferroni: Bonferroni's bound of the p-value, ρ times the number of lists, at most 1: the
            score that the R package RobustRankAggreg prints.
        adjusted: The p-values corrected for testing all items (Holm 1979). Those below 0.05
            are all real with probability 95 %.
        n_lists: The number of lists.
        universe: The number of items that could have been in the lists.

    Example:
        >>> lists = Rankings.from_orders([["a", "b", "c"], ["a", "c", "d"], ["a", "e", "f"]])
        >>> found = list_significance(lists, universe=100)
        >>> found.items[0], round(found.p_values[0], 7), found.adjusted[0] < 0.05
        ('a', 3e-06, True)
    """

    items: tuple[Name, ...]
    rho: tuple[float, ...]
    p_values: tuple[float, ...]
    bonferroni: tuple[float, ...]
    adjusted: tuple[float, ...]
    n_lists: int
    universe: int

    def significant(self, level: float = 0.05) -> tuple[Name, ...]:
        """Return the items whose adjusted p-value is at most `level`."""
        return tuple(item for item, p in zip(self.items, self.adjusted, strict=True) if p <= level)

    def to_frame(self) -> pl.DataFrame:
        """Return a polars frame, a row per item, the most significant first."""
        from concordant.tables.writing import named_frame

        names = ("rho", "p_values", "bonferroni", "adjusted")
        values = {name.removesuffix("s"): getattr(self, name) for name in names}
        return named_frame(self.items, {"item": range(len(self.items))}, values)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values."""
        facts: dict[str, Any] = {"items": [plain_item(item) for item in self.items]}
        for name in ("rho", "p_values", "bonferroni", "adjusted"):
            facts[name] = list(getattr(self, name))
        return facts | {"n_lists": self.n_lists, "universe": self.universe}


def list_significance(
    data: Rankings[N], *, universe: int | None = None, unranked: Unranked = "last"
) -> ListSignificance[N]:
    """Find the items that the lists rank higher than chance would: robust rank aggregation.

    If the lists put an item anywhere at random, its places are independent and all equally likely.
    The k-th best of them, divided by the number of items, then follows a beta distribution.
    The ρ score of an item is the smallest of these probabilities over all k (Kolde and others
    2012, Bioinformatics 28). So lists in which an item is missing or low do no harm, if it is high
    in enough others.

    Args:
        data: The lists, complete or only their first places. A list of weight 3 counts as three.
        universe: The number of items that could have been in the lists; by default those that
            are. For the first places of long lists, this matters much.
        unranked: What it means that a list does not have an item: it is behind all others
            ("last"), or the list could not have had it ("unknown"). Then places are divided by the
            length of the list.

    Returns:
        The items with their scores and p-values. Tied items all have the last of their places, so
        that p-values are too large rather than too small.

    Example:
        >>> lists = Rankings.from_orders([["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]])
        >>> list_significance(lists).items[0]
        'a'
    """
    _check_rankings(data)
    one_of("unranked", unranked, ("last", "unknown"))
    m = data.n_items
    universe = m if universe is None else universe
    at_least("universe", universe, m)
    times = _times(data, _MOST_LISTS)
    places = _last_places(data)
    lengths = data.lengths if unranked == "unknown" else np.full(data.n_distinct, universe)
    shares = places / np.maximum(lengths, 1)[:, None]
    missing = np.nan if unranked == "unknown" else 1.0
    shares = np.repeat(np.where(places == 0, missing, shares), times, axis=0)
    rho, sizes = rho_scores(shares)
    exact = {key: p_of_rho(*key) for key in set(zip(rho.tolist(), sizes.tolist(), strict=True))}
    p_values = np.array([exact[key] for key in zip(rho.tolist(), sizes.tolist(), strict=True)])
    order = np.lexsort((np.arange(m), rho, p_values))
    # Items that are in no list are hypotheses too; their p-values are 1.
    factors = universe - np.arange(m)
    adjusted = np.minimum(1, np.maximum.accumulate(p_values[order] * factors))
    return ListSignificance(
        items=tuple(data.items[a] for a in order.tolist()),
        rho=tuple(rho[order].tolist()),
        p_values=tuple(p_values[order].tolist()),
        bonferroni=tuple(np.minimum(1, rho * sizes)[order].tolist()),
        adjusted=tuple(adjusted.tolist()),
        n_lists=int(times.sum()),
        universe=int(universe),
    )


def rho_scores(shares: Float) -> tuple[Float, Int64]:
    """Return the ρ score of each column, and the number of lists that have a value in it.

    Args:
        shares: Places divided by the number of items, a row for each list; NaN where the list
            could not have the item.

    Example:
        >>> rho_scores(np.array([[0.1], [0.2], [0.9]]))
        (array([0.104]), array([3]))
    """
    ordered = np.sort(shares, axis=0)
    sizes = (~np.isnan(ordered)).sum(axis=0)
    ranks = np.arange(1, ordered.shape[0] + 1)[:, None]
    inside = ranks <= sizes
    behind = np.where(inside, sizes - ranks + 1, 1)
    scores = betainc(ranks, behind, np.where(inside, ordered, 1.0))
    return np.minimum(scores.min(axis=0, initial=1.0), 1.0), sizes


def p_of_rho(rho: float, n: int) -> float:
    """Return the probability that n uniform numbers have a ρ score of at most this.

    The k-th smallest number must be above the quantile ρ of its beta distribution, for all k. The
    probability that this first fails at k is added up over all k, so that small values are exact.

    Example:
        >>> round(p_of_rho(0.05, 1), 6), round(p_of_rho(0.05, 2), 6)
        (0.05, 0.089317)
    """
    if n == 0 or rho >= 1:
        return 1.0
    if n > _MOST_EXACT:
        return min(1.0, n * rho)
    ranks = np.arange(1, n + 1)
    limits = betaincinv(ranks, n - ranks + 1, rho)
    # The probability of j numbers below the last limit, and no failure so far.
    alive = np.zeros(n + 1)
    alive[0] = 1.0
    failed, last = 0.0, 0.0
    for k, limit in enumerate(limits.tolist(), start=1):
        share = (limit - last) / (1 - last)
        before = np.arange(k)
        # Fewer than k numbers may be below the k-th limit.
        failed += float(alive[:k] @ bdtrc(k - 1 - before, n - before, share))
        following = np.zeros(n + 1)
        for j in before.tolist():
            more = np.arange(k - j)
            following[j:k] += alive[j] * _binomial(n - j, more, share)
        alive, last = following, limit
    return min(1.0, max(rho, failed))


def _binomial(n: int, counts: Int64, share: float) -> Float:
    """Return the probabilities of some counts in n trials."""
    ways = np.array([math.comb(n, count) for count in counts.tolist()], np.float64)
    return np.asarray(ways * share**counts * (1 - share) ** (n - counts), np.float64)


@dataclass(frozen=True, slots=True)
class ListCutoff:
    """How far lists agree.

    Attributes:
        k: The number of first places on which some two lists agree: the largest of `pairs`.
        pairs: Entry [a, b] is the number of first places of list a on which list b agrees with it.
            The diagonal is 0.
        names: The names of the lists, or their numbers from 1 on.
        distance: Two lists agree on an item if its places differ by at most this.
        window: The number of neighbouring places that are tested together.

    Example:
        >>> agree = [f"gene {k}" for k in range(40)]
        >>> rest = [f"other {k}" for k in range(160)]
        >>> lists = Rankings.from_orders([agree + rest, agree + rest[::-1]])
        >>> list_cutoff(lists, distance=5).k
        39
    """

    k: int
    pairs: npt.NDArray[np.int64]
    names: tuple[Item, ...]
    distance: int
    window: int

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values."""
        return {
            "k": self.k,
            "pairs": self.pairs.tolist(),
            "names": [plain_item(name) for name in self.names],
            "distance": self.distance,
            "window": self.window,
        }


def list_cutoff(
    data: Rankings,
    *,
    distance: int | None = None,
    window: int = 10,
    constant: float = _DEVIATION,
) -> ListCutoff:
    """Estimate how many first places lists agree on, before the rest is noise.

    Two lists agree on an item if its places differ by at most `distance`. Going down a list, this
    is mostly so at first and then becomes rare. The estimate is the place from which the share of
    agreement in a window of `window` places is no longer clearly above one half: above it by the
    moderate deviation √(C log ν / ν) of Hall and Schimek (2012), "Moderate-deviation-based
    inference for random degeneration in paired rank lists", JASA 107, where ν is the window. Stages
    from the front and from the back alternate until they repeat. As in the R package TopKLists,
    all ordered pairs of lists are compared, and `k` is the largest number.

    Args:
        data: Two lists or more. A list of weight 3 counts as three.
        distance: The largest difference of places; a tenth of the items, at most 10, by default.
            Smaller values ask for closer agreement.
        window: The number of places tested together, at least 2. Larger windows are steadier,
            and blur the place.
        constant: C, above 0.25. Larger values ask for clearer agreement.

    Returns:
        The numbers of places, 0 where lists do not agree from the start.

    Example:
        >>> lists = Rankings.from_orders(
        ...     [list("abcdefghijklmnopqrst"), list("trsqponmlkjihgfedcba")]
        ... )
        >>> list_cutoff(lists, distance=2, window=5).k
        0
    """
    _check_rankings(data)
    m = data.n_items
    given = distance
    distance = max(1, min(10, m // 10)) if distance is None else distance
    at_least("distance", distance, 0)
    at_least("window", window, 2)
    if isinstance(constant, bool) or not isinstance(constant, int | float) or constant <= 0.25:
        raise SettingError(f"constant must be above 0.25, not {constant!r}", setting="constant")
    if 2 * (2 * distance + 1) > m:
        what = f"a distance of {distance}" if given is not None else "such a comparison"
        raise SettingError(
            f"{what} needs at least {4 * distance + 2} items, and there are {m}: more than half of "
            "the places would agree by chance",
            setting="distance",
        )
    times = _times(data, _MOST_COMPARED)
    names: tuple[Item, ...] = tuple(range(1, int(times.sum()) + 1))
    lists = np.repeat(np.arange(data.n_distinct), times)
    if data.known is not None and len(data.known.names) == lists.size:
        lists = data.known.which
        names = tuple(k + 1 if name is None else name for k, name in enumerate(data.known.names))
    if lists.size < 2:
        raise InputError("a cut-off compares lists: give at least two")
    places = _mean_places(data)
    orders = [np.lexsort((np.arange(m), row)) for row in np.where(places == 0, np.inf, places)]
    lengths = data.lengths.tolist()
    known: dict[tuple[int, int], int] = {}
    pairs = np.zeros((lists.size, lists.size), np.int64)
    for a, one in enumerate(lists.tolist()):
        for b, two in enumerate(lists.tolist()):
            if a == b:
                continue
            if (one, two) not in known:
                listed = orders[one][: lengths[one]]
                gaps = np.abs(places[one, listed] - places[two, listed])
                agrees = (gaps <= distance) & (places[two, listed] > 0)
                known[one, two] = agreeing_places(agrees, window, constant)
            pairs[a, b] = known[one, two]
    return ListCutoff(int(pairs.max()), pairs, names, int(distance), int(window))


def agreeing_places(
    agrees: npt.NDArray[np.bool_], window: int, constant: float = _DEVIATION
) -> int:
    """Return the number of first places that agree, from whether each place does.

    Example:
        >>> agreeing_places(np.array([True] * 30 + [False] * 60), 10)
        29
    """
    n = agrees.size
    window = min(window, n)
    if n == 0 or agrees.all():
        return n
    limit = 0.5 + math.sqrt(constant * math.log(max(2, window)) / window)
    sums = np.concatenate([[0], np.cumsum(agrees)])
    # clear[j]: whether the window that starts at place j, counted from 0, clearly agrees.
    clear = (sums[window:] - sums[:-window]) / window > limit
    back = int(_BACK * window)
    seen: list[tuple[int, int]] = []
    lower = _first(~clear, 0)
    while True:
        if lower == clear.size:
            return n
        # The last place whose window to the left clearly agrees.
        reach = min(clear.size, lower + back - window + 2)
        ahead = np.flatnonzero(clear[: max(0, reach)])
        if not ahead.size:
            return 0
        upper = int(ahead[-1]) + window - 1
        if (lower, upper) in seen:
            # Where the window fails, about half of it is noise.
            return min(n, lower + 1 + math.ceil(window / 2))
        seen.append((lower, upper))
        lower = _first(~clear, max(0, upper - back + 1))


def _first(flags: npt.NDArray[np.bool_], start: int) -> int:
    """Return the first place from `start` on whose flag is set, or the number of flags."""
    found = np.flatnonzero(flags[start:])
    return start + int(found[0]) if found.size else flags.size


def _check_rankings(data: Any) -> None:
    if not isinstance(data, Rankings):
        raise InputError(
            f"lists must be Rankings, not {type(data).__name__}: make them with "
            "Rankings.from_orders or read"
        )


def _times(data: Rankings, most: int) -> Int64:
    """Return how often each distinct list was given."""
    times, rest = np.divmod(data.units, data.scale)
    if rest.any():
        raise InputError("lists must have whole weights: one of weight 3 counts as three lists")
    if int(times.sum()) > most:
        raise InputError(f"there are {int(times.sum()):,} lists, and {most:,} at most can be used")
    return times


def _last_places(data: Rankings) -> Int64:
    """Return the last place of the tie of each item, from 1 on, 0 where it is not ranked."""
    return _places(data)[1]


def _mean_places(data: Rankings) -> Float:
    """Return the mean place of the tie of each item, from 1 on, 0 where it is not ranked."""
    first, last = _places(data)
    return (first + last) / 2


def _places(data: Rankings) -> tuple[Int64, Int64]:
    """Return the first and the last place of the tie of each item; a row for each list."""
    shape = (data.n_distinct, data.n_items)
    first, last = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    rows = np.repeat(np.arange(data.n_distinct), data.lengths)
    position = np.arange(data.members.size) - data.offsets[rows] + 1
    starts = np.flatnonzero(
        (np.diff(rows, prepend=-1) != 0) | (np.diff(data.buckets, prepend=-1) != 0)
    )
    sizes = np.diff(np.append(starts, position.size))
    begins = np.repeat(position[starts] if starts.size else starts, sizes)
    first[rows, data.members] = begins
    last[rows, data.members] = begins + np.repeat(sizes, sizes) - 1
    return first, last
