"""Counting pairs against the plain numpy loop, in one run: ratios, not seconds."""

import time

import numpy as np
import pytest

from concordant import Pairwise, Rankings


def plain_loop(ranks):
    counts = np.zeros((ranks.shape[1],) * 2, np.int64)
    for row in ranks:
        counts += row[:, None] < row[None, :]
    return counts


def fastest(function, *, repeats=5):
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - started)
    return best


@pytest.mark.parametrize(("threads", "least"), [(1, 2.0), (2, 4.0)])
def test_counting_complete_rankings(benchmark, threads, least):
    ranks = np.random.default_rng(0).random((10_000, 250)).argsort(axis=1).argsort(axis=1) + 1
    data = Rankings.from_ranks(ranks)
    small = Rankings.from_ranks(ranks[:100])
    assert (Pairwise.from_rankings(small).counts == plain_loop(ranks[:100])).all()
    seconds = fastest(lambda: Pairwise.from_rankings(data, n_jobs=threads))
    benchmark.pedantic(Pairwise.from_rankings, (data,), {"n_jobs": threads}, rounds=5)
    # A tenth of the rankings is enough to time the loop, which is linear in them.
    ratio = 10 * fastest(lambda: plain_loop(ranks[:1000]), repeats=3) / seconds
    benchmark.extra_info["times the plain loop"] = round(ratio, 1)
    assert ratio >= least
