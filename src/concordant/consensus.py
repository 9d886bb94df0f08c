"""`Consensus`: the result. It knows how good it is, and can check itself against the input."""

from __future__ import annotations

import html
import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from concordant._files import atomic_write
from concordant._types import Int64
from concordant.errors import InputError, SettingError, VerificationError
from concordant.pairwise import Pairwise
from concordant.rankings import Item, Rankings
from concordant.stopping import relative_gap

_KIND = "concordant-result"
_VERSION = 1
# `verify` solves parts of up to so many items anew: 2^16 subsets take a few milliseconds.
_SMALL = 16
# A claim about larger ones is tested by so many steps of a proof, on up to so many items.
_STEPS_TO_REFUTE, _ITEMS_TO_REFUTE = 8, 500


@dataclass(frozen=True, slots=True, repr=False)
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
        details: What the method says besides: the value of its own objective, its scores.
        settings: The settings of the method, by name.
        buckets: The answer with ties, for methods that give one.
        trace: (time, iteration, cost, bound) at improvements.
        is_unique: Whether no other ranking costs as little; None when that is not settled.
        alternatives: Optimal rankings, this one first, when they were asked for.
        prover: What proves the bound, for `save_proof`; not part of a saved result.

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
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    buckets: tuple[tuple[Item, ...], ...] | None = None
    trace: tuple[tuple[float, int, int | float, int | float], ...] = field(default=(), repr=False)
    is_unique: bool | None = None
    alternatives: tuple[tuple[Item, ...], ...] | None = field(default=None, repr=False)
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
        """(cost - lower_bound) / cost: 0.0 when optimal. See `stopping.relative_gap`."""
        return relative_gap(self.cost, self.lower_bound)

    def ranking_of(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Return the ranking with the very names of `items`.

        A file of results holds names as text where JSON has no better form for them, such as
        tuples and dates: those are told by their text.

        Example:
            >>> from concordant import aggregate, Rankings
            >>> result = aggregate(Rankings.from_orders([["(1, 2)", "3"]]))
            >>> result.ranking_of([(1, 2), "3"])
            ((1, 2), '3')
        """
        known = set(items)
        by_text = {_plain(item): item for item in items}
        return tuple(item if item in known else by_text.get(item, item) for item in self.ranking)

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
            "is_unique": self.is_unique,
        }
        if self.alternatives is not None:
            facts["alternatives"] = [[_plain(item) for item in each] for each in self.alternatives]
        if self.buckets is not None:
            facts["buckets"] = [[_plain(item) for item in bucket] for bucket in self.buckets]
        if self.details:
            facts["details"] = dict(self.details)
        return facts

    def save(self, path: str | Path) -> None:
        """Write the result as JSON; an existing file is replaced in one step."""
        facts = {"format": _KIND, "version": _VERSION, **self.to_dict()}
        facts["trace"] = [list(point) for point in self.trace]
        atomic_write(path, json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=1) + "\n")

    def save_proof(self, path: str | Path) -> None:
        """Write the certificate of the lower bound as JSON; see `concordant.certificate`.

        Example:
            >>> from concordant import aggregate
            >>> result = aggregate([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
            >>> result.save_proof("proof.json")  # doctest: +SKIP
        """
        if self.prover is None:
            raise SettingError(
                f"method {self.method!r} keeps no proof, nor does a result read from a file; "
                "'auto' and 'exact' do"
            )
        certificate = self.prover.certificate()
        atomic_write(path, json.dumps(certificate, separators=(",", ":")) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Consensus:
        """Read a result that `save` (or `aggregate --json`) wrote.

        The numbers are taken as written: `verify` checks them against the data.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
            facts = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            raise InputError(f"not a result in JSON: {error}", path=path, line=line) from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=path) from None
        if not isinstance(facts, dict) or facts.get("format", _KIND) != _KIND:
            raise InputError("not a result of concordant", path=path)
        version = facts.get("version", _VERSION)
        if not isinstance(version, int) or version > _VERSION:
            raise InputError("written by a newer version of concordant", path=path)
        # These two follow from the others, and are computed from them.
        for key in ("distance", "gap"):
            said = facts.get(key)
            if said is not None and not _is_number(said):
                raise InputError(f"{key} must be a number, not {said!r}", path=path)
        known = {f.name for f in fields(cls)} - {"prover"}
        kept = {key: value for key, value in facts.items() if key in known}
        problem = _fault(kept)
        if problem:
            raise InputError(problem, path=path)
        kept["ranking"] = tuple(kept["ranking"])
        kept["trace"] = tuple(tuple(point) for point in kept.get("trace", ()))
        for key in ("buckets", "alternatives"):
            if kept.get(key) is not None:
                kept[key] = tuple(tuple(part) for part in kept[key])
        return cls(**kept)

    # -- checking --------------------------------------------------------------------------

    def verify(self, data: Rankings | Pairwise, proof: str | Path | None = None) -> bool:
        """Check the result against the data from scratch; True, or an error with the reason.

        Recomputed are the cost, all that is said about the data, and what can be proven
        quickly: the bound of the pairs, and the least cost of all components of the majority
        relation with few items. A claimed bound must lie between what is proven and the cost;
        of a larger bound the proof is not repeated.

        Args:
            data: What the result was computed from, or any square matrix.
            proof: A file that `save_proof` wrote: then the lower bound is checked as well.

        Raises:
            VerificationError: With the first thing that does not hold.

        Example:
            >>> from concordant import aggregate, Rankings
            >>> data = Rankings.from_orders([["a", "b"], ["b", "a"], ["b", "a"]])
            >>> aggregate(data).verify(data)
            True
        """
        if isinstance(data, Rankings):
            pairwise = Pairwise.from_rankings(data)
        else:
            pairwise = data if isinstance(data, Pairwise) else Pairwise.from_matrix(data)
        if self.n_items != pairwise.n_items:
            raise VerificationError(
                f"the result ranks {self.n_items} items, the data has {pairwise.n_items}"
            )
        for name in ("n_rankings", "total_weight", "unranked"):
            said, found = getattr(self, name), getattr(pairwise, name)
            if said != found:
                raise VerificationError(f"the result says {name} = {said}, the data has {found}")
        try:
            cost = pairwise.cost(self.ranking_of(pairwise.items))
        except InputError as error:
            raise VerificationError(str(error)) from None
        if cost != self.cost:
            raise VerificationError(f"the result says cost {self.cost}, the data gives {cost}")
        self._verify_bound(pairwise)
        self._verify_alternatives(pairwise)
        self._verify_story()
        if proof is not None:
            from concordant import certificate

            proven = certificate.check(certificate.load(proof), pairwise.counts)
            if Fraction(proven, pairwise.scale) < Fraction(self.lower_bound) and (
                pairwise.value(proven) != self.lower_bound
            ):
                raise VerificationError(
                    f"the result says lower bound {self.lower_bound}, the proof shows "
                    f"{pairwise.value(proven)}"
                )
        return True

    def _verify_alternatives(self, pairwise: Pairwise) -> None:
        from concordant.bounds.alternatives import quickly_unique

        if self.is_unique is not None and self.status == "optimal":
            plain = quickly_unique(pairwise, pairwise.order_of(self.ranking_of(pairwise.items)))
            if plain is not None and plain != self.is_unique:
                raise VerificationError(
                    f"the result says is_unique = {self.is_unique}, two neighbours show otherwise"
                )
        others = self.alternatives
        if others is None:
            return
        if not others or others[0] != self.ranking or len(set(others)) != len(others):
            raise VerificationError("the alternatives do not begin with the ranking, or repeat")
        if self.is_unique and len(others) > 1:
            raise VerificationError("the result says it is unique, and lists alternatives")
        for each in others:
            try:
                cost = pairwise.cost(replace(self, ranking=each).ranking_of(pairwise.items))
            except InputError as error:
                raise VerificationError(f"an alternative does not fit: {error}") from None
            if cost != self.cost:
                raise VerificationError(f"an alternative costs {cost}, not {self.cost}")

    def _verify_bound(self, pairwise: Pairwise) -> None:
        if self.lower_bound > self.cost:
            raise VerificationError(
                f"the lower bound {self.lower_bound} is above the cost {self.cost}"
            )
        if self.status not in ("optimal", "feasible"):
            raise VerificationError(f"unknown status {self.status!r}")
        if (self.status == "optimal") != (self.lower_bound == self.cost):
            raise VerificationError(
                f"status {self.status!r} does not agree with cost {self.cost} and lower bound "
                f"{self.lower_bound}"
            )
        simple = pairwise.lower_bound()
        # A float below the cost may have been rounded down.
        least_said = math.nextafter(simple, -math.inf) if isinstance(simple, float) else simple
        if self.lower_bound < least_said:
            raise VerificationError(
                f"the result says lower bound {self.lower_bound}, the pairs alone prove {simple}"
            )
        least = least_cost(pairwise)
        if least is None:
            least = _cost_to_beat(pairwise, pairwise.order_of(self.ranking_of(pairwise.items)))
        if self.lower_bound > least:
            raise VerificationError(
                f"the result says lower bound {self.lower_bound}, but there is a ranking of cost "
                f"{least}"
            )

    def _verify_story(self) -> None:
        """Check what the result says about itself."""
        for name in ("elapsed", "seed", "iterations", "generations"):
            if getattr(self, name) < 0:
                raise VerificationError(f"{name} {getattr(self, name)} is negative")
        if self.buckets is not None:
            tied = [item for bucket in self.buckets for item in bucket]
            if len(tied) != self.n_items or set(tied) != set(self.ranking):
                raise VerificationError("the buckets do not hold the items of the ranking")
        for before, after in itertools.pairwise(self.trace):
            if after[0] < before[0] or after[2] > before[2] or after[3] < before[3]:
                raise VerificationError("the trace has a time, cost or bound that goes back")
        if self.trace and self.trace[-1][2] != self.cost:
            raise VerificationError(
                f"the trace ends at cost {self.trace[-1][2]}, the result says {self.cost}"
            )

    def __repr__(self) -> str:
        """Say the head of the ranking and how good it is in one line."""
        shown = " > ".join(str(item) for item in self.ranking[:5])
        more = f" > … ({self.n_items:,} items)" if self.n_items > 5 else ""
        bound = "" if self.status == "optimal" else f", lower bound {self.lower_bound:,}"
        return f"Consensus({shown}{more}, cost {self.cost:,}{bound}, {self.status})"

    def _repr_html_(self) -> str:
        """Show the ranking as a table in a notebook."""
        rows = "".join(
            f"<tr><td>{place}</td><td>{html.escape(str(item))}</td></tr>"
            for place, item in enumerate(self.ranking[:100], start=1)
        )
        more = "" if self.n_items <= 100 else f"<tr><td></td><td>… {self.n_items} items</td></tr>"
        caption = f"cost {self.cost:,}, lower bound {self.lower_bound:,}, {self.status}"
        return f"<table><caption>{html.escape(caption)}</caption>{rows}{more}</table>"


def least_cost(pairwise: Pairwise) -> int | float | None:
    """Return the optimum, where every component of the majority relation is small."""
    from concordant._kernels import exact
    from concordant.reduction import components

    counts = pairwise.counts
    parts = components(counts)
    if max(part.size for part in parts) > _SMALL:
        return None
    orders = []
    for part in parts:
        if part.size == 1:
            orders.append(part)
            continue
        _, order = exact.solve_by_subsets(np.ascontiguousarray(counts[np.ix_(part, part)]))
        orders.append(part[order])
    return pairwise.value(pairwise.cost_units(np.concatenate(orders)))


def _cost_to_beat(pairwise: Pairwise, order: Int64) -> int | float:
    """Return the cost of the best order that a short proof comes across, from one to begin with.

    It cannot confirm a bound, but a claim above this cost is refuted.
    """
    from concordant.bounds.prover import Prover

    prover = Prover(pairwise)
    prover.offer(order)
    prover.work(steps=_STEPS_TO_REFUTE if pairwise.n_items <= _ITEMS_TO_REFUTE else 0)
    return pairwise.value(min(prover.cost, pairwise.cost_units(order)))


def _plain(item: Item) -> Any:
    """Return an item as JSON can hold it: its text, where it is not text or a number."""
    if isinstance(item, np.generic):
        item = item.item()
    if isinstance(item, float) and not math.isfinite(item):
        return str(item)
    return item if isinstance(item, str | int | float | bool) or item is None else str(item)


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) if isinstance(value, float) else abs(value) < 2**63


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and _is_number(value)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(item, list | dict) for item in value)


