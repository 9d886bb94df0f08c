"""Samples of voters for `bootstrap`: drawing them with replacement, and solving each sample."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any, cast

import numpy as np

from concordant import stopping
from concordant._types import Float, Int32, Int64, Item
from concordant.algorithms.registry import Method
from concordant.errors import InputError, SettingError, show
from concordant.merging import distinct
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.running import Run
from concordant.separation import Spread
from concordant.tiers.aggregation import TieSettings
from concordant.tiers.resampling import TierSamples, places_of
from concordant.voters import Voters

# Sets of up to this number of items are solved exactly in each sample, which takes about a
# millisecond. Larger ones get this number of descents, or fewer when they have compared items
# this often.
_LARGEST_EXACT = 15
_DESCENTS = 200
_COMPARISONS = 20_000_000
# The most work and the most samples of one task, the most work of one with ties, and the number
# of samples of one task of another method.
_WORK, _SAMPLES, _WORK_WITH_TIES, _SAMPLES_OF_METHOD = 5_000_000, 32, 2_000, 8
# Up to this number of voters for each distinct ballot, drawing them one by one is faster.
_VOTERS_A_BALLOT = 16
# The limit of methods that would not stop by themselves, in each sample. No clock decides.
_ITERATIONS = 200_000
# The prior for samples in which strengths would be infinite.
PRIOR = 0.1
# Strengths of samples are this accurate.
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Solved:
    """What was found in some samples; a row for each sample, a column for each item.

    Attributes:
        positions: The position of each item, from 1 on; tied items share the first of theirs.
        proven: Whether each answer is proven to be what the method asks for.
        scores: The score of each item, if the method has scores.
        noise: How far the margin of each pair is from that of all voters, in standard errors.
    """

    positions: Int32
    proven: Any
    scores: Float | None = None
    noise: Any = None

    @classmethod
    def join(cls, parts: Sequence[Solved]) -> Solved:
        """Return the samples of several tasks as one."""
        columns: list[Any] = [
            None
            if getattr(parts[0], field.name) is None
            else np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(cls)
        ]
        return cls(*columns)


class Draws:
    """Draws samples and finds a ranking of least cost for each.

    The consensus numbers the items, and ballots are sorted: the order of items and of ballots in
    the input has no effect.

    Args:
        data: The rankings.
        order: The consensus, as item indices.
        seed: The random seed.
        clusters: The cluster of each voter of `data`, from 0 on, to draw clusters in place of
            voters.
        samples: The number of samples that will be drawn.
        forced: The pairs of items that each ranking must have in this order, as a matrix.
    """

    def __init__(
        self,
        data: Rankings,
        order: Int64,
        seed: int,
        clusters: Int64 | None = None,
        samples: int = 1,
        forced: Any = None,
    ) -> None:
        self.seed = seed
        self.n_items = data.n_items
        if clusters is not None and data.known is None:
            # Kept apart, as unranked items that become explicit may make rankings equal.
            data = replace(data, known=Voters((), np.arange(data.n_distinct), data.units.copy()))
        data = data.explicit()
        place = np.empty(order.size, np.int32)
        place[order] = np.arange(order.size)
        which = np.empty(data.n_distinct, np.int64)
        arrays = distinct(
            range(order.size), data.offsets, place[data.members], data.buckets, data.units, which
        )
        (*ballots, units), by_content = _sorted(arrays)
        self._ballots: tuple[Any, ...] = tuple(ballots)
        self._samples = samples
        self._clusters = None
        if clusters is None:
            self.voters = data.n_voters
            self._draw_voters(units, data.scale)
        else:
            assert data.known is not None
            known = data.known
            ballot = np.argsort(by_content)[which][known.which]
            self.voters = int(clusters.max()) + 1
            self._clusters = (clusters, ballot, known.units // np.gcd.reduce(known.units))
        self._n_ballots = units.size
        self._spread: Spread | None = None
        self._forced = None
        if forced is not None:
            upper = np.triu_indices(self.n_items, 1)
            ordered = forced[np.ix_(order, order)].astype(np.int64)
            self._forced = ordered[upper] - ordered.T[upper]

    def _draw_voters(self, units: Int64, scale: int) -> None:
        """Prepare to draw each voter alone."""
        self._units = units // np.gcd.reduce(units)
        self._shares = self._units / self._units.sum()
        self._ballot_of = None
        # Whole weights are repeat counts: each voter can be drawn by his number.
        repeats, rest = np.divmod(units, scale)
        is_repeated = not rest.any() and int(repeats.sum()) == self.voters
        if is_repeated and self.voters <= _VOTERS_A_BALLOT * units.size:
            self._ballot_of = np.repeat(np.arange(units.size), repeats)

    def _draw(self, random: np.random.Generator) -> Int64:
        """Return how often each ballot is drawn. Few voters are drawn one by one."""
        if self._clusters is not None:
            drawn = random.integers(self.voters, size=self.voters)
            return self._of_clusters(np.bincount(drawn, minlength=self.voters))
        if self._ballot_of is None:
            return random.multinomial(self.voters, self._shares)
        drawn = self._ballot_of[random.integers(self.voters, size=self.voters)]
        return np.bincount(drawn, minlength=self._n_ballots)

    def _of_clusters(self, times: Int64) -> Int64:
        """Return the weight of each ballot if each cluster is taken so many times."""
        assert self._clusters is not None
        clusters, ballot, weights = self._clusters
        drawn = np.zeros(self._n_ballots, np.int64)
        np.add.at(drawn, ballot, weights * times[clusters])
        return drawn

    def solve(self, start: int, end: int) -> Solved:
        """Draw and solve the samples from `start` to `end` - 1."""
        from concordant._kernels import resampling
        from concordant._kernels.state import new_state

        n, m = end - start, self.n_items
        drawn = np.empty((n, self._n_ballots), np.int64)
        streams = np.empty((n, 1), np.uint64)
        for k in range(n):
            random = self._random(start + k)
            drawn[k] = self._draw(random)
            streams[k] = random.integers(2**64, dtype=np.uint64)
        votes = self._count(drawn)
        noise = None
        if self._forced is None:
            noise = self.spread.noise(votes, self._samples)
        else:
            self._force(votes)
        orders = np.empty((n, m), np.int32)
        proven = np.zeros(n, np.bool_)
        resampling.resample(
            *(votes, streams, new_state(0), _LARGEST_EXACT, _DESCENTS, _COMPARISONS),
            *(orders, proven),
        )
        return Solved(_positions(orders), proven, None, noise)

    def _force(self, votes: Int64) -> None:
        """Make each forced pair cost more than all free pairs of a sample can save.

        The descents start from the consensus, which satisfies the constraints, so that they
        never return an order that breaks one.
        """
        assert self._forced is not None
        is_free = self._forced == 0
        penalty = 1 + np.abs(votes[:, is_free]).sum(axis=1, keepdims=True)
        votes[:, ~is_free] = self._forced[~is_free] * penalty

    def _random(self, sample: int) -> np.random.Generator:
        """Return the random numbers of a sample: its own ones, whichever thread draws it."""
        return np.random.default_rng([self.seed, sample])

    def _count(self, drawn: Int64) -> Int64:
        """Return the votes on the pairs a < b of each sample: those for a minus those for b."""
        from concordant._kernels import resampling

        votes = np.zeros((drawn.shape[0], self.n_items * (self.n_items - 1) // 2), np.int64)
        resampling.count_votes(self.n_items, *self._ballots, drawn, votes)
        return votes

    def prepare(self) -> None:
        """Compute what all samples need, before threads share the work."""
        self._spread = self._margins()

    @property
    def spread(self) -> Spread:
        """The margins of all voters, and how much they vary between samples."""
        assert self._spread is not None
        return self._spread

    def _margins(self) -> Spread:
        if self._clusters is not None:
            return Spread.of(*self._moments_of_clusters(), self.voters)
        counts = Pairwise.from_rankings(self._rankings(self._units), ties=False).counts
        upper = np.triu_indices(self.n_items, 1)
        there, back, total = counts[upper], counts.T[upper], int(self._units.sum())
        return Spread.of((there - back) / total, (there + back) / total, self.voters)

    def _moments_of_clusters(self) -> tuple[Float, Float]:
        """Return the mean and the mean square of the votes of a cluster on each pair."""
        size = self.n_items * (self.n_items - 1) // 2
        first, second = np.zeros(size), np.zeros(size)
        for start in range(0, self.voters, _SAMPLES):
            some = np.arange(start, min(self.voters, start + _SAMPLES))
            times = (some[:, None] == np.arange(self.voters)).astype(np.int64)
            votes = self._count(np.array([self._of_clusters(row) for row in times]))
            first += votes.sum(axis=0)
            second += (votes.astype(np.float64) ** 2).sum(axis=0)
        return first / self.voters, second / self.voters

    def _rankings(self, units: Int64, number: Any = None) -> Rankings:
        """Return the ballots with these weights, and with other numbers of the items."""
        offsets, members, buckets = self._ballots
        kept = np.flatnonzero(units)
        lengths = np.diff(offsets)
        places = np.repeat(units > 0, lengths)
        members = members[places]
        return Rankings(
            tuple(range(self.n_items)),
            np.concatenate([[0], np.cumsum(lengths[kept])]),
            members if number is None else number[members].astype(np.int32),
            buckets[places],
            units[kept],
            1,
            int(units.sum()),
            "unknown",
            int(units.sum()),
        )

    @property
    def per_task(self) -> int:
        """The number of samples of one task."""
        # Few for many ballots or items, so that Ctrl-C and time limits need not wait for long.
        work = int(self._n_ballots) * self.n_items + self.n_items**2
        return max(1, min(_SAMPLES, _WORK // work))


class TierDraws(Draws):
    """Draws samples and finds the best answer with ties for each.

    Args:
        settings: What answers are asked for.
        sizes: The sizes of the tiers of the consensus.
        given: The arguments of `Draws`.
    """

    def __init__(self, settings: TieSettings, sizes: list[int], *given: Any) -> None:
        super().__init__(*given)
        bucket = np.repeat(np.arange(len(sizes)), sizes)
        self._tiers = TierSamples(self._ballots, settings, bucket)

    def solve(self, start: int, end: int) -> Solved:
        """Draw and solve the samples from `start` to `end` - 1."""
        buckets = np.empty((end - start, self.n_items), np.int32)
        proven = np.zeros(end - start, np.bool_)
        for k in range(end - start):
            random = self._random(start + k)
            buckets[k], proven[k] = self._tiers.solve(self._draw(random), random)
        return Solved(places_of(buckets), proven)

    @property
    def per_task(self) -> int:
        """The number of samples of one task."""
        return max(1, min(super().per_task, _WORK_WITH_TIES // self.n_items**2))


class MethodDraws(Draws):
    """Draws samples and runs a method on each.

    The items of a sample are numbered at random, so that neither their numbers nor the consensus
    break ties.

    Args:
        method: The method.
        settings: Its settings.
        scores: The score of each item for all voters, in the order of the consensus, if the method
            has scores: samples are near.
        given: The arguments of `Draws`.
    """

    def __init__(self, method: Method, settings: Any, scores: Float | None, *given: Any) -> None:
        super().__init__(*given)
        self._function, self._settings = method.function(), settings
        self._basis = method.basis
        self._near = None
        if method.basis == "scores":
            self._near = scores
            if hasattr(settings, "tolerance"):
                # Far below the differences between samples.
                self._settings = replace(settings, tolerance=max(settings.tolerance, _TOLERANCE))
        self._rule = None
        if method.effort in ("until stopped", "until proven"):
            self._rule = stopping.MaxIterations(_ITERATIONS)

    def solve(self, start: int, end: int) -> Solved:
        """Draw and solve the samples from `start` to `end` - 1."""
        n, m = end - start, self.n_items
        orders, scores = np.empty((n, m), np.int32), np.zeros((n, m))
        proven = np.ones(n, np.bool_)
        has_scores = self._basis in ("scores", "sums")
        all_drawn = np.empty((n, self._n_ballots), np.int64)
        for k in range(n):
            random = self._random(start + k)
            all_drawn[k] = self._draw(random)
            number = random.permutation(m)
            seed = int(random.integers(2**31))
            run = self._run(self._rankings(all_drawn[k], number), number, seed, self._settings)
            orders[k] = np.argsort(number)[run.order]
            if self._basis == "cost":
                proven[k] = run.is_optimal
            if has_scores:
                if len(run.details.get("groups", ())) > 1 and hasattr(self._settings, "prior"):
                    finite = replace(self._settings, prior=PRIOR)
                    run = self._run(cast("Rankings", run.data), number, seed, finite)
                total = run.data.total_weight if self._basis == "sums" else 1
                found = np.array(run.details["scores"]) / total
                scores[k, np.argsort(number)[run.order]] = found - found.mean()
        noise = None
        if self._basis in ("cost", "majorities"):
            noise = self.spread.noise(self._count(all_drawn), self._samples)
        return Solved(_positions(orders), proven, scores if has_scores else None, noise)

    def _run(self, data: Rankings, number: Int64, seed: int, settings: Any) -> Run:
        run = Run(data, seed=seed, rule=self._rule)
        if self._near is not None:
            run.near = np.empty_like(self._near)
            run.near[number] = self._near
        try:
            self._function(run, settings)
        finally:
            run.close()
        return run

    @property
    def per_task(self) -> int:
        """The number of samples of one task."""
        return max(1, min(super().per_task, _SAMPLES_OF_METHOD))


def clusters_of(data: Rankings, by: Any) -> Int64 | None:
    """Return the cluster of each voter, from 0 on; None if each voter is drawn alone.

    Args:
        data: The rankings.
        by: None; "voter" for all rankings of voters of one name together; a mapping of the names
            of voters to clusters; or a sequence with the cluster of each ranking.

    Example:
        >>> data = Rankings.from_orders([["a", "b"], ["b", "a"], ["b", "a"]], voters="xyx")
        >>> clusters_of(data, "voter").tolist(), clusters_of(data, {"x": 1, "y": 1}).tolist()
        ([0, 1, 0], [0, 0, 0])
    """
    if by is None:
        return None
    if isinstance(by, Mapping) or by == "voter":
        if data.voters is None:
            raise InputError(
                "by needs the names of the voters, and these rankings have none: give them with "
                "voters= when you make the rankings, or voter= to name the column"
            )
        labels: list[Any] = list(data.voters)
        missing = next((r for r, name in enumerate(labels) if name is None), None)
        if missing is not None:
            raise InputError(f"by: ranking {missing + 1} has a voter without a name")
        if isinstance(by, Mapping):
            unknown = next((name for name in labels if name not in by), None)
            if unknown is not None:
                raise InputError(f"by has no cluster for voter {show(unknown)}")
            labels = [by[name] for name in labels]
    elif isinstance(by, str) or not isinstance(by, Sequence | np.ndarray):
        raise SettingError(
            "by must be 'voter', a cluster for each ranking, or a mapping of voters to clusters, "
            f"not {by!r}",
            setting="by",
        )
    else:
        labels = list(by)
        if len(labels) != data.n_rankings or (data.known is None and len(data) < data.n_rankings):
            _refuse_labels(data, labels)
    numbers: dict[Item, int] = {}
    for label in labels:
        if not isinstance(label, Hashable):
            raise InputError(f"by: {label!r} cannot name a cluster (it is not hashable)")
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int64)


def _refuse_labels(data: Rankings, labels: list[Any]) -> None:
    if len(labels) != data.n_rankings:
        raise InputError(
            f"by has {len(labels):,} clusters for {data.n_rankings:,} rankings: give one per "
            "ranking"
        )
    raise InputError(
        "equal rankings were merged, so that by cannot tell which is which: make the rankings "
        "with voters=CLUSTERS and use by='voter'"
    )


def _positions(orders: Int32) -> Int32:
    """Return the position of each item, from 1 on."""
    positions: Int32 = np.empty_like(orders)
    places = np.arange(1, orders.shape[1] + 1, dtype=np.int32)
    np.put_along_axis(positions, orders, places[None, :], axis=1)
    return positions


def _sorted(
    arrays: tuple[Int64, Int32, Int32, Int64],
) -> tuple[tuple[Int64, Int32, Int32, Int64], Int64]:
    """Return distinct ballots in an order that depends only on their content, and this order."""
    offsets, members, buckets, units = arrays
    spans = [slice(start, end) for start, end in pairwise(offsets.tolist())]
    keys = [members[span].tobytes() + buckets[span].tobytes() for span in spans]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    places = np.concatenate([np.arange(spans[r].start, spans[r].stop) for r in order])
    lengths = np.diff(offsets)[order]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return (offsets, members[places], buckets[places], units[order]), order
