"""Other voting rules beside the consensus: plurality, instant run-off, Borda and Schulze."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from concordant._types import Int64
from concordant.algorithms.condorcet import strengths
from concordant.algorithms.scoring import borda_scores
from concordant.pairwise import Pairwise

if TYPE_CHECKING:
    from concordant._types import Item
    from concordant.rankings import Rankings

_Scores = npt.NDArray[np.object_]


@dataclass(frozen=True)
class Rule:
    """What a voting rule says about some rankings.

    Attributes:
        name: Its usual name.
        why: Why it can differ from the consensus, in one sentence.
        tiers: The items, best first. Items that the rule does not separate share a tier.
    """

    name: str
    why: str
    tiers: tuple[tuple[Item, ...], ...]


def other_rules(data: Rankings, pairwise: Pairwise | None = None) -> list[Rule]:
    """Return what four common voting rules say, with ties where they do not decide.

    Args:
        data: The rankings.
        pairwise: Their pairwise counts, if they are known already.

    Example:
        >>> from concordant import Rankings
        >>> orders = [list("abc"), list("cba"), list("bca")]
        >>> votes = Rankings.from_orders(orders, weights=[4, 3, 2])
        >>> for rule in other_rules(votes):
        ...     print(rule.name, rule.tiers)
        plurality (('a',), ('c',), ('b',))
        instant run-off (('c',), ('a',), ('b',))
        Borda (('b',), ('a', 'c'))
        Schulze (('b',), ('c',), ('a',))
    """
    pairs = Pairwise.from_rankings(data) if pairwise is None else pairwise
    ranks = data.ranks()

    def rule(name: str, why: str, groups: Sequence[Sequence[int]]) -> Rule:
        return Rule(name, why, tuple(tuple(data.items[a] for a in group) for group in groups))

    everyone = np.ones(data.n_items, bool)
    return [
        rule(
            "plurality",
            "It counts first places only, and ignores who is second or last.",
            _tiers(_first_places(ranks, data.units, everyone)),
        ),
        rule(
            "instant run-off",
            "It removes whoever has the fewest first places, again and again, so an item that "
            "many rank second can be out early.",
            _run_off(ranks, data.units),
        ),
        rule(
            "Borda",
            "It adds up places, so a few voters who rank an item far down can outweigh a majority.",
            _tiers(borda_scores(pairs.counts.astype(np.int64)).astype(object)),
        ),
        rule(
            "Schulze",
            "It compares chains of majorities two items at a time, and does not count "
            "disagreements over the whole order.",
            _schulze(pairs),
        ),
    ]


def _tiers(scores: _Scores) -> list[list[int]]:
    """Return the items by falling score, those with equal scores together."""
    found: dict[Any, list[int]] = {}
    for item, score in enumerate(scores.tolist()):
        found.setdefault(score, []).append(item)
    return [found[score] for score in sorted(found, reverse=True)]


def _first_places(ranks: npt.NDArray[Any], units: Int64, left: npt.NDArray[np.bool_]) -> _Scores:
    """Return the weight of the ballots on which each item is first among those left.

    Items that share a first place share its weight equally. All is multiplied by a constant, so
    that the shares are whole numbers. A rank of 0 means not ranked.
    """
    far = np.iinfo(np.int64).max
    places = np.where((ranks > 0) & left, ranks.astype(np.int64), far)
    best = places.min(axis=1, initial=far)
    on_top = (places == best[:, None]) & (best < far)[:, None]
    sharing = on_top.sum(axis=1)
    factor = math.lcm(*np.unique(sharing[sharing > 0]).tolist())
    worth = [factor // max(1, k) * w for k, w in zip(sharing.tolist(), units.tolist(), strict=True)]
    scores: _Scores = np.zeros(ranks.shape[1], object)
    for row, weight in zip(on_top, worth, strict=True):
        scores[row] += weight
    return scores


def _run_off(ranks: npt.NDArray[Any], units: Int64) -> list[list[int]]:
    """Remove the items with the fewest first places, those with equally few together."""
    left = np.ones(ranks.shape[1], bool)
    found: list[list[int]] = []
    while left.any():
        scores = _first_places(ranks, units, left)
        fewest = min(scores[left].tolist())
        out = np.flatnonzero(left & np.array([score == fewest for score in scores.tolist()]))
        found.append(out.tolist())
        left[out] = False
    return found[::-1]


def _schulze(pairs: Pairwise) -> list[list[int]]:
    """Return the items that Schulze's relation beats by no other, then those of the rest."""
    paths = strengths(pairs.counts.astype(np.int64), "winning-votes")
    assert paths is not None
    for through in range(paths.shape[0]):
        paths = np.maximum(paths, np.minimum(paths[:, through, None], paths[through]))
    beats = paths > paths.T
    left = np.ones(paths.shape[0], bool)
    found = []
    while left.any():
        # The relation is transitive (Schulze 2011), so some item is unbeaten.
        unbeaten = np.flatnonzero(left & ~beats[left].any(axis=0))
        found.append(unbeaten.tolist())
        left[unbeaten] = False
    return found
