"""The answer to a job: the result as JSON, with what the page shows of voters, pairs and rules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._names import plain_item
from concordant._types import Int64
from concordant.describe import (
    constraint_words,
    headline,
    input_words,
    method_words,
    needed_words,
    proof_words,
    status_words,
    tied_first,
    ties_words,
    uncompared_words,
    voters_words,
)
from concordant.distances import distances_from_ranks
from concordant.errors import InputError, cut
from concordant.formatting import number
from concordant.margin_of_victory import needed_voters
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.rules import other_rules
from concordant.serve.frames import whole

if TYPE_CHECKING:
    from concordant.consensus import Consensus

_MAJORITIES_SHOWN = 5
_LONGEST_NAME = 300
# The page shows the pairs of up to this many items, and the places of these items on ballots.
_ITEMS_SHOWN = 60
_VOTERS_SHOWN, _PLACES_SHOWN = 300, 12_000
# Other rules are computed for data of up to this size: numbers on ballots, and items.
_SIZE_FOR_RULES, _ITEMS_FOR_RULES = 500_000, 200


def saved(result: Consensus, data: Rankings | Pairwise) -> dict[str, Any]:
    """Return a result as `Consensus.save` writes it, with the sentences that the page shows.

    Example:
        >>> from concordant import aggregate, Rankings
        >>> data = Rankings.from_orders([["a", "b"], ["a", "b"], ["b", "a"]])
        >>> facts = saved(aggregate(data), data)
        >>> facts["words"]["proof"], facts["neighbours"]
        ('Proven the best. No other order has fewer disagreements.', [{'for': 2, 'against': 1}])
    """
    facts: dict[str, Any] = {"format": "concordant-result", "version": 1, **result.to_dict()}
    facts["trace"] = [list(point) for point in result.trace]
    state = "Stopped by hand. " if result.interrupted else ""
    if result.status == "optimal":
        state = "Proven the best. "
    proof = proof_words(result)
    if result.tiers is not None:
        proof = status_words(result)
        state, proof = "", f"{proof[0].upper()}{proof[1:]}."
    facts["words"] = {
        "headline": headline(result),
        "proof": f"{state}{proof}",
        "ties": ties_words(result),
        "warnings": [],
        "others": result.others,
        "uncompared": uncompared_words(result.uncompared or ()),
        "input": input_words(result, data if isinstance(data, Rankings) else None),
        "method": method_words(result),
        "cost": cost_words(result),
    }
    pairs = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
    place = {item: index for index, item in enumerate(data.items)}
    order = [place[item] for item in result.ranking]
    facts["first"] = [plain_item(item) for item in tied_first(result)]
    facts["places"] = places_of(result)
    facts["overruled"] = _overruled(result, pairs, order)
    facts["neighbours"] = [
        {
            "for": pairs.value(int(pairs.counts[a, b])),
            "against": pairs.value(int(pairs.counts[b, a])),
        }
        for a, b in pairwise(order)
    ]
    return facts


def places_of(result: Consensus) -> list[int]:
    """Return the place of each item of the ranking; items that are tied for first are all first.

    Example:
        >>> from concordant import aggregate
        >>> places_of(aggregate([[0, 1, 1], [1, 0, 1], [0, 0, 0]]))
        [1, 1, 3]
    """
    if result.tiers is not None:
        return [place for place, _ in result.places]
    first = set(tied_first(result))
    return [1 if item in first else place for place, item in enumerate(result.ranking, 1)]


def _overruled(result: Consensus, pairs: Pairwise, order: list[int]) -> list[dict[str, Any]]:
    """Return the majorities that a proven ranking goes against: by how much, and why.

    Those against the items at the top come first.
    """
    from concordant.report.findings import overruled

    if result.status != "optimal" or result.n_rankings is None or result.tiers is not None:
        return []
    laid_out = pairs.counts[np.ix_(order, order)]
    found, _ = overruled(laid_out, _MAJORITIES_SHOWN)
    names = [plain_item(item) for item in result.ranking]
    return [
        {
            "circle": [names[place] for place in each.path],
            "for": pairs.value(int(laid_out[each.path[-1], each.path[0]])),
            "against": pairs.value(int(laid_out[each.path[0], each.path[-1]])),
        }
        for each in sorted(found, key=lambda each: (each.path[0], -each.by))
    ]


def cost_words(result: Consensus) -> str:
    """Return the cost of a result in words."""
    if result.n_rankings is None or result.tiers is not None:
        return f"cost {number(result.cost)}"
    what = f"{number(result.cost)} disagreement{'' if result.cost == 1 else 's'}"
    if result.n_rankings > 1 and result.distance is not None:
        what += f", {number(round(result.distance, 2))} per ranking"
    return what


def add_details(facts: dict[str, Any], result: Consensus, data: Rankings | Pairwise) -> None:
    """Add what the page shows besides the ranking, as far as it is quick to compute.

    Adds `pairs`, `voters` and `rules`, each None where there is too much data or none, and the
    sentences about voters, about how many more voters could change the result, and about
    constraints.

    Example:
        >>> from concordant import aggregate, Rankings
        >>> orders = [["a", "b"], ["a", "b"], ["b", "a"]]
        >>> data = Rankings.from_orders(orders, voters=["Ann", "Bo", "Cy"])
        >>> result = aggregate(data)
        >>> facts = saved(result, data)
        >>> add_details(facts, result, data)
        >>> facts["words"]["voters"]
        'Cy disagrees most: on the only pair.'
        >>> facts["words"]["needed"]
        ['One more voter could change who wins, or make it a tie for first.']
    """
    words = facts["words"]
    words["constraints"] = constraint_words(result)
    words["voters"], words["needed"] = None, []
    facts["pairs"] = facts["voters"] = facts["rules"] = None
    pairs = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
    order = pairs.order_of(result.ranking)
    if order.size <= _ITEMS_SHOWN:
        counts = pairs.counts[np.ix_(order, order)].tolist()
        facts["pairs"] = [[pairs.value(count) for count in row] for row in counts]
    if not isinstance(data, Rankings):
        return
    facts["voters"] = _voters(result, data, order)
    words["voters"] = voters_words(facts["voters"]["shown"])
    if data.members.size <= _SIZE_FOR_RULES and order.size <= _ITEMS_FOR_RULES:
        facts["rules"] = [
            {
                "name": rule.name,
                "why": rule.why,
                "tiers": [[plain_item(item) for item in tier] for tier in rule.tiers],
            }
            for rule in other_rules(data, pairs)
        ]
    is_plain = result.constraints is None and result.tiers is None
    # A voter has the weight 1: whole weights are repeat counts.
    if result.status == "optimal" and is_plain and data.n_voters == data.total_weight:
        words["needed"] = needed_words(result, needed_voters(pairs, order))


def _voters(result: Consensus, data: Rankings, order: Int64) -> dict[str, Any]:
    """Return how far each voter agrees with the result, those who disagree most first."""
    data = data.explicit()
    rank = np.empty(order.size, np.int64)
    sizes = [1] * order.size if result.tiers is None else [len(tier) for tier in result.tiers]
    rank[order] = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    against = distances_from_ranks(rank, data)
    # The reverse goes against what agrees.
    both = against + distances_from_ranks(rank.max() + 1 - rank, data)
    known = data.known
    which = np.arange(data.n_distinct) if known is None else known.which
    units = data.units if known is None else known.units
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(both > 0, against / both, 0.0)[which]
    chosen = np.lexsort((np.arange(which.size), -share))[:_VOTERS_SHOWN]
    has_places = chosen.size * order.size <= _PLACES_SHOWN and order.size <= _ITEMS_SHOWN
    places = _places(data.ranks()[:, order]) if has_places else None
    shown = [
        {
            "name": _name(None if known is None else known.names[voter]),
            "number": voter + 1,
            "weight": units[voter].item() if data.scale == 1 else units[voter].item() / data.scale,
            "against": against[which[voter]].item(),
            "pairs": both[which[voter]].item(),
            "places": None if places is None else places[which[voter]],
        }
        for voter in chosen.tolist()
    ]
    return {"count": int(which.size), "shown": shown}


def _name(voter: Any) -> str | None:
    return None if voter is None else whole(cut(str(voter), _LONGEST_NAME))


def _places(ranks: np.ndarray[Any, Any]) -> list[list[int | None]]:
    """Return the place of each item on each ballot; tied items share the first of theirs.

    Example:
        >>> _places(np.array([[1, 2, 2, 0, 3]]))
        [[1, 2, 2, None, 4]]
    """
    found = []
    for row in ranks.tolist():
        ranked = sorted(rank for rank in row if rank)
        first: dict[int, int] = {}
        for place, rank in enumerate(ranked, 1):
            first.setdefault(rank, place)
        found.append([first.get(rank) for rank in row])
    return found


def matching(names: Sequence[Any], wanted: Sequence[str], what: str) -> list[Any]:
    """Return the names that have the given texts; names of files may be numbers.

    Raises:
        InputError: There is no such name.

    Example:
        >>> matching(["a", 2], ["2"], "item")
        [2]
    """
    by_text: dict[str, Any] = {}
    for name in names:
        by_text.setdefault(whole(str(name)), name)
    for text in wanted:
        if text not in by_text:
            raise InputError(f"there is no {what} {cut(text, 60)!r} among the {len(names):,}")
    return [by_text[text] for text in wanted]
