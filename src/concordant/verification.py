"""Checks a result against the data: recomputes its values, and reports the first that is wrong."""

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
from concordant.bounds.record import Proof
from concordant.bounds.uniqueness import settle_uniqueness
from concordant.errors import InputError, SettingError, VerificationError, show
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reduction.comparisons import apart, compared_units
from concordant.reduction.split import Split
from concordant.tiers.verification import TierCheck, check_status

if TYPE_CHECKING:
    from concordant.consensus import Consensus

# The lower bound of large components is tested by a proof of this number of steps, for data of at
# most this number of items.
_STEPS_TO_REFUTE, _ITEMS_TO_REFUTE = 8, 500


@dataclass(frozen=True, slots=True, repr=False)
class Verification:
    """What `verify` found. It is always true, because a wrong result raises an error.

    Attributes:
        cost: The cost of the ranking, recomputed.
        lower_bound: The lower bound of the result, in the unit of the cost.
        bound_proven: Whether `verify` proved this bound: from the pairs, by solving every component
            again, or with a certificate. If not, it found nothing wrong with the bound.
        by_certificate: Whether a certificate proved it.
        top_proven: None if the result does not claim that its first places begin an optimal
            ranking. Otherwise, whether `verify` proved this claim.
    """

    cost: int | float
    lower_bound: int | float
    bound_proven: bool
    by_certificate: bool = False
    top_proven: bool | None = None

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        """Show in one line what was checked."""
        proven = _proven_words(self.bound_proven)
        top = "" if self.top_proven is None else f"; first places {_proven_words(self.top_proven)}"
        return f"Verification(cost {self.cost:,}, lower bound {self.lower_bound:,}: {proven}{top})"


def _proven_words(proven: bool) -> str:
    return "proven" if proven else "not refuted, not proven here"


def verify(
    result: Consensus, data: Rankings | Pairwise | Any, proof: str | Path | None = None
) -> Verification:
    """Check a result against the data from scratch.

    The cost and the facts about the data are recomputed, and so is what can be proven quickly: the
    bound from the pairs, and the optimum of small components of the majority relation. The lower
    bound of the result must lie between the proven bound and the cost. A larger bound is checked
    with a certificate: the given one, or the one that the result contains.

    Args:
        result: The result to check.
        data: The data that the result was computed from; a square matrix is accepted too.
        proof: The file of a certificate. It must prove the lower bound.

    Raises:
        VerificationError: The result is wrong; the message names the first error.

    Example:
        >>> from concordant import aggregate
        >>> matrix = [[0, 2, 1], [1, 0, 2], [2, 1, 0]]
        >>> verify(aggregate(matrix), matrix).bound_proven
        True
    """
    if isinstance(data, Rankings):
        pairwise = Pairwise.from_rankings(data, ties=result.tiers is not None)
    else:
        pairwise = data if isinstance(data, Pairwise) else Pairwise.from_matrix(data)
    if result.n_items != pairwise.n_items:
        raise VerificationError(
            f"the result ranks {result.n_items} items, but the data has {pairwise.n_items}"
        )
    for name in ("n_rankings", "total_weight", "unranked"):
        said, found = getattr(result, name), getattr(pairwise, name)
        if said != found:
            raise VerificationError(f"the result has {name} = {said}, but the data has {found}")
    counted = pairwise
    if result.constraints is not None:
        pairwise = _verify_constraints(result, data, counted)
    if result.tiers is not None:
        return _verify_tiers(result, counted, proof)
    order = _order(result, result.ranking, pairwise)
    cost = pairwise.value(pairwise.cost_units(order))
    if cost != result.cost:
        raise VerificationError(f"the result has cost {result.cost}, but the data gives {cost}")
    _verify_agreement(result, counted, order)
    proven = _verify_bound(result, pairwise, order)
    _verify_others(result, pairwise, order)
    _verify_own_facts(result)
    shown = None if proof is None else certificate.load(proof)
    top_claimed = bool(result.top_proven) and result.status != "optimal"
    if shown is None and (top_claimed or not proven) and _holds_proof(result, pairwise):
        shown = result.certificate()
    if shown is not None:
        _verify_proof(result, pairwise, shown)
    _verify_uncompared(result, counted)
    top = _verify_top(result, pairwise, order, shown)
    return Verification(
        cost, result.lower_bound, proven or shown is not None, shown is not None, top
    )


