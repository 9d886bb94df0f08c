"""Significance of lists: against plain definitions, simulations and the command line."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concordant as cc
from commands import is_error, run
from concordant.lists import agreeing_places, p_of_rho, rho_scores


def plain_rho(shares: list[float]) -> float:
    """Kolde's definition, with the beta distribution of order statistics."""
    ordered, n = sorted(shares), len(shares)
    return min(stats.beta.cdf(x, k, n - k + 1) for k, x in enumerate(ordered, 1))


def test_rho_is_the_published_formula() -> None:
    random = np.random.default_rng(0)
    shares = random.random((6, 20))
    rho, sizes = rho_scores(shares)
    assert np.allclose(rho, [plain_rho(column.tolist()) for column in shares.T])
    assert (sizes == 6).all()
    shares[:2, 3] = np.nan
    rho, sizes = rho_scores(shares)
    assert rho[3] == pytest.approx(plain_rho(shares[2:, 3].tolist()))
    assert sizes[3] == 4


@pytest.mark.parametrize("n", [1, 2, 4, 9])
def test_p_values_are_uniform_by_chance(n: int) -> None:
    found = rho_scores(np.random.default_rng(n).random((n, 4000)))[0]
    p_values = [p_of_rho(rho, n) for rho in found[:300].tolist()]
    assert stats.kstest(p_values, "uniform").pvalue > 1e-4
    for rho in (0.001, 0.05, 0.4):
        p = p_of_rho(rho, n)
        assert rho - 1e-12 <= p <= min(1, n * rho) + 1e-12
        assert abs(p - (found <= rho).mean()) < 5 * math.sqrt(p * (1 - p) / 4000) + 1e-3
    assert p_of_rho(1e-15, n) == pytest.approx(n * 1e-15, rel=1e-3)


def test_a_list_with_one_real_item() -> None:
    random = np.random.default_rng(3)
    orders: list[list[Any]] = []
    for _ in range(8):
        others = random.permutation(200)[:30].tolist()
        orders.append(["real", *others])
    found = cc.list_significance(cc.Rankings.from_orders(orders), universe=201)
    assert found.items[0] == "real"
    assert found.significant() == ("real",)
    assert found.n_lists == 8
    assert found.bonferroni[0] == pytest.approx(8 * found.rho[0])
    # All eight places are first: the largest of eight uniform numbers is at most 1 / 201.
    assert found.rho[0] == pytest.approx((1 / 201) ** 8)
    assert found.adjusted == tuple(sorted(found.adjusted))
    assert found.to_frame().columns == ["item", "rho", "p_value", "bonferroni", "adjusted"]
    assert json.loads(json.dumps(found.to_dict()))["universe"] == 201


def test_chance_is_rarely_significant() -> None:
    wrong = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        orders = [random.permutation(40)[:10].tolist() for _ in range(5)]
        data = cc.Rankings.from_orders(orders, items=range(40))
        wrong += bool(cc.list_significance(data).significant())
    # At most three are expected.
    assert wrong <= 9


def test_weights_ties_and_missing_items() -> None:
    twice = cc.list_significance(cc.Rankings.from_orders([["a", "b"], ["a", "b"], ["b"]]))
    weighted = cc.Rankings.from_orders([["a", "b"], ["b"]], weights=[2, 1])
    assert cc.list_significance(weighted) == twice
    tied = cc.list_significance(cc.Rankings.from_orders([[("a", "b"), "c"]]))
    assert dict(zip(tied.items, tied.rho, strict=True)) == pytest.approx(
        {"a": 2 / 3, "b": 2 / 3, "c": 1}
    )
    data = cc.Rankings.from_orders([["a", "b"], ["c", "a", "d", "e"]])
    known = cc.list_significance(data, unranked="unknown")
    assert dict(zip(known.items, known.rho, strict=True))["c"] == pytest.approx(1 / 4)
    with pytest.raises(cc.InputError, match="whole weights"):
        cc.list_significance(cc.Rankings.from_orders([["a"]], weights=[0.5]))
    with pytest.raises(cc.SettingError, match="universe"):
        cc.list_significance(data, universe=2)
    with pytest.raises(cc.InputError, match="lists must be Rankings"):
        cc.list_significance([[0, 1], [1, 0]])  # type: ignore[arg-type]


