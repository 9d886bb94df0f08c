"""BioConsert: descents that move items between buckets, from every input ranking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concordant._checks import between
from concordant._kernels import buckets as kernels
from concordant.algorithms.buckets import kendall_with_ties, without_ties
from concordant.running import Run


@dataclass(frozen=True, slots=True)
class BioConsertSettings:
    """Settings of `bioconsert`.

    Attributes:
        tie_penalty: The cost of a pair that only one of ranking and answer ties; a pair in
            opposite orders costs 1. Below one half, the cost is no longer a distance.
    """

    tie_penalty: float = 1.0

    def __post_init__(self) -> None:
        between("tie_penalty", self.tie_penalty, 0.0, 1.0)


def bioconsert(run: Run, settings: BioConsertSettings) -> None:
    """From every input ranking, move items between buckets and into new ones while that improves.

    Cohen-Boulakia, Denise and Hamel (2011), "Using medians to generate consensus rankings for
    biological data", SSDBM; Brancotte et al. (2015), "Rank aggregation with ties", PVLDB 8, who
    compare it with other methods and count ties in full, as the default penalty does. Items that
    a ranking does not rank start in a last bucket. Rankings of large weight are tried first.
    """
    name = f"Kendall distance with tie penalty {settings.tie_penalty:g}"
    problem = kendall_with_ties(run, settings.tie_penalty, 1, name)
    if problem is None:
        without_ties(run)
        return
    rankings = run.rankings
    assert rankings is not None
    try:
        # A start that is quick to compute, so that there is an answer even in a short time.
        first = problem.first()
        problem.offer(first, problem.cost(first))
        starts = np.argsort(-rankings.units, kind="stable")
        for r in starts.tolist():
            if run.stop():
                break
            span = slice(rankings.offsets[r], rankings.offsets[r + 1])
            bucket = np.full(rankings.n_items, rankings.n_items, np.int64)
            bucket[rankings.members[span]] = rankings.buckets[span]
            kernels.close_gaps(bucket)
            problem.descend(bucket)
            run.generations += 1
        if not run.stop():
            problem.descend(np.zeros(rankings.n_items, np.int64))
    finally:
        problem.report()
