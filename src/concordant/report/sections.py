"""The sections of a report, each from plain facts to a piece of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._types import Int64
from concordant._version import __version__
from concordant.describe import input_words, proof_words
from concordant.formatting import counted, duration, number, percent
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.report.findings import Others, Overruled
from concordant.report.markup import Content, Markup, element, folded, item_name, listed, table
from concordant.report.source import Source, chosen_settings, commands

if TYPE_CHECKING:
    from concordant.consensus import Consensus
    from concordant.verification import Verification

# Rows of a table that are shown at once; the others are folded away.
_OPEN, _FOLDED = 20, 100
# A pair is close when no more than this share is for the side that prevails.
_CLOSE = 0.6


@dataclass(frozen=True)
class Facts:
    """All that the sections are made of.

    Attributes:
        result, data, pairwise: What was given, and its counts.
        order: The ranking as numbers of items.
        laid_out: The counts with rows and columns in this order.
        checked: What was recomputed.
        others: Other rankings that are as good; None where the ranking is not proven.
        overruled: Majorities that the ranking goes against, the largest first.
        n_overruled: How many there are.
        boot: How firm the places are, if that was asked for.
        source: The file, if there is one.
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
    boot: Any
    source: Source | None

    @property
    def voters(self) -> bool:
        """Whether there are voters: else it is a bare matrix."""
        return self.pairwise.n_rankings is not None

    @property
    def unit(self) -> str:
        """What a cost counts."""
        return "disagreements" if self.voters else "lost worth"

    def item(self, place: int) -> Any:
        """The item at a position, from 0."""
        return self.pairwise.items[self.order[place]]

    def name(self, place: int) -> Markup:
        """The name of the item at a position, from 0."""
        return item_name(self.item(place))

    def votes(self, first: int, second: int) -> str:
        """How much is for and how much against one position before another."""
        value = self.pairwise.value
        there, back = self.laid_out[first, second], self.laid_out[second, first]
        return f"{number(value(int(there)))} : {number(value(int(back)))}"

    def share(self, first: int, second: int) -> float | None:
        """The share that is for one position before another; None where there is none."""
        there, back = int(self.laid_out[first, second]), int(self.laid_out[second, first])
        if there < 0 or back < 0 or there + back == 0:
            return None
        return there / (there + back)


# -- is it the best, and the only one? ----------------------------------------------------------


def verdict(facts: Facts) -> Markup:
    """Say whether the ranking is the best, and whether it is the only one."""
    result = facts.result
    proven = result.status == "optimal"
    word = "Proven the best." if proven else "Not proven the best."
    lines: list[Content] = [
        [element("span", word, class_="word"), " ", proof_words(result, facts.unit)]
    ]
    if result.interrupted:
        lines.append("The search was stopped by hand.")
    lines.append(_uniqueness(facts))
    return element(
        "div",
        [element("p", line) for line in lines],
        class_="status proven" if proven else "status",
    )


def _uniqueness(facts: Facts) -> Content:
    others = facts.others
    if others is None:
        return (
            "Whether other rankings are as good, and whether the winner could be another, is "
            "open as long as it is not proven that this one is the best."
        )
    if others.is_unique:
        return "It is the only best ranking: every other order is worse."
    winner = facts.name(0)
    if others.winners is None:
        first: Content = "Whether the winner differs in them is open."
    elif len(others.winners) == 1:
        first = [winner, " is first in all of them."]
    else:
        names = listed(facts.pairwise.items[a] for a in others.winners)
        first = ["First place is tied: ", names, " are each first in some of them."]
    if others.is_unique is None:
        start = "It is open whether other rankings are as good. "
        if others.winners is not None and len(others.winners) == 1:
            first = ["If there are any, ", winner, " is first in all of them."]
        return [start, first]
    count = (
        f"It is one of {others.count:,} rankings that are equally good. "
        if others.complete
        else "It is not the only best ranking. "
    )
    return [count, first]


def changes(facts: Facts) -> Markup | None:
    """Say what can change places, where other rankings are as good."""
    others = facts.others
    if others is None or others.is_unique or not others.groups:
        return None
    rows = []
    for group in others.groups:
        for a, low, high in zip(group.items, group.low, group.high, strict=True):
            if low < high:
                here = int(np.flatnonzero(facts.order == a)[0])
                reach = f"{low + 1:,} to {high + 1:,}"
                rows.append((f"{here + 1:,}", item_name(facts.pairwise.items[a]), reach))
    note = (
        "Every other item has the same place in all of them."
        if others.complete
        else "These were found; there may be more."
    )
    return element(
        "section",
        element("h3", "What can change places"),
        element(
            "p",
            "These items stand elsewhere in rankings that are as good as this one. ",
            note,
        ),
        cut_table(
            "Items that can stand elsewhere in a ranking that is as good",
            ("place here", "item", "places it can have"),
            rows,
            "n-n",
        ),
    )


