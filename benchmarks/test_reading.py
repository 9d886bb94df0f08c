"""Reading tables, measured against polars' own reading, and counting against reading.

Times differ between machines, so each target is a ratio of two times. Both are measured in turn
within one run, and the best of each counts, so that other work on the machine matters little.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import concordant as cc
from concordant.pairwise import Pairwise

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROUNDS = 7


def read_csv(path: Path) -> cc.Rankings[str]:
    """Read short ballots, which leave out most items, without a warning about these."""
    return cc.read(path, "csv", unranked="unknown")


def ratio(benchmark: Any, work: Callable[[], Any], baseline: Callable[[], Any]) -> float:
    """Time both in turn; return the best time of the work divided by that of the baseline."""
    best = float("inf")

    def measure() -> None:
        nonlocal best
        start = time.perf_counter()
        baseline()
        best = min(best, time.perf_counter() - start)

    work()  # Compiles the kernels.
    benchmark.pedantic(work, setup=measure, rounds=ROUNDS)
    benchmark.extra_info["baseline"] = best
    benchmark.extra_info["ratio"] = benchmark.stats.stats.min / best
    return float(benchmark.extra_info["ratio"])


def ballots(n: int, length: int, n_items: int) -> np.ndarray:
    """Draw ballots without repetition: n rows of items, best first."""
    rng = np.random.default_rng(1)
    rows = rng.integers(0, n_items, (n, length))
    while True:
        in_order = np.sort(rows, axis=1)
        repeated = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
        if not repeated.any():
            return rows
        rows[repeated] = rng.integers(0, n_items, (int(repeated.sum()), length))


@pytest.mark.parametrize("rows", ["grouped by voter", "shuffled"])
@pytest.mark.parametrize("voters", ["integers", "text"])
def test_long_csv(benchmark: Any, tmp_path: Path, voters: str, rows: str) -> None:
    n, length, n_items = 100_000, 10, 200
    names = np.array([f"candidate {item}" for item in range(n_items)])
    voter = pl.Series(np.repeat(np.arange(n), length))
    frame = pl.DataFrame(
        {
            "voter": voter if voters == "integers" else "voter-" + voter.cast(pl.String),
            "item": names[ballots(n, length, n_items).ravel()],
            "rank": np.tile(np.arange(1, length + 1), n),
        }
    )
    if rows == "shuffled":
        frame = frame.sample(fraction=1, shuffle=True, seed=1)
    path = tmp_path / "votes.csv"
    frame.write_csv(path)

    data = read_csv(path)
    assert (data.n_items, data.n_rankings, data.members.size) == (n_items, n, n * length)
    assert ratio(benchmark, lambda: read_csv(path), lambda: pl.read_csv(path)) <= 6


def test_counting_short_ballots(benchmark: Any, tmp_path: Path) -> None:
    n, length, n_items = 1_000_000, 5, 1000
    names = np.array([f"candidate {item}" for item in range(n_items)])
    cells = names[ballots(n, length, n_items)]
    path = tmp_path / "votes.csv"
    # A column for each rank is the shortest layout, so it is the fastest to read.
    pl.DataFrame({f"rank{rank}": cells[:, rank - 1] for rank in range(1, length + 1)}).write_csv(
        path
    )

    data = read_csv(path)
    assert (data.n_items, data.n_rankings) == (n_items, n)
    counted = Pairwise.from_rankings(data).counts.sum()
    assert counted == n * length * (length - 1) // 2
    assert ratio(benchmark, lambda: Pairwise.from_rankings(data), lambda: read_csv(path)) <= 1
