"""The consensus of each row of votes: thousands of small problems in one call of a kernel.

Votes are real numbers. Each row is multiplied by the power of two that brings its largest vote to
between 2^39 and 2^40, then rounded. Integer votes below 2^40 stay exact; the error of others is
less than one part in 10^12 of the row's largest vote; costs are added as integers. The answer of a
row is proven optimal for its rounded votes. Orders are tied if their costs differ by less than the
rounding of all their votes together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed

from concordant._checks import one_of
from concordant._kernels import batched
from concordant._kernels.lads import PAIRWISE
from concordant._kernels.state import Ballots, LadsRules, Walk, new_state
from concordant._types import Float, Int64
from concordant.aggregation import aggregate
from concordant.constraints import Forced
from concordant.errors import InputError, SettingError
from concordant.learn.targets import n_labels_of, pair_signs, pairs_of, ranks_of
from concordant.pairwise import Pairwise
from concordant.reduction.split import components_of_margins
from concordant.reduction.subsets import LARGEST

Aggregation = Literal["exact", "lads", "borda"]
AGGREGATIONS = ("exact", "lads", "borda")
_BITS = 40
# The paper's settings of LADS, and the rejected candidates in a row, per m², that end it.
_HISTORY, _MAX_IDLE, _MAX_REFUSED = 5, 5000, 20
# The iterations of the search for the order of more than 18 labels.
_MAX_ITERATIONS = 20_000


@dataclass(frozen=True)
class Orders:
    """The consensus of each row of votes.

    Attributes:
        orders: The numbers of the labels, best first, a row for each problem.
        tied: Whether another order is equally good.
        lead: The extra cost of the next best order, in the unit of the votes; NaN if not known.
        proven: Whether the order is proven optimal (for `borda`: by mean ranks).
    """

    orders: Int64
    tied: np.ndarray[Any, np.dtype[np.bool_]]
    lead: Float
    proven: np.ndarray[Any, np.dtype[np.bool_]]

    @property
    def ranks(self) -> Int64:
        """The rank of each label, 1 = best."""
        return ranks_of(self.orders)


def scale_votes(votes: Float) -> tuple[Int64, Int64]:
    """Return each row as integers, and the exponent of the power of two that scaled it.

    Example:
        >>> whole, exponents = scale_votes(np.array([[0.5, -0.25, 0.0]]))
        >>> np.ldexp(whole, -exponents[:, None]).tolist()
        [[0.5, -0.25, 0.0]]
    """
    if not np.isfinite(votes).all():
        raise InputError("votes must be finite numbers")
    largest = np.abs(votes).max(axis=1, initial=0)
    exponents = _BITS - np.frexp(largest)[1].astype(np.int64)
    # In two steps, because the factor for very small votes is out of range.
    half = exponents // 2
    whole = np.ldexp(np.ldexp(votes, half[:, None]), (exponents - half)[:, None])
    return np.rint(whole).astype(np.int64), exponents


def consensus_orders(
    votes: Any,
    method: Aggregation = "exact",
    forced: Forced | None = None,
    n_jobs: int | None = None,
) -> Orders:
    """Find for each row the order of the labels that agrees best with its votes.

    Args:
        votes: A row for each problem and a column for each pair a < b of labels: (0, 1),
            (0, 2) … (1, 2) …. The preference for a before b; negative for b before a.
        method: "exact" finds the order of least disagreement (Kemeny), by dynamic programming
            over subsets if majorities form cycles; "lads" searches for it with the paper's
            local search; "borda" sorts by the sum of votes, which is the mean rank.
        forced: forced[a, b] says that a must be before b in each order, as
            `Constraints.relation` returns it; for "exact" and up to 18 labels. Then `lead` is
            infinite if no other order is allowed.
        n_jobs: The number of processes for rows with more than 18 labels in cycles.

    With more than 18 labels, the labels of a row are split where all majorities agree. Parts of up
    to 18 labels are solved exactly. For larger ones, the search of `concordant.aggregate` runs
    for a fixed number of iterations; `proven` says whether its bound met. Then `lead` is not known
    for rows with cycles, and `tied` only says that another order was found.

    Example:
        >>> found = consensus_orders([[0.75, -0.25, 0.5], [1.0, 1.0, 0.0]])
        >>> found.orders.tolist(), found.tied.tolist(), found.lead.tolist()
        ([[0, 1, 2], [0, 1, 2]], [False, True], [0.25, 0.0])
    """
    one_of("method", method, AGGREGATIONS)
    votes = np.ascontiguousarray(votes, np.float64)
    if votes.ndim != 2 or (m := n_labels_of(votes.shape[1])) * (m - 1) // 2 != votes.shape[1]:
        raise InputError(
            f"votes of shape {votes.shape} are no rows of pairs: m labels have m(m-1)/2 pairs"
        )
    whole, exponents = scale_votes(votes)
    if m == 1:
        single = np.zeros(len(votes), np.bool_)
        return Orders(
            single[:, None].astype(np.int64), single, np.full(len(votes), np.nan), ~single
        )
    largest = np.iinfo(np.int64).max
    if forced is not None and forced.any():
        whole, largest = _impose(whole, forced, method)
    if method != "exact":
        return _approximate(whole, method)
    if m <= LARGEST:
        return _exact(whole, exponents, largest)
    return _exact_by_parts(whole, exponents, n_jobs)


def _approximate(whole: Int64, method: Aggregation) -> Orders:
    """Return the orders of "lads" or "borda"."""
    n = len(whole)
    orders, tied = np.zeros((n, n_labels_of(whole.shape[1])), np.int64), np.zeros(n, np.bool_)
    if method == "borda":
        batched.borda(whole, orders, tied)
    else:
        _search(whole, orders)
    return Orders(orders, tied, np.full(n, np.nan), np.full(n, method == "borda"))


def _exact(whole: Int64, exponents: Int64, largest: int) -> Orders:
    """Return the orders of least cost of up to 18 labels."""
    n, q = whole.shape
    orders, next_best = np.zeros((n, n_labels_of(q)), np.int64), np.zeros(n, np.int64)
    batched.kemeny(whole, orders, next_best)
    lead, tied = _leads(next_best, exponents, q)
    lead[next_best >= largest] = np.inf
    return Orders(orders, tied, lead, np.ones(n, np.bool_))


def _leads(next_best: Int64, exponents: Int64, q: int) -> tuple[Float, Any]:
    """Return what the next best order adds, NaN if not known, and whether that is nothing."""
    known = next_best != batched.UNKNOWN
    # Each vote has an error of up to half a unit, and orders may differ in all of them.
    tied = known & (next_best <= q)
    lead = np.where(known, np.ldexp(next_best.astype(np.float64), -exponents), np.nan)
    lead[tied] = 0.0
    return lead, tied


def _by_parts(whole: Int64) -> tuple[Int64, Int64, Any]:
    """Return orders, what the next best ones add, and which rows are proven optimal.

    Parts of more than 18 labels get a local optimum.
    """
    n, q = whole.shape
    orders, next_best = np.zeros((n, n_labels_of(q)), np.int64), np.zeros(n, np.int64)
    proven = np.zeros(n, np.bool_)
    batched.kemeny_by_parts(whole, LARGEST, orders, next_best, proven)
    return orders, next_best, proven


def _exact_by_parts(whole: Int64, exponents: Int64, n_jobs: int | None) -> Orders:
    """Return the orders of many labels; parts of more than 18 are left to the long search."""
    orders, next_best, proven = _by_parts(whole)
    lead, tied = _leads(next_best, exponents, whole.shape[1])
    m = orders.shape[1]
    first, second = pairs_of(m)
    left = []
    for row in np.flatnonzero(~proven).tolist():
        margins = np.zeros((m, m), np.int64)
        margins[first, second], margins[second, first] = -whole[row], whole[row]
        place = ranks_of(orders[row : row + 1])[0] - 1
        for part in components_of_margins(margins):
            if part.size > LARGEST:
                # Neighbours without a majority may have changed places; nothing else is between.
                places = np.sort(place[part])
                labels = orders[row, places]
                left.append((row, places, labels, np.maximum(-margins[np.ix_(labels, labels)], 0)))
    with Parallel(n_jobs=n_jobs) as parallel:
        results = parallel(delayed(_search_long)(worth) for *_, worth in left)
    proven[:] = True
    for (row, places, labels, _), (order, is_optimal) in zip(left, results, strict=True):
        orders[row, places] = labels[order]
        proven[row] &= is_optimal
    return Orders(orders, tied, lead, proven)


def _search_long(worth: Int64) -> tuple[Int64, bool]:
    """Return the order that the project's own search finds, and whether it is proven optimal."""
    m = len(worth)
    result = aggregate(
        Pairwise.from_matrix(worth, items=range(m)),
        initial=range(m),
        max_iterations=_MAX_ITERATIONS,
        n_jobs=1,
        alternatives=0,
    )
    return np.array(result.ranking), result.status == "optimal"


