"""Problems with ties for tests, and the definitions that they are checked against."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import strategies as st

from concordant.tiers.costs import TierCosts
from strategies import exact_weight

PENALTIES = st.sampled_from([0, 0.25, 0.4, 0.5, 1])


@cache
def weak_orders(m):
    """All weak orders of m items, as bucket numbers."""
    return [
        np.array(bucket)
        for bucket in itertools.product(range(m), repeat=m)
        if set(bucket) == set(range(max(bucket) + 1))
    ]


def cost_by_definition(given, bucket, p, q):
    """Return the cost of a weak order, ranking by ranking and pair by pair."""
    items, orders, weights, unranked = given
    p, q = Fraction(str(p)), Fraction(str(q))
    total = Fraction(0)
    for order, weight in zip(orders, weights, strict=True):
        rank = {item: number for number, tier in enumerate(order) for item in tier}
        if unranked == "last":
            rank = {item: rank.get(item, len(order)) for item in items}
        for (i, a), (j, b) in itertools.combinations(enumerate(items), 2):
            if a not in rank or b not in rank:
                continue
            theirs, ours = np.sign(rank[a] - rank[b]), np.sign(bucket[i] - bucket[j])
            if theirs == ours:
                continue
            penalty = q if theirs == 0 else p if ours == 0 else 1
            total += penalty * exact_weight(weight)
    return total


@st.composite
def problems(draw, min_items=1, max_items=5, low=0, high=6):
    """Draw costs of any kind, not only those that rankings give."""
    m = draw(st.integers(min_items, max_items))
    entries = st.lists(st.integers(low, high), min_size=m * m, max_size=m * m)
    before = np.array(draw(entries), np.int64).reshape(m, m)
    tied = np.array(draw(entries), np.int64).reshape(m, m)
    tied = np.minimum(tied, tied.T)
    return TierCosts(tuple(range(m)), before, tied)


def optimum(costs):
    return min(costs.cost_units(bucket) for bucket in weak_orders(costs.n_items))


def random_problem(m, seed, largest=6):
    """Make costs without structure, which are hard to prove."""
    rng = np.random.default_rng(seed)
    before = rng.integers(0, largest, (m, m))
    tied = rng.integers(0, largest, (m, m))
    return TierCosts(tuple(range(m)), before, (tied + tied.T) // 2)
