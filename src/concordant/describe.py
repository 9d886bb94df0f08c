"""Results and inputs in words, the same on the terminal, in reports and on the page."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from concordant.formatting import counted, duration, number, percent, printable, share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from concordant._types import Item
    from concordant.consensus import Consensus
    from concordant.margin_of_victory import Needed
    from concordant.rankings import Rankings
    from concordant.resampling import Bootstrap

# The most names that a sentence lists.
_NAMES_SHOWN = 5


def status_words(result: Consensus) -> str:
    """Return what the status of a result means."""
    others = "ranking" if result.tiers is None else "answer"
    if result.tiers is not None and result.settings.get("tiers"):
        others = "answer with such tiers"
    if result.constraints is not None:
        others += " that satisfies the constraints"
    if result.status == "optimal":
        return f"proven, no {others} costs less"
    if result.top_proven:
        first = "first place is" if result.top == 1 else f"first {result.top} places are"
        return f"the {first} proven: some optimal {others} begins this way; the rest is not proven"
    found = "stopped by hand, best so far" if result.interrupted else "the best found"
    return f"{found}; no {others} costs less than {number(result.lower_bound)}"


def ties_words(result: Consensus) -> str | None:
    """Return how many tiers an answer with ties has, and its penalties; None without ties.

    Example:
        >>> from concordant import aggregate
        >>> ties_words(aggregate([[0, 1], [2, 0]], ties=True))
        '2 tiers; a tie costs p = 0.5 per vote that orders the pair, an order q = 0.5 per tied vote'
    """
    if result.tiers is None or result.tie_penalty is None or result.vote_tie_penalty is None:
        return None
    return (
        f"{counted(len(result.tiers), 'tier')}; a tie costs p = {number(result.tie_penalty)} per "
        f"vote that orders the pair, an order q = {number(result.vote_tie_penalty)} per tied vote"
    )


def constraint_words(result: Consensus) -> str | None:
    """Return what the constraints of a result cost; None without constraints.

    Example:
        >>> from concordant import aggregate
        >>> constraint_words(aggregate([[0, 1], [2, 0]], first=["1"]))
        'cost 1: without them, the best ranking costs 1'
        >>> constraint_words(aggregate([[0, 1], [2, 0]], first=["2"]))
        'cost nothing: the ranking is optimal without them too'
    """
    if result.constraints is None:
        return None
    found, free = result.constraint_cost, result.free
    if found is None or free is None:
        return "not known what they cost: the problem without them was not solved"
    others = "ranking" if result.tiers is None else "answer"
    least, most = found
    if most == 0:
        return f"cost nothing: the {others} is optimal without them too"
    if least == most:
        return f"cost {number(most)}: without them, the best {others} costs {number(free.cost)}"
    return (
        f"cost between {number(least)} and {number(most)}: without them, the best {others} found "
        f"costs {number(free.cost)}, and none less than {number(free.lower_bound)}"
    )


def proof_words(result: Consensus, unit: str = "disagreements") -> str:
    """Return how good a ranking is proven to be, without the word "bound".

    Example:
        >>> from concordant import aggregate
        >>> proof_words(aggregate([[0, 1], [2, 0]]))
        'No other order has fewer disagreements.'
    """
    if result.tiers is not None:
        return _tiers_proof_words(result)
    order = "order" if result.constraints is None else "order that satisfies the constraints"
    if result.status == "optimal":
        few = "fewer disagreements" if unit == "disagreements" else "a lower cost"
        return f"No other {order} has {few}."
    if result.lower_bound > 0:
        more = (result.cost - result.lower_bound) / result.lower_bound
        if more < 10:
            return f"It has at most {percent(more)} more {unit} than the best possible {order}."
    return (
        f"It is the best that was found, with {number(result.cost)} "
        f"{unit.removesuffix('s') if result.cost == 1 else unit}; no {order} can have fewer than "
        f"{number(result.lower_bound)}."
    )


def headline(result: Consensus) -> str:
    """Return who is first, in one short sentence.

    Example:
        >>> from concordant import aggregate, Rankings
        >>> headline(aggregate(Rankings.from_orders([["Ann", "Bo"], ["Ann", "Bo"]])))
        'Ann wins.'
        >>> headline(aggregate(Rankings.from_orders([["Ann", "Bo"], ["Bo", "Ann"]])))
        'Two-way tie for first: Ann and Bo.'
    """
    first = list(tied_first(result))
    is_one_of_several = result.tiers is not None and result.is_unique is False
    if len(first) == 1:
        name = _isolated(first[0])
        if result.status != "optimal":
            return f"{name} is first in the best ranking found so far."
        if is_one_of_several:
            return f"{name} is first in one of several answers that are equally good."
        if result.constraints is not None:
            return f"{name} is first under your rules."
        return f"{name} wins."
    shown = [_isolated(item) for item in first[:_NAMES_SHOWN]]
    more = len(first) - len(shown)
    last = f"{more:,} more" if more else shown.pop()
    ways = {2: "Two", 3: "Three", 4: "Four", 5: "Five"}.get(len(first), f"{len(first):,}")
    others = ", in one of several answers that are equally good" if is_one_of_several else ""
    return f"{ways}-way tie for first: {', '.join(shown)} and {last}{others}."


def _isolated(item: Item) -> str:
    """Return a name; one in a right-to-left script does not reorder the names beside it.

    Example:
        >>> _isolated("Zoë"), len(_isolated("עלי"))
        ('Zoë', 5)
    """
    text = str(item)
    if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text):
        return f"\u2068{text}\u2069"
    return text


def tied_first(result: Consensus) -> Sequence[Item]:
    """Return the items that share the first place, or the one that has it.

    Items that no ranking compares with others could always be first, so they do not count.
    """
    if result.tiers is not None:
        return result.tiers[0]
    winners = result.winners if result.status == "optimal" and not result.is_unique else None
    apart = result.uncompared or ()
    found = [item for item in winners or () if item not in apart] or list(winners or ())
    return found or result.ranking[:1]


def _tiers_proof_words(result: Consensus) -> str:
    """Return how good an answer with ties is proven to be."""
    fixed = result.settings.get("tiers")
    what = "answer with such tiers" if fixed else "answer, with or without ties,"
    if result.status == "optimal":
        return f"No other {what} costs less."
    more = (result.cost - result.lower_bound) / max(result.lower_bound, 1e-9)
    if more < 10:
        return f"It costs at most {percent(more)} more than the best possible answer."
    return (
        f"It is the best that was found, at a cost of {number(result.cost)}; no {what} costs less "
        f"than {number(result.lower_bound)}."
    )


def uncompared_words(items: Sequence[Item]) -> str | None:
    """Name the items that no ranking compares with most others; None if there are none.

    Example:
        >>> uncompared_words(["y", "z"])
        'no ranking compares y and z with the other items: their places are not based on votes'
    """
    if not items:
        return None
    shown = [str(item) for item in items[:_NAMES_SHOWN]]
    more = len(items) - len(shown)
    last = f"{more:,} more" if more else shown.pop()
    names = f"{', '.join(shown)} and {last}" if shown else last
    places = "its place is" if len(items) == 1 else "their places are"
    return f"no ranking compares {names} with the other items: {places} not based on votes"


def method_words(result: Consensus) -> str:
    """Return how a result was found."""
    words = f"{result.method}, seed {result.seed}, {duration(result.elapsed)}"
    if result.generations:
        words += f", {counted(result.generations, 'generation')}"
    return words


def input_words(result: Consensus, data: Rankings | None) -> str:
    """Describe the input in one line; `data` is None for a bare matrix."""
    words = counted(result.n_items, "item")
    if result.n_rankings is None:
        return f"{words}, a matrix"
    words += f", {counted(result.n_rankings, 'ranking')}"
    if result.total_weight is not None and result.total_weight != result.n_rankings:
        words += f" of total weight {number(result.total_weight)}"
    if data is not None:
        if data.has_ties:
            words += ", with ties"
        if (data.lengths < data.n_items).any():
            meaning = "count as last" if data.unranked == "last" else "count as no opinion"
            words += f"; unranked items {meaning}"
    return words


def bootstrap_words(firm: Bootstrap) -> str:
    """Describe the samples of a bootstrap in one line."""
    words = f"{counted(firm.samples, 'sample')} of {counted(firm.voters, firm.unit)}"
    if firm.samples < firm.requested:
        words += f" ({firm.requested:,} were requested)"
    words += f", seed {firm.seed}"
    if firm.method not in ("auto", "exact"):
        return f"{words}, each solved by method {firm.method}"
    if firm.exact == 1:
        return f"{words}, all solved exactly"
    return f"{words}, {share(firm.exact)} solved exactly, the others by local search"


def resampled_words(firm: Bootstrap) -> str:
    """Return who is first in how many samples of a bootstrap.

    Example:
        >>> from concordant import bootstrap, Rankings
        >>> resampled_words(bootstrap(Rankings.from_orders([["a", "b"]]), samples=50))
        'a is first in all 50 resamples of the voters.'
    """
    times = [round(share * firm.samples) for share in firm.first]
    what = "first" if firm.tiers is None else "in the first tier"
    by_times = sorted(range(len(times)), key=lambda place: -times[place])
    best, *others = [place for place in by_times if times[place]][:_NAMES_SHOWN]
    name, samples = _isolated(firm.items[best]), f"{firm.samples:,} resamples of the voters"
    if times[best] == firm.samples:
        return f"{name} is {what} in all {samples}."
    rest = "".join(f", {_isolated(firm.items[place])} in {times[place]:,}" for place in others)
    return f"{name} is {what} in {times[best]:,} of {samples}{rest}."


def needed_words(result: Consensus, needed: Needed) -> list[str]:
    """Return how many more voters could change a proven result, as far as that is proven.

    Example:
        >>> from concordant import aggregate
        >>> from concordant.margin_of_victory import Needed
        >>> result = aggregate([[0, 4], [1, 0]])
        >>> needed_words(result, Needed(winner=(3, 3), order=3))
        ['It would take 3 more voters to change who wins, or to make it a tie for first.']
        >>> needed_words(result, Needed(winner=(2, 3), order=1))[1]
        'One more voter could change the order of other places.'
    """
    found = []
    if len(tied_first(result)) > 1:
        # The voter votes for one of the best orders, and all others then cost more.
        found.append("One more voter could decide the tie for first.")
    elif needed.winner is not None:
        least, enough = needed.winner
        change = "change who wins, or {}make it a tie for first"
        if enough == 1:
            found.append(f"One more voter could {change.format('')}.")
        elif least == enough:
            found.append(f"It would take {enough:,} more voters to {change.format('to ')}.")
        else:
            found.append(f"{enough:,} more voters could {change.format('')}.")
            if least > 1:
                found[-1] += f" Fewer than {least:,} cannot."
    if needed.order is not None and (needed.winner is None or needed.order < needed.winner[0]):
        other = "other places" if found else "some places"
        if needed.order == 1:
            found.append(f"One more voter could change the order of {other}.")
        else:
            found.append(
                f"It would take {needed.order:,} more voters to change the order of {other}."
            )
    return found


def voters_words(voters: Sequence[Mapping[str, Any]]) -> str | None:
    """Return who disagrees most with a result; None if all agree, or no name is known.

    Args:
        voters: Each has a `name`, and the number of `pairs` that it orders and goes `against`.

    Example:
        >>> voters_words([{"name": "Ann", "pairs": 6, "against": 2}])
        'Ann disagrees most: on 2 of 6 pairs.'
    """
    known = [voter for voter in voters if voter["name"] is not None and voter["against"]]
    if not known:
        return None
    worst = max(known, key=lambda voter: voter["against"] / voter["pairs"])
    share = worst["against"] / worst["pairs"]
    most = [voter for voter in known if voter["against"] / voter["pairs"] == share]
    if len(most) > _NAMES_SHOWN:
        return f"{len(most):,} voters disagree most: on {percent(share)} of their pairs."
    names = [_isolated(voter["name"]) for voter in most]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    verb = "disagrees" if len(names) == 1 else "disagree"
    if len({voter["pairs"] for voter in most}) > 1:
        return f"{listed} {verb} most: on {percent(share)} of their pairs."
    if worst["pairs"] == 1:
        return f"{listed} {verb} most: on the only pair."
    each = " each" if len(names) > 1 else ""
    return f"{listed} {verb} most: on {worst['against']:,} of {worst['pairs']:,} pairs{each}."


def strength_words(result: Consensus) -> str | None:
    """Name the groups of items whose strengths are infinitely apart; None if there are none.

    Example:
        >>> from concordant import aggregate, Rankings
        >>> words = strength_words(aggregate(Rankings.from_battles([("a", "b")]), "bradley-terry"))
        >>> words.split(". ")[0]
        'infinitely apart: a | b'
    """
    sizes = result.details.get("groups", ())
    if len(sizes) < 2:
        return None
    ranking = iter(result.ranking)
    groups = [[str(next(ranking)) for _ in range(size)] for size in sizes]
    shown = [", ".join(group[:_NAMES_SHOWN]) for group in groups[:_NAMES_SHOWN]]
    shown = [
        f"{words} and {len(group) - _NAMES_SHOWN:,} more" if len(group) > _NAMES_SHOWN else words
        for words, group in zip(shown, groups, strict=False)
    ]
    more = f" | {len(groups) - len(shown):,} more groups" if len(groups) > len(shown) else ""
    return (
        f"infinitely apart: {' | '.join(shown)}{more}. No outcome puts an item behind one of a "
        "later group; prior=0.1 makes all strengths finite"
    )


def group_words(firm: Bootstrap) -> str:
    """Describe the groups of items that a bootstrap tells apart.

    Example:
        >>> from concordant import Rankings, bootstrap
        >>> votes = Rankings.from_orders([["Ann", "Bo", "Cy"], ["Bo", "Ann", "Cy"]] * 20)
        >>> group_words(bootstrap(votes, 100))
        '2 groups are told apart: Ann, Bo | Cy'
    """
    groups = firm.groups
    if len(groups) == 1:
        return "no group of items is told apart from the others"
    shown = [", ".join(printable(item) for item in group) for group in groups[:_NAMES_SHOWN]]
    more = f" | {len(groups) - len(shown):,} more" if len(groups) > len(shown) else ""
    return f"{len(groups):,} groups are told apart: {' | '.join(shown)}{more}"


def count_words(state: Any) -> str:
    """Describe the progress of a count of files (`counting.files.CountProgress`).

    Example:
        >>> from types import SimpleNamespace
        >>> count_words(
        ...     SimpleNamespace(
        ...         bytes_done=1,
        ...         bytes_total=4,
        ...         files_done=0,
        ...         files_total=2,
        ...         n_rankings=1_500_000,
        ...         seconds_left=9.0,
        ...     )
        ... )
        '25 %, 1,500,000 rankings, 0 of 2 files, about 9.0 s left'
    """
    share = state.bytes_done / max(1, state.bytes_total)
    words = [f"{share:.0%}".replace("%", " %"), counted(state.n_rankings, "ranking")]
    if state.files_total > 1:
        words.append(f"{state.files_done:,} of {state.files_total:,} files")
    if state.seconds_left is not None and state.bytes_done < state.bytes_total:
        words.append(f"about {duration(state.seconds_left)} left")
    return ", ".join(words)
