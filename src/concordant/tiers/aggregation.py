"""`aggregate` with `ties=True`: its settings, and the run that finds and proves the tiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from concordant._checks import at_least, true_or_false
from concordant._types import Int64, Item
from concordant.constraints import Forced
from concordant.errors import Hint, InputWarning, SettingError
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reduction.tie_breaking import preference
from concordant.running import Run
from concordant.tiers.costs import TierCosts, exact_penalty, input_orders
from concordant.tiers.fixed import FixedTiers
from concordant.tiers.solver import TierSolver
from concordant.tiers.strict import strict_certificate, strict_problem
from concordant.tiers.uniqueness import is_only_answer

# The methods that find and prove an answer with ties, and those that search for one, with the
# tie penalty of their sources. The setting `ties` of other methods is their own.
METHODS = ("auto", "exact")
SEARCHES = {"bioconsert": 1.0, "de": 0.5, "es-bucket": 0.5}
# Once a search has ended, this number of rounds at most go into the lower bound.
_ROUNDS_OF_PROOF = 40


@dataclass(frozen=True, slots=True)
class TieSettings:
    """What `aggregate` was asked for with `ties=True`.

    Attributes:
        tie_penalty: p, what a strict vote charges a tied answer.
        vote_tie_penalty: q, what a tied vote charges a strict answer.
        tiers: The number of tiers, or their sizes, best first; None for any number.

    Example:
        >>> TieSettings(0.5, 0.5, (3, 4)).sizes
        [3, 4]
    """

    tie_penalty: float
    vote_tie_penalty: float
    tiers: int | tuple[int, ...] | None = None

    @classmethod
    def take(
        cls,
        method: str,
        settings: dict[str, Any],
        vote_tie_penalty: float | Fraction | None,
        tiers: int | Sequence[int] | None,
    ) -> TieSettings | None:
        """Remove the settings of answers with ties from those of a method; None without ties.

        Example:
            >>> TieSettings.take("auto", {"ties": True, "tie_penalty": 1}, None, 3)
            TieSettings(tie_penalty=1.0, vote_tie_penalty=1.0, tiers=3)
            >>> TieSettings.take("borda", {"ties": "lot"}, None, None) is None
            True
        """
        wanted = False
        penalty: Any = None
        if method in METHODS or (method in SEARCHES and settings.get("ties", False) is not False):
            wanted = settings.pop("ties", False)
            true_or_false("ties", wanted)
            penalty = settings.pop("tie_penalty", None)
        if not wanted:
            given = {
                "tie_penalty": penalty,
                "vote_tie_penalty": vote_tie_penalty,
                "tiers": tiers,
            }
            for name, value in given.items():
                if value is not None:
                    raise SettingError(
                        f"{name} is for answers with ties: ask for them by ties=True (--ties) and "
                        f"one of the methods {', '.join((*METHODS, *SEARCHES))}",
                        setting=name,
                    )
            return None
        if tiers is not None and method in SEARCHES:
            raise SettingError(
                f"tiers needs the method 'auto' or 'exact', not {method!r}", setting="tiers"
            )
        if penalty is None:
            penalty = SEARCHES.get(method, 0.5)
        p = _penalty("tie_penalty", penalty)
        q = p if vote_tie_penalty is None else _penalty("vote_tie_penalty", vote_tie_penalty)
        return cls(p, q, _request(tiers))

    @property
    def sizes(self) -> list[int] | None:
        """The sizes of the tiers, if they were given."""
        return list(self.tiers) if isinstance(self.tiers, tuple) else None

    @property
    def number(self) -> int | None:
        """The number of tiers, if it was given without sizes."""
        return self.tiers if isinstance(self.tiers, int) else None

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON holds them."""
        return {"ties": True, "tiers": self.sizes or self.number}

    def costs(self, pairwise: Pairwise, forced: Forced | None = None) -> TierCosts:
        """Return the costs of all pairs, from their counts.

        Args:
            pairwise: The counts.
            forced: The pairs that must be in order, with those that follow.
        """
        costs = TierCosts.from_counts(pairwise, self.tie_penalty, self.vote_tie_penalty)
        return costs if forced is None else costs.forcing(forced)

    def solver(
        self,
        costs: TierCosts,
        seed: int,
        starts: Sequence[Int64],
        proof: bool = True,
        top: int | None = None,
    ) -> TierSolver | FixedTiers:
        """Return the solver of the problem with these settings."""
        if self.tiers is None:
            return TierSolver(costs, seed=seed, starts=starts, proof=proof, top=top)
        return FixedTiers(costs, self.number, self.sizes, seed=seed, starts=starts)


