"""Methods that sort by the stationary distribution of a Markov chain: MC4 and Plackett–Luce."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from concordant._checks import at_least, between
from concordant._kernels import choices
from concordant._types import Float, Int64, Margins
from concordant.algorithms.scoring import (
    TieSettings,
    borda_of,
    counted_in_time,
    numbering,
    out_of_time,
    pair_slices,
)
from concordant.algorithms.strengths import DEVIATIONS, standard_errors
from concordant.errors import SettingError
from concordant.rankings import Rankings
from concordant.reduction.split import components_of_margins, margins_of, number_strongly_connected
from concordant.running import Run

# Columns of a block: larger chains are solved block by block.
_BLOCK = 256
# With more items than this, no chain is built.
_CHAIN = 4_096
# Intervals are computed for up to this number of items.
_INTERVALS = 1_000
# Elementary steps between two checks of the limits: a few milliseconds.
_SLICE = 10_000_000


def stationary(chain: Float, stop: Callable[[], bool] = lambda: False) -> Float | None:
    """Return the stationary distribution of an irreducible chain of rates (row to column).

    The diagonal is ignored. The answer is None where `stop`, which is called every few
    milliseconds, returns true.
    """
    n = chain.shape[0]
    balance = np.empty_like(chain)
    for first in range(0, n, _BLOCK):
        some = balance[:, first : first + _BLOCK]
        some[:] = chain[first : first + _BLOCK].T
        np.fill_diagonal(some[first:], 0.0)
        np.fill_diagonal(some[first:], -some.sum(axis=0))
        if n > 2 * _BLOCK and stop():
            return None
    if n <= 2 * _BLOCK:
        # One equation follows from the others: the probabilities add up to one instead.
        balance[-1] = 1.0
        right = np.zeros(n)
        right[-1] = 1.0
        distribution = np.asarray(np.linalg.solve(balance, right), np.float64)
        return np.maximum(distribution, np.finfo(float).tiny)
    found = _eliminate(balance, stop)
    if found is None:
        return None
    return np.asarray(np.maximum(found / found.sum(), np.finfo(float).tiny))


def _eliminate(balance: Float, stop: Callable[[], bool]) -> Float | None:
    """Solve balance @ x = 0 for x with a last entry of 1, by blocks; overwrites the matrix.

    No rows have to be exchanged between blocks: the matrix is diagonally dominant by columns,
    and elimination keeps this property (Grassmann, Taksar and Heyman 1985).
    """
    last = balance.shape[0] - 1
    starts = range(0, last, _BLOCK)
    for start in starts:
        end = min(last, start + _BLOCK)
        # Solve for the columns behind the block; the last column is the right-hand side.
        rest = np.linalg.solve(balance[start:end, start:end], balance[start:end, end:])
        balance[start:end, end:] = rest
        for first in range(end, last, _BLOCK):
            rows = slice(first, min(last, first + _BLOCK))
            balance[rows, end:] -= balance[rows, start:end] @ rest
            if stop():
                return None
    found = np.ones(last + 1)
    for start in reversed(starts):
        end = min(last, start + _BLOCK)
        found[start:end] = -balance[start:end, end:] @ found[end:]
    return found


def mc4(run: Run, settings: TieSettings) -> None:
    """Sort by the stationary distribution of a random walk that moves to preferred items.

    The chain MC4 of Dwork, Kumar, Naor and Sivakumar (2001), "Rank aggregation methods for the
    Web": from the current item, draw another item and move there if a majority prefers it. A walk
    ends in the first component of the majority relation. So, as the authors propose, the
    components are ranked one after the other, each by its own walk. Out of time, a component is
    ranked by Borda score.
    """
    if not counted_in_time(run):
        return
    margins = margins_of(run.pairwise.counts)
    if out_of_time(run):
        return
    numbers = numbering(run, settings)
    scores = np.zeros(numbers.size)
    borda = borda_of(run)
    parts = components_of_margins(margins)
    for part in parts:
        if part.size > 1:
            moves = _moves(margins, part, run.stop)
            share = None if moves is None else stationary(moves, run.stop)
            scores[part] = borda[part] if share is None else np.round(share / share.max(), 12)
    component = np.repeat(np.arange(len(parts)), [part.size for part in parts])
    component[np.concatenate(parts)] = component.copy()
    run.improve(numbers[np.lexsort((-scores[numbers], component[numbers]))])


def _moves(margins: Margins, part: Int64, stop: Callable[[], bool]) -> Float | None:
    """Return the chain of a component, or None if limits end the run before it is built."""
    moves = np.empty((part.size, part.size))
    for first in range(0, part.size, _BLOCK):
        rows = part[first : first + _BLOCK]
        moves[first : first + _BLOCK] = margins[np.ix_(rows, part)] > 0
        if part.size > 2 * _BLOCK and stop():
            return None
    return moves


@dataclass(frozen=True, slots=True)
class PlackettLuceSettings(TieSettings):
    """Settings of `plackett-luce`.

    Attributes:
        prior: The weight of a draw of each item against an item of mean strength, which is added.
            With 0, an item that is always first has an infinite strength: groups that the data
            does not connect in both directions are ranked one after the other. With 0.1, all
            strengths are finite.
        tolerance: The run ends when no logarithm of a strength changes by more than this.
        max_rounds: The largest number of rounds; each builds a new chain.
    """

    prior: float = 0.0
    tolerance: float = 1e-10
    max_rounds: int = 1000

    def __post_init__(self) -> None:
        TieSettings.__post_init__(self)
        between("prior", self.prior, 0, 1e6)
        at_least("max_rounds", self.max_rounds, 1)
        between("tolerance", self.tolerance, 1e-14, 1)


def plackett_luce(run: Run, settings: PlackettLuceSettings) -> None:
    """Sort by the strengths under which the rankings are most likely (Plackett–Luce model).

    Iterated Luce spectral ranking: Maystre and Grossglauser (2015), "Fast and accurate inference
    of Plackett–Luce models". The answer is the same as that of the MM algorithm (Hunter 2004).
    A tied item counts as chosen from itself and all items behind it.

    Where no ranking puts any item of one group behind an item of another, the likelihood rises
    without limit as the strengths of the groups move apart. Such groups are ranked one after the
    other, unless the setting `prior` is above 0. `details` of the result has the logarithms of the
    strengths, `scores`, in the order of the ranking and, without a prior, with a mean of 0 in each
    group; the sizes of the `groups`; and the 95 % intervals `low` and `high` of the scores from the
    curvature of the likelihood, for up to 1,000 items (None for a group of one item). Out of time,
    the strengths are those of the last complete round; before the first round, the items follow
    their Borda scores. With more than 4,096 items no chain is built: the MM algorithm finds the
    same strengths from the rankings alone.
    """
    assert run.rankings is not None
    if run.n_items > _CHAIN:
        if settings.prior:
            raise SettingError(
                f"plackett-luce takes a prior for up to {_CHAIN:,} items: leave it out",
                setting="prior",
            )
        _by_rankings(run, run.rankings.explicit(), settings)
        return
    rankings = run.rankings.explicit()
    counts = run.pairwise.counts
    beats = np.where(counts > 0, -1, 0).astype(np.int32)
    numbers = numbering(run, settings)
    number = np.empty_like(numbers)
    number[numbers] = np.arange(numbers.size)
    borda = borda_of(run)
    order, sizes = [], []
    scores: list[float] = []
    low: list[float | None] = []
    high: list[float | None] = []
    for part in [np.arange(run.n_items)] if settings.prior else components_of_margins(beats):
        local = np.full(rankings.n_items, -1, np.int64)
        local[part] = np.arange(part.size)
        found, rounds = _log_strengths(run, rankings, local, part, settings)
        level = np.zeros(part.size, np.int64) if rounds else -borda[part]
        best_first = np.lexsort((number[part], level, -np.round(found, 10)))
        order.append(part[best_first])
        scores += found[best_first].tolist()
        sizes.append(int(part.size))
        width = np.full(part.size, np.nan)
        is_bounded = part.size > 1 or settings.prior > 0
        if run.near is None and rounds and is_bounded and run.n_items <= _INTERVALS:
            width = _widths(rankings, local, found, settings.prior)
        ends = ((found - width)[best_first].tolist(), (found + width)[best_first].tolist())
        low += [None if np.isnan(end) else end for end in ends[0]]
        high += [None if np.isnan(end) else end for end in ends[1]]
    run.improve(np.concatenate(order))
    run.details = {"scores": scores, "groups": sizes, "low": low, "high": high}


def _widths(rankings: Rankings, local: Int64, logs: Float, prior: float) -> Float:
    """Return half the widths of the 95 % intervals of log strengths."""
    curvature = np.zeros((logs.size, logs.size))
    strength = np.exp(logs)
    arrays = rankings.offsets, rankings.members, rankings.buckets
    choices.add_curvature(*arrays, rankings.units, local, strength, curvature)
    curvature /= rankings.scale
    if prior:
        curvature += np.diag(prior * strength / (1 + strength) ** 2)
    return DEVIATIONS * standard_errors(curvature, logs.size, is_free=not prior)


def groups_of(rankings: Rankings) -> Int64:
    """Number the groups whose items no ranking puts behind those of a later group."""
    leads_to: list[list[int]] = [[] for _ in range(rankings.n_items)]
    offsets, members = rankings.offsets.tolist(), rankings.members.tolist()
    buckets = rankings.buckets.tolist()
    for (start, end), weight in zip(
        itertools.pairwise(offsets), rankings.units.tolist(), strict=True
    ):
        if weight == 0:
            continue
        before: list[int] = []
        for _, bucket in itertools.groupby(range(start, end), key=lambda k: buckets[k]):
            tied = [members[k] for k in bucket]
            for a in before:
                leads_to[a] += tied
            before = tied
    return number_strongly_connected(leads_to)[0]


def _by_rankings(run: Run, rankings: Rankings, settings: PlackettLuceSettings) -> None:
    """Find the strengths by the MM algorithm (Hunter 2004), without a matrix."""
    group = groups_of(rankings)
    sizes = np.bincount(group)
    logs = np.zeros(rankings.n_items)
    chosen, left = np.empty_like(logs), np.empty_like(logs)
    arrays = rankings.offsets, rankings.members, rankings.buckets, rankings.units
    for _ in range(settings.max_rounds):
        choices.chosen_and_left(*arrays, group, np.exp(logs), chosen, left)
        before = logs
        # An item without a choice in its group is the only item of the group.
        logs = np.log(np.where(left > 0, chosen, 1.0) / np.where(left > 0, left, 1.0))
        logs -= (np.bincount(group, logs) / sizes)[group]
        run.iterations += 1
        if np.abs(logs - before).max() <= settings.tolerance or run.stop():
            break
    order = np.lexsort((np.argsort(numbering(run, settings)), -np.round(logs, 12), group))
    run.improve(order)
    run.details = {"scores": logs[order].tolist(), "groups": sizes.tolist()}


def _log_strengths(
    run: Run, rankings: Rankings, local: Int64, part: Int64, settings: PlackettLuceSettings
) -> tuple[Float, int]:
    """Return the logarithms of the strengths of a group, and the rounds done.

    Their mean is 0; with a prior, the strength of the item that is added is 1.
    """
    logs = np.zeros(part.size)
    if part.size == 1 and not settings.prior:
        return logs, 1
    if run.near is not None:
        logs = run.near[part] - run.near[part].mean()
    prior = settings.prior * rankings.scale / 2
    for done in range(settings.max_rounds):
        chain = _chain(run, rankings, local, np.exp(logs))
        if chain is not None and prior:
            chain = _with_prior(chain, np.exp(logs), prior)
        share = None if chain is None else stationary(chain, run.stop)
        if share is None:
            return logs, done
        before = logs
        found = np.log(share)
        logs = found[:-1] - found[-1] if prior else found - found.mean()
        run.iterations += 1
        if np.abs(logs - before).max() <= settings.tolerance or run.stop():
            break
    return logs, done + 1


def _with_prior(chain: Float, strength: Float, prior: float) -> Float:
    """Add an item of strength 1 that has won and lost against each other item."""
    m = strength.size
    larger = np.zeros((m + 1, m + 1))
    larger[:m, :m] = chain
    larger[:m, m] = larger[m, :m] = prior / (1 + strength)
    return larger


def _chain(run: Run, rankings: Rankings, local: Int64, strength: Float) -> Float | None:
    """Return the chain of these strengths, or None if limits end the run before it is built."""
    chain = np.zeros((strength.size, strength.size))
    for first, last in pair_slices(rankings, _SLICE):
        if first and run.stop():
            return None
        choices.add_choices(
            rankings.offsets[first : last + 1],
            rankings.members,
            rankings.buckets,
            rankings.units[first:last],
            local,
            strength,
            chain,
        )
    return chain
