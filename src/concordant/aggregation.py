"""`aggregate`: checks the arguments, runs the method and returns a `Consensus`."""

from __future__ import annotations

import logging
import math
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import reduce
from pathlib import Path
from typing import Any, Unpack, cast

import numpy as np
import numpy.typing as npt

from concordant import stopping
from concordant._checks import at_least, threads_of
from concordant._kernels.compiling import watch_compilation
from concordant._types import Int64, N
from concordant.algorithms.registry import Method, all_methods, get
from concordant.algorithms.settings import MethodSettings
from concordant.bounds.record import Proof
from concordant.certificate import check
from concordant.consensus import Consensus
from concordant.constraints import Constraints
from concordant.errors import InputError, MethodError, SettingError, VerificationError, show
from concordant.outcome import Others, consensus_of, other_optima, uncompared_items
from concordant.pairwise import Pairwise, order_of
from concordant.rankings import Item, Rankings
from concordant.reduction.comparisons import compared_units
from concordant.running import Run, completed, counted
from concordant.stopping import Progress, Rule
from concordant.tiers.aggregation import (
    SEARCHES,
    TierProblem,
    TieSettings,
    single_tier_warning,
)
from concordant.workers import active_pool

log = logging.getLogger("concordant")

# The time limit of methods that do not stop by themselves, when the caller sets no limit.
DEFAULT_SECONDS = 10.0
# The time to continue from an earlier result that is not proven: this share of the time from
# scratch, at least this.
_SHARE_AGAIN, _LEAST_AGAIN = 1 / 4, 0.1
# A result that took less than this many seconds is continued from this number of orders only:
# improving all of them would take longer than the proof.
_QUICK, _FEW = 1.0, 8
# The most alternatives: more would fill the memory with lists that nobody reads.
_MOST_ALTERNATIVES = 100_000
# The share of the time that the run with constraints leaves to the run without them.
_SHARE_FREE = 0.25
# A result is saved with its seed, as an integer of 64 bits.
_LARGEST_SEED = 2**63 - 1


def methods() -> dict[str, str]:
    """Return every method by name, with one line on what it does and needs.

    Example:
        >>> print(methods()["copeland"])
        sort by the number of items beaten by majority minus the number lost to [instant]
    """
    return {
        name: f"{method.summary} [{method.effort}{_needs(method)}]"
        for name, method in all_methods().items()
    }


def _needs(method: Method) -> str:
    if method.needs_complete:
        return "; needs complete rankings, with or without ties"
    return "; needs the rankings, not only a matrix" if method.needs_rankings else ""


