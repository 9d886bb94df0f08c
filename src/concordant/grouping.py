"""`groups`: voters in k groups, each with its consensus, by k-medians under Kendall's distance.

The cost of an assignment of voters to groups is the sum of the costs of the groups' consensuses.
From several starts, voters go to the group whose consensus they disagree with least and each group
gets its exact consensus, in turn, until nothing changes. Then single voters move, with both
consensuses solved again, as long as that pays. Equal ballots move together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic

import numpy as np
import numpy.typing as npt

from concordant._checks import at_least
from concordant._names import plain_item
from concordant._types import Int64, N, Name
from concordant.aggregation import aggregate
from concordant.consensus import Consensus
from concordant.errors import InputError, SettingError
from concordant.formatting import counted, percent
from concordant.pairwise import Pairwise, order_of, value_of
from concordant.rankings import Item, Rankings
from concordant.reduction.split import Split
from concordant.selection import take

_LARGEST_SEED = 2**63 - 1
# The most entries of the table of ballots and pairs.
_ENTRIES = 2**28
# A search inside the loop ends after this number of generations, proven or not. No clock decides.
_GENERATIONS = 5
# Up to this number of items, a consensus inside the loop is found by one dynamic program.
_BY_SUBSETS = 12
# The most moves of single ballots that are tried from one assignment, and in all.
# A move that is made counts as this many.
_MOVES, _ALL_MOVES, _ROUND = 400, 2_000, 50
# There are this many starts, and assignments from which moves begin, divided by the number of
# ballots: for few ballots they take no time.
_MOVED = 1_000
# `k="auto"`: the most groups, the number of pairs of halves, the least stability, and the least
# share of the cost of fewer groups that a number of groups must save.
_MOST_AUTO, _HALVES, STABLE, PAYS = 6, 8, 0.75, 0.15


@dataclass(frozen=True, slots=True)
class GroupCount:
    """What a number of groups gives, for the choice of k.

    Attributes:
        k: The number of groups.
        cost: The cost of the best assignment found.
        saved: The share of the cost of one group that it saves.
        stability: How far groups found in two random halves of the voters agree: the mean
            adjusted Rand index, 1 for the same groups, 0 for what chance gives. None for k = 1, or
            if it was not computed.
    """

    k: int
    cost: int | float
    saved: float
    stability: float | None = None


@dataclass(frozen=True, repr=False)
class Groups(Generic[Name]):
    """Voters in groups, the largest group first.

    Attributes:
        labels: The group of each ranking of the data, from 0: of each voter if voters have names,
            else of each distinct ranking, as `for ranking in data` yields them.
        consensuses: The consensus of each group, proven for this assignment where its status is
            "optimal".
        weights: The weight of each group.
        sizes: The number of voters of each group.
        cost: The sum of the costs of the consensuses.
        agreement: agreement[g][h] is the mean Kendall tau of the voters of group g with the
            consensus of group h.
        voters: The names of the voters of each group; None if they have no names.
        counts: The numbers of groups that were compared, for `k="auto"` or a range of k.
        seed: The random seed.
        restarts: The number of starts.

    Example:
        >>> votes = Rankings.from_orders([["a", "b", "c"]] * 3 + [["c", "b", "a"]] * 2)
        >>> found = groups(votes, k=2)
        >>> found.sizes, [each.ranking[0] for each in found.consensuses], found.cost
        ((3, 2), ['a', 'c'], 0)
    """

    labels: tuple[int, ...]
    consensuses: tuple[Consensus[Name], ...]
    weights: tuple[int | float, ...]
    sizes: tuple[int, ...]
    cost: int | float
    agreement: tuple[tuple[float, ...], ...]
    voters: tuple[tuple[Item | None, ...], ...] | None
    counts: tuple[GroupCount, ...]
    seed: int
    restarts: int

    @property
    def k(self) -> int:
        """The number of groups."""
        return len(self.sizes)

    @property
    def status(self) -> str:
        """Return "optimal" if each consensus is proven for this assignment, else "feasible"."""
        proven = all(each.status == "optimal" for each in self.consensuses)
        return "optimal" if proven else "feasible"

    @property
    def differences(self) -> list[tuple[Name, tuple[int, ...]]]:
        """Each item with its place in each consensus, those with the largest spread first.

        Example:
            >>> votes = Rankings.from_orders([["a", "b", "c"]] * 3 + [["c", "b", "a"]] * 2)
            >>> groups(votes, k=2).differences[-1]
            ('b', (2, 2))
        """
        places = [
            {item: place for place, item in enumerate(each.ranking, start=1)}
            for each in self.consensuses
        ]
        rows = [(item, tuple(place[item] for place in places)) for item in places[0]]
        return sorted(rows, key=lambda row: min(row[1]) - max(row[1]))

    def to_dict(self) -> dict[str, Any]:
        """Return the groups as plain values, as `--json` prints them."""
        return {
            "k": self.k,
            "cost": self.cost,
            "status": self.status,
            "sizes": list(self.sizes),
            "weights": list(self.weights),
            "agreement": [list(row) for row in self.agreement],
            "groups": [each.to_dict() for each in self.consensuses],
            "labels": list(self.labels),
            "voters": None
            if self.voters is None
            else [[plain_item(voter) for voter in group] for group in self.voters],
            "counts": [
                {"k": each.k, "cost": each.cost, "saved": each.saved, "stability": each.stability}
                for each in self.counts
            ],
            "seed": self.seed,
            "restarts": self.restarts,
        }

    def __repr__(self) -> str:
        """Show the sizes and the first items of each consensus in one line."""
        shown = "; ".join(
            f"{size}: " + " > ".join(str(item) for item in each.ranking[:3])
            for size, each in zip(self.sizes, self.consensuses, strict=True)
        )
        return f"Groups({shown}; cost {self.cost:,})"


def groups(
    data: Rankings[N],
    k: int | str | Sequence[int] = 2,
    *,
    seed: int = 0,
    restarts: int = 20,
    n_jobs: int | None = None,
) -> Groups[N]:
    """Divide the voters into k groups that each agree on a ranking as far as possible.

    Args:
        data: The rankings.
        k: The number of groups. "auto" compares 1 to 6 groups, and a sequence the numbers in it.
            The largest number that pays is taken, or the smallest if none does: groups found in
            random halves of the voters must agree (adjusted Rand index of at least 0.75), and
            the cost must be at least 15 % below that of the next smaller number.
        seed: A whole number; the same seed gives the same groups.
        restarts: The number of starts; the best outcome is kept. Few ballots get up to five times
            as many.
        n_jobs: The number of threads for the final consensus of each group.

    Returns:
        The groups. The consensus of each is proven where its status is "optimal". That no other
        assignment costs less is not proven.

    Raises:
        InputError: The data are pairwise counts, or too large.
        SettingError: k is more than the number of different ballots.

    Example:
        >>> votes = Rankings.from_orders([["a", "b", "c"]] * 3 + [["c", "b", "a"]] * 2)
        >>> groups(votes, k=2).agreement
        ((1.0, -1.0), (-1.0, 1.0))
    """
    if not isinstance(data, Rankings):
        raise InputError(
            f"groups of voters need the Rankings themselves, not {type(data).__name__}: a matrix "
            "of pairwise counts has no voters"
        )
    at_least("seed", seed, 0, _LARGEST_SEED)
    at_least("restarts", restarts, 1, 100_000)
    table = _Table.of(data)
    wanted = _wanted(k, table)
    found: dict[int, tuple[int, Int64]] = {
        each: table.best(each, restarts, np.random.default_rng([seed, each])) for each in wanted
    }
    chosen = wanted[0]
    counts = []
    previous = single = table.cost(np.zeros(table.n, np.int64), 1)
    for each in wanted:
        stability = None
        if len(wanted) > 1 and each > 1:
            stability = _stability(table, each, seed)
        cost = found[each][0]
        if stability is not None and stability >= STABLE and cost <= (1 - PAYS) * previous:
            chosen = each
        previous = cost
        saved = 1 - cost / single if single else 0.0
        counts.append(GroupCount(each, value_of(cost, data.scale), saved, stability))
    return _result(data, table, found[chosen][1], chosen, tuple(counts), seed, restarts, n_jobs)


def _wanted(k: Any, table: _Table) -> list[int]:
    """Return the numbers of groups to compare, in order."""
    if isinstance(k, str):
        if k != "auto":
            raise SettingError(f"k must be a number of groups or 'auto', not {k!r}", setting="k")
        return list(range(1, min(_MOST_AUTO, table.n) + 1))
    numbers = sorted({*k}) if isinstance(k, Sequence | range) else [k]
    if not numbers:
        raise SettingError("k needs at least one number of groups", setting="k")
    for number in numbers:
        at_least("k", number, 1)
        if number > table.n:
            raise SettingError(
                f"k must be at most {table.n}, the number of different ballots, not {number}",
                setting="k",
            )
    return [int(number) for number in numbers]


@dataclass
class _Table:
    """Distinct ballots as signs of pairs.

    Attributes:
        items: The items.
        signs: A row for each distinct ballot, a column for each pair (a, b), a < b: 1 for a before
            b, -1 for b before a, 0 if the ballot does not order them.
        units: The weight of each ballot.
    """

    items: tuple[Item, ...]
    signs: npt.NDArray[np.int8]
    units: Int64
    _known: dict[bytes, tuple[Any, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Rankings) -> _Table:
        kept = np.flatnonzero(data.units > 0)
        if not kept.size:
            raise InputError("no ranking has any weight: there is no voter to put into a group")
        m = data.n_items
        if kept.size * m * m // 2 > _ENTRIES:
            raise InputError(
                f"{kept.size:,} different ballots of {m:,} items are too many to group: take a "
                "sample of the voters, or the items that matter (data.subset)"
            )
        ranks = data.explicit().ranks()[kept] if data.unranked == "last" else data.ranks()[kept]
        first, second = np.triu_indices(m, 1)
        a, b = ranks[:, first], ranks[:, second]
        signs = np.where((a > 0) & (b > 0), np.sign(b - a), 0).astype(np.int8)
        return cls(data.items, signs, data.units[kept].astype(np.int64))

    @property
    def n(self) -> int:
        """The number of distinct ballots."""
        return int(self.units.size)

    @cached_property
    def ordered(self) -> Int64:
        """The number of pairs that each ballot orders."""
        found: Int64 = np.count_nonzero(self.signs, axis=1)
        return found

    @cached_property
    def _pairs(self) -> tuple[Any, Any]:
        return np.triu_indices(len(self.items), 1)

    def only(self, rows: Int64, units: Int64) -> _Table:
        """Return the table of some ballots, with other weights."""
        return _Table(self.items, self.signs[rows], units)

    def margins(self, labels: Int64, k: int) -> Int64:
        """Return the margin of each pair in each group."""
        from concordant._kernels.groups import add_up

        margins = np.zeros((k, self.signs.shape[1]), np.int64)
        add_up(self.signs, self.units, labels, margins)
        return margins

    def solve(self, margins: Int64) -> tuple[Any, int]:
        """Return the signs of a best order, and how far its sum of margins is above 0.

        An order agrees with a weight of (ordered + agreed) / 2, where `ordered` is the
        weight of all ordered pairs, and `agreed` the second value.
        """
        key = margins.tobytes()
        if key not in self._known:
            m = len(self.items)
            place = np.empty(m, np.int64)
            place[self._order(margins)] = np.arange(m)
            first, second = self._pairs
            signs = np.sign(place[second] - place[first]).astype(np.int8)
            self._known[key] = signs, int(margins @ signs)
        return self._known[key]

    def _order(self, margins: Int64) -> Int64:
        """Return a best order; of large parts, the best that a short search finds."""
        from concordant._kernels.groups import best_order, majority_order

        m = len(self.items)
        order = np.empty(m, np.int64)
        if m <= _BY_SUBSETS:
            best_order(margins, m, order)
            return order
        if majority_order(margins, m, order):
            return order
        counts = np.zeros((m, m), np.int64)
        counts[self._pairs] = np.maximum(margins, 0)
        counts.T[self._pairs] = np.maximum(-margins, 0)
        pairwise = Pairwise(self.items, counts)
        split = Split.of(pairwise)
        if all(part.is_small for part in split.parts):
            return split.join([part.solution()[0] for part in split.parts])
        found = aggregate(pairwise, max_generations=_GENERATIONS, n_jobs=1, alternatives=0)
        return pairwise.order_of(found.ranking)

    def cost(self, labels: Int64, k: int) -> int:
        """Return the cost of an assignment, with the best consensus of each group."""
        return self.cost_of(self.margins(labels, k))

    def cost_of(self, margins: Int64) -> int:
        """Return the cost of an assignment, given the margins of its groups."""
        agreed = sum(self.solve(each)[1] for each in margins)
        return (int(self.units @ self.ordered) - agreed) // 2

    def distances(self, centres: npt.NDArray[np.int8]) -> Int64:
        """Return how many pairs each ballot orders against each centre: a row per ballot."""
        from concordant._kernels.groups import distances_from

        found = np.empty((self.n, len(centres)), np.int64)
        distances_from(self.signs, centres, found)
        return found

    def best(
        self, k: int, restarts: int, random: np.random.Generator, *, moves: bool = True
    ) -> tuple[int, Int64]:
        """Return the cost and the labels of the best assignment from several starts."""
        if k == 1:
            labels = np.zeros(self.n, np.int64)
            return self.cost(labels, 1), labels
        seen: dict[bytes, tuple[int, Int64]] = {}
        starts = max(restarts, min(5 * restarts, _MOVED // self.n)) if moves else restarts
        for _ in range(starts):
            labels = self._settle(self._start(k, random), k)
            key = _numbered(labels).tobytes()
            if key not in seen:
                seen[key] = self.cost(labels, k), labels
        found = sorted(seen.values(), key=lambda each: each[0])
        if not moves:
            return found[0]
        # Single moves take longer: of many ballots, they begin at the three best.
        begin = found[: max(3, _MOVED // self.n)]
        return min((self._move(*each, k) for each in begin), key=lambda each: each[0])

    def _start(self, k: int, random: np.random.Generator) -> Int64:
        """Return the labels of a start whose centres are ballots far from each other.

        The next centre is drawn with a probability proportional to weight times distance from the
        nearest one so far, as k-means++ does (Arthur and Vassilvitskii 2007). The distance is the
        share of the pairs that both ballots order: 1/2 if there are none.
        """
        from concordant._kernels.groups import shares_against

        far = np.ones(self.n)
        label = np.zeros(self.n, np.int64)
        nearest = np.full(self.n, np.inf)
        for group in range(k):
            weight = self.units * far
            if not weight.any():
                weight = self.units * (nearest >= nearest.max())
            chosen = int(random.choice(self.n, p=weight / weight.sum()))
            share = np.empty(self.n)
            shares_against(self.signs, self.signs[chosen], share)
            share[chosen] = -1.0
            label[share < nearest] = group
            nearest = np.minimum(nearest, share)
            far = np.maximum(nearest, 0)
        return label

    def _settle(self, labels: Int64, k: int) -> Int64:
        """Assign ballots and solve consensuses in turn until nothing changes."""
        margins = self.margins(labels, k)
        while True:
            centres = np.array([self.solve(each)[0] for each in margins])
            distances = self.distances(centres)
            own = distances[np.arange(self.n), labels]
            better = np.where(distances.min(axis=1) < own, distances.argmin(axis=1), labels)
            for group in range(k):
                if not (better == group).any():
                    # An empty group takes the ballot that pays most where it is.
                    sizes = np.bincount(better, minlength=k)
                    paid = self.units * distances[np.arange(self.n), better] + 1
                    better[int(np.argmax(np.where(sizes[better] > 1, paid, 0)))] = group
            if (better == labels).all():
                return labels
            changed = self.margins(better, k)
            if self.cost_of(changed) >= self.cost_of(margins):
                return labels
            labels, margins = better, changed

    def _move(self, cost: int, labels: Int64, k: int) -> tuple[int, Int64]:
        """Move single ballots as long as that pays, those that lose least first."""
        left = _ALL_MOVES
        while True:
            margins = self.margins(labels, k)
            solved = [self.solve(each) for each in margins]
            distances = self.distances(np.array([signs for signs, _ in solved]))
            own_distance = distances[np.arange(self.n), labels][:, None]
            loss = (self.units[:, None] * (distances - own_distance)).astype(np.float64)
            loss[np.arange(self.n), labels] = np.inf
            loss[np.bincount(labels, minlength=k)[labels] == 1] = np.inf
            moves = np.argsort(loss, axis=None, kind="stable")[:_MOVES]
            for move in moves[np.isfinite(loss.reshape(-1)[moves])].tolist():
                row, group = divmod(move, k)
                left -= 1
                own = int(labels[row])
                changed = self.units[row] * self.signs[row]
                gain = (
                    self.solve(margins[own] - changed)[1]
                    + self.solve(margins[group] + changed)[1]
                    - solved[own][1]
                    - solved[group][1]
                )
                if gain > 0:
                    labels = labels.copy()
                    labels[row] = group
                    labels = self._settle(labels, k)
                    cost = self.cost(labels, k)
                    # The next round computes everything again.
                    left -= _ROUND
                    break
            else:
                return cost, labels
            if left <= 0:
                return cost, labels


def _numbered(labels: Int64) -> Int64:
    """Number groups in order of appearance."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(first.size, np.int64)
    number[np.argsort(first)] = np.arange(first.size)
    return number[codes]


