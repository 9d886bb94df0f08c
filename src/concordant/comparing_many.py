"""`compare_many`: run several methods on many problems, and test which is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any, TypedDict, Unpack

from concordant.algorithms.registry import get
from concordant.comparison import Comparison, Row, compare, lacks
from concordant.errors import ConcordantError, InputError, SettingError
from concordant.formatting import counted, duration, percent
from concordant.layout import Column, Table
from concordant.pages import notebook_table
from concordant.paired import Standing, standings
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings

# The method that the others are compared with, unless the caller names one.
_REFERENCE = "auto"


class CompareOptions(TypedDict, total=False):
    """The arguments of `compare` that `compare_many` passes on."""

    time_limit: float
    repeats: int
    seed: int
    n_jobs: int | None
    ties: bool
    tie_penalty: float | None
    vote_tie_penalty: float | None


@dataclass(frozen=True, slots=True)
class ManyRow:
    """The results of one method on all problems that it solved.

    Attributes:
        method: Its name.
        problems: The number of problems that it solved.
        average_rank: Its mean rank over the problems that all methods solved: 1 = best, and equal
            methods share their mean rank. None if there is no such problem.
        gap: The mean gap; see `Row.gap`.
        optimal: The number of problems of which its best run is proven optimal, by itself or by
            another method.
        wins, ties, losses: The problems on which it is better than the reference, equal and worse,
            by the mean cost of its runs; None for the reference.
        p: The p-value of Wilcoxon's signed-rank test on these problems, two-sided.
        elapsed: The mean time of a run in seconds.
    """

    method: str
    problems: int
    average_rank: float | None
    gap: float
    optimal: int
    wins: int | None
    ties: int | None
    losses: int | None
    p: float | None
    elapsed: float


@dataclass(frozen=True, slots=True)
class Comparisons:
    """What `compare_many` returns: a row per method over all problems, best first.

    Attributes:
        rows: One per method, in the order of the average rank, then of the gap.
        reference: The method that the others are compared with.
        common: The number of problems that all methods solved.
        comparisons: The comparison of each problem, by key.
        failed: The error of each problem that could not be read or solved.
        interrupted: Whether Ctrl-C ended it; then problems may be missing.
    """

    rows: tuple[ManyRow, ...]
    reference: str
    common: int
    comparisons: dict[Any, Comparison]
    failed: dict[Any, ConcordantError] = field(default_factory=dict)
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as in the output of `--json`."""
        return {
            "rows": [asdict(row) for row in self.rows],
            "reference": self.reference,
            "common": self.common,
            "comparisons": {str(key): each.to_dict() for key, each in self.comparisons.items()},
            "failed": {str(key): str(error) for key, error in self.failed.items()},
            "interrupted": self.interrupted,
        }

    @property
    def table(self) -> Table:
        """The rows as a table, which can be written as Markdown, CSV and LaTeX."""
        names = ("wins", "ties", "losses")
        return Table(
            "methods",
            f"{counted(len(self.rows), 'method')} against {self.reference} on "
            f"{counted(len(self.comparisons), 'problem')}",
            (
                Column("method", "code"),
                Column("problems", "count"),
                Column("average rank", "power"),
                Column("mean gap", "percent"),
                Column("optimal", "count"),
                *(Column(name, "count") for name in names),
                Column("p", "p"),
                Column("seconds", "seconds"),
            ),
            tuple(tuple(asdict(row).values()) for row in self.rows),
            (
                f"Wins, ties and losses are against {self.reference}, by the mean cost of each "
                "problem; p is that of Wilcoxon's signed-rank test, two-sided. Average ranks are "
                f"over the {counted(self.common, 'problem')} that all methods solved; 1 = best.",
            ),
        )

    def to_csv(self) -> str:
        """Return the rows as text in CSV, with a header."""
        return self.table.to_csv()

    def to_latex(self) -> str:
        r"""Return the rows as a `tabular` of LaTeX; it needs `\usepackage{booktabs}`."""
        return self.table.to_latex()

    def _repr_html_(self) -> str:
        """Show a row per method as a table in a notebook."""
        rows = [
            (row.method, row.problems, row.average_rank, percent(row.gap), duration(row.elapsed))
            for row in self.rows
        ]
        heads = ["method", "problems", "average rank", "mean gap", "time"]
        return notebook_table(self.table.title, heads, rows)


