"""How many more voters it takes to change the winner of a consensus, or any place in it.

The order π is the best one, with the cost C(π). A further voter with the ballot β adds K(σ, β) to
the cost of each order σ: the number of pairs that the two order in opposite ways. Any order σ
differs from π in K(σ, π) pairs, and β counts for or against σ only in these, so

    K(σ, β) - K(π, β)  >=  -K(σ, π)  =  K(σ, ρ) - K(π, ρ),

where ρ is the reverse of π. This also holds for ballots with ties or without some items, which
count in fewer pairs. So if any k further voters make σ as good as π, then k voters who vote ρ do
so too. Hence facts 1 and 2, for each number k of further voters:

1. Some k voters can make π lose its place as the only best order if and only if k voters who
   vote ρ do so.
2. If, with k voters who vote ρ, every order with another first item costs more than π, then no k
   voters can change the winner, nor make it a tie.
3. The same if the winner beats each other item by more than k. Then, with the k voters, it still
   beats each of them, so an order with other items before it improves when it moves to the front.

The last two give a number that is needed. A number that is enough comes from an example: k copies
of one ballot, checked by solving the problem with them. For k copies of the ballot σ, the cost of
σ stays as it is and that of all others grows with k, so the least such k is found by halving.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from concordant._types import Int64
from concordant.pairwise import Pairwise
from concordant.reduction.subsets import SubsetCosts

# With more items, the subsets take too long for an answer at once.
_LARGEST = 13


@dataclass(frozen=True)
class Needed:
    """How many more voters it takes to change a consensus; each votes as badly for it as possible.

    A tie with another winner, or another order, counts as a change.

    Attributes:
        winner: (a, b): fewer than a further voters cannot change who wins, and b can; None if that
            is not known, or if the first place is tied already.
        order: The smallest number of further voters who can change any place; None if that is not
            known, or if the order is not the only best one.
    """

    winner: tuple[int, int] | None = None
    order: int | None = None


def needed_voters(pairwise: Pairwise, order: Int64) -> Needed:
    """Return how many more voters could change the winner, or any place.

    Args:
        pairwise: The pairwise counts, whole numbers. A further voter has the weight 1.
        order: A ranking that is proven the best one for these counts, as numbers of items.

    Example:
        >>> from concordant import Rankings
        >>> votes = Rankings.from_orders([list("abc"), list("acb")], weights=[3, 2])
        >>> needed_voters(Pairwise.from_rankings(votes), np.array([0, 1, 2]))
        Needed(winner=(5, 5), order=1)
    """
    m = order.size
    if m < 2 or pairwise.scale != 1:
        return Needed()
    counts = pairwise.counts[np.ix_(order, order)].astype(np.int64)
    lead = counts - counts.T
    neighbours = np.diagonal(lead, 1)
    closest = int(neighbours.min())
    small = m <= _LARGEST
    changed: int | None = None
    if closest >= 1:
        # Voters with the order in which these two neighbours are exchanged are enough.
        changed = 1 if closest == 1 else None
        if small and _is_only_best(lead):
            changed = _least(lambda k: not _is_only_best(_with(lead, np.arange(m), -k)), 1, closest)
        elif small:
            changed = None
    return Needed(_winner(lead) if small else None, changed)


def _with(lead: Int64, ballot: Int64, copies: int) -> Int64:
    """Return the leads of all pairs after some copies of a ballot are added."""
    place = np.empty(ballot.size, np.int64)
    place[ballot] = np.arange(ballot.size)
    found: Int64 = lead + copies * np.sign(place - place[:, None])
    return found


def _solved(lead: Int64) -> SubsetCosts:
    return SubsetCosts(np.maximum(lead, 0))


def _own_cost(lead: Int64) -> int:
    """Return the cost of the order 0, 1, 2 …: what it loses in the pairs that it orders badly."""
    return int(np.tril(np.maximum(lead, 0), -1).sum())


def _is_only_best(lead: Int64) -> bool:
    """Return whether the order 0, 1, 2 … is the only best one."""
    solved = _solved(lead)
    return solved.cost == _own_cost(lead) and len(list(islice(solved.orders(), 2))) == 1


def _least(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the smallest number from low to high for which a condition holds; high has it.

    It holds for all numbers from the smallest one on.
    """
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _costs_by_first(lead: Int64) -> list[int]:
    """Return the least cost of the orders that begin with each item."""
    solved, excess = _solved(lead), np.maximum(lead, 0)
    everything = solved.costs.size - 1
    return [
        int(solved.costs[everything ^ (1 << a)]) + int(excess[:, a].sum())
        for a in range(lead.shape[0])
    ]


def _winner(lead: Int64) -> tuple[int, int] | None:
    """Return how many voters are needed, and how many are enough, to change the first item."""
    m = lead.shape[0]
    if _solved(lead).winners() != (0,):
        return None
    natural = np.arange(m)

    def may_change(k: int) -> bool:
        reversed_voters = _with(lead, natural, -k)
        others = _costs_by_first(reversed_voters)[1:]
        return min(others) <= _own_cost(reversed_voters)

    # With so many voters, the order that exchanges the first two is as good as this one.
    enough = int(lead[0, 1])
    need = max(_least(may_change, 1, enough), int(lead[0, 1:].min()))
    for ballot in _ballots(lead, need):
        if enough == need:
            break

        def changes(k: int, ballot: Int64 = ballot) -> bool:
            return _solved(_with(lead, ballot, k)).winners() != (0,)

        if changes(enough - 1):
            enough = _least(changes, need, enough - 1)
    return need, enough


def _ballots(lead: Int64, need: int) -> Iterator[Int64]:
    """Yield ballots that may change the winner with few copies: another item first, in turn."""
    m = lead.shape[0]
    shifted = _with(lead, np.arange(m), -need)
    best = np.argsort(_costs_by_first(shifted)[1:], kind="stable") + 1
    for a in best.tolist():
        others = np.array([b for b in range(m) if b != a])
        rest = others[_solved(shifted[np.ix_(others, others)]).order]
        yield np.concatenate([[a], rest])
        # The same with the present winner last.
        yield np.concatenate([[a], rest[rest != 0], [0]])