def _stability(table: _Table, k: int, seed: int) -> float:
    """Return how far the groups of random halves of the voters agree.

    Each half is grouped. Its consensuses then divide all voters. The mean adjusted Rand index of
    the two divisions is returned (Hubert and Arabie 1985).
    """
    found = []
    for half in range(_HALVES):
        random = np.random.default_rng([seed, k, half])
        divided = []
        taken = _half(table.units, random)
        for units in (taken, table.units - taken):
            rows = np.flatnonzero(units > 0)
            part = table.only(rows, units[rows])
            if part.n < k:
                return 0.0
            _, labels = part.best(k, 5, random, moves=False)
            centres = np.array([part.solve(each)[0] for each in part.margins(labels, k)])
            divided.append(table.distances(centres).argmin(axis=1))
        found.append(_rand_index(divided[0], divided[1], table.units))
    return float(np.mean(found))


def _half(units: Int64, random: np.random.Generator) -> Int64:
    """Return how much weight of each ballot is in one half of the voters."""
    if units.sum() == units.size or units.max() > 10_000:
        return units * (random.permutation(units.size) < units.size / 2)
    half: Int64 = random.multivariate_hypergeometric(
        units, int(units.sum()) // 2, method="marginals"
    )
    return half


def _rand_index(one: Int64, other: Int64, units: Int64) -> float:
    """Return the adjusted Rand index of two divisions of weighted voters."""
    k = int(max(one.max(), other.max())) + 1
    table = np.zeros((k, k))
    np.add.at(table, (one, other), units)

    def pairs(x: Any) -> float:
        return float((x * (x - 1) / 2).sum())

    total = units.sum()
    rows, columns = pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    expected = rows * columns / max(total * (total - 1) / 2, 1)
    most = (rows + columns) / 2
    return 1.0 if most == expected else (pairs(table) - expected) / (most - expected)