def _penalty(name: str, value: Any) -> float:
    return float(exact_penalty(name, float(value) if isinstance(value, Fraction) else value))


def _request(tiers: Any) -> int | tuple[int, ...] | None:
    """Check a number of tiers, or their sizes."""
    if tiers is None:
        return None
    if isinstance(tiers, Sequence) and not isinstance(tiers, str):
        if not tiers:
            raise SettingError("tiers needs the size of at least one tier", setting="tiers")
        for size in tiers:
            at_least("tiers", size, 1)
        return tuple(int(size) for size in tiers)
    at_least("tiers", tiers, 1)
    return int(tiers)


class TierProof:
    """The proof of the bound of an answer with ties.

    Args:
        costs: The problem.
        make: Returns the certificate; called once, when it is first needed.
    """

    def __init__(self, costs: TierCosts, make: Callable[[], dict[str, Any]]) -> None:
        self.costs = costs
        self._make: Callable[[], dict[str, Any]] | None = make
        self._made: dict[str, Any] | None = None

    def certificate(self) -> dict[str, Any]:
        """Return the certificate, as `concordant.tiers.certificate` describes it."""
        if self._made is None:
            assert self._make is not None
            self._made, self._make = self._make(), None
        return self._made

    def __getstate__(self) -> dict[str, Any]:
        # A solver cannot be pickled, its certificate can.
        return {"costs": self.costs, "_made": self.certificate(), "_make": None}