def aggregate(
    data: Rankings[N] | Pairwise[N] | Sequence[Any] | npt.ArrayLike,
    method: str = "auto",
    *,
    time_limit: float | None = None,
    seed: int = 0,
    initial: Sequence[Item] | Consensus | None = None,
    target: float | None = None,
    max_iterations: int | None = None,
    max_generations: int | None = None,
    stop: Callable[[Progress], bool] | None = None,
    on_progress: Callable[[Progress], Any] | None = None,
    n_jobs: int | None = None,
    preset: str | None = None,
    alternatives: int | None = None,
    top: int | None = None,
    vote_tie_penalty: float | None = None,
    tiers: int | Sequence[int] | None = None,
    before: Iterable[tuple[Item, Item]] | None = None,
    first: Iterable[Item] | None = None,
    last: Iterable[Item] | None = None,
    groups_in_order: Iterable[Iterable[Item]] | None = None,
    **settings: Unpack[MethodSettings],
) -> Consensus[N]:
    """Find the ranking that agrees best with all rankings: the Kemeny consensus.

    Args:
        data: `Rankings`, a `Pairwise`, or a square matrix whose entry (i, j) is what placing
            i before j is worth.
        method: One of `methods()`.
        time_limit: Seconds from the call, set-up included; only the one-off compilation of
            kernels is not counted. A method that does not stop by itself gets 10 s by default.
        seed: A whole number; the same seed and iteration limit give the same answer.
        initial: A ranking to start from; the answer is never worse. Items that it lacks are
            inserted at their best places. Given an earlier result for nearly the same data, the
            search continues where that one ended. Without a limit, it then takes a quarter of the
            time from scratch, at least 0.1 s, unless that result is proven.
        target: Stop at this cost.
        max_iterations: Stop after this many iterations of the local search. The limit is
            checked every few milliseconds, so a few more may be done; how many does not depend
            on the machine.
        max_generations: Stop after this many generations, checked in the same way.
        stop: A rule of your own, such as `stopping.NoImprovement(500)`. The run stops as soon
            as one of the limits is reached.
        on_progress: Called with a `Progress`, at most ten times a second.
        n_jobs: The number of threads; by default the number of cores. With the same seed and
            iteration limit, the answer does not depend on it. Inside `joblib.parallel_config`
            with a backend of other processes or machines ("dask", "loky"), `auto` runs this many
            independent searches there, each with its own seed, one thread and the same limits.
        preset: A named set of settings of the method.
        alternatives: List up to this many optimal rankings, once one is proven optimal and while
            there is time, and find out whether there is only one. With 0, nothing is found out
            about other optimal rankings, which saves time.
        top: Only this many first places matter: prove these, order the rest by a quick descent,
            and stop as soon as they are proven. For `auto` and `exact`.
        vote_tie_penalty: With `ties=True`, what a vote that ties a pair charges an answer that
            orders it; `tie_penalty` by default.
        tiers: With `ties=True`, the number of tiers, or a list of their sizes, best first.
        before: Pairs (a, b) of items: a must be before b. This and the next three are constraints,
            for `auto` and `exact`. The run keeps a quarter of its time to solve the problem without
            them too: `Consensus.constraint_cost` says what they cost. An `initial` result passes
            its constraints on if none are given.
        first: Items that must be before all others; among themselves, in any order.
        last: Items that must be behind all others; among themselves, in any order.
        groups_in_order: Groups of items: all items of a group must be before those of the next.
        **settings: Settings of the method, by name: `MethodSettings` lists them all. `ties=True`
            asks `auto`, `exact`, `bioconsert`, `de` or `es-bucket` for the best answer with ties,
            in which a vote that orders a pair charges `tie_penalty` (0.5 by default, 1 for
            `bioconsert`) for a tie. `Consensus.tiers` then has the answer, and cost and bound
            count ties. A square matrix is taken as votes without ties.

    Returns:
        The ranking with its cost, a proven lower bound, and how it was found. Ctrl-C
        returns the best found so far.

    Example:
        >>> result = aggregate(Rankings.from_ranks([[1, 2, 3], [1, 3, 2], [2, 1, 3]]))
        >>> result.ranking, result.cost, result.lower_bound, result.status
        (('1', '2', '3'), 2, 2, 'optimal')
        >>> votes = Rankings.from_orders([["a", ("b", "c")], ["a", ("b", "c")], ["b", "a", "c"]])
        >>> aggregate(votes, ties=True).tiers
        (('a',), ('b', 'c'))
        >>> aggregate(votes, first=["c"]).ranking
        ('c', 'a', 'b')
    """
    started = time.perf_counter()
    chosen = get(method)
    given = cast("dict[str, Any]", settings.copy())
    ties = TieSettings.take(chosen.name, given, vote_tie_penalty, tiers)
    checked = chosen.make_settings(given, preset)
    rules = _constraints(chosen, initial, before, first, last, groups_in_order)
    elite = initial.elite if isinstance(initial, Consensus) and ties is None else None
    seconds = DEFAULT_SECONDS
    # What was proven before can be proven again, which ends the run.
    if elite is not None and cast("Consensus", initial).status == "optimal":
        if elite.seconds < _QUICK:
            elite = replace(elite, orders=elite.orders[:_FEW])
    elif elite is not None:
        seconds = min(seconds, max(_LEAST_AGAIN, _SHARE_AGAIN * elite.seconds))
    share = 1.0 if rules is None else 1 - _SHARE_FREE
    limits = (target, max_iterations, max_generations, stop)
    rule = _rule(chosen, time_limit, *limits, seconds, share)
    threads = threads_of(n_jobs)
    at_least("seed", seed, 0, _LARGEST_SEED)
    if alternatives is not None:
        at_least("alternatives", alternatives, 0, _MOST_ALTERNATIVES)
    if top is not None:
        at_least("top", top, 1)
        if not chosen.proves:
            raise SettingError(f"top needs a proof, and {method!r} has none: use method 'auto'")
    if ties is not None:
        _check_with_ties(ties, alternatives, top, rules)
    if on_progress is not None and not callable(on_progress):
        raise SettingError(f"on_progress must be a function of a Progress, not {on_progress!r}")
    if not isinstance(data, Rankings):
        data = _matrix(data)
        if chosen.needs_rankings:
            raise SettingError(
                f"method {method!r} needs the rankings, not a matrix of pairwise counts; "
                "methods 'auto' and 'borda' take a matrix"
            )
    elif chosen.needs_complete and not data.is_complete:
        raise SettingError(
            f"method {method!r} needs complete rankings, and these leave items out; use method "
            "'auto' or 'borda', or read the rankings with unranked='last'"
        )
    start = _initial(initial, data)
    forced = None if rules is None else rules.relation(data.items)
    if rules is not None and start is not None:
        start = rules.repaired(start, data.items)

    def announce() -> None:
        log.info("compiling kernels, once per machine")
        if on_progress is not None:
            on_progress(Progress(0.0, 0, 0, 0, None, None, phase="compile"))

    with watch_compilation(announce) as watch:
        problem = None
        if ties is not None:
            tier_start = _initial_tiers(initial, start, data.items, rules)
            problem = TierProblem(data, ties, tier_start, threads, forced)
        run = Run(
            _problem(data, rules, threads) if problem is None else problem.strict,
            seed=seed,
            rule=rule,
            initial=start,
            elite=None if elite is None else elite.over(data),
            earlier=_earlier(initial),
            n_jobs=threads,
            pool=active_pool(n_jobs),
            on_progress=on_progress,
            clock=lambda: time.perf_counter() - started - watch.seconds,
            top=None if top is None or top >= data.n_items else top,
        )
        others = Others()
        searches = problem is not None and chosen.name in SEARCHES
        is_strict = problem is None or (problem.is_strict and not searches)
        try:
            if problem is None or is_strict:
                chosen.function()(run, checked)
                _check_outcome(chosen, run)
            elif searches:
                problem.search(run, lambda: chosen.function()(run, checked))
            else:
                problem.solve(run, checked.proof)
            run.report()
            if problem is not None:
                others = Others(problem.is_unique(run))
            elif alternatives != 0:
                others = other_optima(run, alternatives)
        except KeyboardInterrupt:
            if run.order is None:
                raise
            run.interrupted = True
            if problem is None or is_strict:
                _check_outcome(chosen, run)
            else:
                problem.report(run)
        except MethodError as error:
            raise MethodError(f"method {method!r}: {error}") from None
        finally:
            run.close()
    scratch = run.elapsed if elite is None else elite.seconds
    result = consensus_of(run, chosen, _plain_settings(checked), others, top, scratch)
    if problem is not None:
        result = _with_ties(result, problem, run)
    else:
        known = run.pairwise if rules is None and run.is_counted else None
        result = replace(result, agreement=run.value(compared_units(data, known) - (run.cost or 0)))
    if rules is None:
        return result
    result = replace(result, constraints=rules, uncompared=uncompared_items(data, result.ranking))
    if top is not None or result.interrupted:
        return result

    def solve_free() -> Consensus:
        free = initial.free if isinstance(initial, Consensus) else None
        limit = time_limit
        if limit is None and rule is not None and not math.isinf(rule.seconds):
            limit = rule.seconds / share
        left = None if limit is None else max(0.0, limit - run.elapsed)
        return aggregate(
            data,
            method,
            time_limit=left,
            seed=seed,
            initial=list(result.ranking) if free is None else free,
            target=target,
            max_iterations=max_iterations,
            max_generations=max_generations,
            stop=stop,
            n_jobs=n_jobs,
            preset=preset,
            vote_tie_penalty=vote_tie_penalty,
            **settings,
        )

    return _with_free(result, solve_free)


