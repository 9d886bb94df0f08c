"""Methods on the positions of items: the optimal footrule order and reciprocal rank fusion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from concordant._checks import between
from concordant._types import Int64
from concordant.algorithms.scoring import by_score, double_ranks
from concordant.rankings import Rankings
from concordant.running import Run


def displacement_costs(rankings: Rankings) -> Int64:
    """Return, for item a and position p from 0, twice the weight times the way from a to p.

    The rankings are complete; tied items stand at the mean of their positions (Fagin et al.
    2006), so that twice a position is an integer.
    """
    m = rankings.n_items
    rows = np.repeat(np.arange(rankings.n_distinct), rankings.lengths)
    # weight[a, r]: the weight of all rankings that have item a at twice the position r.
    weight = np.zeros((m, 2 * m + 1), np.int64)
    np.add.at(weight, (rankings.members, double_ranks(rankings)), rankings.units[rows])
    moment = weight * np.arange(2 * m + 1)
    below, moment_below = np.cumsum(weight, axis=1), np.cumsum(moment, axis=1)
    place = 2 * np.arange(1, m + 1)
    before, moment_before = below[:, place], moment_below[:, place]
    after, moment_after = below[:, -1:] - before, moment_below[:, -1:] - moment_before
    costs: Int64 = place * (before - after) - moment_before + moment_after
    return costs


def footrule(run: Run, settings: None) -> None:
    """Give each position one item so that all displacements together are least.

    Dwork, Kumar, Naor and Sivakumar (2001), "Rank aggregation methods for the Web": a minimum
    cost assignment. Its Kendall distance is at most twice the least possible, because the
    footrule lies between Kendall's distance and twice that (Diaconis and Graham 1977).
    """
    from scipy.optimize import linear_sum_assignment

    assert run.rankings is not None
    costs = displacement_costs(run.rankings.explicit())
    items, places = linear_sum_assignment(costs)
    order = np.empty(items.size, np.int64)
    order[places] = items
    run.improve(order)
    total = int(costs[items, places].sum())
    run.details = {
        "objective": "weighted sum of Spearman's footrule distances",
        "objective_value": total / (2 * run.pairwise.scale),
    }


@dataclass(frozen=True, slots=True)
class FusionSettings:
    """Settings of `rrf`.

    Attributes:
        k: Added to every rank; the larger, the less the first places stand out.
    """

    k: float = 60.0

    def __post_init__(self) -> None:
        between("k", self.k, 0, 1e9)


def rrf(run: Run, settings: FusionSettings) -> None:
    """Score each item by the sum of weight / (k + rank) over the rankings that rank it.

    Cormack, Clarke and Büttcher (2009), "Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods", SIGIR. Tied items share the mean of their ranks; an item
    that is not ranked gets nothing.
    """
    rankings = run.rankings
    assert rankings is not None
    rows = np.repeat(np.arange(rankings.n_distinct), rankings.lengths)
    points = rankings.units[rows] / (settings.k + double_ranks(rankings) / 2)
    scores: npt.NDArray[np.float64] = np.zeros(rankings.n_items)
    np.add.at(scores, rankings.members, points)
    # Sums of the same numbers in another order may differ in their last bits, and mean the same.
    order = by_score(np.round(scores / max(float(scores.max()), 1e-300), 12))
    run.improve(order)
    run.details = {"scores": (scores[order] / rankings.scale).tolist()}