def plain_cutoff(agrees: list[int], window: int, constant: float = 0.251) -> int:
    """The stages of Hall and Schimek, place by place, counted from 1."""
    n = len(agrees)
    if sum(agrees) == n:
        return n
    limit = 0.5 + math.sqrt(constant * math.log(window) / window)
    back, seen, start = int(1.2 * window), [], 1
    while True:
        lower = next(
            (
                j
                for j in range(max(1, start), n - window + 2)
                if sum(agrees[j - 1 : j - 1 + window]) / window <= limit
            ),
            None,
        )
        if lower is None:
            return n
        upper = next(
            (
                j
                for j in range(min(n, lower + back), window - 1, -1)
                if sum(agrees[j - window : j]) / window > limit
            ),
            None,
        )
        if upper is None:
            return 0
        if (lower, upper) in seen:
            return min(n, math.ceil(lower + window / 2))
        seen.append((lower, upper))
        start = upper - back + 1


def test_the_cutoff_is_that_of_the_stages() -> None:
    random = np.random.default_rng(0)
    for _ in range(150):
        n, window = int(random.integers(12, 80)), int(random.integers(2, 12))
        true = int(random.integers(0, n))
        agrees = np.where(np.arange(n) < true, random.random(n) < 0.9, random.random(n) < 0.3)
        assert agreeing_places(agrees, window) == plain_cutoff(agrees.astype(int).tolist(), window)


def test_the_cutoff_is_near_the_truth() -> None:
    random = np.random.default_rng(1)
    errors = []
    for _ in range(40):
        agrees = np.where(np.arange(200) < 60, random.random(200) < 0.95, random.random(200) < 0.1)
        errors.append(agreeing_places(agrees, 10) - 60)
    assert abs(np.median(errors)) <= 3


def test_lists_that_agree_in_their_first_places() -> None:
    random = np.random.default_rng(2)
    top, rest = [f"t{k}" for k in range(30)], [f"r{k}" for k in range(170)]
    orders = [[*top, *random.permutation(rest).tolist()] for _ in range(3)]
    lists = cc.Rankings.from_orders(orders, voters=["A", "B", "C"])
    found = cc.list_cutoff(lists)
    assert abs(found.k - 30) <= 3
    assert found.names == ("A", "B", "C")
    assert (np.diag(found.pairs) == 0).all()
    apart = cc.Rankings.from_orders([random.permutation(200).tolist() for _ in range(3)])
    assert cc.list_cutoff(apart).k == 0
    same = cc.Rankings.from_orders([list(range(50))] * 2)
    assert cc.list_cutoff(same).k == 50
    for settings, said in (
        ({"distance": 60}, "needs at least 242 items"),
        ({"constant": 0.1}, "constant must be above 0.25"),
        ({"window": 1}, "window"),
    ):
        with pytest.raises(cc.SettingError, match=said):
            cc.list_cutoff(lists, **settings)  # type: ignore[arg-type]
    with pytest.raises(cc.InputError, match="at least two"):
        cc.list_cutoff(cc.Rankings.from_orders([list(range(50))]))


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "lists.json"
    orders = [["real", *np.random.default_rng(k).permutation(60)[:20].tolist()] for k in range(6)]
    cc.write(cc.Rankings.from_orders([[str(item) for item in order] for order in orders]), path)
    done = run("lists", path, "--universe", 100)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[1].endswith("* real")
    assert "6 lists of 100 items" in done.stdout
    facts = json.loads(run("lists", path, "--json").stdout)
    assert facts["items"][0] == "real"
    assert facts["cutoff"]["k"] >= 0
    assert is_error(run("lists", path, "--distance", 50), "items")
    few = tmp_path / "few.json"
    cc.write(cc.Rankings.from_orders([["a", "b"]]), few)
    assert "cut-off    none" in run("lists", few).stdout
