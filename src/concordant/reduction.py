"""Splitting a problem into parts that can be solved apart, before any search."""

from __future__ import annotations

import numpy as np

from concordant._types import Int64, Margins


def margins_of(counts: Int64) -> Margins:
    """Return what a before b costs less what b before a costs, in the narrowest integers.

    Sums of margins are taken in 64 bits, so an entry has only to hold itself.

    Example:
        >>> margins_of(np.array([[0, 3], [1, 0]]))
        array([[ 0, -2],
               [ 2,  0]], dtype=int32)
    """
    narrow = int(counts.max(initial=0)) - int(counts.min(initial=0)) < 2**31
    margins = np.empty(counts.shape, np.int32 if narrow else np.int64)
    return np.subtract(counts.T, counts, out=margins, casting="unsafe")


def components(counts: Int64) -> list[Int64]:
    """Split items by the strict majority relation; earlier parts go before later ones.

    Some optimal order lists the parts one after the other: take the strongly connected
    components of "more weight puts a before b than b before a", sorted so that majorities
    between components point forward. Two items of different components then stand in the
    cheaper order, or in one of two equally cheap ones, so pairs across components reach their
    least possible cost together, whatever the order inside each component. An order that is
    optimal inside each component is optimal as a whole (Truchon 1998 calls this the extended
    Condorcet criterion).

    Example:
        >>> cycle_then_loser = np.array([[0, 2, 1, 3], [1, 0, 2, 3], [2, 1, 0, 3], [0, 0, 0, 0]])
        >>> [part.tolist() for part in components(cycle_then_loser)]
        [[0, 1, 2], [3]]
    """
    return components_of_margins(margins_of(counts))


def components_of_margins(margins: Margins) -> list[Int64]:
    """Return the same as `components`, where the margins are at hand already."""
    from concordant._kernels import exact

    number, found = exact.components(margins)
    by_number = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number, minlength=found))
    return [np.sort(part) for part in np.split(by_number, ends[:-1])]
