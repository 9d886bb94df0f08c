"""Reciprocal rank fusion of lists of search results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from concordant._checks import between
from concordant.algorithms.scoring import TieSettings, double_ranks, ranked_by
from concordant.running import Run


@dataclass(frozen=True, slots=True)
class FusionSettings(TieSettings):
    """Settings of `rrf`.

    Attributes:
        k: A number added to every rank; a larger k gives the first places less weight.
    """

    k: float = 60.0

    def __post_init__(self) -> None:
        TieSettings.__post_init__(self)
        between("k", self.k, 0, 1e9)


def rrf(run: Run, settings: FusionSettings) -> None:
    """Score each item by the sum of weight / (k + rank) over the rankings that rank it.

    Cormack, Clarke and Büttcher (2009), "Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods", SIGIR. Tied items share the mean of their ranks. An unranked
    item gets no points.
    """
    rankings = run.rankings
    assert rankings is not None
    rows = np.repeat(np.arange(rankings.n_distinct), rankings.lengths)
    points = rankings.units[rows] / (settings.k + double_ranks(rankings) / 2)
    scores: npt.NDArray[np.float64] = np.zeros(rankings.n_items)
    np.add.at(scores, rankings.members, points)
    # Sums of the same numbers in another order may differ in their last bits: round these away.
    order = ranked_by(run, np.round(scores / max(float(scores.max()), 1e-300), 12), settings)
    run.improve(order)
    run.details = {"scores": (scores[order] / rankings.scale).tolist()}