def _verify_agreement(result: Consensus, pairwise: Pairwise, order: Int64) -> None:
    if result.agreement is None:
        return
    found = pairwise.value(compared_units(pairwise) - pairwise.cost_units(order))
    if found != result.agreement:
        raise VerificationError(
            f"the result has agreement {result.agreement}, but the data gives {found}"
        )


def _verify_constraints(
    result: Consensus, data: Rankings | Pairwise | Any, pairwise: Pairwise
) -> Pairwise:
    """Check that all rankings satisfy the constraints; return the counts that contain these."""
    rules = result.constraints
    assert rules is not None
    try:
        imposed = rules.impose(pairwise)
    except SettingError as error:
        raise VerificationError(f"the constraints of the result: {error.message}") from None
    for ranking in (result.ranking, *(result.alternatives or ())):
        order = _order(result, ranking, pairwise)
        place = np.empty(order.size, np.int64)
        place[order] = np.arange(order.size)
        if result.tiers is not None:
            sizes = [len(tier) for tier in result.tiers]
            place[order] = np.repeat(np.arange(len(sizes)), sizes)[: order.size]
        broken = rules.broken_by(place, pairwise.items)
        if broken is not None:
            raise VerificationError(
                f"the constraints need {show(broken[0])} before {show(broken[1])}, but the ranking "
                "has them in another order"
            )
    free = result.free
    if free is not None:
        if (free.tie_penalty, free.vote_tie_penalty) != (
            result.tie_penalty,
            result.vote_tie_penalty,
        ):
            raise VerificationError("the result without constraints has another objective")
        try:
            verify(free, data)
        except VerificationError as error:
            raise VerificationError(f"the result without constraints: {error}") from None
    return imposed


def _verify_tiers(result: Consensus, pairwise: Pairwise, proof: str | Path | None) -> Verification:
    """Check an answer with ties."""
    checked = TierCheck(result, pairwise)
    order = _order(result, result.ranking, pairwise)
    checked.check_tiers(order)
    checked.check_bound()
    _verify_own_facts(result)
    _verify_uncompared(result, pairwise)
    shown = None if proof is None else certificate.load(proof)
    if shown is None and not checked.bound_proven and checked.is_about(result.proof):
        shown = result.certificate()
    if shown is not None:
        checked.check_proof(shown)
    checked.check_others()
    top = checked.check_top()
    proven = checked.bound_proven
    return Verification(result.cost, result.lower_bound, proven, shown is not None, top)


def _holds_proof(result: Consensus, pairwise: Pairwise) -> bool:
    """Return whether the result contains a proof for the same data."""
    if not isinstance(result.proof, Proof):
        return False
    about = result.proof.pairwise
    return about.items == pairwise.items and np.array_equal(about.counts, pairwise.counts)


def _order(result: Consensus, ranking: Sequence[Any], pairwise: Pairwise) -> Int64:
    try:
        return pairwise.order_of(result.names_of(ranking, pairwise.items))
    except InputError as error:
        raise VerificationError(str(error)) from None


def _verify_bound(result: Consensus, pairwise: Pairwise, order: Int64) -> bool:
    """Check the lower bound as far as this is quick; return whether this proved it."""
    said = result.lower_bound
    check_status(result.status, result.cost, said)
    simple = pairwise.lower_bound()
    # A float may have been rounded down.
    least_said = math.nextafter(simple, -math.inf) if isinstance(simple, float) else simple
    if said < least_said:
        raise VerificationError(
            f"the result has lower bound {said}, but the pairs alone prove {simple}"
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
            f"the result has lower bound {said}, but there is a ranking of cost "
            f"{pairwise.value(least)}"
        )
    return exact or said <= simple


