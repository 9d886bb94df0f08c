"""Twins: items with the same margins to all others, which some optimal order keeps together.

Items a and b are twins when every other item has the same margin with both. Neighbours in
one ranking that no other ranking holds are twins: wide data have many.

Let G be a group of items such that each has the same margins with every item outside G. Some
optimal order lists G without a gap: in any order, let u be the item of G whose place costs least
against the items outside, and put all others of G next to u. Each then pays what u pays against
the items outside, which is no more than it paid before. If besides there is an order of G that
goes against no majority inside it, the group costs least inside in this order, and can be replaced
by one item whose margins are the sums of those of G.

Where b is a twin of a and c one of b, the three are a group: an item x outside has the same margins
with a and b, and with b and c. And then margin(a, b) = margin(a, c) = margin(b, c), so the order of
a group follows its majorities.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from concordant._types import Int64, Margins

# Up to this many items, plain numpy is faster than loading the kernels.
_PLAIN = 100


def groups_of_twins(margins: Margins) -> list[Int64]:
    """Partition items into groups of twins, each in the order of its majorities.

    Example:
        >>> margins = np.array([[0, -1, -2, 3], [1, 0, -2, 3], [2, 2, 0, -1], [-3, -3, 1, 0]])
        >>> [group.tolist() for group in groups_of_twins(margins)]
        [[0, 1], [2], [3]]
    """
    k = margins.shape[0]
    random = np.random.default_rng(k).integers(0, 2**64, k, np.uint64)
    leader = leaders_plain(margins, random) if k <= _PLAIN else _leaders_fast(margins, random)
    by_leader = np.argsort(leader, kind="stable")
    ends = np.flatnonzero(np.diff(leader[by_leader])) + 1
    groups = [item for group in np.split(by_leader, ends) for item in _checked(margins, group)]
    return sorted(groups, key=lambda group: int(group.min()))


def leaders_plain(margins: Margins, random: npt.NDArray[np.uint64]) -> Int64:
    """Return for each item the first of its group, as the kernel `exact.twin_leaders` does."""
    k = margins.shape[0]
    unsigned = margins.astype(np.int64).view(np.uint64)
    sums = (unsigned * random).sum(axis=1, dtype=np.uint64)
    # Rows without the columns of the two: margins[b, a] is -margins[a, b].
    alike = sums[:, None] - unsigned * random == sums[None, :] + unsigned * random[:, None]
    leader = np.arange(k)
    for a, b in np.argwhere(np.triu(alike, 1)).tolist():
        while leader[a] != a:
            a = leader[a]
        while leader[b] != b:
            b = leader[b]
        leader[max(a, b)] = min(a, b)
    for a in range(k):
        leader[a] = leader[leader[a]]
    return leader


def _leaders_fast(margins: Margins, random: npt.NDArray[np.uint64]) -> Int64:
    from concordant._kernels import exact

    found: Int64 = exact.twin_leaders(margins, random)
    return found


def _checked(margins: Margins, group: Int64) -> list[Int64]:
    """Return the group in order, or single items if the hash was wrong and they are not twins."""
    if group.size > 1:
        inside = margins[np.ix_(group, group)]
        group = group[np.argsort(-(inside < 0).sum(axis=1), kind="stable")]
        outside = margins[group]
        outside[:, group] = 0
        follows = np.triu(margins[np.ix_(group, group)], 1)
        if (follows > 0).any() or (outside != outside[0]).any():
            return [group[n : n + 1] for n in range(group.size)]
    return [group]
