"""The facts of a report, as its template asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._types import Int64
from concordant._version import __version__
from concordant.describe import group_words, input_words
from concordant.formatting import counted, duration, number
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.report.findings import Others, Overruled
from concordant.report.source import Source, chosen_settings, commands

if TYPE_CHECKING:
    from concordant.consensus import Consensus
    from concordant.grouping import Groups
    from concordant.resampling import Bootstrap
    from concordant.verification import Verification

# Chance explains the order of two items if N voters who toss a coin would often differ by as much:
# by up to 1.96 times the square root of N in 95 % of cases. If the voters were resampled, chance
# explains an order that held in less than 97.5 % of the samples, which is the same level.
_DEVIATIONS, KEPT = 1.96, 0.975


@dataclass(frozen=True)
class Facts:
    """What a report shows. Positions count from 0.

    Attributes:
        result, data, pairwise: The result, the data and its pairwise counts.
        order: The ranking as numbers of items.
        laid_out: The counts with rows and columns in this order.
        checked: What was recomputed.
        others: Other rankings that are as good; None if the ranking is not proven optimal.
        overruled: Majorities that the ranking goes against, the largest first.
        n_overruled: The number of such majorities, without those that constraints overrule.
        boot: The bootstrap, if there is one.
        source: The file, if there is one.
        proof: The file that proves the bound, if there is one.
        groups: The groups of voters, if they were asked for.
    """

    result: Consensus
    data: Rankings | Pairwise
    pairwise: Pairwise
    order: Int64
    laid_out: Int64
    checked: Verification
    others: Others | None
    overruled: Sequence[Overruled]
    n_overruled: int
    boot: Bootstrap | None
    source: Source | None
    proof: Source | None = None
    groups: Groups | None = None

    @property
    def voters(self) -> bool:
        """Whether the counts come from voters; otherwise they are a bare matrix."""
        return self.pairwise.n_rankings is not None

    @property
    def has_rankings(self) -> bool:
        """Whether the rankings of the voters are known, not only their counts."""
        return isinstance(self.data, Rankings)

    @property
    def unit(self) -> str:
        """The unit of a cost; "" for answers with ties, where a disagreement may be a fraction."""
        if self.result.tiers is not None:
            return ""
        return "disagreements" if self.voters else "lost worth"

    @property
    def input_words(self) -> str:
        """The size of the input, in words."""
        return input_words(self.result, self.data if isinstance(self.data, Rankings) else None)

    def cost_words(self, cost: float) -> str:
        """Return a cost with its unit."""
        one = self.unit == "disagreements" and cost == 1
        return f"{number(cost)} {'disagreement' if one else self.unit}".rstrip()

    def item(self, position: int) -> Any:
        """Return the item at a position."""
        return self.pairwise.items[self.order[position]]

    def votes(self, first: int, second: int) -> str:
        """Return the votes for and against one position before another."""
        value = self.pairwise.value
        there, back = self.laid_out[first, second], self.laid_out[second, first]
        return f"{number(value(int(there)))} : {number(value(int(back)))}"

    def share(self, first: int) -> float | None:
        """Return the share of the votes for a position before the next; None without votes."""
        there, back = int(self.laid_out[first, first + 1]), int(self.laid_out[first + 1, first])
        if there < 0 or back < 0 or there + back == 0:
            return None
        return there / (there + back)

    @property
    def group_words(self) -> str:
        """The groups of items that the bootstrap tells apart, as a sentence."""
        words = group_words(self.boot) if self.boot is not None else ""
        return words[:1].upper() + words[1:]

    # -- neighbours ---------------------------------------------------------------------------

    @property
    def _boundaries(self) -> list[int]:
        """The positions whose item the result puts before the next; in a tier it does not."""
        all_but_last = range(self.order.size - 1)
        if self.result.tiers is None:
            return list(all_but_last)
        return [p for p in all_but_last if self.places[p] != self.places[p + 1]]

    @cached_property
    def neighbours(self) -> list[tuple[float, int]]:
        """The share and the position of each neighbour that has votes, the closest first."""
        shares = ((self.share(p), p) for p in self._boundaries)
        return sorted((share, p) for share, p in shares if share is not None)

    @cached_property
    def uncertain(self) -> list[int]:
        """The positions whose order before the next chance could explain, the closest first."""
        if self.boot is not None:
            stands = self.boot.stands
            unsure = (p for p in self._boundaries if stands[p] < KEPT)
            return sorted(unsure, key=stands.__getitem__)
        if not self.voters:
            return []
        return [p for share, p in self.neighbours if self._is_chance(p, share)]

    def _is_chance(self, first: int, share: float) -> bool:
        """Whether voters who toss a coin often differ by as much: a sign test at 5 %."""
        units = int(self.laid_out[first, first + 1] + self.laid_out[first + 1, first])
        voters: float = units
        if self.pairwise.scale != 1:
            # Weights that are fractions are shares of the rankings, as for the bootstrap.
            voters = units * (self.pairwise.n_rankings or 0) / (self.pairwise.total_units or 1)
        return abs(2 * share - 1) * sqrt(voters) <= _DEVIATIONS

    @cached_property
    def overruled_by_rules(self) -> int:
        """The number of majorities that the constraints overrule."""
        return int((np.triu(self.laid_out < self.laid_out.T, 1)).sum()) - self.n_overruled

    # -- the ranking and what can change in it ------------------------------------------------

    @cached_property
    def places(self) -> list[int]:
        """The place of each position, counted from 1; tied items share the first of theirs."""
        place = {item: number for number, item in self.result.places}
        return [place[item] for item in self.result.ranking]

    @property
    def first(self) -> list[Any]:
        """The items of the first tier; the first item alone without ties."""
        number = 1 if self.result.tiers is None else len(self.result.tiers[0])
        return [self.item(position) for position in range(number)]

    @property
    def movable(self) -> list[tuple[int, Any, str]]:
        """The place and name of each item that is elsewhere in a ranking as good, and its reach."""
        place = {int(a): p + 1 for p, a in enumerate(self.order)}
        return [
            (place[a], self.pairwise.items[a], f"{low + 1:,} to {high + 1:,}")
            for group in (self.others.groups if self.others is not None else ())
            for a, low, high in zip(group.items, group.low, group.high, strict=True)
            if low < high
        ]

    # -- the data, and how to repeat it -------------------------------------------------------

    @property
    def data_facts(self) -> list[tuple[str, str]]:
        """The input, as terms with their values."""
        data, source = self.data, self.source
        found = [] if source is None else [("file", f"{source.name}, {source.size:,} bytes")]
        found.append(("items", f"{self.result.n_items:,}"))
        if not isinstance(data, Rankings):
            return [*found, ("kind", input_words(self.result, None))]
        found.append(("rankings", f"{data.n_rankings:,}, of which {data.n_distinct:,} different"))
        if data.total_weight != data.n_rankings:
            found.append(("total weight", number(data.total_weight)))
        lengths = data.lengths
        if (lengths == data.n_items).all():
            found.append(("items ranked by a voter", "all of them"))
        else:
            weights = data.weights if data.weights.sum() > 0 else None
            mean = number(round(float(np.average(lengths, weights=weights)), 1))
            reach = f"from {lengths.min():,} to {lengths.max():,}, {mean} on average"
            meaning = (
                "tied behind all items that the voter ranks"
                if data.unranked == "last"
                else "unknown: the voter has no opinion on them"
            )
            found += [("items ranked by a voter", reach), ("items left out", meaning)]
            never = data.n_items - np.unique(data.members).size
            if never:
                found.append(("items that nobody ranks", f"{never:,}"))
        return [*found, ("ties", "yes" if data.has_ranked_ties else "none")]

    @property
    def run_facts(self) -> list[tuple[str, str]]:
        """How the result was found, as terms with their values."""
        result = self.result
        found = [
            ("version", f"concordant {__version__}"),
            ("method", result.method),
            ("seed", f"{result.seed}"),
            (
                "time",
                f"{duration(result.elapsed)}, this ranking after {duration(result.improved_at)}",
            ),
        ]
        if result.iterations or result.generations:
            steps = counted(result.iterations, "iteration")
            found.append(("search", f"{steps}, {counted(result.generations, 'generation')}"))
        settings = chosen_settings(result)
        if settings:
            found.append(("settings", ", ".join(f"{key} = {v}" for key, v in settings.items())))
        if self.boot is not None:
            found.append(("samples", f"{number(self.boot.samples)}, seed {self.boot.seed}"))
        return found

    @property
    def commands(self) -> list[str]:
        """The commands that repeat and check the result."""
        samples = None if self.boot is None else self.boot.requested
        *others, report = commands(self.result, self.source, samples, self.proof)
        return [*others, report if self.groups is None else f"{report} --groups {self.groups.k}"]
