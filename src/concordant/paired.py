"""Paired comparisons of methods on the same instances: the signed-rank test, and average ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# The test is exact for at most this number of differences.
_EXACT = 50


def signed_rank_p(pairs: Sequence[Sequence[float]]) -> float | None:
    """Return the two-sided p-value of Wilcoxon's signed-rank test on paired values.

    Pairs of equal values are left out; differences smaller than the rounding of the values count
    as equal. The value is 1 if all pairs are equal, and None if there are no pairs. It is exact
    for up to 50 differences, with ties or without; for more it uses the normal distribution.

    Example:
        >>> signed_rank_p([(1, 2), (2, 4), (3, 6), (4, 8), (5, 10), (6, 12)])
        0.03125
        >>> signed_rank_p([(1, 1), (2, 2)])
        1.0
    """
    from scipy.stats import rankdata, wilcoxon

    if not pairs:
        return None
    values = np.asarray(pairs, np.float64)
    # In binary, 0.3 - 0.2 differs from 0.2 - 0.1: ignore differences below the precision.
    unit = np.abs(values).max() * 1e-10 or 1.0
    differences = np.rint((values[:, 0] - values[:, 1]) / unit)
    differences = differences[differences != 0]
    if not differences.size:
        return 1.0
    if differences.size > _EXACT:
        return float(wilcoxon(differences, method="asymptotic").pvalue)
    # Tied ranks are multiples of 1/2, so twice the ranks are integers. Count, rank by rank, the
    # choices of signs that give each sum.
    ranks = np.rint(2 * rankdata(np.abs(differences))).astype(int)
    ways = np.zeros(ranks.sum() + 1)
    ways[0] = 1
    for rank in ranks:
        ways[rank:] += ways[: ways.size - rank].copy()
    found = int(ranks[differences > 0].sum())
    tail = min(found, int(ranks.sum()) - found)
    return float(min(1.0, 2 * ways[: tail + 1].sum() / 2.0**ranks.size))


def contest(
    pairs: Sequence[Sequence[float]],
) -> tuple[int | None, int | None, int | None, float | None]:
    """Count the pairs whose first value is lower, equal and higher, and test them.

    The last value is p of the signed-rank test. Without pairs, all are None.

    Example:
        >>> contest([(1, 2), (2, 2), (3, 2)])
        (1, 1, 1, 1.0)
    """
    if not pairs:
        return None, None, None, None
    wins, losses = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    return wins, len(pairs) - wins - losses, losses, signed_rank_p(pairs)


def average_ranks(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean rank of each column over the rows; 1 = lowest value, ties share a mean rank.

    Example:
        >>> average_ranks([[1.0, 2.0, 3.0], [5.0, 5.0, 4.0]])
        [1.75, 2.25, 2.0]
    """
    from scipy.stats import rankdata

    ranks: list[float] = rankdata(np.asarray(rows, np.float64), axis=1).mean(axis=0).tolist()
    return ranks


@dataclass(frozen=True, slots=True)
class Standing:
    """How a method compares with the others on the same instances.

    Attributes:
        average_rank: Its mean rank over the instances that all methods have, 1 = best; None if
            there is no such instance.
        wins, ties, losses: The instances on which it is better than the reference, equal and
            worse; None for the reference itself, and without instances that both have.
        p: The p-value of the signed-rank test on these, two-sided.
    """

    average_rank: float | None
    wins: int | None
    ties: int | None
    losses: int | None
    p: float | None


def standings(
    values: Mapping[str, Mapping[Any, float]], reference: str
) -> tuple[dict[str, Standing], int]:
    """Compare methods by a value for each instance, lower is better.

    Args:
        values: For each method, its value by instance.
        reference: The method that the others are compared with.

    Returns:
        The standing of each method, and the number of instances that all methods have.

    Example:
        >>> found, common = standings({"a": {1: 3, 2: 5}, "b": {1: 4, 2: 5}}, "a")
        >>> found["b"]
        Standing(average_rank=1.75, wins=0, ties=1, losses=1, p=1.0)
    """
    common = set.intersection(*(set(each) for each in values.values()))
    # In the order of the instances, so that the mean is the same in every run.
    first = next(iter(values.values()))
    rows = [[each[case] for each in values.values()] for case in first if case in common]
    ranks = average_ranks(rows) if rows else [None] * len(values)
    found = {}
    for (name, own), rank in zip(values.items(), ranks, strict=True):
        theirs = values[reference] if name != reference else {}
        pairs = [(value, theirs[case]) for case, value in own.items() if case in theirs]
        found[name] = Standing(rank, *contest(pairs))
    return found, len(rows)