def _constraints(method: Method, initial: Any, *given: Any) -> Constraints | None:
    """Return the constraints that are given, or those of the result to start from."""
    if all(each is None for each in given):
        rules = initial.constraints if isinstance(initial, Consensus) else None
    else:
        rules = Constraints.of(*given)
    if rules is not None and not method.proves:
        raise SettingError(
            f"method {method.name!r} does not take constraints: use method 'auto' or 'exact'"
        )
    return rules


def _problem(
    data: Rankings | Pairwise, rules: Constraints | None, threads: int
) -> Rankings | Pairwise:
    """Return the data, or the counts that contain the constraints."""
    if rules is None:
        return data
    if isinstance(data, Rankings):
        data = Pairwise.from_rankings(data, n_jobs=threads)
    return rules.impose(data)


def _with_free(result: Consensus, solve: Callable[[], Consensus]) -> Consensus:
    """Add the result of the problem without constraints; none if Ctrl-C comes first."""
    free = None
    with suppress(KeyboardInterrupt), warnings.catch_warnings():
        # What it would warn of was said about the problem with constraints.
        warnings.simplefilter("ignore")
        free = solve()
    if free is None:
        return replace(result, interrupted=True)
    elapsed = result.elapsed + free.elapsed
    return replace(result, free=free, interrupted=free.interrupted, elapsed=elapsed)