def compare_many(
    problems: Mapping[Any, Rankings | Pairwise | Any] | Sequence[Rankings | Pairwise | Any],
    methods: Sequence[str] | None = None,
    *,
    against: str | None = None,
    on_progress: Callable[[int, int, str], Any] | None = None,
    **options: Unpack[CompareOptions],
) -> Comparisons:
    """Run several methods on many problems, and test which of them is better.

    Args:
        problems: The data by key, such as `read_many` returns, or a list.
        methods: The names of the methods; by default all. A problem is solved by those that can
            take its data.
        against: The method that the others are compared with; by default "auto", or the first of
            `methods` if "auto" is not one of them.
        on_progress: A function called before each problem with the number of finished problems,
            the number of all problems, and the key as text.
        **options: As for `compare`: `time_limit` of each run, `repeats`, `seed`, `n_jobs`, `ties`,
            `tie_penalty`, `vote_tie_penalty`.

    Returns:
        A row per method. Ctrl-C returns the results so far. A problem that cannot be used is in
        `failed`.

    Example:
        >>> from concordant import generate
        >>> problems = [generate.mallows(6, 9, theta=0.1, seed=seed) for seed in range(4)]
        >>> found = compare_many(problems, ["auto", "pick-a-ranking"])
        >>> [(row.method, row.problems, row.wins) for row in found.rows]
        [('auto', 4, None), ('pick-a-ranking', 4, 0)]
    """
    named: Mapping[Any, Any] = (
        problems if isinstance(problems, Mapping) else dict(enumerate(problems))
    )
    if not named and not getattr(problems, "failed", None):
        raise SettingError("there is no problem to compare methods on")
    if methods is not None:
        if isinstance(methods, str):
            raise SettingError(
                f"methods must be a list of names, not {methods!r}", setting="methods"
            )
        methods = list(dict.fromkeys(get(name).name for name in methods))
        if against is not None and get(against).name not in methods:
            raise SettingError(
                f"against names {against!r}, which is not one of the methods to compare",
                setting="against",
            )
    elif against is not None:
        get(against)
    found: dict[Any, Comparison] = {}
    failed: dict[Any, ConcordantError] = dict(getattr(problems, "failed", {}))
    interrupted = False
    for number, (key, data) in enumerate(named.items()):
        try:
            if on_progress is not None:
                on_progress(number, len(named), str(key))
            found[key] = compare(data, _suited(methods, data), **options)
            interrupted = found[key].interrupted
        except SettingError:
            # Options are the same for all problems.
            raise
        except ConcordantError as error:
            failed[key] = error
        except KeyboardInterrupt:
            interrupted = True
        if interrupted:
            break
    if not found:
        if interrupted:
            raise KeyboardInterrupt
        raise next(iter(failed.values()))
    reference = _reference(found, methods, against)
    rows, common = _rows(found, reference)
    return Comparisons(rows, reference, common, found, failed, interrupted)


def _suited(methods: Sequence[str] | None, data: Any) -> Sequence[str] | None:
    """Return the methods that can take the data of a problem."""
    if methods is None:
        return None
    reasons = {name: lacks(get(name), data) for name in methods}
    suited = [name for name, why in reasons.items() if why is None]
    if not suited:
        raise InputError(f"no method can take it: {methods[0]!r} {reasons[methods[0]]}")
    return suited


def _reference(
    found: Mapping[Any, Comparison], methods: Sequence[str] | None, against: str | None
) -> str:
    names = {row.method for each in found.values() for row in each.rows}
    wanted = [name for name in (against, _REFERENCE, *(methods or ())) if name in names]
    return wanted[0] if wanted else next(iter(found.values())).rows[0].method


def _rows(found: Mapping[Any, Comparison], reference: str) -> tuple[tuple[ManyRow, ...], int]:
    by_method: dict[str, dict[Any, Row]] = {}
    for key, each in found.items():
        for row in each.rows:
            by_method.setdefault(row.method, {})[key] = row
    values = {
        name: {key: row.cost if row.distance is None else row.distance for key, row in own.items()}
        for name, own in by_method.items()
    }
    standing, common = standings(values, reference)
    rows = [_row(name, own, standing[name]) for name, own in by_method.items()]
    last = len(rows) + 1
    rows.sort(key=lambda row: (row.average_rank or last, row.gap, row.elapsed))
    return tuple(rows), common


def _row(name: str, own: Mapping[Any, Row], standing: Standing) -> ManyRow:
    return ManyRow(
        name,
        len(own),
        standing.average_rank,
        fmean(row.gap for row in own.values()),
        sum(row.status == "optimal" for row in own.values()),
        standing.wins,
        standing.ties,
        standing.losses,
        standing.p,
        fmean(row.elapsed for row in own.values()),
    )