def cut_table(
    caption: str,
    heads: Sequence[str],
    rows: Sequence[Any],
    numbers: str,
    *,
    printed: bool = False,
) -> Content:
    """Return a table; of many rows the first ones, and the others folded away."""
    if len(rows) <= _OPEN + 5:
        return table(caption, heads, rows, numbers)
    return [
        table(f"{caption}: the first {_OPEN} of {len(rows):,}", heads, rows[:_OPEN], numbers),
        folded(
            f"Show the other {len(rows) - _OPEN:,}",
            table(f"{caption}: from {_OPEN + 1} on", heads, rows[_OPEN:], numbers),
            printed=printed,
        ),
    ]


# -- the ranking --------------------------------------------------------------------------------


def ranking(facts: Facts) -> Markup:
    """List the items, best first, each with what sets it apart from the next."""
    m = facts.order.size
    boot = facts.boot
    for_next = "votes against the next" if facts.voters else "worth against the next"
    heads = ["place", "item", for_next]
    numbers = "n-n"
    if boot is not None:
        heads += [f"{percent(boot.level)} interval", "stays before the next"]
        numbers += "nn"
    rows = []
    places = _places(facts)
    for place in range(m):
        row: list[Content] = [f"{places[place]:,}", facts.name(place)]
        row.append(facts.votes(place, place + 1) if place < m - 1 else "")
        if boot is not None:
            row.append(f"{int(boot.low[place]):,} to {int(boot.high[place]):,}")
            row.append(percent(round(float(boot.stands[place]), 3)) if place < m - 1 else "")
        rows.append(row)
    cost = [
        f"Its cost is {number(facts.result.cost)} {facts.unit}",
        ""
        if facts.result.distance is None
        else f", {number(facts.result.distance)} for each "
        + ("ranking" if facts.result.total_weight == facts.result.n_rankings else "unit of weight"),
        f"; no order can have fewer than {number(facts.result.lower_bound)}.",
    ]
    meaning = (
        " A disagreement is a pair of items that a voter puts the other way round."
        if facts.voters
        else ""
    )
    tied = None
    if facts.result.buckets is not None and len(facts.result.buckets) < m:
        tied = element("p", "Items with the same place are tied: the method left them so.")
    return element(
        "section",
        element("h2", "The ranking"),
        element("p", cost, meaning),
        tied,
        cut_table(f"{counted(m, 'item')}, best first", heads, rows, numbers, printed=True),
        id="ranking",
    )


def _places(facts: Facts) -> list[int]:
    """Return the place of each position, counted from 1; tied items share the first."""
    buckets = facts.result.buckets
    if buckets is None:
        return list(range(1, facts.order.size + 1))
    place: dict[Any, int] = {}
    start = 1
    for bucket in buckets:
        place.update(dict.fromkeys(bucket, start))
        start += len(bucket)
    return [place[item] for item in facts.result.ranking]


# -- close calls --------------------------------------------------------------------------------


def close_calls(facts: Facts) -> Markup:
    """Say which neighbours are nearly tied, and which majorities were overruled and why."""
    return element(
        "section",
        element("h2", "Close calls"),
        changes(facts),
        _neighbours(facts),
        _cycles(facts),
        id="close",
    )


