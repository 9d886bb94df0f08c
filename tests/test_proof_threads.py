"""Several threads that explore one tree: nothing is lost, and what they prove can be checked."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from concordant import aggregate
from concordant.bounds import tree
from concordant.bounds.prover import Prover
from concordant.certificate import check, optimum_by_subsets
from concordant.pairwise import Pairwise
from concordant.solver import beside


def hard(m: int, seed: int) -> np.ndarray:
    """Return a random tournament: one vote for each pair."""
    above = np.triu(np.random.default_rng(seed).integers(0, 2, (m, m)), 1)
    return above + np.triu(1 - above, 1).T


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree that splits its nodes early, and begins anew soon."""
    monkeypatch.setattr(tree, "_NODES", 6)
    monkeypatch.setattr(tree, "_PATIENCE_ROOT", 1)
    monkeypatch.setattr(tree, "_PATIENCE_CUTS", 1)
    monkeypatch.setattr(tree, "_PATIENCE", 1)


@pytest.mark.usefixtures("anew")
@pytest.mark.parametrize("seed", [2, 3, 4])
def test_slices_in_any_order_prove_the_optimum(seed: int) -> None:
    """One thread takes the slices of all in turn, at random; helpers come and go."""
    counts = hard(20, seed)
    prover = Prover(Pairwise.from_matrix(counts), by_subsets=False)
    rng = np.random.default_rng(seed)
    helpers: dict[int, Iterator[None]] = {}
    helped = 0
    for _ in prover.slices():
        for _ in range(rng.integers(4)):
            number = int(rng.integers(3))
            helper = helpers.setdefault(number, prover.help())
            if next(helper, "over") == "over":
                del helpers[number]
            else:
                helped += 1
        # At the latest when `slices` waits, helpers leave their nodes.
        if helpers and rng.integers(20) == 0:
            helpers.popitem()[1].close()
    assert helped > 0
    assert prover.bound == prover.cost == optimum_by_subsets(counts)
    assert check(prover.proof().certificate(), counts) == prover.cost


@pytest.mark.usefixtures("anew")
def test_each_bound_has_its_proof_beside_helpers() -> None:
    counts = hard(30, 0)
    prover = Prover(Pairwise.from_matrix(counts))
    helpers: list[Iterator[None]] = []
    for complete in prover.slices(20):
        helpers = [each for each in helpers if next(each, "over") is None]
        helpers += [prover.help() for _ in range(2 - len(helpers))]
        if complete:
            assert check(prover.proof().certificate(), counts) == prover.bound


@pytest.mark.usefixtures("anew")
def test_a_helper_leaves_its_node_to_others() -> None:
    counts = hard(20, 2)
    prover = Prover(Pairwise.from_matrix(counts), by_subsets=False)
    [component] = [part.tree for part in prover.parts]
    assert isinstance(component, tree.ComponentProof)
    assert list(prover.help()) == []
    for _ in prover.slices():
        if component.n_nodes > 1:
            break
    number = len(component._open)
    helper = prover.help()
    next(helper)
    assert len(component._open) == number - 1
    helper.close()
    assert len(component._open) == number


@pytest.mark.usefixtures("anew")
def test_threads_prove_together() -> None:
    counts = hard(30, 2)
    prover = Prover(Pairwise.from_matrix(counts))
    over = threading.Event()

    def help_out() -> None:
        while not over.is_set():
            for _ in prover.help():
                if over.is_set():
                    return

    threads = [threading.Thread(target=help_out) for _ in range(2)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for each in threads:
            each.start()
        for steps, complete in enumerate(prover.slices()):
            if complete and steps > 300:
                break
    finally:
        over.set()
        for each in threads:
            each.join()
        sys.setswitchinterval(interval)
    assert check(prover.proof().certificate(), counts) == prover.bound


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="only for POSIX systems")
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_an_interrupt_of_a_helper_keeps_the_best_order(
    n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interrupt arrives while other helpers and the proof are at work."""
    monkeypatch.setattr(beside, "_FIRST_ITEMS", 0)
    monkeypatch.setattr(beside, "_SLICE", 0.3)
    monkeypatch.setattr(beside._Effort, "proof_needs_more", lambda self, prover: True)
    advance = beside._Helper.advance
    main = threading.main_thread().ident
    assert main is not None

    def interrupted(self: beside._Helper) -> bool:
        if self._slices is not None:
            signal.pthread_kill(main, signal.SIGINT)
        return advance(self)

    monkeypatch.setattr(beside._Helper, "advance", interrupted)
    counts = hard(40, 3)
    result = aggregate(counts, time_limit=60, n_jobs=n_jobs)
    assert result.interrupted
    assert result.verify(Pairwise.from_matrix(counts)).bound_proven
    assert not [each for each in threading.enumerate() if each.name == "concordant-proof"]


def test_an_interrupt_loses_no_node(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = hard(20, 2)
    monkeypatch.setattr(tree, "_PATIENCE_ROOT", 1)
    prover = Prover(Pairwise.from_matrix(counts), by_subsets=False)
    [component] = [part.tree for part in prover.parts]
    assert isinstance(component, tree.ComponentProof)
    for _ in prover.slices():
        if component.n_nodes > 1:
            break

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(tree, "Ascent", interrupt)
        with pytest.raises(KeyboardInterrupt):
            next(prover.help())
    for _ in prover.slices():
        assert check(prover.proof().certificate(), counts) == prover.bound
    assert prover.cost == optimum_by_subsets(counts)


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_a_search_without_success_gives_its_time_to_the_proof(
    n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside, "_FIRST_ITEMS", 0)
    helped = []
    advance = beside._Helper.advance

    def counted(self: beside._Helper) -> bool:
        helped.append(advance(self))
        return helped[-1]

    monkeypatch.setattr(beside._Helper, "advance", counted)
    monkeypatch.setattr(beside._Effort, "proof_needs_more", lambda self, prover: True)
    counts = hard(28, 3)
    result = aggregate(counts, time_limit=60, n_jobs=n_jobs)
    assert result.status == "optimal"
    assert result.verify(Pairwise.from_matrix(counts)).bound_proven
    assert any(helped) == (n_jobs > 1)
