"""`Consensus`: the result. It knows how good it is, and can check itself against the input."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from concordant._files import atomic_write
from concordant.errors import InputError, VerificationError
from concordant.pairwise import Pairwise
from concordant.rankings import Item, Rankings

_KIND = "concordant-result"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Consensus:
    """A consensus ranking, its cost, a proven lower bound, and how it was found.

    Attributes:
        ranking: Item names, best first.
        cost: Total weight of disagreements: an exact integer for integer weights.
        lower_bound: No ranking costs less; in the unit of `cost`.
        status: "optimal" only when proven, else "feasible".
        method: The method that found it.
        seed: The seed that it was run with.
        elapsed: Seconds from the call to the result.
        n_items, n_rankings, total_weight: The size of the input. The last two are None for
            a bare matrix.
        unranked: What an unranked item was taken to mean; None for a bare matrix.
        iterations, generations: What the search counted; enough to repeat a timed run.
        interrupted: Whether it was stopped by hand.
        settings: The settings of the method, by name.
        buckets: The answer with ties, for methods that give one.
        trace: (time, iteration, cost, bound) at improvements.

    Example:
        >>> from concordant import aggregate, Rankings
        >>> result = aggregate(Rankings.from_orders([["a", "b"], ["a", "b"], ["b", "a"]]))
        >>> result.ranking, result.cost, result.status
        (('a', 'b'), 1, 'optimal')
    """

    ranking: tuple[Item, ...]
    cost: int | float
    lower_bound: int | float
    status: str
    method: str
    seed: int
    elapsed: float
    n_items: int
    n_rankings: int | None
    total_weight: int | float | None
    unranked: str | None = None
    iterations: int = 0
    generations: int = 0
    interrupted: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    buckets: tuple[tuple[Item, ...], ...] | None = None
    trace: tuple[tuple[float, int, int | float, int | float], ...] = field(default=(), repr=False)
    prover: Any = field(default=None, repr=False, compare=False)

    @property
    def distance(self) -> float | None:
        """Mean disagreements per ranking, cost / total weight: the f of the paper.

        None for a bare matrix, which has no rankings to take a mean over.
        """
        if self.total_weight is None:
            return None
        return self.cost / self.total_weight if self.total_weight else 0.0

    @property
    def gap(self) -> float:
        """(cost - lower_bound) / cost: 0.0 when optimal."""
        if self.cost == self.lower_bound:
            return 0.0
        return (self.cost - self.lower_bound) / abs(self.cost) if self.cost else float("inf")

    # -- text and files --------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the facts of the result as plain values, the ones of `--json`.

        Example:
            >>> from concordant import aggregate
            >>> sorted(aggregate([[0, 1], [2, 0]]).to_dict())[:5]
            ['cost', 'distance', 'elapsed', 'gap', 'generations']
        """
        facts = {
            "ranking": [_plain(item) for item in self.ranking],
            "cost": self.cost,
            "distance": self.distance,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "status": self.status,
            "method": self.method,
            "seed": self.seed,
            "elapsed": self.elapsed,
            "n_items": self.n_items,
            "n_rankings": self.n_rankings,
            "total_weight": self.total_weight,
            "unranked": self.unranked,
            "iterations": self.iterations,
            "generations": self.generations,
            "interrupted": self.interrupted,
            "settings": dict(self.settings),
        }
        if self.buckets is not None:
            facts["buckets"] = [[_plain(item) for item in bucket] for bucket in self.buckets]
        return facts

    def save(self, path: str | Path) -> None:
        """Write the result as JSON; an existing file is replaced in one step."""
        facts = {"format": _KIND, "version": _VERSION, **self.to_dict()}
        facts["trace"] = [list(point) for point in self.trace]
        atomic_write(path, json.dumps(facts, ensure_ascii=False, indent=1) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Consensus:
        """Read a result that `save` (or `aggregate --json`) wrote.

        The numbers are taken as written: `verify` checks them against the data.
        """
        try:
            facts = json.loads(Path(path).read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            line = getattr(error, "lineno", None)
            raise InputError(f"not a result in JSON: {error}", path=path, line=line) from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=path) from None
        if not isinstance(facts, dict) or facts.get("format", _KIND) != _KIND:
            raise InputError("not a result of concordant", path=path)
        if facts.get("version", _VERSION) > _VERSION:
            raise InputError("written by a newer version of concordant", path=path)
        for key in ("distance", "gap"):
            stated = facts.get(key)
            if stated is not None and not isinstance(stated, int | float):
                raise InputError(f"{key} must be a number", path=path)
        known = {f.name for f in fields(cls)}
        kept = {key: value for key, value in facts.items() if key in known}
        problem = _fault(kept)
        if problem:
            raise InputError(problem, path=path)
        kept["ranking"] = tuple(kept["ranking"])
        kept["trace"] = tuple(tuple(point) for point in kept.get("trace", ()))
        if kept.get("buckets") is not None:
            kept["buckets"] = tuple(tuple(bucket) for bucket in kept["buckets"])
        return cls(**kept)

    # -- checking --------------------------------------------------------------------------

    def verify(self, data: Rankings | Pairwise) -> bool:
        """Check the result against the data from scratch; True, or an error with the reason.

        Recomputed are the items, the cost and the trivial bound; a claim of optimality must
        agree with its own numbers.

        Example:
            >>> from concordant import aggregate, Rankings
            >>> data = Rankings.from_orders([["a", "b"], ["b", "a"], ["b", "a"]])
            >>> aggregate(data).verify(data)
            True
        """
        pairwise = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
        if self.n_items != pairwise.n_items:
            raise VerificationError(
                f"the result ranks {self.n_items} items, the data has {pairwise.n_items}"
            )
        for name in ("n_rankings", "total_weight", "unranked"):
            said, found = getattr(self, name), getattr(pairwise, name)
            if said != found:
                raise VerificationError(f"the result says {name} = {said}, the data has {found}")
        ranking = self.ranking
        if set(ranking) != set(pairwise.items):
            # A file of results holds names as text where JSON has no better form for them.
            by_text = {str(item): item for item in pairwise.items}
            ranking = tuple(by_text.get(str(item), item) for item in ranking)
        try:
            cost = pairwise.cost(ranking)
        except InputError as error:
            raise VerificationError(str(error)) from None
        if cost != self.cost:
            raise VerificationError(f"the result says cost {self.cost}, the data gives {cost}")
        if self.lower_bound > self.cost:
            raise VerificationError(
                f"the lower bound {self.lower_bound} is above the cost {self.cost}"
            )
        if (self.status == "optimal") != (self.lower_bound == self.cost):
            raise VerificationError(
                f"status {self.status!r} does not agree with cost {self.cost} and lower bound "
                f"{self.lower_bound}"
            )
        if self.status not in ("optimal", "feasible"):
            raise VerificationError(f"unknown status {self.status!r}")
        return True

    def _repr_html_(self) -> str:
        """Show the ranking as a table in a notebook."""
        rows = "".join(
            f"<tr><td>{place}</td><td>{html.escape(str(item))}</td></tr>"
            for place, item in enumerate(self.ranking[:100], start=1)
        )
        more = "" if self.n_items <= 100 else f"<tr><td></td><td>… {self.n_items} items</td></tr>"
        caption = f"cost {self.cost:,}, lower bound {self.lower_bound:,}, {self.status}"
        return f"<table><caption>{caption}</caption>{rows}{more}</table>"


def _plain(item: Item) -> Any:
    """Return an item as JSON can hold it: its text, where it is not text or a number."""
    if hasattr(item, "item") and callable(item.item):
        item = item.item()
    return item if isinstance(item, str | int | float | bool) or item is None else str(item)


_NUMBERS = {
    "cost": (int, float),
    "lower_bound": (int, float),
    "elapsed": (int, float),
    "seed": (int,),
    "n_items": (int,),
}


def _fault(facts: dict[str, Any]) -> str | None:
    """Say what is missing or of the wrong kind in a result that was read."""
    required = ("ranking", "status", "method", "n_rankings", "total_weight", *_NUMBERS)
    for key in required:
        if key not in facts:
            return f"not a result of concordant: {key!r} is missing"
    for key, kinds in _NUMBERS.items():
        if isinstance(facts[key], bool) or not isinstance(facts[key], kinds):
            return f"{key} must be a number, not {facts[key]!r}"
    if not isinstance(facts["ranking"], list):
        return "ranking must be a list of items"
    if any(isinstance(item, list | dict) for item in facts["ranking"]):
        return "ranking must be a flat list of items"
    return None
