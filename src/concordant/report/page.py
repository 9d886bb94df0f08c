"""`html`: the whole report as one page that needs nothing else; `write` saves it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant import plot
from concordant._files import atomic_write
from concordant._version import __version__
from concordant.describe import input_words
from concordant.errors import InputError
from concordant.formatting import counted
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.report.findings import other_optima, overruled
from concordant.report.markup import Content, Markup, element, listed
from concordant.report.sections import (
    Facts,
    close_calls,
    data_summary,
    firmness,
    ranking,
    reproduction,
    verdict,
)
from concordant.report.source import Source

if TYPE_CHECKING:
    from concordant.consensus import Consensus

# Majorities overruled that are explained.
_EXPLAINED = 50
# Nothing is loaded and nothing runs, whatever a name may hold.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_PARTS = (
    ("ranking", "Ranking"),
    ("close", "Close calls"),
    ("firm", "How firm"),
    ("plots", "Plots"),
    ("data", "Data"),
    ("again", "Check it"),
)


def html(
    result: Consensus,
    data: Rankings | Pairwise,
    bootstrap: Any = None,
    *,
    source: Source | None = None,
) -> str:
    """Return the report of a result as one HTML page, without script or anything to load.

    The result is checked against the data first.

    Args:
        result: What `aggregate` returned or `Consensus.load` read.
        data: What it was made from.
        bootstrap: What `concordant.bootstrap` returned for this ranking, for how firm it is.
        source: The file that the data is from, so that the page can name it.

    Raises:
        VerificationError: The result does not hold for the data.
        InputError: The bootstrap is one of another ranking.
        SettingError: Without matplotlib.

    Example:
        >>> from concordant import aggregate
        >>> votes = Rankings.from_orders([["a", "b"], ["a", "b"], ["b", "a"]])
        >>> page = html(aggregate(votes), votes)
        >>> "No other order has fewer disagreements." in page
        True
    """
    facts = _facts(result, data, bootstrap, source)
    what = f"Consensus of {input_words(result, None)}"
    named = what if source is None else f"{what}: {source.name}"
    body = [
        element(
            "header",
            element("h1", f"Consensus of {_whom(facts)}"),
            element(
                "p",
                "" if source is None else f"{source.name}: ",
                input_words(result, data if isinstance(data, Rankings) else None),
                class_="soft",
            ),
        ),
        element("p", _winner(facts)),
        verdict(facts),
        element(
            "nav",
            element("ul", [element("li", element("a", n, href=f"#{i}")) for i, n in _PARTS]),
            aria_label="Parts of this page",
        ),
        element(
            "main",
            ranking(facts),
            close_calls(facts),
            firmness(facts),
            _plots(facts),
            data_summary(facts),
            reproduction(facts),
        ),
        element("footer", f"Made with concordant {__version__}."),
    ]
    style = (files("concordant.report") / "page.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content=f"concordant {__version__}"),
        element("title", named),
        element("style", Markup(style)),
    )
    page = element("html", head, "\n", element("body", body), lang="en")
    return f"<!doctype html>\n{page}\n"


def write(
    path: str | Path,
    result: Consensus,
    data: Rankings | Pairwise,
    bootstrap: Any = None,
    *,
    source: Source | None = None,
) -> None:
    """Write the report to a file, which is replaced in one step; see `html`.

    Example:
        >>> import tempfile
        >>> from concordant import aggregate
        >>> votes = Rankings.from_orders([["a", "b"], ["a", "b"], ["b", "a"]])
        >>> path = Path(tempfile.mkdtemp()) / "report.html"
        >>> write(path, aggregate(votes), votes)
        >>> path.read_text(encoding="utf-8")[:15]
        '<!doctype html>'
    """
    atomic_write(path, html(result, data, bootstrap, source=source))


def _facts(result: Consensus, data: Any, boot: Any, source: Source | None) -> Facts:
    if isinstance(data, Rankings | Pairwise):
        pairwise = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
    else:
        data = pairwise = Pairwise.from_matrix(data)
    checked = result.verify(pairwise)
    order = pairwise.order_of(result.ranking_of(pairwise.items))
    if boot is not None:
        names = result.names_of(boot.items, pairwise.items)
        if names != tuple(pairwise.items[a] for a in order.tolist()):
            raise InputError("the bootstrap is one of another ranking: make it with this consensus")
    laid_out = pairwise.counts[np.ix_(order, order)]
    majorities, count = overruled(laid_out, _EXPLAINED)
    return Facts(
        result=result,
        data=data,
        pairwise=pairwise,
        order=order,
        laid_out=laid_out,
        checked=checked,
        others=other_optima(result, pairwise, order),
        overruled=majorities,
        n_overruled=count,
        boot=boot,
        source=source,
    )


def _whom(facts: Facts) -> str:
    if facts.result.n_rankings is None:
        return "a matrix"
    n = facts.result.n_rankings
    return f"{n:,} ranking{'' if n == 1 else 's'}"


def _winner(facts: Facts) -> Content:
    winners = facts.others.winners if facts.others is not None else None
    tied = [a for a in winners or () if a != facts.order[0]]
    if tied:
        items = facts.pairwise.items
        return [
            "First here is ",
            facts.name(0),
            ", tied with ",
            listed(items[a] for a in tied),
            ".",
        ]
    return ["First is ", facts.name(0), "."]


def _plots(facts: Facts) -> Markup:
    figures = [
        element(
            "figure",
            element("div", Markup(plot.svg(ax, label, name)), class_="plot"),
            element("figcaption", label),
        )
        for name, label, ax in _drawn(facts)
    ]
    return element("section", element("h2", "Plots"), figures, id="plots")


def _drawn(facts: Facts) -> Iterator[tuple[str, str, Any]]:
    """Yield each plot with a name and what it shows, in words."""
    data, result = facts.data, facts.result
    m, winner = result.n_items, plot.name_of(facts.item(0))
    if isinstance(data, Rankings):
        yield (
            "positions",
            f"Where the voters put each of {m:,} items, from {winner} down, in consensus order.",
            plot.positions(data, result),
        )
    yield (
        "pairwise",
        f"For each pair of {m:,} items, the share that puts the row before the column. "
        f"Against the majority: {counted(facts.n_overruled, 'pair')}.",
        plot.pairwise(facts.pairwise, result),
    )
    if facts.boot is not None:
        yield (
            "bootstrap",
            "The interval of each item's place when the voters are drawn again.",
            plot.bootstrap(facts.boot),
        )
    if isinstance(data, Rankings):
        yield (
            "agreement",
            "How far the voters agree with the consensus, by Kendall's tau.",
            plot.agreement(data, result),
        )
        yield (
            "bump",
            "How the places of the items change from the consensus to the voters.",
            plot.bump(data, result),
        )
    # What was solved at once has no way to show.
    if len({point[2:] for point in result.trace}) > 1:
        yield (
            "progress",
            "How the cost of the best ranking and the proven bound came near each other.",
            plot.progress(result),
        )
