"""Problems with ties whose best order without ties is as good as any answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from concordant.certificate import KIND, VERSION
from concordant.pairwise import Pairwise
from concordant.tiers.certificate import OBJECTIVE, fingerprint
from concordant.tiers.costs import TierCosts


def strict_problem(costs: TierCosts) -> Pairwise:
    """Return the pairwise counts whose orders cost the same as in a problem with ties.

    Where `costs.strict_suffices`, its optimal orders are optimal answers of the whole problem.

    Example:
        >>> from concordant.rankings import Rankings
        >>> data = Rankings.from_orders([["a", "b"], ["a", "b"], ["b", "a"]])
        >>> costs = TierCosts.from_rankings(data, tie_penalty=1)
        >>> costs.strict_suffices, strict_problem(costs).cost(["a", "b"])
        (True, 1)
    """
    return Pairwise(costs.items, np.ascontiguousarray(costs.before.T), costs.scale)


def strict_certificate(costs: TierCosts, certificate: dict[str, Any]) -> dict[str, Any]:
    """Make a certificate of a problem with ties from one of its `strict_problem`.

    Example:
        >>> from concordant.bounds.record import Proof
        >>> from concordant.rankings import Rankings
        >>> from concordant.tiers.certificate import check
        >>> data = Rankings.from_orders([["a", "b"], ["b", "a"]])
        >>> costs = TierCosts.from_rankings(data)
        >>> proof = Proof.trivial(strict_problem(costs))
        >>> check(strict_certificate(costs, proof.certificate()), costs.before, costs.tied)
        1
    """
    return {
        "format": KIND,
        "version": VERSION,
        "objective": OBJECTIVE,
        "n_items": costs.n_items,
        "data": fingerprint(costs.before, costs.tied),
        "bound": certificate["bound"],
        "strict": certificate,
    }
