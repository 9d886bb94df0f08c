"""How to add a kind of inequality: its rows, and the function that checks them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, ClassVar

import numpy as np
import pytest

from concordant import certificate
from concordant.bounds.multipliers import Multipliers, exact_bound
from strategies import brute_force


def arcs_of(row: list[int]) -> list[tuple[int, int]]:
    """The arcs of a 3-fence: u[i] before w[i], and w[i] before u[j] for all j other than i.

    An order has at most seven of the nine (Grötschel, Jünger and Reinelt 1985).
    """
    up, low = row[:3], row[3:]
    pales = list(zip(up, low, strict=True))
    return pales + [(low[i], up[j]) for i, j in permutations(range(3), 2)]


MOST_ARCS = 7


@dataclass(frozen=True)
class Fences:
    kind: ClassVar[str] = "fence"

    values: list[int]
    items: list[list[int]]

    def charge(self, reduced: np.ndarray) -> int:
        total = 0
        for y, row in zip(self.values, self.items, strict=True):
            total += add_arcs(y, row, reduced)
        return total

    def rows(self) -> list[list[int]]:
        return [[y, *row] for y, row in zip(self.values, self.items, strict=True)]


def add_arcs(y: int, row: list[int], reduced: np.ndarray) -> int:
    charge = y * MOST_ARCS
    for a, b in arcs_of(row):
        if a < b:
            reduced[a, b] += y
        else:
            reduced[b, a] -= y
            charge -= y
    return charge


def check_fences(rows: Any, reduced: np.ndarray, budget: int) -> tuple[int, int]:
    """What a certificate's checker would do with the rows, on its own."""
    charge = used = 0
    for y, *row in rows:
        used += 9 * y
        assert y >= 0
        assert used < budget
        assert len(set(row)) == 6
        charge += add_arcs(y, row, reduced)
    return charge, used


def fence_matrix() -> np.ndarray:
    """Majorities along the arcs of one fence: triangles alone do not prove its optimum."""
    counts = np.zeros((6, 6), np.int64)
    for a, b in arcs_of([0, 1, 2, 3, 4, 5]):
        counts[a, b] = 1
    return counts


def test_an_order_has_at_most_seven_arcs_of_a_fence() -> None:
    arcs = arcs_of([0, 1, 2, 3, 4, 5])
    kept = [
        sum((a, b) in arcs for a, b in combinations(order, 2)) for order in permutations(range(6))
    ]
    assert max(kept) == MOST_ARCS


def test_a_new_kind_proves_and_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = fence_matrix()
    costs = np.triu(counts.T - counts, 1)
    fences = Multipliers((Fences([1], [[0, 1, 2, 3, 4, 5]]),), scale=1)
    bound = exact_bound(costs, np.zeros((6, 6), np.int8), fences)
    proven = bound.units() + int(np.triu(counts, 1).sum())
    assert proven == brute_force(counts)[0] == 2
    part = {
        "items": list(range(6)),
        "cutoff": proven,
        "bound": proven,
        "nodes": [{"rounds": [fences.to_dict()]}],
    }
    document = {
        "format": certificate.KIND,
        "version": certificate.VERSION,
        "n_items": 6,
        "data": certificate.fingerprint(counts),
        "bound": proven,
        "components": [part],
    }
    with pytest.raises(certificate.VerificationError, match="not a known kind of inequality"):
        certificate.check(document, counts)
    monkeypatch.setitem(certificate.KINDS, "fence", check_fences)
    assert certificate.check(document, counts) == proven