def _neighbours(facts: Facts) -> Content:
    m = facts.order.size
    told = [(facts.share(p, p + 1), p) for p in range(m - 1)]
    close = sorted((share, p) for share, p in told if share is not None and share <= _CLOSE)
    silent = [p for share, p in told if share is None]
    content: list[Content] = [element("h3", "Neighbours that are nearly tied")]
    if not close:
        known = [(share, p) for share, p in told if share is not None]
        if known:
            share, p = min(known)
            content.append(
                element(
                    "p",
                    "None: even the closest, ", facts.name(p), " before ", facts.name(p + 1),
                    f", has {percent(round(share, 3))} on its side ({facts.votes(p, p + 1)}).",
                )
            )  # fmt: skip
        else:
            content.append(element("p", "There is no pair of neighbours to compare."))
    else:
        rows = [
            (
                f"{p + 1:,}, {p + 2:,}",
                [facts.name(p), " before ", facts.name(p + 1)],
                facts.votes(p, p + 1),
                percent(round(share, 3)),
            )
            for share, p in close[:_FOLDED]
        ]
        content.append(
            element(
                "p",
                f"In {counted(len(close), 'pair')} of neighbours at most {percent(_CLOSE)} are for "
                "the order that they have. The closest come first.",
            )
        )
        content.append(
            cut_table(
                "Neighbours in the ranking that are nearly tied",
                ("places", "order", "for : against", "share for"),
                rows,
                "--nn",
            )
        )
    if silent and facts.voters:
        content.append(
            element(
                "p",
                f"Of {counted(len(silent), 'pair')} of neighbours no voter puts one before the "
                "other: their order follows from other pairs, or is free.",
            )
        )
    return content


def _cycles(facts: Facts) -> Content:
    head = element("h3", "Majorities that were overruled")
    if not facts.n_overruled:
        return [
            head,
            element("p", "None: the ranking goes against no majority, in any pair of items."),
        ]
    rows = []
    for each in facts.overruled:
        first, last = each.path[0], each.path[-1]
        if len(each.path) == 2:
            why: Content = "No circle explains it: a better order exists."
        else:
            why = [
                [
                    facts.name(a),
                    " before ",
                    element("span", f"({facts.votes(a, b)})", class_="whole"),
                    " ",
                ]
                for a, b in zip(each.path[:-1], each.path[1:], strict=True)
            ] + [facts.name(last)]
        rows.append(
            (
                [facts.name(last), " before ", facts.name(first)],
                facts.votes(last, first),
                element("span", f"{first + 1:,}, {last + 1:,}", class_="whole"),
                why,
            )
        )
    pairs = facts.order.size * (facts.order.size - 1) // 2
    shown = (
        ""
        if len(rows) == facts.n_overruled
        else f" The {len(rows)} largest of these majorities are listed."
    )
    return [
        head,
        element(
            "p",
            "Majorities can run in a circle: most put A before B, most put B before C, and yet "
            "most put C before A. Then no ranking can follow them all. This one goes against "
            f"{facts.n_overruled:,} of {pairs:,} pairs' majorities.{shown}",
        ),
        cut_table(
            "Majorities that the ranking goes against, and the circle that each would close",
            (
                "most would put" if facts.voters else "its worth would put",
                "for : against",
                "places",
                "but the ranking keeps",
            ),
            rows,
            "-n--",
        ),
    ]


# -- how firm -----------------------------------------------------------------------------------


def firmness(facts: Facts) -> Markup:
    """Say how firm the places are, where the voters were drawn again."""
    boot = facts.boot
    content: list[Content] = [element("h2", "How firm is it?")]
    if boot is None and not isinstance(facts.data, Rankings):
        content.append(
            element(
                "p",
                "It cannot be told from pairwise counts alone: there is no single ranking in them "
                "that could be drawn again.",
            )
        )
        return element("section", content, id="firm")
    if boot is None:
        content.append(
            element(
                "p",
                "Not examined here. ",
                element("code", "concordant report … --bootstrap 1000"),
                " draws the voters again a thousand times and says how far each place can move.",
            )
        )
        return element("section", content, id="firm")
    samples = getattr(boot, "samples", None)
    drawn = "again and again" if samples is None else f"{number(samples)} times"
    wanted = getattr(boot, "requested", samples)
    if samples is not None and wanted > samples:
        why = "it was stopped by hand" if boot.interrupted else "the time was up"
        drawn += f" ({number(wanted)} were asked for, but {why})"
    content.append(
        element(
            "p",
            f"The voters were drawn anew {drawn}, as if others of the same kind had voted, and the "
            f"consensus was found each time. In {percent(boot.level)} of these draws an item was "
            "within the interval given in the ranking above.",
        )
    )
    first = getattr(boot, "first", None)
    if first is not None and len(first):
        content.append(
            element(
                "p", facts.name(0), " came first in ", percent(round(float(first[0]), 3)),
                " of the draws.",
            )
        )  # fmt: skip
    weak = sorted((float(s), p) for p, s in enumerate(boot.stands) if float(s) < 0.95)
    if weak:
        content.append(
            cut_table(
                "Neighbours that changed places in more than 5 % of the draws",
                ("places", "order", "stood in"),
                [
                    (
                        f"{p + 1:,}, {p + 2:,}",
                        [facts.name(p), " before ", facts.name(p + 1)],
                        percent(round(share, 3)),
                    )
                    for share, p in weak[:_FOLDED]
                ],
                "--n",
            )
        )
    elif facts.order.size > 1:
        content.append(
            element("p", "All neighbours kept their order in at least 95 % of the draws.")
        )
    return element("section", content, id="firm")


