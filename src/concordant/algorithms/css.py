"""CSS: the greedy order of Cohen, Schapire and Singer."""

from __future__ import annotations

import numpy as np

from concordant._kernels import tournament as kernels
from concordant.algorithms.scoring import TieSettings, numbering
from concordant.reduction.split import margins_of
from concordant.running import Run, stream


def css(run: Run, settings: TieSettings) -> None:
    """Pick the item of highest potential, take it out, update the potentials, and so on.

    The greedy order of Cohen, Schapire and Singer (1999), "Learning to order things", Journal
    of Artificial Intelligence Research 10. The potential of an item is the weight that prefers
    it to the items left, less the weight that prefers those to it.
    """
    numbers = numbering(run, settings)
    margins = margins_of(run.pairwise.counts)
    if settings.ties == "lot":
        # The kernel gives ties to the lower number: the items are numbered anew.
        margins = margins[np.ix_(numbers, numbers)]
    order = np.empty(numbers.size, np.int64)
    kernels.greedy_order(margins, 0.0, order, stream(run.rng()))
    run.improve(numbers[order])