def _is_point(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 4 and all(map(_is_number, value))


_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "ranking": ("a flat list of items", _is_names),
    "cost": ("a number", _is_number),
    "lower_bound": ("a number", _is_number),
    "status": ("a text", lambda value: isinstance(value, str)),
    "method": ("a text", lambda value: isinstance(value, str)),
    "seed": ("a whole number", _is_whole),
    "elapsed": ("a number", _is_number),
    "n_items": ("a whole number", _is_whole),
    "n_rankings": ("a whole number or null", lambda value: value is None or _is_whole(value)),
    "total_weight": ("a number or null", lambda value: value is None or _is_number(value)),
    "unranked": ("a text or null", lambda value: value is None or isinstance(value, str)),
    "iterations": ("a whole number", _is_whole),
    "generations": ("a whole number", _is_whole),
    "interrupted": ("true or false", lambda value: isinstance(value, bool)),
    "settings": ("an object", lambda value: isinstance(value, dict)),
    "buckets": (
        "a list of lists of items, or null",
        lambda value: value is None or (isinstance(value, list) and all(map(_is_names, value))),
    ),
    "is_unique": ("true, false or null", lambda value: value is None or isinstance(value, bool)),
    "alternatives": (
        "a list of lists of items, or null",
        lambda value: value is None or (isinstance(value, list) and all(map(_is_names, value))),
    ),
    "trace": (
        "a list of [time, iteration, cost, bound]",
        lambda value: isinstance(value, list) and all(map(_is_point, value)),
    ),
    "details": ("an object", lambda value: isinstance(value, dict)),
}


def _fault(facts: dict[str, Any]) -> str | None:
    """Say what is missing or of the wrong kind in a result that was read."""
    for f in fields(Consensus):
        if f.name not in facts:
            if f.default is MISSING and f.default_factory is MISSING:
                return f"not a result of concordant: {f.name!r} is missing"
            continue
        kind, holds = _KINDS[f.name]
        if not holds(facts[f.name]):
            return f"{f.name} must be {kind}, not {str(facts[f.name])[:60]!r}"
    return None