def _result(
    data: Rankings[N],
    table: _Table,
    labels: Int64,
    k: int,
    counts: tuple[GroupCount, ...],
    seed: int,
    restarts: int,
    n_jobs: int | None,
) -> Groups[N]:
    """Solve each group with a proof, and describe the groups, the heaviest first."""
    weight = np.bincount(labels, table.units, minlength=k)
    by_weight = np.argsort(-weight, kind="stable")
    number = np.empty(k, np.int64)
    number[by_weight] = np.arange(k)
    # Ballots without weight belong to the first group.
    of_ballot = np.zeros(data.n_distinct, np.int64)
    of_ballot[data.units > 0] = number[labels]
    of_entry = of_ballot if data.known is None else of_ballot[data.known.which]
    parts = [take(data, np.flatnonzero(of_entry == group)) for group in range(k)]
    consensuses = tuple(aggregate(part, seed=seed, n_jobs=n_jobs) for part in parts)
    first, second = np.triu_indices(data.n_items, 1)
    centres = []
    for each in consensuses:
        place = np.empty(data.n_items, np.int64)
        place[order_of(each.ranking, data.items)] = np.arange(data.n_items)
        centres.append(np.sign(place[second] - place[first]))
    share = 1 - 2 * table.distances(np.array(centres, np.int8)) / np.maximum(
        table.ordered[:, None], 1
    )
    groups_of = number[labels]
    agreement = []
    for group in range(k):
        mine = (groups_of == group) & (table.ordered > 0)
        weights = table.units[mine]
        row = weights @ share[mine] / weights.sum() if weights.sum() else np.ones(k)
        agreement.append(tuple(round(float(value), 6) for value in row))
    voters = None
    if data.known is not None:
        names = data.known.names
        voters = tuple(
            tuple(names[v] for v in np.flatnonzero(of_entry == group).tolist())
            for group in range(k)
        )
    return Groups(
        labels=tuple(of_entry.tolist()),
        consensuses=consensuses,
        weights=tuple(part.total_weight for part in parts),
        sizes=tuple(part.n_voters for part in parts),
        cost=sum(each.cost for each in consensuses),
        agreement=tuple(agreement),
        voters=voters,
        counts=counts,
        seed=int(seed),
        restarts=int(restarts),
    )


def count_words(found: Groups) -> str:
    """Say in a sentence how the number of groups was chosen.

    Example:
        >>> votes = Rankings.from_orders([["a", "b", "c"]] * 9 + [["c", "b", "a"]] * 8)
        >>> count_words(groups(votes, k="auto"))
        '2 groups: the largest number that is stable and saves 15 % of the cost'
        >>> count_words(groups(votes, k=2))
        '2 groups'
    """
    words, pays = counted(found.k, "group"), percent(PAYS)
    if len(found.counts) < 2:
        return words
    if found.k == found.counts[0].k:
        which = "one group is" if found.k == 1 else f"{words} are"
        return f"{which} enough: no larger number is stable and saves {pays} of the cost"
    return f"{words}: the largest number that is stable and saves {pays} of the cost"
