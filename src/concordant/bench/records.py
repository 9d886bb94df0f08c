"""The content of a store of results: a manifest of the run and a record of each task."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from concordant.errors import InputError, cut

VERSION = 1


@dataclass(frozen=True, slots=True)
class Record:
    """The result of one task: one method on one instance, with one seed.

    Attributes:
        task: The name of the task, unique in its store: "MM050n0.200_01/auto/0".
        instance: The name of the instance, in the paper's pattern if it is one of that kind.
        method: The method or a variant of it: the column of the tables.
        run: The number of the run of this method on this instance, from 0.
        seed: The seed of the run.
        labels: The properties of the instance: "theta", "items", "rankings", "reading", "kind" …,
            numbers or short texts. Tables group their rows by them.
        cost, distance, lower_bound, status: As in a `Consensus`; None if the task is not an
            aggregation (label ranking, growth curves).
        elapsed: The seconds that the task took.
        iterations, generations: The steps of a search, if it counts them.
        trace: The progress of the search: (seconds, cost, lower bound) at each change.
        measures: Other values, by name: "iterations_per_second", "tau", "memory" …
        error: Why the task failed; then all values are None.
    """

    task: str
    instance: str
    method: str
    run: int = 0
    seed: int = 0
    labels: dict[str, Any] = field(default_factory=dict)
    cost: int | float | None = None
    distance: float | None = None
    lower_bound: int | float | None = None
    status: str | None = None
    elapsed: float | None = None
    iterations: int | None = None
    generations: int | None = None
    trace: tuple[tuple[float, float, float], ...] = ()
    measures: dict[str, float] = field(default_factory=dict)
    error: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the plain values of one line of the store."""
        return {name: value for name, value in asdict(self).items() if value not in (None, (), {})}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Record:
        """Return the object of which `to_dict` returned these values.

        Example:
            >>> record = Record("a/borda/0", "a", "borda", cost=3, trace=((0.1, 3, 2),))
            >>> Record.from_dict(record.to_dict()) == record
            True
        """
        unknown = set(values) - {f.name for f in fields(cls)}
        if unknown:
            raise InputError(f"a record has the unknown field {min(unknown)!r}")
        trace = tuple((step[0], step[1], step[2]) for step in values.get("trace", ()))
        return cls(**{**values, "trace": trace})


@dataclass(frozen=True, slots=True)
class Manifest:
    """The facts that all tasks of a store share; another manifest is another experiment.

    Attributes:
        suite: The name of the suite.
        scale: "smoke", "small" or "full".
        settings: Everything that decides which tasks there are and how they run: the time limit,
            the seed, the digests of the files of instances …
        versions: The versions of concordant and of the packages that results depend on.
        machine: Processor, cores, memory, system, Python.
        command: The command line of the run.
        date: The day on which the run began; two runs may differ in it.
        version: The version of the layout of the store.
    """

    suite: str
    scale: str
    settings: dict[str, Any]
    versions: dict[str, str]
    machine: dict[str, Any]
    command: str
    date: str = ""
    version: int = VERSION

    def to_dict(self) -> dict[str, Any]:
        """Return the plain values of `store.json`."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Manifest:
        """Return the object of which `to_dict` returned these values.

        Example:
            >>> manifest = Manifest(
            ...     "complete", "smoke", {}, {}, {}, "concordant bench run complete"
            ... )
            >>> Manifest.from_dict(manifest.to_dict()) == manifest
            True
        """
        version = values.get("version")
        if version != VERSION:
            age = "an older" if isinstance(version, int) and version < VERSION else "another"
            raise InputError(
                f"written by {age} version of concordant (layout {version!r}, not {VERSION}): "
                "read it with that version, or start a new store"
            )
        names = {f.name for f in fields(cls)}
        wrong = names.symmetric_difference(values)
        if wrong:
            kind = "lacks" if min(wrong) in names else "has the unknown field"
            raise InputError(f"not a manifest of a store: it {kind} {min(wrong)!r}")
        return cls(**values)

    def difference(self, other: Manifest) -> str | None:
        """Describe how another run differs from this one; None if it may continue this one.

        Example:
            >>> manifest = Manifest("complete", "smoke", {"seed": 0}, {}, {}, "")
            >>> manifest.difference(Manifest("complete", "smoke", {"seed": 1}, {}, {}, ""))
            'seed 0, not 1'
        """
        for name in ("suite", "scale"):
            if getattr(self, name) != getattr(other, name):
                return f"{name} {getattr(self, name)}, not {getattr(other, name)}"
        found = _differences(self.settings, other.settings)
        tasks = found.pop("tasks", None)
        # Other settings lead to other tasks, and are the better explanation.
        if tasks is not None and not found:
            return f"other tasks ({tasks}), so by another version of the suite"
        for key, value in _differences(self.versions, other.versions).items():
            found[f"version of {key}"] = value
        found |= _differences(self.machine, other.machine)
        return "; ".join(f"{key} {value}" for key, value in found.items()) or None


def _differences(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, str]:
    """Describe both values of each key whose values differ; for files, name those that differ."""
    found = {}
    for key in sorted({*ours, *theirs}):
        one, other = ours.get(key), theirs.get(key)
        if one == other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            names = [name for name in sorted({*one, *other}) if one.get(name) != other.get(name)]
            found[key] = f"whose files differ now ({cut(', '.join(names))})"
        else:
            found[key] = f"{_shown(one)}, not {_shown(other)}"
    return found


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return f"of {len(value)} files"
    return "none" if value is None else cut(str(value))
