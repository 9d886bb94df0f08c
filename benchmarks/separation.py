"""Coverage of the joint ranks of `bootstrap`, and of its intervals: data from known models.

    python benchmarks/separation.py [REPEATS]

Prints, for each setting, the share of data sets in which no item's true place is outside its range,
and the mean width of the ranges. For `equal` strengths, every order of two items is wrong, so the
share is that of data sets in which no two items are told apart.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import concordant as cc

SAMPLES, ITEMS = 300, 8


def strengths(kind: str, random: np.random.Generator) -> Any:
    """Return log strengths, falling: spread out, in three groups of equals, or all equal."""
    if kind == "equal":
        return np.zeros(ITEMS)
    if kind == "groups":
        return np.array([1.5, 1.5, 0.0, 0.0, 0.0, 0.0, -1.5, -1.5])
    return np.sort(random.normal(size=ITEMS))[::-1]


def rankings(logs: Any, n: int, random: np.random.Generator) -> cc.Rankings:
    """Draw complete rankings from a Plackett–Luce model."""
    scores = logs + random.gumbel(size=(n, logs.size))
    return cc.Rankings.from_orders(np.argsort(-scores, axis=1).tolist(), items=range(ITEMS))


def battles(logs: Any, n: int, random: np.random.Generator) -> cc.Rankings:
    """Draw battles of random pairs from a Bradley–Terry model."""
    pairs = np.array([random.choice(ITEMS, 2, replace=False) for _ in range(n)])
    lost = random.random(n) >= 1 / (1 + np.exp(logs[pairs[:, 1]] - logs[pairs[:, 0]]))
    pairs[lost] = pairs[lost][:, ::-1]
    return cc.Rankings.from_orders(pairs.tolist(), items=range(ITEMS))


def covers(logs: Any, items: Any, low: Any, high: Any) -> bool:
    """Return whether every item has one of its true places in its range.

    Items of equal strength share their places, and each may have any of them.
    """
    for item, first, last in zip(items, low, high, strict=True):
        best = 1 + int((logs > logs[item] + 1e-9).sum())
        worst = int((logs >= logs[item] - 1e-9).sum())
        # None of the places that the item may have is left out.
        if first > best or last < worst:
            return False
    return True


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print("data       strengths  voters  method         joint: covers  width   each: covers  width")
    for draw, sizes, methods in (
        (rankings, (30, 200), ("auto", "borda")),
        (battles, (1000,), ("auto", "bradley-terry")),
    ):
        for kind in ("apart", "groups", "equal"):
            for n in sizes:
                for method in methods:
                    found = []
                    for seed in range(repeats):
                        random = np.random.default_rng([seed, n])
                        logs = strengths(kind, random)
                        firm = cc.bootstrap(draw(logs, n, random), SAMPLES, seed, method=method)
                        joint, each = (firm.rank_low, firm.rank_high), (firm.low, firm.high)
                        row = []
                        for low, high in (joint, each):
                            width = np.mean(np.array(high) - np.array(low))
                            row += [covers(logs, firm.items, low, high), width]
                        found.append(row)
                    mean = np.mean(found, axis=0)
                    print(
                        f"{draw.__name__:9}  {kind:9}  {n:6}  {method:13}  {mean[0]:13.3f}"
                        f"  {mean[1]:5.2f}  {mean[2]:13.3f}  {mean[3]:5.2f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
