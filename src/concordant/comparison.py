"""`compare`: run several methods on the same rankings and compare them with the proven bound."""

from __future__ import annotations

import csv
import io
import math
import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Generic, Unpack

import numpy as np
import numpy.typing as npt

from concordant._checks import threads_of
from concordant._names import plain_item
from concordant._types import Item, N, Name
from concordant.aggregation import aggregate
from concordant.algorithms.registry import METHODS, Method, all_methods, get
from concordant.consensus import Consensus
from concordant.constraints import Constraints, Rules
from concordant.distances import kendall_tau
from concordant.errors import InputWarning, SettingError
from concordant.formatting import counted, duration, number, percent
from concordant.layout import Column, Table
from concordant.pages import notebook_table
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.stopping import relative_gap
from concordant.tiers.aggregation import METHODS as TIE_METHODS
from concordant.tiers.aggregation import SEARCHES, TieSettings
from concordant.workers import LostError, Result, WorkerPool, active_pool, cancelled

# The default time limit of a run.
DEFAULT_SECONDS = 5.0
# What all answers are judged by: as answers with ties, or under constraints.
Asked = tuple[TieSettings | None, Constraints | None]
# The key of `details` of a result whose ranking was changed.
REPAIRED = "repaired"
# The methods whose code this worker process has loaded.
_loaded: set[str] = set()


@dataclass(frozen=True, slots=True)
class Row:
    """The results of one method.

    Attributes:
        method: Its name.
        effort: "instant", "seconds" or "until stopped".
        cost: The mean cost of its runs.
        best_cost: The least cost of its runs.
        distance: The mean cost per unit of weight; None for a bare matrix.
        gap: The largest possible excess of the mean cost over the optimum, as a fraction of the
            mean cost. The bound is the best that any run has proven.
        status: "optimal" where its best run is proven optimal, by itself or by another method.
        elapsed: The mean time of a run in seconds.
        tau: The mean of Kendall's tau between its rankings and the best ranking of all runs.
        runs: The number of runs.
    """

    method: str
    effort: str
    cost: float
    best_cost: int | float
    distance: float | None
    gap: float
    status: str
    elapsed: float
    tau: float | None
    runs: int


