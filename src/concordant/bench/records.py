"""What a store of results holds: a manifest of the whole run and a record of each task."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from concordant.errors import InputError, cut

VERSION = 1


@dataclass(frozen=True, slots=True)
class Record:
    """What one task gave: one method on one instance, with one seed.

    Attributes:
        task: The name of the task, unique in its store: "MM050n0.200_01/auto/0".
        instance: The instance, named as the paper names them.
        method: The method or the variant of it, the column of the tables.
        run: Which of the runs of this method on this instance, from 0.
        seed: The seed of the run.
        labels: What the instance is: "theta", "items", "rankings", "reading", "kind" …, numbers or
            short texts; tables group their rows by them.
        cost, distance, lower_bound, status: As of a `Consensus`; None where a task is no
            aggregation (label ranking, growth curves).
        elapsed: Seconds that the task took.
        iterations, generations: How many steps of a search, where it counts them.
        trace: The way to the result: (seconds, cost, lower bound) at each change.
        measures: What else the suite measures, by name: "iterations_per_second", "tau", "memory" …
        error: Why the task gave no result; then all figures are None.
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
        """Read back what `to_dict` gave.

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
    """What all tasks of a store have in common; another manifest is another experiment.

    Attributes:
        suite: Its name.
        scale: "smoke", "small" or "full".
        settings: All that decides which tasks there are and how they run: the time limit, the
            seed, the folder of instances with the digests of its files …
        versions: Of concordant and of the packages that results depend on.
        machine: Processor, cores, memory, system, Python.
        command: The command line that made it.
        date: The day that it was begun; not what tells one run from another.
        version: Of the layout of the store.
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
        """Read back what `to_dict` gave.

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
        """Say in what another run would not belong to this store; None where it does.

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
        # What was asked for decides the tasks, and tells more than they do.
        if tasks is not None and not found:
            return f"other tasks ({tasks}), so by another version of the suite"
        for key, value in _differences(self.versions, other.versions).items():
            found[f"version of {key}"] = value
        found |= _differences(self.machine, other.machine)
        return "; ".join(f"{key} {value}" for key, value in found.items()) or None


def _differences(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, str]:
    """Say for each key whose values differ what both are; of files, name those that differ."""
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
