"""Checking a result against the data: what it says is computed anew, or refuted."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concordant import certificate
from concordant._types import Int64
from concordant.bounds.uniqueness import settle_uniqueness
from concordant.errors import InputError, VerificationError
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reduction.split import Split

if TYPE_CHECKING:
    from concordant.consensus import Consensus

# A bound on large components is tested by so many steps of a proof, on up to so many items.
_STEPS_TO_REFUTE, _ITEMS_TO_REFUTE = 8, 500


@dataclass(frozen=True, slots=True, repr=False)
class Verification:
    """What `verify` found: it is true, since all that does not hold is an error.

    Attributes:
        cost: The cost of the ranking, computed anew.
        lower_bound: What the result says, in the unit of the cost.
        bound_proven: Whether that bound was proven here: from the pairs, by solving every
            component anew, or by a certificate. Else it was not refuted.
        by_certificate: Whether a certificate proved it.
    """

    cost: int | float
    lower_bound: int | float
    bound_proven: bool
    by_certificate: bool = False

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        """Say in one line what holds."""
        proven = "proven" if self.bound_proven else "not refuted, not proven here"
        return f"Verification(cost {self.cost:,}, lower bound {self.lower_bound:,}: {proven})"


def verify(
    result: Consensus, data: Rankings | Pairwise | Any, proof: str | Path | None = None
) -> Verification:
    """Check a result against the data from scratch.

    Recomputed are the cost, all that is said about the data, and what can be proven quickly:
    the bound of the pairs, and the least cost of all components of the majority relation with
    few items. A claimed bound must lie between what is proven and the cost; of a larger bound
    the proof is not repeated.

    Args:
        result: What to check.
        data: What the result was computed from, or any square matrix.
        proof: A certificate: then the lower bound is checked as well.

    Raises:
        VerificationError: With the first thing that does not hold.

    Example:
        >>> from concordant import aggregate
        >>> matrix = [[0, 2, 1], [1, 0, 2], [2, 1, 0]]
        >>> verify(aggregate(matrix), matrix).bound_proven
        True
    """
    if isinstance(data, Rankings):
        pairwise = Pairwise.from_rankings(data)
    else:
        pairwise = data if isinstance(data, Pairwise) else Pairwise.from_matrix(data)
    if result.n_items != pairwise.n_items:
        raise VerificationError(
            f"the result ranks {result.n_items} items, the data has {pairwise.n_items}"
        )
    for name in ("n_rankings", "total_weight", "unranked"):
        said, found = getattr(result, name), getattr(pairwise, name)
        if said != found:
            raise VerificationError(f"the result says {name} = {said}, the data has {found}")
    order = _order(result, result.ranking, pairwise)
    cost = pairwise.value(pairwise.cost_units(order))
    if cost != result.cost:
        raise VerificationError(f"the result says cost {result.cost}, the data gives {cost}")
    proven = _verify_bound(result, pairwise, order)
    _verify_others(result, pairwise, order)
    _verify_story(result)
    if proof is not None:
        _verify_proof(result, pairwise, proof)
    return Verification(cost, result.lower_bound, proven or proof is not None, proof is not None)


def _order(result: Consensus, ranking: Sequence[Any], pairwise: Pairwise) -> Int64:
    try:
        return pairwise.order_of(result.names_of(ranking, pairwise.items))
    except InputError as error:
        raise VerificationError(str(error)) from None


def _verify_bound(result: Consensus, pairwise: Pairwise, order: Int64) -> bool:
    """Check the bound as far as that is quick; return whether it was proven on the way."""
    said = result.lower_bound
    if said > result.cost:
        raise VerificationError(f"the lower bound {said} is above the cost {result.cost}")
    if result.status not in ("optimal", "feasible"):
        raise VerificationError(f"unknown status {result.status!r}")
    if (result.status == "optimal") != (said == result.cost):
        raise VerificationError(
            f"status {result.status!r} does not agree with cost {result.cost} and lower bound "
            f"{said}"
        )
    simple = pairwise.lower_bound()
    # A float below the cost may have been rounded down.
    least_said = math.nextafter(simple, -math.inf) if isinstance(simple, float) else simple
    if said < least_said:
        raise VerificationError(
            f"the result says lower bound {said}, the pairs alone prove {simple}"
        )
    split = Split.of(pairwise)
    if all(part.is_small for part in split.parts):
        least = split.between + sum(part.solution()[1] for part in split.parts)
        exact = True
    else:
        least = _cost_to_beat(pairwise, split, order)
        exact = False
    if said > pairwise.value(least):
        raise VerificationError(
            f"the result says lower bound {said}, but there is a ranking of cost "
            f"{pairwise.value(least)}"
        )
    return exact or said <= simple


def _cost_to_beat(pairwise: Pairwise, split: Split, order: Int64) -> int:
    """Return the cost of the best order that a short proof comes across, from one to begin with.

    It cannot confirm a bound, but a claim above this cost is refuted.
    """
    cost = pairwise.cost_units(order)
    if pairwise.n_items > _ITEMS_TO_REFUTE:
        return cost
    from concordant.bounds.prover import Prover

    prover = Prover(pairwise, split)
    prover.offer(order)
    prover.work(steps=_STEPS_TO_REFUTE)
    return min(prover.cost, cost)


def _verify_proof(result: Consensus, pairwise: Pairwise, proof: str | Path) -> None:
    proven = certificate.check(certificate.load(proof), pairwise.counts)
    said = result.lower_bound
    if Fraction(proven, pairwise.scale) < Fraction(said) and pairwise.value(proven) != said:
        raise VerificationError(
            f"the result says lower bound {said}, the proof shows {pairwise.value(proven)}"
        )


def _verify_others(result: Consensus, pairwise: Pairwise, order: Int64) -> None:
    """Check what is said about other rankings that are as good."""
    said = result.is_unique, result.winners
    if result.status == "optimal" and said != (None, None):
        unique, winners = settle_uniqueness(pairwise, order, lambda: False)
        if None not in (unique, said[0]) and unique != said[0]:
            raise VerificationError(
                f"the result says is_unique = {said[0]}, and there "
                f"{'is no other ranking' if unique else 'are others'} of the same cost"
            )
        if said[1] is not None:
            names = tuple(result.names_of(said[1], pairwise.items))
            unknown = [name for name in names if name not in pairwise.items]
            if unknown or len(set(names)) != len(names):
                raise VerificationError(f"the winners {list(names)} are not items of the data")
            if winners is not None and {pairwise.items[a] for a in winners} != set(names):
                raise VerificationError(
                    f"the result says that {list(names)} are first in optimal rankings, these "
                    f"are {[pairwise.items[a] for a in winners]}"
                )
            if result.ranking[0] not in said[1]:
                raise VerificationError("the first of the ranking is not among its winners")
            if result.is_unique and len(names) > 1:
                raise VerificationError("the result says it is unique, and has several winners")
    listed = result.alternatives
    if listed is None:
        return
    if not listed or listed[0] != result.ranking or len(set(listed)) != len(listed):
        raise VerificationError("the alternatives do not begin with the ranking, or repeat")
    if result.is_unique and len(listed) > 1:
        raise VerificationError("the result says it is unique, and lists alternatives")
    for each in listed:
        try:
            cost = pairwise.value(pairwise.cost_units(_order(result, each, pairwise)))
        except VerificationError as error:
            raise VerificationError(f"an alternative does not fit: {error}") from None
        if cost != result.cost:
            raise VerificationError(f"an alternative costs {cost}, not {result.cost}")


def _verify_story(result: Consensus) -> None:
    """Check what the result says about itself."""
    for name in ("elapsed", "improved_at", "seed", "iterations", "generations"):
        if getattr(result, name) < 0:
            raise VerificationError(f"{name} {getattr(result, name)} is negative")
    for name, said in result.stated.items():
        found = getattr(result, name)
        if (said is None) != (found is None) or (
            said is not None and not math.isclose(said, found, rel_tol=1e-9, abs_tol=1e-12)
        ):
            raise VerificationError(f"the result says {name} = {said}, its numbers give {found}")
    if result.buckets is not None:
        tied = [item for bucket in result.buckets for item in bucket]
        if len(tied) != result.n_items or set(tied) != set(result.ranking):
            raise VerificationError("the buckets do not hold the items of the ranking")
    for before, after in itertools.pairwise(result.trace):
        if after[0] < before[0] or after[2] > before[2] or after[3] < before[3]:
            raise VerificationError("the trace has a time, cost or bound that goes back")
    if result.trace and result.trace[-1][2] != result.cost:
        raise VerificationError(
            f"the trace ends at cost {result.trace[-1][2]}, the result says {result.cost}"
        )