@dataclass(frozen=True, slots=True)
class Comparison(Generic[Name]):
    """What `compare` returns: a row per method, best first.

    Attributes:
        rows: One per method.
        lower_bound: The best bound that any run has proven.
        ranking: The best ranking that any run has found.
        cost: Its cost.
        n_items, n_rankings, total_weight: The size of the input.
        time_limit, repeats, seed: The arguments of the call.
        skipped: Methods without a row or with lost runs, and why: those that were not named in
            the call and cannot take this input, or are from outside the package and failed, and
            those whose workers died.
        interrupted: Whether Ctrl-C ended it; then rows may be missing.
        tiers: The best answer with ties, if the methods were compared by these; else None.
        tie_penalty, vote_tie_penalty: What ties cost then.
        constraints: The constraints that all rankings satisfy, if there are any.
        repaired: Methods that do not know constraints and broke one. Their rankings were changed
            so that they satisfy all, and costs are those of the changed rankings.
        rankings: The best ranking of each method, by its name, in the order of the rows.
    """

    rows: tuple[Row, ...]
    lower_bound: int | float
    ranking: tuple[Name, ...]
    cost: int | float
    n_items: int
    n_rankings: int | None
    total_weight: int | float | None
    time_limit: float
    repeats: int
    seed: int
    skipped: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False
    tiers: tuple[tuple[Name, ...], ...] | None = None
    tie_penalty: float | None = None
    vote_tie_penalty: float | None = None
    constraints: Constraints | None = None
    repaired: tuple[str, ...] = ()
    rankings: dict[str, tuple[Name, ...]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as in the output of `--json`."""
        facts = {f.name: getattr(self, f.name) for f in fields(self)}
        facts["ranking"] = [plain_item(item) for item in self.ranking]
        if self.tiers is None:
            for name in ("tiers", "tie_penalty", "vote_tie_penalty"):
                del facts[name]
        else:
            facts["tiers"] = [[plain_item(item) for item in tier] for tier in self.tiers]
        if self.constraints is None:
            del facts["constraints"], facts["repaired"]
        else:
            facts["constraints"] = self.constraints.to_dict()
            facts["repaired"] = list(self.repaired)
        facts["rows"] = [asdict(row) for row in self.rows]
        facts["rankings"] = {
            name: [plain_item(item) for item in ranking] for name, ranking in self.rankings.items()
        }
        return facts

    @property
    def kind(self) -> str:
        """What the methods return: "ranking", or "answer" with ties."""
        return "ranking" if self.tiers is None else "answer"

    def to_csv(self) -> str:
        """Return the rows as text in CSV, with a header."""
        text = io.StringIO()
        writer = csv.DictWriter(text, [f.name for f in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in self.rows)
        return text.getvalue()

    @property
    def table(self) -> Table:
        """The rows as a table, which can be written as Markdown, CSV and LaTeX."""
        return Table(
            "methods",
            f"{counted(len(self.rows), 'method')} on {counted(self.n_items, 'item')}",
            (
                Column("method", "code"),
                Column("cost", "cost"),
                Column("distance", "value"),
                Column("gap", "percent"),
                Column("seconds", "seconds"),
                Column("tau", "value"),
            ),
            tuple((r.method, r.cost, r.distance, r.gap, r.elapsed, r.tau) for r in self.rows),
            (
                "Gaps are to the best lower bound that any run has proven, "
                f"{number(self.lower_bound)}; tau is Kendall's tau with the best ranking found.",
            ),
        )

    def to_latex(self) -> str:
        r"""Return the rows as a `tabular` of LaTeX; it needs `\usepackage{booktabs}`."""
        return self.table.to_latex()

    def _repr_html_(self) -> str:
        """Show a row per method as a table in a notebook."""
        caption = (
            f"{counted(len(self.rows), 'method')} on {counted(self.n_items, 'item')}; "
            f"lower bound {number(self.lower_bound)}"
        )
        rows = [
            (row.method, number(row.cost), percent(row.gap), row.status, duration(row.elapsed))
            for row in self.rows
        ]
        return notebook_table(caption, ["method", "cost", "gap", "status", "time"], rows)

    def plot(self, ax: Any = None) -> Any:
        """Draw a bar per method with its gap to the bound; see `concordant.plot.comparison`."""
        from concordant.plot import comparison

        return comparison(self, ax)

    def save_plot(self, path: str | Path) -> None:
        """Save the plot to a file, replacing an existing one; the suffix determines the format."""
        from concordant.plot import save_plot

        save_plot(self.plot, path)


def compare(
    data: Rankings[N] | Pairwise[N] | Sequence[Any] | npt.ArrayLike,
    methods: Sequence[str] | None = None,
    *,
    time_limit: float = DEFAULT_SECONDS,
    repeats: int = 1,
    seed: int = 0,
    n_jobs: int | None = 1,
    on_progress: Callable[[int, int, str], Any] | None = None,
    ties: bool = False,
    tie_penalty: float | None = None,
    vote_tie_penalty: float | None = None,
    **rules: Unpack[Rules],
) -> Comparison[N]:
    """Run several methods on the same data and compare their results.

    Every method runs with its default settings, on one thread. Gaps are relative to the best
    bound that any run proves. To get a good bound, "exact" runs as well, even if not named.

    Args:
        data: As for `aggregate`.
        methods: The names of the methods; by default all that can take this data.
        time_limit: The time limit of each run in seconds, including set-up.
        repeats: The number of runs of each method, with the seeds `seed`, `seed` + 1, …
        seed: A whole number.
        n_jobs: The number of simultaneous runs; several make the measured times less reliable. -1
            means one per core. Inside `joblib.parallel_config` with a backend of other processes
            or machines ("dask", "loky"), the runs take place there.
        on_progress: A function called before each run with the number of finished runs, the
            number of all runs, and the name of the method.
        ties: Whether to compare by the cost of answers with ties, as of `aggregate` with
            `ties=True`. Methods that find such answers are asked for them; the rankings of the
            others are answers without ties.
        tie_penalty: What a vote that orders a pair charges a tie; 0.5 by default.
        vote_tie_penalty: What a vote that ties a pair charges an order; `tie_penalty` by default.
        rules: Constraints, as of `aggregate`: `before`, `first`, `last`, `groups_in_order`. Not
            together with `ties`. `auto` and `exact` find the best ranking that satisfies them. The
            rankings of the other methods are changed so that they do: each place takes the
            first remaining item that may come next. `Comparison.repaired` names these methods.

    Returns:
        A row per method, the one with the least mean cost first. Ctrl-C returns the results so far.

    Example:
        >>> data = Rankings.from_orders([["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]])
        >>> found = compare(data, ["borda", "schulze"])
        >>> for row in sorted(found.rows, key=lambda row: row.method):
        ...     print(row.method, row.cost, row.gap, row.status)
        borda 2 0.0 optimal
        schulze 2 0.0 optimal
    """
    if isinstance(methods, str):
        raise SettingError(f"methods must be a list of names, not {methods!r}", setting="methods")
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise SettingError(
            f"repeats must be a whole number of at least 1, not {repeats!r}",
            setting="repeats",
        )
    threads = threads_of(n_jobs)
    pool = active_pool(n_jobs)
    given = {"ties": ties} | ({} if tie_penalty is None else {"tie_penalty": tie_penalty})
    asked = TieSettings.take("auto", given, vote_tie_penalty, None)
    if not isinstance(data, Rankings | Pairwise):
        data = Pairwise.from_matrix(data)
    if asked is not None and isinstance(data, Pairwise):
        # Refused before the first run, if the counts have no ties.
        asked.costs(data)
    constraints = Constraints.of(**rules)
    if constraints is not None:
        constraints.relation(data.items)
        if asked is not None:
            raise SettingError("constraints cannot be compared with ties: leave one of them out")
    skipped: dict[str, str] = {}
    if methods is None:
        skipped = {name: why for name, why in ((m.name, lacks(m, data)) for m in _all()) if why}
        chosen = [method for method in _all() if method.name not in skipped]
    else:
        chosen = [get(name) for name in dict.fromkeys(methods)]
        if not chosen:
            raise SettingError("methods is empty: name at least one method to compare")
        for method in chosen:
            why = lacks(method, data)
            if why:
                raise SettingError(f"method {method.name!r} {why}: leave it out, or use 'auto'")
    reference = "exact" if "exact" in METHODS else "auto"
    runs = [(m.name, seed + k) for m in chosen for k in range(repeats)]
    if all(method.name != reference for method in chosen):
        # Last, so that after Ctrl-C the named methods have run.
        runs.append((reference, seed))
    if pool is None:
        with warnings.catch_warnings():
            # That all items are tied is for the reader of an answer, not of a table.
            warnings.simplefilter("ignore", InputWarning)
            outside = [m.name for m in chosen if methods is None and not m.is_built_in]
            failed = dict.fromkeys(outside)
            results, interrupted = _run_all(
                data, runs, time_limit, threads, on_progress, (asked, constraints), failed
            )
        skipped |= {name: why for name, why in failed.items() if why is not None}
    else:
        results, interrupted, lost = run_on_pool(
            pool, data, runs, time_limit, on_progress, (asked, constraints)
        )
        if lost and not results and not interrupted:
            raise next(iter(lost.values()))
        names = [name for name, _ in runs]
        for name in dict.fromkeys(names[number] for number in sorted(lost)):
            whys = [why for number, why in lost.items() if names[number] == name]
            skipped[name] = f"lost {len(whys)} of {names.count(name)} runs: {whys[0]}"
    if not results:
        raise KeyboardInterrupt
    bound = max(result.lower_bound for _, result in results)
    best = min((result for _, result in results), key=lambda result: result.cost)
    rows = []
    rankings: dict[str, tuple[Item, ...]] = {}
    for method in chosen:
        own = [result for name, result in results if name == method.name]
        if own:
            rows.append(_row(method, own, bound, best))
            rankings[method.name] = min(own, key=lambda result: result.cost).ranking
    rows.sort(key=lambda row: (row.cost, row.elapsed))
    return Comparison(
        rows=tuple(rows),
        lower_bound=bound,
        ranking=best.ranking,
        cost=best.cost,
        n_items=best.n_items,
        n_rankings=best.n_rankings,
        total_weight=best.total_weight,
        time_limit=float(time_limit),
        repeats=repeats,
        seed=seed,
        skipped=skipped,
        interrupted=interrupted,
        tiers=best.tiers,
        tie_penalty=best.tie_penalty,
        vote_tie_penalty=best.vote_tie_penalty,
        constraints=constraints,
        repaired=tuple(
            dict.fromkeys(name for name, result in results if REPAIRED in result.details)
        ),
        rankings={row.method: rankings[row.method] for row in rows},
    )


def _all() -> list[Method]:
    return list(all_methods().values())


def lacks(method: Method, data: Rankings | Pairwise) -> str | None:
    """Return what a method needs that the data lacks, or None."""
    if method.needs_rankings and not isinstance(data, Rankings):
        return "needs the rankings, and this is a matrix"
    if method.needs_complete and isinstance(data, Rankings) and not data.is_complete:
        return "needs complete rankings, and these leave items out"
    return None


def _run_all(
    data: Rankings | Pairwise,
    runs: list[tuple[str, int]],
    time_limit: float,
    threads: int,
    on_progress: Callable[[int, int, str], Any] | None,
    asked: Asked,
    failed: dict[str, str | None],
) -> tuple[list[tuple[str, Consensus]], bool]:
    """Return the result of every run, in order, and whether Ctrl-C ended them.

    `failed` has the methods that may fail, and gets the reason of each that does.
    """
    over = threading.Event()

    def run(name: str, seed: int) -> Consensus | None:
        try:
            return _run_one(data, name, seed, time_limit, asked, over.is_set)
        except Exception as error:
            if name not in failed:
                raise
            failed[name] = f"failed: {type(error).__name__}: {error}"
            return None

    found: dict[int, Consensus | None] = {}
    if threads == 1:
        try:
            for number, (name, seed) in enumerate(runs):
                if on_progress is not None:
                    on_progress(number, len(runs), name)
                found[number] = result = run(name, seed)
                if result is not None and result.interrupted:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            over.set()
    else:
        _run_in_threads(run, runs, threads, on_progress, over, found)
    done = [(runs[number][0], result) for number, result in sorted(found.items()) if result]
    return done, over.is_set()


def _run_one(
    data: Rankings | Pairwise,
    method: str,
    seed: int,
    time_limit: float,
    asked: Asked,
    is_over: Callable[[], bool],
) -> Consensus:
    """Run one method; its answer is judged as one with ties or constraints, if asked for."""
    ties, rules = asked
    settings: dict[str, Any] = {}
    if rules is not None and get(method).proves:
        settings = {field.name: getattr(rules, field.name) for field in fields(rules)}
    if ties is not None and method in (*TIE_METHODS, *SEARCHES):
        settings = {"ties": True, "tie_penalty": ties.tie_penalty}
        settings["vote_tie_penalty"] = ties.vote_tie_penalty
    result = aggregate(
        data,
        method,
        time_limit=time_limit,
        seed=seed,
        n_jobs=1,
        stop=lambda progress: is_over(),
        **settings,
    )
    if result.free is not None:
        # The run without the constraints is not part of the method.
        result = replace(result, elapsed=result.elapsed - result.free.elapsed, free=None)
    if settings or (ties is None and rules is None):
        return result
    return _repaired(result, data, rules) if ties is None else _judged(result, data, ties)


def _repaired(result: Consensus, data: Rankings | Pairwise, rules: Any) -> Consensus:
    """Return a result whose ranking satisfies the constraints, changed if it did not.

    Its bound holds for all rankings, and so for those that satisfy the constraints.
    """
    pairs = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
    order = pairs.order_of(result.ranking)
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    if rules.broken_by(place, pairs.items) is None:
        return result
    changed = rules.repaired(order, pairs.items)
    return replace(
        result,
        ranking=tuple(pairs.items[a] for a in changed.tolist()),
        cost=pairs.value(pairs.cost_units(changed)),
        agreement=None,
        status="feasible",
        buckets=None,
        details={**result.details, REPAIRED: True},
    )


def _judged(result: Consensus, data: Rankings | Pairwise, ties: TieSettings) -> Consensus:
    """Return a result with the cost of its ranking as an answer with ties."""
    pairs = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
    costs = ties.costs(pairs)
    tiers = result.buckets or tuple((item,) for item in result.ranking)
    number = {item: k for k, tier in enumerate(tiers) for item in tier}
    bucket = np.array([number[item] for item in costs.items], np.int64)
    return replace(
        result,
        cost=costs.value(costs.cost_units(bucket)),
        lower_bound=costs.value(costs.trivial),
        agreement=None,
        tiers=tiers,
        tie_penalty=ties.tie_penalty,
        vote_tie_penalty=ties.vote_tie_penalty,
    )


def _run_in_threads(
    run: Callable[[str, int], Consensus | None],
    runs: list[tuple[str, int]],
    threads: int,
    on_progress: Callable[[int, int, str], Any] | None,
    over: threading.Event,
    found: dict[int, Consensus | None],
) -> None:
    with ThreadPoolExecutor(threads) as pool:
        waiting: dict[Future[Consensus | None], int] = {}
        numbers = iter(range(len(runs)))
        try:
            while True:
                for number in numbers:
                    if on_progress is not None:
                        on_progress(len(found), len(runs), runs[number][0])
                    waiting[pool.submit(run, *runs[number])] = number
                    if len(waiting) == threads:
                        break
                if not waiting:
                    break
                for task in wait(waiting, return_when=FIRST_COMPLETED).done:
                    found[waiting.pop(task)] = task.result()
        except KeyboardInterrupt:
            over.set()
            for task, number in waiting.items():
                found[number] = task.result()
        except BaseException:
            over.set()
            raise


def run_on_pool(
    pool: WorkerPool,
    data: Rankings | Pairwise,
    runs: list[tuple[str, int]],
    time_limit: float,
    on_progress: Callable[[int, int, str], Any] | None,
    asked: Asked = (None, None),
) -> tuple[list[tuple[str, Consensus]], bool, dict[int, LostError]]:
    """Run on other workers; return the same as `_run_all`, and which runs were lost."""
    found: dict[int, Consensus] = {}
    lost: dict[int, LostError] = {}
    interrupted = False
    try:
        with closing(
            pool.run(_run_there, data, [(*run, time_limit, asked) for run in runs])
        ) as events:
            for event in events:
                if not isinstance(event, Result):
                    continue
                if event.lost is None:
                    found[event.number] = event.value
                else:
                    lost[event.number] = event.lost
                if on_progress is not None:
                    on_progress(len(found) + len(lost) - 1, len(runs), runs[event.number][0])
    except KeyboardInterrupt:
        interrupted = True
    results = [(runs[number][0], found[number]) for number in sorted(found)]
    return results, interrupted, lost


def _run_there(
    data: Rankings | Pairwise,
    method: str,
    seed: int,
    time_limit: float,
    asked: Asked,
) -> Consensus:
    """Run one method on a worker; proof and trace are not sent back."""
    if method not in _loaded:
        # A new worker takes seconds to load code, which would count as time of the method.
        ranks = np.random.default_rng(0).permuted(np.tile(np.arange(1, 41), (5, 1)), axis=1)
        aggregate(Rankings.from_ranks(ranks), method, time_limit=0.1, n_jobs=1)
        _loaded.add(method)
    result = _run_one(data, method, seed, time_limit, asked, cancelled)
    return replace(result, proof=None, trace=())


def _row(method: Method, own: list[Consensus], bound: int | float, best: Consensus) -> Row:
    """Summarise the runs of one method."""
    cost = fmean(result.cost for result in own)
    least = min(result.cost for result in own)
    distances = [result.distance for result in own if result.distance is not None]
    # Each item in a separate bucket: an item may be a tuple, which would be read as a tie.
    top = best.tiers or [(item,) for item in best.ranking]
    taus = [
        kendall_tau(result.tiers or [(item,) for item in result.ranking], top) for result in own
    ]
    return Row(
        method=method.name,
        effort=method.effort,
        cost=int(cost) if cost == int(cost) and isinstance(least, int) else cost,
        best_cost=least,
        distance=fmean(distances) if distances else None,
        gap=relative_gap(cost, min(bound, cost)),
        status="optimal" if least <= bound else "feasible",
        elapsed=fmean(result.elapsed for result in own),
        tau=None if any(map(math.isnan, taus)) else fmean(taus),
        runs=len(own),
    )
