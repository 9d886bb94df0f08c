"""Reciprocal rank fusion against its definition."""

import itertools

import numpy as np
from hypothesis import given

import concordant as cc
from strategies import ballots, exact_weight, make


@given(ballots())
def test_rrf_by_definition(drawn):
    items, orders, weights, _ = drawn
    scores = dict.fromkeys(items, 0.0)
    for order, weight in zip(orders, weights, strict=True):
        passed = 0
        for bucket in order:
            for item in bucket:
                rank = passed + (len(bucket) + 1) / 2
                scores[item] += float(exact_weight(weight)) / (60 + rank)
            passed += len(bucket)
    result = cc.aggregate(make(drawn), "rrf")
    found = [scores[item] for item in result.ranking]
    np.testing.assert_allclose(result.details["scores"], found, rtol=1e-9, atol=1e-300)
    assert all(a >= b - 1e-9 * max(found) for a, b in itertools.pairwise(found))
