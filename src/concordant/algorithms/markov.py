"""Methods that sort by the stationary distribution of a Markov chain: MC4 and Plackett–Luce."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from concordant._checks import at_least, between
from concordant._kernels import choices
from concordant._types import Int64
from concordant.algorithms.scoring import by_score
from concordant.rankings import Rankings
from concordant.reduction import components_of_margins, margins_of
from concordant.running import Run

Float64 = npt.NDArray[np.float64]


def stationary(chain: Float64) -> Float64:
    """Return the stationary distribution of an irreducible chain of rates (row to column).

    What stays where it is does not matter: the diagonal is ignored.
    """
    balance = chain.T.copy()
    np.fill_diagonal(balance, 0.0)
    np.fill_diagonal(balance, -balance.sum(axis=0))
    # One equation follows from the others: the probabilities add up to one instead.
    balance[-1] = 1.0
    right = np.zeros(chain.shape[0])
    right[-1] = 1.0
    distribution = np.asarray(np.linalg.solve(balance, right), np.float64)
    return np.maximum(distribution, np.finfo(float).tiny)


def mc4(run: Run, settings: None) -> None:
    """Walk to a random other item whenever a majority prefers it; sort by where one stays most.

    The chain MC4 of Dwork, Kumar, Naor and Sivakumar (2001), "Rank aggregation methods for the
    Web". A walk ends in the first component of the majority relation; as the authors propose,
    the components are ranked one after the other, each by its own walk.
    """
    margins = margins_of(run.pairwise.counts)
    parts = []
    for part in components_of_margins(margins):
        if part.size > 1:
            moves = (margins[np.ix_(part, part)] > 0).astype(np.float64)
            share = stationary(moves)
            part = part[by_score(np.round(share / share.max(), 12))]
        parts.append(part)
    run.improve(np.concatenate(parts))


@dataclass(frozen=True, slots=True)
class PlackettLuceSettings:
    """Settings of `plackett-luce`.

    Attributes:
        tolerance: The strengths are found when no logarithm of them changes by more than this.
        max_rounds: How often the chain is built anew at most.
    """

    tolerance: float = 1e-10
    max_rounds: int = 1000

    def __post_init__(self) -> None:
        at_least("max_rounds", self.max_rounds, 1)
        between("tolerance", self.tolerance, 1e-14, 1)


def plackett_luce(run: Run, settings: PlackettLuceSettings) -> None:
    """Sort by the strengths under which the rankings are most likely (Plackett–Luce model).

    Iterated Luce spectral ranking: Maystre and Grossglauser (2015), "Fast and accurate inference
    of Plackett–Luce models"; the answer is the one of the older MM algorithm of Hunter (2004).
    A tied item is taken as chosen from itself and all that stand behind it.

    Where no ranking puts any item of one group behind one of another, the likelihood only rises
    as the groups' strengths move apart: such groups are ranked one after the other. The result
    has in `details` the logarithms of the strengths, `scores`, in the order of the ranking, with
    a mean of 0 in each group, and the sizes of the `groups`.
    """
    assert run.rankings is not None
    rankings = run.rankings.explicit()
    beats = np.where(run.pairwise.counts > 0, -1, 0).astype(np.int32)
    order, scores, sizes = [], [], []
    for part in components_of_margins(beats):
        found = _log_strengths(run, rankings, part, settings)
        best_first = by_score(np.round(found, 12))
        order.append(part[best_first])
        scores += found[best_first].tolist()
        sizes.append(int(part.size))
    run.improve(np.concatenate(order))
    run.details = {"scores": scores, "groups": sizes}


def _log_strengths(
    run: Run, rankings: Rankings, part: Int64, settings: PlackettLuceSettings
) -> Float64:
    """Return the logarithms of the strengths inside one group, around a mean of 0."""
    logs = np.zeros(part.size)
    if part.size == 1:
        return logs
    local = np.full(rankings.n_items, -1, np.int64)
    local[part] = np.arange(part.size)
    for _ in range(settings.max_rounds):
        chain = np.zeros((part.size, part.size))
        choices.add_choices(
            rankings.offsets,
            rankings.members,
            rankings.buckets,
            rankings.units,
            local,
            np.exp(logs),
            chain,
        )
        before = logs
        logs = np.log(stationary(chain))
        logs -= logs.mean()
        run.iterations += 1
        if np.abs(logs - before).max() <= settings.tolerance or run.stop():
            break
    return logs