def _cost_to_beat(pairwise: Pairwise, split: Split, order: Int64) -> int:
    """Return the cost of the best order that a short proof finds, starting from the given one.

    It cannot confirm a bound, but it refutes a bound that is above this cost.
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
            f"the result has lower bound {said}, but the certificate proves "
            f"{pairwise.value(proven)}"
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
            f"the uncompared items of the result ({len(said)}) are not those of the data "
            f"({len(found)})"
        )


def _verify_top(result: Consensus, pairwise: Pairwise, order: Int64, proof: Any) -> bool | None:
    """Check the claim that some optimal ranking begins with the first places.

    Take the shortest beginning of the ranking that contains these places and in which no item loses
    to a later item by a majority. Pairs of an item inside and an item outside cost as little as
    possible. So the claim holds if the items inside are in an optimal order.
    """
    if not result.top_proven:
        if result.top_proven is False and result.status == "optimal":
            raise VerificationError("the result is optimal, but says that its first places are not")
        return None
    if result.top is None or result.top < 1:
        raise VerificationError("the result says that its first places are proven, but has no top")
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
    """Return the number of first places, and the shortest beginning that contains them.

    No later item beats an item of this beginning by a majority.
    """
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
    """Return the cost of the pairs among some items, in the given order."""
    block = pairwise.counts[np.ix_(items, items)]
    return int(np.tril(block, -1).sum(dtype=np.int64))


def _bound_from(proof: Any, pairwise: Pairwise, inside: Int64) -> int:
    """Return the bound that a checked certificate proves for some items, or 0 if it has none."""
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
    """Check what the result says about other optimal rankings."""
    said = result.is_unique, result.winners
    if result.status == "optimal" and said != (None, None):
        unique, winners = settle_uniqueness(pairwise, order, lambda: False)
        if None not in (unique, said[0]) and unique != said[0]:
            raise VerificationError(
                f"the result has is_unique = {said[0]}, but there "
                f"{'is no other ranking' if unique else 'are other rankings'} of the same cost"
            )
        if said[1] is not None:
            names = tuple(result.names_of(said[1], pairwise.items))
            unknown = [name for name in names if name not in pairwise.items]
            if unknown or len(set(names)) != len(names):
                raise VerificationError(f"the winners {list(names)} are not items of the data")
            if winners is not None and {pairwise.items[a] for a in winners} != set(names):
                raise VerificationError(
                    f"the result has the winners {list(names)}, but the items that are first in "
                    f"optimal rankings are {[pairwise.items[a] for a in winners]}"
                )
            if result.ranking[0] not in said[1]:
                raise VerificationError("the first item of the ranking is not one of its winners")
            if result.is_unique and len(names) > 1:
                raise VerificationError("the result says it is unique, but has several winners")
    listed = result.alternatives
    if listed is None:
        return
    if not listed or listed[0] != result.ranking or len(set(listed)) != len(listed):
        raise VerificationError(
            "the alternatives do not begin with the ranking, or one of them is repeated"
        )
    if result.is_unique and len(listed) > 1:
        raise VerificationError("the result says it is unique, but lists alternatives")
    for each in listed:
        try:
            cost = pairwise.value(pairwise.cost_units(_order(result, each, pairwise)))
        except VerificationError as error:
            raise VerificationError(f"an alternative does not fit: {error}") from None
        if cost != result.cost:
            raise VerificationError(f"an alternative costs {cost}, not {result.cost}")


def _verify_own_facts(result: Consensus) -> None:
    """Check the values of the result that do not depend on the data."""
    for name in ("elapsed", "improved_at", "seed", "iterations", "generations"):
        if getattr(result, name) < 0:
            raise VerificationError(f"{name} {getattr(result, name)} is negative")
    for name, said in result.stated.items():
        found = getattr(result, name)
        if (said is None) != (found is None) or (
            said is not None and not math.isclose(said, found, rel_tol=1e-9, abs_tol=1e-12)
        ):
            raise VerificationError(
                f"the result has {name} = {said}, but its other values give {found}"
            )
    if result.buckets is not None:
        tied = [item for bucket in result.buckets for item in bucket]
        if len(tied) != result.n_items or set(tied) != set(result.ranking):
            raise VerificationError("the buckets do not have the same items as the ranking")
    for before, after in itertools.pairwise(result.trace):
        if after[0] < before[0] or after[2] > before[2] or after[3] < before[3]:
            raise VerificationError(
                "in the trace, a time or a bound falls, or a cost rises, from one point to the next"
            )
    if result.trace and result.trace[-1][2] != result.cost:
        raise VerificationError(
            f"the trace ends at cost {result.trace[-1][2]}, but the result has {result.cost}"
        )
