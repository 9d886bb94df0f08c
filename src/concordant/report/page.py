"""`html`: the report of a result as one page; `write` saves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant import plot
from concordant._files import atomic_write
from concordant.describe import constraint_words, proof_words, ties_words, uncompared_words
from concordant.errors import InputError
from concordant.formatting import counted
from concordant.grouping import count_words
from concordant.pages import check_pages, render
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reduction.comparisons import apart
from concordant.report.findings import other_optima, overruled
from concordant.report.sections import Facts
from concordant.report.source import Source

if TYPE_CHECKING:
    from concordant.consensus import Consensus
    from concordant.grouping import Groups
    from concordant.resampling import Bootstrap

# The number of overruled majorities that are explained.
_EXPLAINED = 50


def html(
    result: Consensus,
    data: Rankings | Pairwise,
    bootstrap: Bootstrap | None = None,
    *,
    source: Source | None = None,
    proof: Source | None = None,
    title: str | None = None,
    date: str | None = None,
    groups: Groups | None = None,
) -> str:
    """Return the report of a result as one HTML page that loads nothing and runs nothing.

    The result is checked against the data first.

    Args:
        result: What `aggregate` returned or `Consensus.load` read.
        data: The rankings or pairwise counts that the result was computed from.
        bootstrap: What `concordant.bootstrap` returned for this ranking.
        source: The file that contains the data; the page names it.
        proof: The file that proves the bound; the page names it.
        title: The heading of the page; by default it says what was ranked.
        date: A date to print below the heading, in any form.
        groups: What `concordant.groups` returned for these rankings.

    Raises:
        VerificationError: The result does not hold for the data.
        InputError: The bootstrap belongs to another ranking, or the groups to other rankings.
        SettingError: Jinja2 or matplotlib is not installed.

    Example:
        >>> from concordant import aggregate
        >>> votes = Rankings.from_orders([["a", "b"], ["a", "b"], ["b", "a"]])
        >>> page = html(aggregate(votes), votes)
        >>> "No other order has fewer disagreements." in page
        True
    """
    check_pages()
    from markupsafe import Markup

    facts = replace(_facts(result, data, bootstrap, source, proof), groups=groups)
    items = facts.pairwise.items
    is_apart = apart(facts.pairwise)
    uncompared = [items[a] for a in facts.order if is_apart[a]]
    winners = [items[a] for a in (facts.others.winners if facts.others else None) or ()]
    winners = [item for item in winners if item not in uncompared] or winners
    return render(
        "report.html",
        facts=facts,
        heading=title,
        date=date,
        proof=proof_words(result, facts.unit),
        ties=ties_words(result),
        price=constraint_words(result),
        winners=winners,
        uncompared=uncompared_words(uncompared),
        count_words=None if groups is None else count_words(groups),
        tied=[item for item in winners if item != facts.item(0)],
        # The SVG is markup that `plot.svg` made, with every name escaped.
        plots=[(label, Markup(plot.svg(ax, label, name))) for name, label, ax in _drawn(facts)],
    )


def write(
    path: str | Path,
    result: Consensus,
    data: Rankings | Pairwise,
    bootstrap: Bootstrap | None = None,
    *,
    source: Source | None = None,
    proof: Source | None = None,
    title: str | None = None,
    date: str | None = None,
    groups: Groups | None = None,
) -> None:
    """Write the report to a file, replacing it in one step; see `html`.

    Example:
        >>> import tempfile
        >>> from concordant import aggregate
        >>> votes = Rankings.from_orders([["a", "b"], ["a", "b"], ["b", "a"]])
        >>> path = Path(tempfile.mkdtemp()) / "report.html"
        >>> write(path, aggregate(votes), votes)
        >>> path.read_text(encoding="utf-8")[:15]
        '<!doctype html>'
    """
    named: dict[str, Any] = {"source": source, "proof": proof, "title": title, "date": date}
    atomic_write(path, html(result, data, bootstrap, groups=groups, **named))


def _facts(
    result: Consensus,
    data: Any,
    boot: Bootstrap | None,
    source: Source | None,
    proof: Source | None,
) -> Facts:
    if isinstance(data, Rankings | Pairwise):
        pairwise = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
    else:
        data = pairwise = Pairwise.from_matrix(data)
    checked = result.verify(pairwise)
    order = pairwise.order_of(result.ranking_of(pairwise.items))
    if boot is not None:
        names = result.names_of(boot.items, pairwise.items)
        is_other = names != tuple(pairwise.items[a] for a in order.tolist())
        if is_other or (boot.tiers is None) != (result.tiers is None):
            raise InputError(
                "the bootstrap belongs to another ranking: call bootstrap with consensus=result"
            )
    laid_out = pairwise.counts[np.ix_(order, order)]
    # The majorities that constraints overrule need no explanation; the others are in a circle of
    # majorities and constraints.
    imposed = pairwise if result.constraints is None else result.constraints.impose(pairwise)
    apart_from = imposed.counts[np.ix_(order, order)]
    if result.tiers is not None:
        # A tie goes against no majority.
        tier = np.repeat(np.arange(len(result.tiers)), [len(tier) for tier in result.tiers])
        apart_from = np.where(tier[:, None] == tier, 0, apart_from)
    majorities, count = overruled(apart_from, _EXPLAINED)
    return Facts(
        result=result,
        data=data,
        pairwise=pairwise,
        order=order,
        laid_out=laid_out,
        checked=checked,
        others=other_optima(result, imposed, order) if result.tiers is None else None,
        overruled=majorities,
        n_overruled=count,
        boot=boot,
        source=source,
        proof=proof,
    )


def _drawn(facts: Facts) -> Iterator[tuple[str, str, Any]]:
    """Yield a name, a description and the axes of each plot."""
    data, result = facts.data, facts.result
    m, winner = result.n_items, plot.name_of(facts.item(0))
    # Ballots of two items have no positions to draw.
    longer = data if isinstance(data, Rankings) and not plot.compares_pairs(data) else None
    if longer is not None:
        yield (
            "positions",
            f"Where the voters put each of {counted(m, 'item')}, from {winner} down, in consensus "
            "order.",
            plot.positions(longer, result),
        )
    yield (
        "pairwise",
        f"For each pair of {counted(m, 'item')}, the share that puts the row before the column. "
        f"Against the majority: {counted(facts.n_overruled, 'pair')}.",
        plot.pairwise(facts.pairwise, result),
    )
    if facts.boot is not None:
        yield (
            "bootstrap",
            "The interval of each item's place when the voters are resampled.",
            plot.bootstrap(facts.boot),
        )
    if isinstance(data, Rankings):
        known = result
        if facts.others is not None:
            known = replace(result, is_unique=facts.others.is_unique)
        yield (
            "agreement",
            "How far the voters agree with the consensus, by Kendall's tau.",
            plot.agreement(data, known),
        )
    if facts.groups is not None:
        yield (
            "groups",
            "The voters as points: those who agree are near each other.",
            plot.groups(data, facts.groups),  # type: ignore[arg-type]
        )
    if longer is not None:
        yield (
            "bump",
            "How the places of the items change from the consensus to the voters.",
            plot.bump(longer, result),
        )
    # A result that was found at once has no progress to show.
    if len({point[2:] for point in result.trace}) > 1:
        yield (
            "progress",
            "The cost of the best ranking and the proven bound over time.",
            plot.progress(result),
        )