# -- the data, and how to do it again -----------------------------------------------------------


def definitions(pairs: Sequence[tuple[str, Content]]) -> Markup:
    """Return names with what they mean here."""
    return element("dl", [[element("dt", name), element("dd", text)] for name, text in pairs])


def data_summary(facts: Facts) -> Markup:
    """Describe the input."""
    data, result = facts.data, facts.result
    pairs: list[tuple[str, Content]] = []
    if facts.source is not None:
        pairs.append(("file", f"{facts.source.name}, {facts.source.size:,} bytes"))
    pairs.append(("items", f"{result.n_items:,}"))
    if isinstance(data, Rankings):
        pairs.append(
            (
                "rankings",
                f"{data.n_rankings:,}, of which {data.n_distinct:,} "
                f"{'is' if data.n_distinct == 1 else 'are'} different",
            )
        )
        if data.total_weight != data.n_rankings:
            pairs.append(("total weight", number(data.total_weight)))
        lengths = data.lengths
        complete = bool((lengths == data.n_items).all())
        reach = (
            "all of them"
            if complete
            else f"from {int(lengths.min()):,} to {int(lengths.max()):,}, "
            f"{number(round(float(np.average(lengths, weights=_weights(data))), 1))} on average"
        )
        pairs.append(("items ranked by a voter", reach))
        if not complete:
            meaning = (
                "tied behind all that the voter ranks"
                if data.unranked == "last"
                else "unknown: the voter says nothing about them"
            )
            pairs.append(("items left out", meaning))
            never = data.n_items - np.unique(data.members).size
            if never:
                pairs.append(("items that nobody ranks", f"{never:,}"))
        pairs.append(("ties", "yes" if data.has_ranked_ties else "none"))
    else:
        pairs.append(("kind", input_words(result, None)))
    return element("section", element("h2", "The data"), definitions(pairs), id="data")


def _weights(data: Rankings) -> Any:
    weights = data.weights.astype(float)
    return weights if weights.sum() > 0 else np.ones(weights.size)


def reproduction(facts: Facts) -> Markup:
    """Say how the result was found, and how to find and check it again."""
    result, source = facts.result, facts.source
    pairs: list[tuple[str, Content]] = [
        ("version", f"concordant {__version__}"),
        ("method", result.method),
        ("seed", f"{result.seed}"),
        ("time", f"{duration(result.elapsed)}, this ranking after {duration(result.improved_at)}"),
    ]
    if result.iterations or result.generations:
        pairs.append(
            (
                "search",
                f"{counted(result.iterations, 'iteration')}, "
                f"{counted(result.generations, 'generation')}",
            )
        )
    settings = chosen_settings(result)
    if settings:
        pairs.append(("settings", ", ".join(f"{key} = {value}" for key, value in settings.items())))
    samples = None
    if facts.boot is not None and hasattr(facts.boot, "seed"):
        samples = getattr(facts.boot, "requested", facts.boot.samples)
        pairs.append(("draws", f"{number(facts.boot.samples)}, seed {facts.boot.seed}"))
    if source is not None:
        pairs.append(("SHA-256 of the file", element("code", source.digest)))
    bound = (
        "The lower bound was proven anew."
        if facts.checked.bound_proven
        else "The lower bound is as the result states it; it was not refuted. A proof can be kept "
        "with aggregate --proof P.json and checked with verify --proof P.json."
    )
    kept = facts.checked.bound_proven or result.status == "optimal"
    return element(
        "section",
        element("h2", "How to check it and do it again"),
        element(
            "p",
            f"Before this page was written, the cost of the ranking was recomputed from the data: "
            f"{number(facts.checked.cost)} {facts.unit}. ",
            bound,
        ),
        definitions(pairs),
        element("pre", element("code", "\n".join(commands(result, source, samples))), tabindex="0"),
        None
        if kept
        else element(
            "p",
            "A search that is ended by the clock may end elsewhere on another machine: the ranking "
            "can differ, its proven quality can be compared.",
            class_="soft",
        ),
        id="again",
    )
