"""Checks an answer with ties against the data: its tiers, its cost and its lower bound."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._types import Int64
from concordant.errors import ConcordantError, VerificationError
from concordant.pairwise import Pairwise
from concordant.tiers.aggregation import TierProof, TieSettings
from concordant.tiers.certificate import check
from concordant.tiers.costs import TierCosts
from concordant.tiers.solver import TierSolver
from concordant.tiers.uniqueness import is_only_answer

if TYPE_CHECKING:
    from concordant.consensus import Consensus

# The bound is tested by this number of rounds of the solver, for data of at most this number of
# items.
_ROUNDS_TO_REFUTE, _ITEMS_TO_REFUTE = 8, 500


def check_status(status: str, cost: float, bound: float) -> None:
    """Check that status, cost and lower bound agree with each other.

    Example:
        >>> check_status("optimal", 3, 3)
        >>> check_status("optimal", 3, 2)
        Traceback (most recent call last):
        concordant.errors.VerificationError: status 'optimal' does not agree with cost 3 and ...
    """
    if bound > cost:
        raise VerificationError(f"the lower bound {bound} is above the cost {cost}")
    if status not in ("optimal", "feasible"):
        raise VerificationError(f"unknown status {status!r}")
    if (status == "optimal") != (bound == cost):
        raise VerificationError(
            f"status {status!r} does not agree with cost {cost} and lower bound {bound}"
        )


class TierCheck:
    """The checks of one result with ties.

    Args:
        result: The result.
        pairwise: The counts of the data that it was computed from.

    Attributes:
        bound_proven: Whether the lower bound was proven so far.
    """

    def __init__(self, result: Consensus, pairwise: Pairwise) -> None:
        self.result = result
        if result.tie_penalty is None:
            raise VerificationError("the result has tiers, but no tie_penalty")
        try:
            settings = TieSettings.take(
                "auto",
                {"ties": True, "tie_penalty": result.tie_penalty},
                result.vote_tie_penalty,
                result.settings.get("tiers"),
            )
        except ConcordantError as error:
            raise VerificationError(str(error)) from None
        assert settings is not None
        self.settings = settings
        rules = result.constraints
        forced = None if rules is None else rules.relation(pairwise.items)
        self.costs = settings.costs(pairwise, forced)
        self.bound_proven = False
        for name in ("winners", "alternatives", "buckets"):
            if getattr(result, name) is not None:
                raise VerificationError(f"a result with tiers has no {name}")

    def is_about(self, proof: Any) -> bool:
        """Return whether a proof is one of the same problem."""
        if not isinstance(proof, TierProof):
            return False
        mine, other = self.costs, proof.costs
        return (
            mine.items == other.items
            and np.array_equal(mine.before, other.before)
            and np.array_equal(mine.tied, other.tied)
        )

    def check_tiers(self, order: Int64) -> None:
        """Check the tiers and recompute their cost; `order` has the item numbers of the ranking."""
        tiers = self.result.tiers
        assert tiers is not None
        if tuple(item for tier in tiers for item in tier) != self.result.ranking:
            raise VerificationError("the tiers do not have the items of the ranking in its order")
        sizes = [len(tier) for tier in tiers]
        if 0 in sizes:
            raise VerificationError("a tier has no items")
        wanted, number = self.settings.sizes, self.settings.number
        if number not in (None, len(sizes)) or wanted not in (None, sizes):
            raise VerificationError(
                f"the tiers have the sizes {sizes}, but {wanted or number} were asked for"
            )
        self._bucket = np.empty(order.size, np.int64)
        self._bucket[order] = np.repeat(np.arange(len(sizes)), sizes)
        cost = self.costs.value(self.costs.cost_units(self._bucket))
        if cost != self.result.cost:
            raise VerificationError(
                f"the result has cost {self.result.cost}, but the data gives {cost}"
            )

    def check_bound(self) -> None:
        """Check the lower bound as far as this is quick."""
        said, costs = self.result.lower_bound, self.costs
        check_status(self.result.status, self.result.cost, said)
        simple = costs.value(costs.trivial)
        # A float may have been rounded down.
        if said < (math.nextafter(simple, -math.inf) if isinstance(simple, float) else simple):
            raise VerificationError(
                f"the result has lower bound {said}, but the pairs alone prove {simple}"
            )
        self.bound_proven = self._is_at_most(costs.trivial)
        if costs.n_items > _ITEMS_TO_REFUTE:
            return
        solver = self.settings.solver(costs, 0, [self._bucket])
        solver.work(max_rounds=_ROUNDS_TO_REFUTE)
        if not self._is_at_most(solver.cost):
            raise VerificationError(
                f"the result has lower bound {said}, but there is an answer of cost "
                f"{costs.value(solver.cost)}"
            )
        self.bound_proven = self.bound_proven or self._is_at_most(solver.bound)

    def check_others(self) -> None:
        """Check what the result says about other optimal answers, as far as this is quick."""
        said = self.result.is_unique
        if said is None or self.result.status != "optimal":
            return
        sizes = None if self.settings.sizes is None else np.array(self.settings.sizes, np.int64)
        number = None if self.settings.tiers is None else int(self._bucket.max()) + 1
        found = is_only_answer(self.costs, self._bucket, n_tiers=number, sizes=sizes)
        if found is not None and found != said:
            raise VerificationError(
                f"the result has is_unique = {said}, but there "
                f"{'is no other answer' if found else 'are other answers'} of the same cost"
            )

    def check_top(self) -> bool | None:
        """Check the claim that some optimal answer begins with the first places.

        Take the first tiers until they have these places, and more tiers until an item inside
        before an item outside is a cheapest state of every such pair. The claim holds if the tiers
        inside are an optimal answer for their items.

        Returns:
            Whether it was proven; None where the result does not claim it, or is optimal.
        """
        top, said, optimal = self.result.top, self.result.top_proven, self.result.status
        if not said:
            if said is False and optimal == "optimal":
                raise VerificationError(
                    "the result is optimal, but says that its first places are not"
                )
            return None
        if top is None or top < 1 or self.settings.tiers is not None:
            raise VerificationError(
                "the result says that its first places are proven, but has no top"
            )
        if optimal == "optimal":
            return None
        before, tied, bucket = self.costs.before, self.costs.tied, self._bucket
        ends = np.cumsum(np.bincount(bucket))
        head = last = int(np.searchsorted(ends, min(top, bucket.size)))
        dear = before > np.minimum(tied, before.T)
        while True:
            inside = bucket <= last
            # An item outside that must not stand behind one inside.
            outside = dear[inside].any(axis=0) & ~inside
            if not outside.any():
                break
            last = int(bucket[outside].max())
        own, least, bound = self._inside(np.flatnonzero(inside))
        if bound >= own:
            return True
        rest = np.flatnonzero(inside & (bucket > head))
        cost, _, behind = self._inside(rest) if rest.size else (0, 0, 0)
        if own - cost + behind > least:
            raise VerificationError(
                f"the result says that its first {top} places are proven, but no optimal answer "
                "begins with them"
            )
        return False

    def _inside(self, items: Int64) -> tuple[int, int, int]:
        """Return what the tiers of some items cost, the least cost found, and a lower bound."""
        block = np.ix_(items, items)
        before, tied = self.costs.before[block], self.costs.tied[block]
        bucket = self._bucket[items]
        solver = TierSolver(TierCosts(tuple(items.tolist()), before, tied), starts=[bucket])
        if items.size <= _ITEMS_TO_REFUTE:
            solver.work(max_rounds=_ROUNDS_TO_REFUTE)
        return solver.costs.cost_units(bucket), solver.cost, solver.bound

    def _is_at_most(self, units: int) -> bool:
        """Return whether the bound of the result is at most a number of units."""
        said, costs = self.result.lower_bound, self.costs
        return Fraction(said) <= Fraction(units, costs.scale) or costs.value(units) == said

    def check_proof(self, certificate: Any) -> None:
        """Check a certificate, which must prove the lower bound."""
        proven = check(certificate, self.costs.before, self.costs.tied)
        if not self._is_at_most(proven):
            raise VerificationError(
                f"the result has lower bound {self.result.lower_bound}, but the certificate "
                f"proves {self.costs.value(proven)}"
            )
        self.bound_proven = True
