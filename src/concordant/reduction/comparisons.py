"""Which items the rankings compare at all: directly, or through other items."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from concordant.pairwise import Pairwise


def apart(pairwise: Pairwise) -> npt.NDArray[np.bool_]:
    """Return which items are not connected to the main group of items by comparisons.

    Two items are compared where some ranking puts one strictly before the other. The main group is
    the largest one that comparisons connect; of equally large ones, the one with more weight.

    Example:
        >>> apart(Pairwise.from_matrix([[0, 2, 0], [1, 0, 0], [0, 0, 0]])).tolist()
        [False, False, True]
    """
    counts = pairwise.counts
    found = np.ones(pairwise.n_items, bool)
    groups = []
    left = np.arange(pairwise.n_items)
    while left.size:
        inside = reached = left[:1]
        left = left[1:]
        while reached.size and left.size:
            compared = (counts[np.ix_(reached, left)] != 0).any(axis=0)
            compared |= (counts[np.ix_(left, reached)] != 0).any(axis=1)
            reached, left = left[compared], left[~compared]
            inside = np.concatenate([inside, reached])
        groups.append(inside)
    if groups:
        found[max(groups, key=lambda group: (group.size, int(counts[group].sum())))] = False
    return found
