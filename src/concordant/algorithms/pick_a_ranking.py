"""Pick-a-ranking: the best of the input rankings."""

from __future__ import annotations

import numpy as np

from concordant.algorithms.scoring import borda_of, by_score
from concordant.running import Run


def pick_a_ranking(run: Run, settings: None) -> None:
    """Take the input ranking of least cost; rankings of large weight are tried first.

    Tied items, and unranked items behind all ranked ones, follow Borda's order. On complete
    rankings, a ranking drawn from the input costs in expectation at most twice the optimum
    (Ailon, Charikar and Newman 2008), so the best one does as well.
    """
    rankings = run.rankings
    assert rankings is not None
    borda_rank = np.empty(rankings.n_items, np.int64)
    borda_rank[by_score(borda_of(run))] = np.arange(rankings.n_items)
    for r in np.argsort(-rankings.units, kind="stable").tolist():
        span = slice(rankings.offsets[r], rankings.offsets[r + 1])
        bucket = np.full(rankings.n_items, rankings.n_items, np.int64)
        bucket[rankings.members[span]] = rankings.buckets[span]
        run.improve(np.lexsort((borda_rank, bucket)).astype(np.int64))
        run.iterations += 1
        if run.stop():
            break
