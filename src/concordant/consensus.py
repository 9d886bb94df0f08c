"""`Consensus`: a result with its cost and its proven bound, which can be saved and checked."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic

from concordant._files import atomic_write, read_json
from concordant._names import plain_item
from concordant._types import Item, N, Name
from concordant.bounds.record import Proof
from concordant.constraints import Constraints
from concordant.errors import InputError, SettingError
from concordant.formatting import number
from concordant.pages import notebook_table
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.running import Elite
from concordant.stopping import relative_gap
from concordant.tiers.aggregation import TierProof
from concordant.verification import Verification, verify

if TYPE_CHECKING:
    import polars as pl

_KIND = "concordant-result"
_VERSION = 1
# The number of items that are named in a tie for first place.
_WINNERS_SHOWN = 5


@dataclass(frozen=True, slots=True, repr=False)
class Consensus(Generic[Name]):
    """A consensus ranking, its cost, a proven lower bound, and how it was found.

    Attributes:
        ranking: Item names, best first.
        cost: Total weight of disagreements: an exact integer for integer weights.
        lower_bound: No ranking costs less; in the unit of `cost`.
        agreement: Total weight of agreements: the votes that order a pair as the ranking does. For
            a matrix, the sum above its diagonal, if rows and columns are in the order of the
            ranking: the objective of the linear ordering problem. None with `tiers`.
        status: "optimal" only when proven, else "feasible".
        method: The method that found it.
        seed: The seed that it was run with.
        elapsed: Seconds from the call to the result.
        improved_at: Seconds from the call until this ranking was found.
        n_items, n_rankings, total_weight: The size of the input. The last two are None for
            a bare matrix.
        unranked: The meaning of unranked items, "unknown" or "last"; None for a bare matrix.
        iterations, generations: The counts of the search, from which a timed run can be repeated.
        interrupted: Whether the user stopped the run.
        details: Other values that the method reports, such as scores or its own objective.
        settings: The settings of the method, by name.
        buckets: The answer with ties, for methods that give one.
        tiers: The answer with ties of `aggregate(ties=True)`: tuples of items, best first. Cost
            and bound are then those of answers with ties, and `ranking` lists the items tier by
            tier. None for other results.
        tie_penalty: What a vote that orders a pair charges a tie; None without `tiers`.
        vote_tie_penalty: What a vote that ties a pair charges an order; None without `tiers`.
        trace: (time, iteration, cost, bound) at improvements.
        is_unique: Whether it is the only optimal ranking; None if this is not known.
        winners: The items that are first in some optimal ranking; None if they are not known.
        alternatives: Optimal rankings, this one first, if they were requested.
        uncompared: Items that no ranking compares with most of the others, directly or through
            other items. Their places follow the rule for ties, not votes.
        top: The number of first places that were requested; None if all were.
        top_proven: Whether it is proven that some optimal ranking begins with these places; None
            without `top`.
        constraints: What the ranking had to satisfy; None without constraints. Cost, bound, status
            and other optima are then about the rankings that satisfy them.
        free: With constraints, the result for the same data without them, if there was time.
        proof: The proof of the bound, for `save_proof`; not part of a saved result.
        elite: The orders at the end of the search, from which another search can continue; not
            part of a saved result.
        stated: Values in a file that follow from other values, for `verify`.

    Example:
        >>> from concordant import aggregate, Rankings
        >>> result = aggregate(Rankings.from_orders([["a", "b"], ["a", "b"], ["b", "a"]]))
        >>> result.ranking, result.cost, result.status
        (('a', 'b'), 1, 'optimal')
    """

    ranking: tuple[Name, ...]
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
    improved_at: float = 0.0
    iterations: int = 0
    generations: int = 0
    interrupted: bool = False
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    buckets: tuple[tuple[Name, ...], ...] | None = None
    tiers: tuple[tuple[Name, ...], ...] | None = None
    tie_penalty: float | None = None
    vote_tie_penalty: float | None = None
    trace: tuple[tuple[float, int, int | float, int | float], ...] = field(default=(), repr=False)
    is_unique: bool | None = None
    winners: tuple[Name, ...] | None = None
    alternatives: tuple[tuple[Name, ...], ...] | None = field(default=None, repr=False)
    uncompared: tuple[Name, ...] | None = None
    top: int | None = None
    top_proven: bool | None = None
    constraints: Constraints | None = None
    free: Consensus[Name] | None = field(default=None, repr=False)
    agreement: int | float | None = None
    proof: Proof | TierProof | None = field(default=None, repr=False, compare=False)
    elite: Elite | None = field(default=None, repr=False, compare=False)
    stated: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def distance(self) -> float | None:
        """Mean disagreements per ranking, cost / total weight: the f of the paper.

        None for a bare matrix, which has no rankings.
        """
        if self.total_weight is None:
            return None
        return self.cost / self.total_weight if self.total_weight else 0.0

    @property
    def gap(self) -> float:
        """(cost - lower_bound) / cost: 0.0 if optimal. See `stopping.relative_gap`."""
        return relative_gap(self.cost, self.lower_bound)

    @property
    def agreement_bound(self) -> int | float | None:
        """No ranking has a larger agreement: the upper bound of the linear ordering problem.

        Example:
            >>> from concordant import aggregate
            >>> result = aggregate([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
            >>> result.agreement, result.agreement_bound, result.cost
            (5, 5, 4)
        """
        return None if self.agreement is None else self.agreement + self.cost - self.lower_bound

    @property
    def constraint_cost(self) -> tuple[int | float, int | float] | None:
        """What the constraints cost: the least and the most that the best cost rises by.

        Both are the same where this and the result without constraints (`free`) are proven
        optimal. None without constraints, or if there was no time for the other result.

        Example:
            >>> from concordant import aggregate, Rankings
            >>> votes = Rankings.from_orders([["a", "b"]] * 3 + [["b", "a"]])
            >>> aggregate(votes, first=["b"]).constraint_cost
            (2, 2)
        """
        if self.constraints is None or self.free is None:
            return None
        least = max(self.lower_bound - self.free.cost, 0)
        return least, self.cost - min(self.cost, self.free.lower_bound)

    def ranking_of(self, items: Sequence[N]) -> tuple[N, ...]:
        """Return the ranking with its names replaced by those of `items`.

        JSON has no form for some names, such as tuples and dates: a saved result contains their
        text. They are recognised by this text.

        Example:
            >>> from concordant import aggregate, Rankings
            >>> result = aggregate(Rankings.from_orders([["(1, 2)", "3"]]))
            >>> result.ranking_of([(1, 2), "3"])
            ((1, 2), '3')
        """
        return self.names_of(self.ranking, items)

    @staticmethod
    def names_of(ranking: Sequence[Item], items: Sequence[N]) -> tuple[N, ...]:
        """Replace names that may have been read from a file by the names of `items`."""
        known: set[Any] = set(items)
        by_text: dict[Any, Any] = {plain_item(item): item for item in items}
        names: Iterable[Any] = (n if n in known else by_text.get(n, n) for n in ranking)
        return tuple(names)

    # -- text and files --------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, as `--json` prints it.

        Example:
            >>> from concordant import aggregate
            >>> sorted(aggregate([[0, 1], [2, 0]]).to_dict())[:5]
            ['agreement', 'cost', 'distance', 'elapsed', 'gap']
        """
        facts = {
            "ranking": _plain_items(self.ranking),
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
            "agreement": self.agreement,
            "unranked": self.unranked,
            "improved_at": self.improved_at,
            "iterations": self.iterations,
            "generations": self.generations,
            "interrupted": self.interrupted,
            "settings": dict(self.settings),
            "is_unique": self.is_unique,
            "winners": None
            if self.winners is None
            else [plain_item(item) for item in self.winners],
        }
        if self.uncompared is not None:
            facts["uncompared"] = _plain_items(self.uncompared)
        if self.top is not None:
            facts |= {"top": self.top, "top_proven": self.top_proven}
        if self.alternatives is not None:
            facts["alternatives"] = [
                [plain_item(item) for item in each] for each in self.alternatives
            ]
        if self.buckets is not None:
            facts["buckets"] = [_plain_items(bucket) for bucket in self.buckets]
        if self.tiers is not None:
            facts["tiers"] = [_plain_items(tier) for tier in self.tiers]
            facts |= {"tie_penalty": self.tie_penalty, "vote_tie_penalty": self.vote_tie_penalty}
        if self.constraints is not None:
            facts["constraints"] = self.constraints.to_dict()
            facts["free"] = None if self.free is None else self.free.to_dict()
        if self.details:
            facts["details"] = dict(self.details)
        return facts

    def to_frame(self) -> pl.DataFrame:
        """Return the ranking as a polars frame, with columns place and item, best first.

        Where the method gives ties, tied items share the first of their places.

        Example:
            >>> from concordant import aggregate, Rankings
            >>> aggregate(Rankings.from_orders([["b", "a"]])).to_frame().rows()
            [(1, 'b'), (2, 'a')]
        """
        from concordant.tables.writing import named_frame

        first: dict[Item, int] = {}
        for bucket in self.tiers or self.buckets or ((item,) for item in self.ranking):
            first |= dict.fromkeys(bucket, len(first) + 1)
        places = [first[item] for item in self.ranking]
        frame = named_frame(self.ranking, {"item": range(len(places))}, {"place": places})
        return frame.select("place", "item")

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
        atomic_write(path, json.dumps(self.certificate(), separators=(",", ":")) + "\n")

    def certificate(self) -> dict[str, Any]:
        """Return the certificate of the lower bound; `concordant.certificate` explains its content.

        Example:
            >>> from concordant import aggregate
            >>> aggregate([[0, 2, 1], [1, 0, 2], [2, 1, 0]]).certificate()["bound"]
            4
        """
        if self.proof is None and self.tiers is not None and self.settings.get("tiers"):
            raise SettingError(
                "with a given number of tiers and few items, there is no certificate: verify "
                "solves the problem again"
            )
        if self.proof is None:
            raise SettingError(
                f"this result of {self.method!r} has no proof of its bound: run 'auto' or 'exact' "
                "(a result read from a file never has one)"
            )
        return self.proof.certificate()

    @classmethod
    def load(cls, path: str | Path) -> Consensus:
        """Read a result that `save` (or `aggregate --json`) wrote.

        The numbers are taken as written: `verify` checks them against the data.
        """
        facts = read_json(path, "a result")
        if not isinstance(facts, dict) or facts.get("format", _KIND) != _KIND:
            raise InputError("not a result of concordant", path=path)
        version = facts.get("version", _VERSION)
        if not isinstance(version, int) or version > _VERSION:
            raise InputError("written by a newer version of concordant", path=path)
        try:
            return cls.from_dict(facts)
        except InputError as error:
            raise error.at(path) from None

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Consensus:
        """Make a result from the values that `to_dict` returned.

        Example:
            >>> from concordant import aggregate, Rankings
            >>> result = aggregate(Rankings.from_orders([["a", "b"]]))
            >>> Consensus.from_dict(result.to_dict()).ranking
            ('a', 'b')
        """
        # These two are computed from the other values. `verify` compares them with the file.
        stated: dict[str, Any] = {key: facts[key] for key in ("distance", "gap") if key in facts}
        for key, said in stated.items():
            if said is not None and not _is_number(said):
                raise InputError(f"{key} must be a number, not {said!r}")
        known = {f.name for f in fields(cls)} - {"proof", "elite", "stated"}
        kept = {key: value for key, value in facts.items() if key in known}
        problem = _fault(kept)
        if problem:
            raise InputError(problem)
        kept["ranking"] = tuple(kept["ranking"])
        kept["trace"] = tuple(tuple(point) for point in kept.get("trace", ()))
        for key in ("buckets", "tiers", "alternatives"):
            if kept.get(key) is not None:
                kept[key] = tuple(tuple(part) for part in kept[key])
        for key in ("winners", "uncompared"):
            if kept.get(key) is not None:
                kept[key] = tuple(kept[key])
        if kept.get("constraints") is not None:
            kept["constraints"] = Constraints.from_dict(kept["constraints"])
        if kept.get("free") is not None:
            kept["free"] = cls.from_dict({**kept["free"], "constraints": None, "free": None})
        return cls(**kept, stated=stated)

    # -- checking --------------------------------------------------------------------------

    def verify(self, data: Rankings | Pairwise, proof: str | Path | None = None) -> Verification:
        """Check the result against the data from scratch; see `verification.verify`.

        Args:
            data: The data that the result was computed from; a square matrix is accepted too.
            proof: A file that `save_proof` wrote. It is checked and must prove the lower bound.

        Returns:
            A true value that shows whether the lower bound was proven during the check.

        Raises:
            VerificationError: The result is wrong; the message names the first error.

        Example:
            >>> from concordant import aggregate, Rankings
            >>> data = Rankings.from_orders([["a", "b"], ["b", "a"], ["b", "a"]])
            >>> aggregate(data).verify(data)
            Verification(cost 1, lower bound 1: proven)
        """
        return verify(self, data, proof)

    def __repr__(self) -> str:
        """Show the first items, the cost and the status in one line."""
        shown = " > ".join(str(item) for item in self.ranking[:5])
        more = f" > … ({self.n_items:,} items)" if self.n_items > 5 else ""
        if self.tiers is not None:
            shown, more = _tiers_words(self.tiers), ""
        bound = "" if self.status == "optimal" else f", lower bound {self.lower_bound:,}"
        others = "" if self.is_unique or self.others is None else f"; {self.others}"
        return f"Consensus({shown}{more}, cost {self.cost:,}{bound}, {self.status}{others})"

    @property
    def others(self) -> str | None:
        """A text: whether other rankings are as good, and whether first place differs in them.

        None for a ranking that is not proven optimal.

        Example:
            >>> from concordant import aggregate, Rankings
            >>> votes = [["T", "C", "W"], ["C", "T"], ["W", "T", "C"]]
            >>> aggregate(Rankings.from_orders(votes)).others
            'others are as good: first place is tied between T and W'
        """
        if self.status != "optimal":
            return None
        if self.tiers is not None:
            if self.is_unique is None:
                return "not settled whether others are as good"
            return "the only best answer" if self.is_unique else "other answers are as good"
        if self.is_unique:
            return "the only best ranking"
        if self.is_unique is None:
            text = "not settled whether others are as good"
            if self.winners is not None and len(self.winners) == 1:
                text += f"; if so, {self.winners[0]} is first in all of them"
            return text
        if self.winners is None:
            return "others are as good; not settled whether first place differs"
        # Items without votes could always be first at no cost, so they are not listed.
        winners = [item for item in self.winners if item not in (self.uncompared or ())]
        winners = winners or list(self.winners)
        if len(winners) == 1:
            aside = "" if len(self.winners) == 1 else ", uncompared items aside"
            return f"others are as good, and {winners[0]} is first in all of them{aside}"
        shown = [str(item) for item in winners[:_WINNERS_SHOWN]]
        more = len(winners) - len(shown)
        last = f"{more} more" if more else shown.pop()
        return f"others are as good: first place is tied between {', '.join(shown)} and {last}"

    @property
    def places(self) -> list[tuple[int, Name]]:
        """Each item with its place, best first; tied items share the place of their first.

        Example:
            >>> from concordant import aggregate, Rankings
            >>> votes = [["a", ("b", "c")], ["a", ("b", "c")], ["b", "a", "c"]]
            >>> aggregate(Rankings.from_orders(votes), ties=True).places
            [(1, 'a'), (2, 'b'), (2, 'c')]
        """
        tied = self.buckets if self.tiers is None else self.tiers
        if tied is None:
            return list(enumerate(self.ranking, start=1))
        found: list[tuple[int, Name]] = []
        for tier in tied:
            found += [(len(found) + 1, item) for item in tier]
        return found

    def _repr_html_(self) -> str:
        """Show the ranking as a table in a notebook."""
        caption = f"cost {number(self.cost)}, lower bound {number(self.lower_bound)}, {self.status}"
        if self.others is not None:
            caption += f"; {self.others}"
        return notebook_table(caption, ["place", "item"], self.places)


def _tiers_words(tiers: Sequence[Sequence[Item]], most: int = 5) -> str:
    """Show the first items of tiers: " = " is between tied items."""
    shown, left = [], most
    for tier in tiers:
        if left <= 0:
            break
        shown.append(" = ".join(str(item) for item in tier[:left]))
        if len(tier) > left:
            shown[-1] += " = …"
        left -= len(tier)
    number_of_items = sum(len(tier) for tier in tiers)
    if len(shown) < len(tiers):
        shown.append("…")
    more = f" ({number_of_items:,} items)" if number_of_items > most else ""
    return " > ".join(shown) + more


def _plain_items(items: Sequence[Item]) -> list[Any]:
    return [plain_item(item) for item in items]


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
    "agreement": ("a number or null", lambda value: value is None or _is_number(value)),
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
    "tiers": (
        "a list of lists of items, or null",
        lambda value: value is None or (isinstance(value, list) and all(map(_is_names, value))),
    ),
    "tie_penalty": ("a number or null", lambda value: value is None or _is_number(value)),
    "vote_tie_penalty": ("a number or null", lambda value: value is None or _is_number(value)),
    "winners": (
        "a list of items, or null",
        lambda value: value is None or _is_names(value),
    ),
    "uncompared": (
        "a list of items, or null",
        lambda value: value is None or _is_names(value),
    ),
    "improved_at": ("a number", _is_number),
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
    "free": ("an object or null", lambda value: value is None or isinstance(value, dict)),
    "top": ("a whole number or null", lambda value: value is None or _is_whole(value)),
    "top_proven": ("true, false or null", lambda value: value is None or isinstance(value, bool)),
}


def _fault(facts: dict[str, Any]) -> str | None:
    """Return what is missing or of the wrong type in a result that was read, or None."""
    for f in fields(Consensus):
        if f.name not in _KINDS:
            continue
        if f.name not in facts:
            if f.default is MISSING and f.default_factory is MISSING:
                return f"not a result of concordant: {f.name!r} is missing"
            continue
        kind, holds = _KINDS[f.name]
        if not holds(facts[f.name]):
            return f"{f.name} must be {kind}, not {str(facts[f.name])[:60]!r}"
    return None
