"""Checks an answer with ties against the data: its tiers, its cost and its lower bound."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._types import Int64
from concordant.errors import ConcordantError, VerificationError
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.tiers.aggregation import TierProof, TieSettings
from concordant.tiers.certificate import check

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
        data: The data that it was computed from.
        pairwise: The counts of the data.

    Attributes:
        bound_proven: Whether the lower bound was proven so far.
    """

    def __init__(self, result: Consensus, data: Rankings | Pairwise, pairwise: Pairwise) -> None:
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
        self.costs = settings.costs(data, pairwise, forced)
        self.bound_proven = False
        for name in ("is_unique", "winners", "alternatives", "top", "buckets"):
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