class TierProblem:
    """An answer with ties that is asked for: the problem, its solver and its result.

    Args:
        data: The input.
        settings: What was asked for.
        initial: Tiers of item numbers to start from.
        n_jobs: The number of threads that count the pairs.
        forced: The pairs that must be in order, with those that follow.

    Attributes:
        costs: The costs of all pairs.
        strict: The counts whose orders cost as much as in this problem.
    """

    def __init__(
        self,
        data: Rankings | Pairwise,
        settings: TieSettings,
        initial: Int64 | None = None,
        n_jobs: int = 1,
        forced: Forced | None = None,
    ) -> None:
        self.data, self.settings = data, settings
        if isinstance(data, Pairwise):
            self._counted = data
        else:
            self._counted = Pairwise.from_rankings(data, n_jobs=n_jobs)
        self.costs = settings.costs(self._counted, forced)
        self.strict = strict_problem(self.costs)
        self._initial = initial
        self._solver: TierSolver | FixedTiers | None = None
        # What proves the bound of a method that searches by itself.
        self._bounded: TierSolver | None = None

    @property
    def is_strict(self) -> bool:
        """Whether the best order without ties is the answer, and the strict solver finds it."""
        return self.settings.tiers is None and self.costs.strict_suffices

    def solve(self, run: Run, proof: bool) -> None:
        """Search and prove in turn until both meet or the run is over.

        The run was made for `strict`: an order costs the same there, but its bound does not hold
        for answers with ties.
        """
        self.report(run)
        starts = [] if self._initial is None else [self._initial]
        if isinstance(self.data, Rankings):
            starts += input_orders(self.data)
        self._place = preference(self._counted)
        self._solver = self.settings.solver(self.costs, run.seed, starts, proof, run.top)
        if self._initial is not None:
            self._solver.offer(self._initial)
        self.report(run)
        # Rounds are done on other threads: Ctrl-C never comes in the middle of one.
        with ThreadPoolExecutor(run.n_jobs) as pool:
            while not self._solver.solved and not run.stop():
                if isinstance(self._solver, TierSolver):
                    self._solver.round(pool)
                else:
                    pool.submit(self._solver.round).result()
                self.report(run)

    def search(self, run: Run, method: Callable[[], None]) -> None:
        """Let a method search for tiers by itself, then prove a lower bound for some rounds.

        The answer stays that of the method.
        """
        self.report(run)
        run.tier_costs = self.costs
        if isinstance(self.data, Rankings):
            run.rankings = self.data
        method()
        assert run.cost is not None
        assert run.buckets is not None
        bucket = np.empty(run.n_items, np.int64)
        for number, tier in enumerate(run.buckets):
            bucket[tier] = number
        self._bounded = TierSolver(self.costs, seed=run.seed, starts=[bucket])
        with ThreadPoolExecutor(run.n_jobs) as pool:
            while True:
                run.raise_bound(min(run.cost, self._bounded.bound))
                over = self._bounded.solved or self._bounded.rounds >= _ROUNDS_OF_PROOF
                # A limit of generations was one of the search.
                if over or (not run.repeatable and run.out_of_limits()):
                    break
                self._bounded.round(pool)

    def is_unique(self, run: Run) -> bool | None:
        """Return whether the answer is the only optimal one; None if that is not settled."""
        if not run.is_optimal:
            return None
        place = {item: k for k, tier in enumerate(self.tiers(run)) for item in tier}
        bucket = np.array([place[item] for item in self.costs.items], np.int64)
        stop = (lambda: False) if run.repeatable else run.out_of_limits
        tiers = self.settings.tiers
        if tiers is None:
            return is_only_answer(self.costs, bucket, stop)
        sizes = None if isinstance(tiers, int) else np.array(tiers, np.int64)
        return is_only_answer(self.costs, bucket, stop, int(bucket.max()) + 1, sizes)

    def report(self, run: Run) -> None:
        """Offer the best answer of the solver to the run, and the bound that is proven."""
        if self._solver is None:
            run.distrust_bound(self.costs.trivial)
            return
        solver = self._solver
        if isinstance(solver, TierSolver):
            run.iterations, run.generations = solver.iterations, solver.rounds
        else:
            run.iterations, run.generations = solver.steps, solver.rounds
        bucket = solver.bucket
        run.improve(self._order(bucket), self.costs.cost_units(bucket))
        run.raise_bound(solver.bound)
        if run.top is not None and isinstance(solver, TierSolver) and solver.front_solved:
            run.top_solved = run.top_proven = True

    def _order(self, bucket: Int64) -> Int64:
        return np.lexsort((self._place, bucket))

    def tiers(self, run: Run) -> tuple[tuple[Item, ...], ...]:
        """Return the tiers of the answer, the items of each by the rule for ties."""
        names = self.costs.items
        if run.buckets is not None:
            # Inside a tier, the rule for ties decides.
            place = preference(self._counted)
            tiers = (sorted(tier, key=lambda a: int(place[a])) for tier in run.buckets)
            return tuple(tuple(names[a] for a in tier) for tier in tiers)
        if self._solver is None:
            assert run.order is not None
            return tuple((names[a],) for a in run.order.tolist())
        bucket = self._solver.bucket
        order = self._order(bucket)
        ends = np.flatnonzero(np.diff(bucket[order])) + 1
        return tuple(tuple(names[a] for a in tier) for tier in np.split(order, ends))

    def proof(self, strict: Any) -> TierProof | None:
        """Return the proof of the bound.

        Args:
            strict: The proof of the strict solver, where that was used.
        """
        if self._bounded is not None:
            return TierProof(self.costs, self._bounded.certificate)
        if self.is_strict:
            if strict is None:
                return None
            return TierProof(
                self.costs, lambda: strict_certificate(self.costs, strict.certificate())
            )
        solver = self._solver
        if isinstance(solver, FixedTiers):
            free = solver.free
            return None if free is None else TierProof(self.costs, free.certificate)
        return None if solver is None else TierProof(self.costs, solver.certificate)


def single_tier_warning(settings: TieSettings) -> InputWarning:
    """Return the warning that all items are tied, with what to do.

    Example:
        >>> print(single_tier_warning(TieSettings(0.5, 0)))
        the best answer ties all items. Use tiers=N for N tiers
    """
    hints = [Hint("tiers", placeholder="N", purpose="for N tiers")]
    if settings.vote_tie_penalty > 0:
        purpose = "to count tied votes as no opinion"
        hints.insert(0, Hint("vote_tie_penalty", placeholder="0", purpose=purpose))
    return InputWarning("the best answer ties all items", hints=hints)
