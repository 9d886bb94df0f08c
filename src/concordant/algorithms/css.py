"""CSS: the greedy order of Cohen, Schapire and Singer."""

from __future__ import annotations

import numpy as np

from concordant._kernels import tournament as kernels
from concordant._kernels.state import PartialOrder
from concordant._types import Int32, Margins, Stream
from concordant.algorithms.scoring import TieSettings, by_score, counted_in_time, numbering
from concordant.reduction.split import margins_of
from concordant.running import Run, stream

# Items compared between two checks of the limits: a few milliseconds.
_SLICE = 4_000_000


def css(run: Run, settings: TieSettings) -> None:
    """Pick the item of highest potential, remove it, update the potentials, and repeat.

    The greedy order of Cohen, Schapire and Singer (1999), "Learning to order things", Journal
    of Artificial Intelligence Research 10. The potential of an item is the weight that prefers
    it to the items left, less the weight that prefers those to it. Out of time, the items left
    are sorted by their potentials.
    """
    if not counted_in_time(run):
        return
    numbers = numbering(run, settings)
    margins = margins_of(run.pairwise.counts)
    if settings.ties == "lot":
        # The kernel gives ties to the lower number: the items are renumbered.
        margins = margins[np.ix_(numbers, numbers)]
    run.improve(numbers[greedy_order(run, margins, 0.0, stream(run.rng()))])


def greedy_order(run: Run, margins: Margins, share: float, random: Stream) -> Int32:
    """Build the greedy order in slices; see `fill_greedily` for the share."""
    m = margins.shape[0]
    potential = -margins.sum(axis=1, dtype=np.int64)
    partial = PartialOrder(np.empty(m, np.int32), np.arange(m), potential)
    first = 0
    while first < m:
        last = min(m, first + max(1, _SLICE // (m - first)))
        kernels.fill_greedily(margins, share, partial, first, last, random)
        first = last
        if first < m and run.stop(when_optimal=False):
            left = partial.left[: m - first]
            partial.order[first:] = left[by_score(potential[left])]
            break
    return partial.order
