"""Checks a result against the data: recomputes what it claims, and refutes what does not hold."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant import certificate
from concordant._types import Int64
from concordant.bounds.uniqueness import settle_uniqueness
from concordant.errors import InputError, VerificationError
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reduction.comparisons import apart
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
        top_proven: Whether the first places were proven here, where the result claims that they
            begin an optimal ranking: True, or False where that was not refuted; else None.
    """

    cost: int | float
    lower_bound: int | float
    bound_proven: bool
    by_certificate: bool = False
    top_proven: bool | None = None

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        """Say in one line what holds."""
        proven = _proven_words(self.bound_proven)
        top = "" if self.top_proven is None else f"; first places {_proven_words(self.top_proven)}"
        return f"Verification(cost {self.cost:,}, lower bound {self.lower_bound:,}: {proven}{top})"


def _proven_words(proven: bool) -> str:
    return "proven" if proven else "not refuted, not proven here"


def verify(
    result: Consensus, data: Rankings | Pairwise | Any, proof: str | Path | None = None
) -> Verification:
    """Check a result against the data from scratch.

    Recomputed are the cost, all that is said about the data, and what can be proven quickly:
    the bound of the pairs, and the least cost of all components of the majority relation with
    few items. A claimed bound must lie between what is proven and the cost. A larger bound is
    checked by its certificate: the one given, or the one that the result still holds.

    Args:
        result: What to check.
        data: What the result was computed from, or any square matrix.
        proof: The file of a certificate, which then proves the lower bound.

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
    shown = None if proof is None else certificate.load(proof)
    top_claimed = bool(result.top_proven) and result.status != "optimal"
    if shown is None and (top_claimed or not proven) and _holds_proof(result, pairwise):
        shown = result.certificate()
    if shown is not None:
        _verify_proof(result, pairwise, shown)
    _verify_uncompared(result, pairwise)
    top = _verify_top(result, pairwise, order, shown)
    return Verification(
        cost, result.lower_bound, proven or shown is not None, shown is not None, top
    )


def _holds_proof(result: Consensus, pairwise: Pairwise) -> bool:
    """Return whether the result holds a proof about this very data."""
    if result.proof is None:
        return False
    about = result.proof.pairwise
    return about.items == pairwise.items and np.array_equal(about.counts, pairwise.counts)


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


def _verify_proof(result: Consensus, pairwise: Pairwise, proof: Any) -> None:
    proven = certificate.check(proof, pairwise.counts)
    said = result.lower_bound
    if Fraction(proven, pairwise.scale) < Fraction(said) and pairwise.value(proven) != said:
        raise VerificationError(
            f"the result says lower bound {said}, the proof shows {pairwise.value(proven)}"
        )


def _verify_uncompared(result: Consensus, pairwise: Pairwise) -> None:
    if result.uncompared is None:
        return
    said = set(result.names_of(result.uncompared, pairwise.items))
    found = {
        item for item, is_apart in zip(pairwise.items, apart(pairwise), strict=True) if is_apart
    }
    if said != found:
        raise VerificationError(
            f"the result names {len(said)} items as not compared with most others, the data have "
            f"{len(found)}"
        )


def _verify_top(result: Consensus, pairwise: Pairwise, order: Int64, proof: Any) -> bool | None:
    """Check the claim that some optimal ranking begins with the first places.

    Take the shortest beginning that holds these places and that no later item beats by a majority.
    Pairs across its end cost the least that they can, so the claim is about the items inside alone:
    it holds if these are in an optimal order.
    """
    if not result.top_proven:
        if result.top_proven is False and result.status == "optimal":
            raise VerificationError("the result is optimal, and says that its first places are not")
        return None
    if result.top is None or result.top < 1:
        raise VerificationError("the result says that first places are proven, but not how many")
    if result.status == "optimal":
        return None
    head, inside = _closed_beginning(pairwise, order, result.top)
    part = Pairwise.from_matrix(pairwise.counts[np.ix_(inside, inside)])
    cost = part.cost_units(np.arange(inside.size))
    split = Split.of(part)
    if all(each.is_small for each in split.parts):
        least = bound = split.between + sum(each.solution()[1] for each in split.parts)
    else:
        least, bound = cost, _bound_from(proof, pairwise, inside)
        if bound < cost and inside.size <= _ITEMS_TO_REFUTE:
            from concordant.bounds.prover import Prover

            prover = Prover(part, split)
            prover.offer(np.arange(inside.size))
            prover.work(steps=_STEPS_TO_REFUTE)
            least, bound = min(cost, prover.cost), max(bound, prover.bound)
    if bound >= cost:
        return True
    rest = np.arange(head, inside.size)
    others = Split.of(Pairwise.from_matrix(part.counts[np.ix_(rest, rest)])) if rest.size else None
    fixed = cost - (0 if others is None else _cost_inside(part, rest))
    behind = 0
    if others is not None:
        behind = others.between + sum(
            each.solution()[1] if each.is_small else each.trivial for each in others.parts
        )
    if fixed + behind > least:
        raise VerificationError(
            f"the result says that its first {result.top} places are proven, but no optimal "
            "ranking begins with them"
        )
    return False


def _closed_beginning(pairwise: Pairwise, order: Int64, top: int) -> tuple[int, Int64]:
    """Return how many first places are meant, and the shortest beginning that no item beats."""
    counts = pairwise.counts
    head = min(top, order.size)
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    end, checked = head, 0
    while checked < end:
        a = order[checked]
        beats_a = np.flatnonzero(counts[:, a] > counts[a])
        end = max(end, int(place[beats_a].max(initial=0)) + 1)
        checked += 1
    return head, order[:end]


def _cost_inside(pairwise: Pairwise, items: Int64) -> int:
    """Return what the pairs among some items cost, in the order given."""
    block = pairwise.counts[np.ix_(items, items)]
    return int(np.tril(block, -1).sum(dtype=np.int64))


def _bound_from(proof: Any, pairwise: Pairwise, inside: Int64) -> int:
    """Return what a checked certificate proves about some items, or 0 where it does not apply."""
    if proof is None:
        return 0
    block = pairwise.counts[np.ix_(inside, inside)]
    total = int(np.minimum(block, block.T).sum(dtype=np.int64)) // 2
    for part in proof["components"]:
        items = np.array(part["items"])
        within = np.isin(items, inside)
        if within.all():
            own = pairwise.counts[np.ix_(items, items)]
            total += part["bound"] - int(np.minimum(own, own.T).sum(dtype=np.int64)) // 2
        elif within.any():
            return 0
    return total


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
