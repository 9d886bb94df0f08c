"""`bootstrap`: how certain a consensus is, by resampling the voters and solving each sample."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, Unpack, cast

import numpy as np

from concordant._checks import at_least, threads_of, true_or_false
from concordant._kernels.compiling import watch_compilation
from concordant._types import Float, Int32, Int64, N
from concordant.aggregation import aggregate
from concordant.algorithms.registry import Method, get
from concordant.algorithms.settings import SearchSettings
from concordant.consensus import Consensus
from concordant.constraints import Constraints
from concordant.errors import InputError, SettingError, show
from concordant.firmness import Bootstrap as Bootstrap
from concordant.pairwise import order_of
from concordant.rankings import Item, Rankings
from concordant.samples import PRIOR, Draws, MethodDraws, Solved, TierDraws, clusters_of
from concordant.separation import (
    apart_by_margins,
    apart_by_scores,
    closed,
    groups_left,
    places_left,
)
from concordant.tiers.aggregation import TieSettings

_LARGEST_SEED = 2**63 - 1
_MOST_SAMPLES = 1_000_000
# The search for the consensus ends after this number of generations, proven or not. No clock
# decides, so that the same seed gives the same intervals.
_GENERATIONS = 30
_SECONDS_BETWEEN_REPORTS = 0.1
# The methods whose samples are solved by a kernel of their own.
_KEMENY = ("auto", "exact")


@dataclass(frozen=True, slots=True)
class _Judged:
    """The ranking that is judged.

    Attributes:
        order: The items, as indices.
        sizes: The sizes of its tiers; None without ties.
        scores: The scores of the items in this order; None if the method has none.
    """

    order: Int64
    sizes: list[int] | None
    scores: Float | None


def bootstrap(
    data: Rankings[N],
    samples: int = 1000,
    seed: int = 0,
    *,
    method: str | None = None,
    by: str | Sequence[Item] | Mapping[Item, Item] | None = None,
    level: float = 0.95,
    consensus: Consensus | Sequence[Item] | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    on_progress: Callable[[int, int], Any] | None = None,
    ties: bool = False,
    tie_penalty: float | None = None,
    vote_tie_penalty: float | None = None,
    before: Iterable[tuple[Item, Item]] | None = None,
    first: Iterable[Item] | None = None,
    last: Iterable[Item] | None = None,
    groups_in_order: Iterable[Iterable[Item]] | None = None,
    **settings: Unpack[SearchSettings],
) -> Bootstrap[N]:
    """Measure how certain the consensus is: resample the voters and solve each sample.

    Each sample draws `data.n_voters` voters with replacement and finds their consensus. Whole
    weights are repeat counts: a ranking of weight 3 is drawn as three voters. If weights have
    fractions, each ranking given is one voter; the probability that a draw takes a ranking is
    proportional to its weight. Equal `Rankings` give the same samples.

    If a sample has several optimal orders, one of them is drawn at random. Neither the number of
    an item nor its place in the consensus has an effect on this.

    Args:
        data: The rankings. A matrix of pairwise counts has no voters to draw.
        samples: The number of samples.
        seed: A whole number; the same seed gives the same intervals, on any number of threads.
        method: The method of each sample, one of `methods()`; by default that of `consensus`, or
            `auto` if it is one that looks for a ranking of least cost. `auto` solves parts of up to
            15 items exactly, and larger ones by a local search from the consensus. Methods with
            scores also get intervals of the scores.
        by: What is drawn, if rankings are not independent: "voter" draws all rankings of a
            voter's name together. Or the cluster of each ranking, such as its judge or its task,
            in the order of the input; or a mapping of the names of voters to clusters. Each
            sample then has as many clusters as there are.
        level: The level of the intervals, between 0 and 1.
        consensus: The ranking to judge, such as the result of `aggregate`; by default computed.
        n_jobs: The number of threads; one per core by default.
        time_limit: Seconds after which no more samples are drawn.
        on_progress: Called with the number of samples solved and of all samples, at most ten
            times a second.
        ties: Whether to find the best answer with ties of each sample, as `aggregate` does with
            `ties=True`. A consensus with tiers asks for it, with its own penalties and number of
            tiers.
        tie_penalty: What a vote that orders a pair charges a tie; 0.5 by default.
        vote_tie_penalty: What a vote that ties a pair charges an order; `tie_penalty` by default.
        before: Constraints on the ranking of each sample, as of `aggregate`; those of
            `consensus` by default. With constraints there are no joint ranks.
        first: See `before`.
        last: See `before`.
        groups_in_order: See `before`.
        **settings: Settings of the method, by name, such as `prior=0.1` of `bradley-terry`.

    Returns:
        The intervals and shares. Ctrl-C returns those of the samples solved so far.

    Example:
        >>> votes = Rankings.from_orders([["a", "b"], ["b", "a"]], weights=[60, 40])
        >>> firm = bootstrap(votes, samples=400, seed=1)
        >>> firm.items, 0.9 < firm.stands[0] < 1
        (('a', 'b'), True)
        >>> battles = Rankings.from_battles([("a", "b")] * 60 + [("b", "a")] * 40)
        >>> firm = bootstrap(battles, 200, method="bradley-terry")
        >>> firm.scores_low[0] < firm.scores[0] < firm.scores_high[0]
        True
    """
    started = time.perf_counter()
    if not isinstance(data, Rankings):
        raise InputError(
            "bootstrap resamples the voters, so it needs the Rankings themselves, not "
            f"{type(data).__name__}: a matrix of pairwise counts has no voters"
        )
    at_least("samples", samples, 1, _MOST_SAMPLES)
    at_least("seed", seed, 0, _LARGEST_SEED)
    number = isinstance(level, int | float | np.number) and not isinstance(level, bool)
    if not number or not 0 < level < 1:
        raise SettingError(f"level must be a number between 0 and 1, not {level!r}")
    if time_limit is not None and not (
        isinstance(time_limit, int | float | np.number) and time_limit >= 0
    ):
        raise SettingError(f"time_limit must be a number of seconds, not {time_limit!r}")
    if on_progress is not None and not callable(on_progress):
        raise SettingError(f"on_progress must be a function of two numbers, not {on_progress!r}")
    threads = threads_of(n_jobs)
    tie_settings = _tie_settings(consensus, ties, tie_penalty, vote_tie_penalty)
    own = cast("dict[str, Any]", settings.copy())
    chosen, own = _method(data, method, consensus, tie_settings, own)
    if data.units.sum() == 0:
        raise InputError("no ranking has any weight: there is no voter to draw")
    rules = Constraints.of(before, first, last, groups_in_order)
    if rules is None and isinstance(consensus, Consensus):
        rules = consensus.constraints
    if rules is not None and (tie_settings is not None or chosen.name not in _KEMENY):
        raise SettingError(
            "a bootstrap with constraints needs method 'auto' and rankings without ties"
        )
    clusters = clusters_of(data, by)
    with watch_compilation() as watch:

        def elapsed() -> float:
            return time.perf_counter() - started - watch.seconds

        limits = {"seed": seed, "n_jobs": threads, "time_limit": time_limit}
        judged = _judged(data, consensus, chosen, own, tie_settings, rules, limits)
        given = (data, judged.order, seed, clusters, samples)
        if tie_settings is not None:
            assert judged.sizes is not None
            draws: Draws = TierDraws(tie_settings, judged.sizes, *given)
        elif chosen.name in _KEMENY:
            forced = None if rules is None else rules.relation(data.items)
            draws = Draws(*given, forced=forced)
        else:
            draws = MethodDraws(chosen, chosen.make_settings(own), judged.scores, *given)
        draws.prepare()
        found, interrupted = _solve_all(
            draws,
            samples,
            threads,
            over=lambda: time_limit is not None and elapsed() >= time_limit,
            on_progress=on_progress,
        )
    summary = Bootstrap(
        items=tuple(data.items[a] for a in judged.order.tolist()),
        **_places(found.positions, level),
        exact=float(found.proven.mean()),
        samples=int(found.proven.size),
        requested=int(samples),
        seed=int(seed),
        level=float(level),
        voters=draws.voters,
        interrupted=interrupted,
        method=chosen.name,
        unit="voter" if clusters is None else "cluster",
    )
    summary = replace(summary, **_ranks(draws, chosen, judged, found, level))
    return _with_tiers(summary, found, judged.sizes)


def _method(
    data: Rankings,
    name: str | None,
    consensus: Any,
    tie_settings: TieSettings | None,
    settings: dict[str, Any],
) -> tuple[Method, dict[str, Any]]:
    """Return the method of the samples and its settings."""
    is_result = isinstance(consensus, Consensus)
    if name is None and is_result and tie_settings is None:
        # All methods that look for a ranking of least cost ask the same question.
        name = "auto" if get(consensus.method).basis == "cost" else consensus.method
        if name != "auto" and not settings:
            settings = dict(consensus.settings)
    method = get("auto" if name is None else name)
    if tie_settings is not None and method.name not in _KEMENY:
        raise SettingError(f"a bootstrap with ties needs method 'auto', not {method.name!r}")
    method.make_settings(settings)
    if method.name in _KEMENY and settings:
        raise SettingError(
            f"a bootstrap of method {method.name!r} has no settings; leave out {min(settings)}"
        )
    if method.needs_complete and not data.is_complete:
        raise SettingError(f"method {method.name!r} needs complete rankings")
    return method, settings


def _tie_settings(
    consensus: Any, ties: bool, tie_penalty: float | None, vote_tie_penalty: float | None
) -> TieSettings | None:
    """Return what answers with ties are asked for, by the arguments or by the consensus."""
    true_or_false("ties", ties)
    tiers = None
    if isinstance(consensus, Consensus) and consensus.tiers is not None:
        if tie_penalty is not None or vote_tie_penalty is not None:
            raise SettingError(
                "the consensus has tiers, and with them its penalties: leave out tie_penalty and "
                "vote_tie_penalty"
            )
        tie_penalty, vote_tie_penalty = consensus.tie_penalty, consensus.vote_tie_penalty
        ties, tiers = True, consensus.settings.get("tiers")
    given = {} if tie_penalty is None else {"tie_penalty": tie_penalty}
    return TieSettings.take("auto", {"ties": ties, **given}, vote_tie_penalty, tiers)


def _judged(
    data: Rankings,
    consensus: Consensus | Sequence[Item] | None,
    method: Method,
    settings: dict[str, Any],
    tie_settings: TieSettings | None,
    rules: Constraints | None,
    limits: dict[str, Any],
) -> _Judged:
    """Return the ranking to judge, and the scores of its items; by default computed."""
    result = consensus if isinstance(consensus, Consensus) else None
    if consensus is None:
        asked = dict(settings)
        if tie_settings is not None:
            asked = {"ties": True, "tie_penalty": tie_settings.tie_penalty}
            asked["vote_tie_penalty"] = tie_settings.vote_tie_penalty
        if method.effort in ("until stopped", "until proven"):
            asked["max_generations"] = _GENERATIONS
        if rules is not None:
            asked |= {field.name: getattr(rules, field.name) for field in fields(rules)}
        result = consensus = aggregate(data, method.name, **limits, **asked)
        if result.interrupted:
            raise KeyboardInterrupt
    sizes = None
    ranking: Sequence[Item]
    if result is not None:
        ranking = result.ranking_of(data.items)
        if tie_settings is not None:
            tiers = result.tiers or [(item,) for item in ranking]
            sizes = [len(tier) for tier in tiers]
    else:
        ranking = list(cast("Sequence[Item]", consensus))
        sizes = None if tie_settings is None else [1] * len(ranking)
    try:
        order = order_of(ranking, data.items)
    except InputError as error:
        raise InputError(f"consensus: {error.message}") from None
    if rules is not None:
        broken = rules.broken_by(np.argsort(order), data.items)
        if broken is not None:
            raise InputError(
                f"consensus: {show(broken[1])} is before {show(broken[0])}, which the constraints "
                "forbid"
            )
    scores = None
    if method.basis in ("scores", "sums"):
        scores = _scores(data, method, settings, limits, result)[order]
        scores -= scores.mean()
    return _Judged(order, sizes, scores)


def _scores(
    data: Rankings,
    method: Method,
    settings: dict[str, Any],
    limits: dict[str, Any],
    result: Consensus | None,
) -> Float:
    """Return the score of each item: finite ones, and for one unit of weight if they add up."""
    if result is None or result.method != method.name or "scores" not in result.details:
        result = aggregate(data, method.name, **limits, **settings)
    if len(result.details.get("groups", ())) > 1 and hasattr(method.make_settings({}), "prior"):
        result = aggregate(data, method.name, **limits, **{**settings, "prior": PRIOR})
    by_item = dict(zip(result.ranking, result.details["scores"], strict=True))
    scores = np.array([by_item[item] for item in data.items])
    return scores / data.total_weight if method.basis == "sums" else scores


def _solve_all(
    draws: Draws,
    samples: int,
    threads: int,
    over: Callable[[], bool],
    on_progress: Callable[[int, int], Any] | None,
) -> tuple[Solved, bool]:
    """Return what was found in the samples, and whether Ctrl-C came first.

    The result holds the first samples, without a gap, and those of one task at least.
    """
    size = draws.per_task
    starts = iter(range(0, samples, size))
    done: dict[int, Solved] = {}
    waiting: dict[Future[Solved], int] = {}
    reported = -math.inf
    interrupted = False
    with ThreadPoolExecutor(threads, thread_name_prefix="concordant-bootstrap") as pool:
        try:
            while True:
                while len(waiting) < 2 * threads and not (done and over()):
                    start = next(starts, None)
                    if start is None:
                        break
                    task = pool.submit(draws.solve, start, min(samples, start + size))
                    waiting[task] = start
                if not waiting:
                    break
                for task in wait(waiting, return_when=FIRST_COMPLETED).done:
                    done[waiting.pop(task)] = task.result()
                now = time.perf_counter()
                if on_progress is not None and now - reported >= _SECONDS_BETWEEN_REPORTS:
                    reported = now
                    on_progress(sum(len(found.proven) for found in done.values()), samples)
        except KeyboardInterrupt:
            interrupted = True
            for task in waiting:
                task.cancel()
        except BaseException:
            for task in waiting:
                task.cancel()
            raise
    for task, start in waiting.items():
        if not task.cancelled():
            done[start] = task.result()
    whole = []
    for start in range(0, samples, size):
        if start not in done:
            break
        whole.append(done[start])
    if not whole:
        raise KeyboardInterrupt
    found = Solved.join(whole)
    n_found = int(found.proven.size)
    if on_progress is not None and not interrupted:
        # Ctrl-C comes too late here: nothing is left to stop.
        with suppress(KeyboardInterrupt):
            on_progress(n_found, samples)
    return found, interrupted and n_found < samples


def _places(positions: Int32, level: float) -> dict[str, Any]:
    """Summarize the positions of the items, which the consensus numbers, in all samples."""
    n, m = positions.shape
    ranked = np.sort(positions, axis=0)
    skipped = _skipped(n, level)
    before = np.full((m, m), 0.5)
    columns = np.ascontiguousarray(positions.T)
    for a in range(m):
        wins = np.count_nonzero(columns[a] < columns[a + 1 :], axis=1)
        ties = np.count_nonzero(columns[a] == columns[a + 1 :], axis=1)
        before[a, a + 1 :] = (2 * wins + ties) / (2 * n)
        before[a + 1 :, a] = (2 * (n - wins) - ties) / (2 * n)
    return {
        "low": tuple(ranked[skipped].tolist()),
        "median": tuple(ranked[(n - 1) // 2].tolist()),
        "high": tuple(ranked[n - 1 - skipped].tolist()),
        "stands": tuple((positions[:, :-1] < positions[:, 1:]).mean(axis=0).tolist()),
        "first": tuple((positions == 1).mean(axis=0).tolist()),
        "pairs": before,
    }


def _skipped(n: int, level: float) -> int:
    """Return the number of samples outside an interval, on either side."""
    # The rounding of `level` must not move a quantile by one sample.
    return math.floor(n * (1 - level) / 2 + 1e-9)


def _ranks(
    draws: Draws, method: Method, judged: _Judged, found: Solved, level: float
) -> dict[str, Any]:
    """Return the ranks that are possible for all items at once, and the intervals of scores."""
    facts: dict[str, Any] = {}
    if found.scores is not None and judged.scores is not None:
        n = found.scores.shape[0]
        ranked, skipped = np.sort(found.scores, axis=0), _skipped(n, level)
        facts["scores"] = tuple(judged.scores.tolist())
        facts["scores_low"] = tuple(ranked[skipped].tolist())
        facts["scores_high"] = tuple(ranked[n - 1 - skipped].tolist())
        certain = apart_by_scores(judged.scores, found.scores, level, draws.voters)
    elif found.noise is not None:
        is_kemeny = method.basis == "cost"
        certain = apart_by_margins(draws.spread, found.noise, level, draws.n_items, is_kemeny)
    else:
        return facts
    certain = closed(certain)
    facts["rank_low"], facts["rank_high"] = places_left(certain)
    facts["group_sizes"] = groups_left(certain)
    return facts


def _with_tiers(summary: Bootstrap[N], found: Solved, sizes: list[int] | None) -> Bootstrap[N]:
    """Add the tiers of the consensus, if it has any, and how often neighbours are tied."""
    if sizes is None:
        return summary
    positions = found.positions
    ends = np.cumsum(sizes).tolist()
    tiers = tuple(summary.items[end - k : end] for end, k in zip(ends, sizes, strict=True))
    tied = tuple((positions[:, :-1] == positions[:, 1:]).mean(axis=0).tolist())
    return replace(summary, tiers=tiers, tied=tied)