def _check_with_ties(
    ties: TieSettings, alternatives: int | None, top: int | None, rules: Constraints | None
) -> None:
    """Refuse arguments that answers with ties do not have."""
    if rules is not None and ties.tiers is not None:
        raise SettingError("tiers cannot be used with constraints: leave it out", setting="tiers")
    given = {"alternatives": ("ties=True", alternatives or None)}
    if ties.tiers is not None:
        given["top"] = ("tiers", top)
    for name, (other, value) in given.items():
        if value is not None:
            raise SettingError(f"{name} cannot be used with {other}: leave it out", setting=name)


def _initial_tiers(
    initial: Any, start: Int64 | None, items: Sequence[Item], rules: Constraints | None
) -> Int64 | None:
    """Return the tier of each item in the ranking to start from."""
    if start is None:
        return None
    sizes = [1] * start.size
    # Constraints may have changed the order, and forbid ties.
    known = isinstance(initial, Consensus) and set(initial.ranking_of(items)) == set(items)
    if rules is None and known and initial.tiers is not None:
        sizes = [len(tier) for tier in initial.tiers]
    bucket = np.empty(len(items), np.int64)
    bucket[start] = np.repeat(np.arange(len(sizes)), sizes)
    return bucket


def _earlier(initial: Any) -> Proof | None:
    proof = initial.proof if isinstance(initial, Consensus) else None
    return proof if isinstance(proof, Proof) else None


def _with_ties(result: Consensus, problem: TierProblem, run: Run) -> Consensus:
    """Return the result of a run for an answer with ties, about the data of that problem."""
    data, settings = problem.data, problem.settings
    tiers = problem.tiers(run)
    ranking = tuple(item for tier in tiers for item in tier)
    if len(tiers) == 1 and data.n_items > 1 and settings.tiers is None:
        warnings.warn(single_tier_warning(settings), stacklevel=3)
    return replace(
        result,
        ranking=ranking,
        tiers=tiers,
        buckets=None,
        tie_penalty=settings.tie_penalty,
        vote_tie_penalty=settings.vote_tie_penalty,
        n_rankings=data.n_rankings,
        total_weight=data.total_weight,
        unranked=data.unranked,
        settings={**result.settings, **settings.to_dict()},
        uncompared=uncompared_items(data, ranking),
        proof=problem.proof(result.proof),
        elite=None,
    )


