"""KwikSort: quicksort by majorities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concordant._checks import at_least
from concordant._kernels import tournament as kernels
from concordant.algorithms.scoring import counted_in_time
from concordant.reduction.split import margins_of
from concordant.running import Run, stream


@dataclass(frozen=True, slots=True)
class KwikSortSettings:
    """Settings of `kwiksort`.

    Attributes:
        runs: The number of runs, each with other random pivots; the best order is the answer.
    """

    runs: int = 1

    def __post_init__(self) -> None:
        at_least("runs", self.runs, 1)


def kwiksort(run: Run, settings: KwikSortSettings) -> None:
    """Sort like quicksort: each item goes to the side of the pivot that the majority prefers.

    Ailon, Charikar and Newman (2008), "Aggregating inconsistent information: ranking and
    clustering", Journal of the ACM 55(5). In expectation, the better of this and a ranking of
    the input drawn at random costs at most 11/7 of the optimum on complete rankings.
    """
    if not counted_in_time(run):
        return
    margins = margins_of(run.pairwise.counts)
    random = stream(run.rng())
    order = np.empty(run.n_items, np.int64)
    bucket = np.empty_like(order)
    for _ in range(settings.runs):
        kernels.pivot_sort(margins, -1, order, bucket, random)
        run.improve(order)
        run.iterations += 1
        if run.stop():
            break
