"""Generated instances for the benchmarks, their items numbered at random.

A generator lists the items in the order of its center unless told otherwise, and a method that
breaks ties by item number would find it there.
"""

from __future__ import annotations

import numpy as np

import concordant as cc


def mallows(items: int, rankings: int, theta: float, seed: int) -> cc.Rankings:
    """Draw rankings around a center that says nothing about the numbers of its items."""
    center = np.random.default_rng([seed, items]).permutation(items) + 1
    return cc.generate.mallows(items, rankings, theta, center=center.tolist(), seed=seed)