def _impose(whole: Int64, forced: Forced, method: Aggregation) -> tuple[Int64, int]:
    """Return votes in which a forced pair outweighs all others together, and what it weighs.

    Free votes are below 2^40, and so their sum is below 2^48 for up to 18 labels. The kernel adds
    numbers as floats: it is exact for orders that break no rule, and others cost far more.
    """
    m = forced.shape[0]
    if method != "exact":
        raise SettingError(f"constraints need exact aggregation, not {method!r}")
    if m > LARGEST:
        raise SettingError(f"constraints need at most {LARGEST} labels, not {m}")
    first, second = pairs_of(m)
    ahead, behind = forced[first, second], forced[second, first]
    penalty = whole.shape[1] << _BITS
    return np.where(ahead, penalty, np.where(behind, -penalty, whole)), penalty


def _search(whole: Int64, orders: Int64) -> None:
    """Write the orders that LADS finds."""
    m = orders.shape[1]
    none = np.zeros(0, np.int32)
    wide = np.zeros(0, np.int64)
    batched.late_acceptance(
        whole,
        LadsRules(
            insertion=False,
            count_all=False,
            evaluator=PAIRWISE,
            max_idle=_MAX_IDLE,
            max_refused=_MAX_REFUSED * m * m,
            step_work=1,
            move_work=1,
        ),
        Ballots(wide, none, none, wide, np.zeros((0, 0), np.int32)),
        Walk(
            order=np.zeros(m, np.int32),
            best=np.zeros(m, np.int32),
            rank=np.zeros(m, np.int64),
            columns=np.zeros((m, m), np.int64),
            history=np.zeros(_HISTORY, np.int64),
            stream=np.zeros(1, np.uint64),
        ),
        new_state(0),
        orders,
    )


def consensus_signs(votes: Float, method: Aggregation) -> Float:
    """Return the consensus of each row as signs of its pairs.

    Labels whose mean ranks are equal stay tied with "borda". Cycles of more than 18 labels get a
    local optimum: a forest has thousands of leaves.
    """
    whole = scale_votes(votes)[0]
    if method != "borda":
        orders = _by_parts(whole)[0] if method == "exact" else _approximate(whole, method).orders
        return pair_signs(ranks_of(orders).astype(np.float64))
    m = n_labels_of(votes.shape[1])
    sums = np.zeros((votes.shape[0], m), np.int64)
    for k, (a, b) in enumerate(zip(*pairs_of(m), strict=True)):
        sums[:, a] += whole[:, k]
        sums[:, b] -= whole[:, k]
    return pair_signs(-sums.astype(np.float64))