def _check_outcome(method: Method, run: Run) -> None:
    """Check the order, the cost and the bound that a method has reported."""
    if run.order is None:
        raise MethodError("it returned without an order; it must call run.improve(order) once")
    cost = run.cost_units(run.order)
    if cost != run.cost:
        raise MethodError(f"it reported cost {run.cost} for an order that costs {cost}")
    if not method.is_built_in:
        _check_bound(method, run)


def _check_bound(method: Method, run: Run) -> None:
    """Lower the bound of a method from outside the package to what its proof shows."""
    simple = run.pairwise.lower_bound_units()
    if run.lower_bound <= simple:
        return
    proven = simple
    if isinstance(run.proof, Proof):
        with suppress(VerificationError):
            proven = max(proven, check(run.proof.certificate(), run.pairwise.counts))
    if proven < run.lower_bound:
        warnings.warn(
            f"method {method.name!r} reported a lower bound without a valid proof; it is not used",
            stacklevel=4,
        )
        run.distrust_bound(proven)


def _plain_settings(settings: Any) -> dict[str, Any]:
    """Return settings as JSON holds them: lists for tuples."""
    facts = {} if settings is None else asdict(settings)
    return {key: list(value) if isinstance(value, tuple) else value for key, value in facts.items()}


def _matrix(data: Any) -> Pairwise:
    if isinstance(data, Pairwise):
        return data
    if isinstance(data, str | Path):
        raise InputError(
            f"aggregate takes rankings, not a path: use concordant.read({show(str(data))})"
        )
    try:
        return Pairwise.from_matrix(data)
    except InputError as error:
        raise InputError(
            f"{error.message}. aggregate takes Rankings (make them with Rankings.from_orders, "
            "from_ranks, from_frame or read), a Pairwise or a square matrix"
        ) from None


def _initial(initial: Sequence[Item] | Consensus | None, data: Rankings | Pairwise) -> Int64 | None:
    """Return the ranking to start from. Items that it lacks are inserted at their best places."""
    if initial is None:
        return None
    ranking = initial
    if isinstance(initial, Consensus):
        # Items that are gone are left out.
        known = set(data.items)
        ranking = [item for item in initial.ranking_of(data.items) if item in known]
        if not ranking:
            raise InputError("initial: the result has none of these items")
    try:
        order = order_of(cast("Sequence[Item]", ranking), data.items, whole=False)
    except InputError as error:
        raise InputError(f"initial: {error.message}") from None
    return order if order.size == data.n_items else completed(order, counted(data).counts)


def _rule(
    method: Method,
    time_limit: float | None,
    target: float | None,
    max_iterations: int | None,
    max_generations: int | None,
    stop: Callable[[Progress], bool] | None,
    seconds: float,
    share: float = 1.0,
) -> Rule | None:
    """Return when to stop; only a share of the time limit is for this run."""
    rules: list[Rule] = []
    if max_iterations is not None:
        rules.append(stopping.MaxIterations(max_iterations))
    if max_generations is not None:
        rules.append(stopping.MaxGenerations(max_generations))
    if stop is not None:
        if not callable(stop):
            raise SettingError(
                f"stop must be a rule, such as stopping.NoImprovement(500), or a function of a "
                f"Progress, not {stop!r}"
            )
        rules.append(stop if isinstance(stop, Rule) else Rule(stop))
    if time_limit is None and method.effort == "until stopped" and not rules:
        time_limit = seconds
    if time_limit is not None:
        limit = stopping.MaxTime(time_limit)
        rules.append(limit if share == 1 else stopping.MaxTime(share * time_limit))
    if target is not None:
        rules.append(stopping.Target(target))
    return reduce(lambda a, b: a | b, rules) if rules else None
