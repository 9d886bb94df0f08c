"""The records of a suite, grouped and averaged: the input of tables and figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import Any

from concordant.bench.records import Manifest, Record
from concordant.bench.statistics import Sample, describe

# The methods of the paper's tables in the paper's order, then our default: the first columns of a
# table unless a suite names others.
_COLUMNS = ("borda", "extended-borda", "css", "dk", "bnb", "ga", "lads", "her", "auto")
# Labels that identify the data; all other labels describe what was done with it.
_DATA_LABELS = ("theta", "items", "rankings", "reading", "kind", "dataset")

Case = tuple[Any, ...]


@dataclass(frozen=True)
class Results:
    """The content of a store, or a part of it.

    A case is one set of data: an instance, in one reading. The runs of a method on a case are
    averaged first, so that every case has the same weight.

    Attributes:
        manifest: The manifest of the store.
        records: The tasks that gave a result.
        errors: The tasks that failed.
        columns: The methods that come first in tables, in this order.
    """

    manifest: Manifest
    records: tuple[Record, ...]
    errors: tuple[Record, ...] = ()
    columns: tuple[str, ...] = _COLUMNS

    @classmethod
    def from_records(
        cls, manifest: Manifest, records: Iterable[Record], columns: tuple[str, ...] = ()
    ) -> Results:
        """Separate records with errors from the others."""
        records = tuple(records)
        return cls(
            manifest,
            tuple(record for record in records if record.error is None),
            tuple(record for record in records if record.error is not None),
            columns or _COLUMNS,
        )

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """The methods in the order of `columns`, then the others as in the store.

        A store lists results in the order in which tasks ended, which differs between runs.
        """
        found = dict.fromkeys(record.method for record in self.records)
        known = [name for name in self.columns if name in found]
        return tuple(dict.fromkeys([*known, *found]))

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The sets of data, in the order of the store."""
        return tuple(dict.fromkeys(case_of(record) for record in self.records))

    @cached_property
    def by_case(self) -> dict[Case, tuple[Record, ...]]:
        """The records of each case."""
        return _group(self.records, case_of)

    def runs(self, method: str, case: Case | None = None) -> list[Record]:
        """Return the records of a method, of one case if it is given."""
        records = self.records if case is None else self.by_case[case]
        return [record for record in records if record.method == method]

    def groups(self, *labels: str) -> dict[tuple[Any, ...], Results]:
        """Group the results by the values of labels; a missing label has the value None."""
        grouped = _group(self.records, lambda record: tuple(map(record.labels.get, labels)))
        return {
            key: replace(self, records=records, errors=())
            for key, records in sorted(grouped.items(), key=lambda each: _sortable(each[0]))
        }

    def values(
        self, method: str, value: Callable[[Record], float | None] | None = None
    ) -> dict[Case, float]:
        """Return for each case the mean of a value over a method's runs; default: the distance."""
        value = distance_of if value is None else value
        found: dict[Case, list[float]] = defaultdict(list)
        for record in self.runs(method):
            if (each := value(record)) is not None:
                found[case_of(record)].append(each)
        return {case: fmean(each) for case, each in found.items()}

    def sample(
        self, method: str, value: Callable[[Record], float | None] | None = None
    ) -> Sample | None:
        """Describe the values of a method over the cases; None if it has no value."""
        values = list(self.values(method, value).values())
        return describe(values) if values else None

    def mean(
        self, method: str, value: Callable[[Record], float | None] | None = None
    ) -> float | None:
        """Return the mean of a method's values over the cases; None if it has no value."""
        sample = self.sample(method, value)
        return None if sample is None else sample.mean

    @cached_property
    def bounds(self) -> dict[Case, float]:
        """The best lower bound of each case that any method proved, as a distance."""
        return self._each_case(bound_of, max)

    @cached_property
    def _bound_costs(self) -> dict[Case, float]:
        # Costs are integers, so a cost that meets its bound equals it. Distances are rounded.
        return self._each_case(lambda record: record.lower_bound, max)

    @cached_property
    def best_known(self) -> dict[Case, float]:
        """The least distance of each case that any run reached."""
        return self._each_case(distance_of, min)

    @cached_property
    def proven(self) -> frozenset[Case]:
        """The cases whose optimum is proven: by a method, or by the bound of another one."""
        costs = self._each_case(lambda record: record.cost, min)
        return frozenset(
            case
            for case, cost in costs.items()
            if cost == self._bound_costs.get(case)
            or any(record.status == "optimal" for record in self.by_case[case])
        )

    def gap(self, record: Record) -> float | None:
        """Return how far a result is above the best bound of its case, as a share of its cost."""
        bound, cost = self._bound_costs.get(case_of(record)), record.cost
        if bound is None or cost is None:
            return None
        return (cost - bound) / cost if cost > bound else 0.0

    def excess(self, record: Record) -> float | None:
        """Return how far a result is above the best known of its case, as a share of that."""
        best, distance = self.best_known.get(case_of(record)), distance_of(record)
        if distance is None or best is None or (best == 0 and distance > 0):
            return None
        return (distance - best) / best if distance > best else 0.0

    def paired(self, methods: Sequence[str]) -> list[list[float]]:
        """Return the values of the methods, a row for each case that all of them solved."""
        values = [self.values(method) for method in methods]
        return [
            [each[case] for each in values]
            for case in self.cases
            if all(case in each for each in values)
        ]

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The runs that are missing, judged by the other runs of the store, in words."""
        parts = []
        everything = self.records + self.errors
        done = _group(everything, lambda record: (case_of(record), record.method))
        # A suite may run a method on some groups of the data only, such as those with few items.
        planned: dict[tuple[Any, str], int] = {}
        cases: dict[Any, set[Case]] = defaultdict(set)
        for (case, method), records in done.items():
            group = case[1:]
            cases[group].add(case)
            planned[group, method] = max(planned.get((group, method), 0), len(records))
        for (group, method), runs in planned.items():
            whole = runs * len(cases[group])
            found = sum(len(done.get((case, method), ())) for case in cases[group])
            if found < whole:
                known = ((name, value) for name, value in group if value is not None)
                where = ", ".join(f"{name} = {value}" for name, value in known)
                parts.append(f"{method}{' at ' if where else ''}{where}: {found} of {whole} runs")
        return tuple(parts)

    def _each_case(
        self,
        value: Callable[[Record], float | None],
        choose: Callable[[list[float]], float],
    ) -> dict[Case, float]:
        found = {
            case: [each for record in records if (each := value(record)) is not None]
            for case, records in self.by_case.items()
        }
        return {case: choose(values) for case, values in found.items() if values}


def case_of(record: Record) -> Case:
    """Return the key of a record's data: its instance and the labels that identify the data.

    Example:
        >>> case_of(Record("t", "a", "lads", labels={"items": 5, "history_length": 10}))
        ('a', ('items', 5))
    """
    known = ((name, record.labels[name]) for name in _DATA_LABELS if name in record.labels)
    return (record.instance, *known)


def distance_of(record: Record) -> float | None:
    """Return the distance of a record, or its cost if it has no distance.

    Example:
        >>> distance_of(Record("t", "a", "lads", cost=12))
        12.0
    """
    value = record.distance if record.distance is not None else record.cost
    return None if value is None else float(value)


def bound_of(record: Record) -> float | None:
    """Return the lower bound of a record in the unit of `distance_of`.

    Example:
        >>> bound_of(Record("t", "a", "auto", cost=12, distance=1.5, lower_bound=8))
        1.0
    """
    distance = distance_of(record)
    if record.lower_bound is None or record.cost is None or distance is None:
        return None
    if record.lower_bound == record.cost:
        return distance
    return record.lower_bound * distance / record.cost if record.cost else 0.0


def measure(name: str) -> Callable[[Record], float | None]:
    """Return a function that gets a measure of a record, or `elapsed` or `iterations`.

    Example:
        >>> measure("tau")(Record("t", "iris", "lrf", measures={"tau": 0.5}))
        0.5
    """

    def look_up(record: Record) -> float | None:
        if name in record.measures:
            return float(record.measures[name])
        value = getattr(record, name) if name in ("elapsed", "iterations") else None
        return None if value is None else float(value)

    return look_up


def _group(
    records: Iterable[Record], key: Callable[[Record], Any]
) -> dict[Any, tuple[Record, ...]]:
    found: dict[Any, list[Record]] = defaultdict(list)
    for record in records:
        found[key(record)].append(record)
    return {name: tuple(each) for name, each in found.items()}


def _sortable(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a key that sorts numbers by size, then texts, then None."""
    return tuple(
        (2, 0.0, "") if value is None else (1, 0.0, value) if isinstance(value, str) else (0, value)
        for value in key
    )
