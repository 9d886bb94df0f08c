"""Plots of the voters and the consensus: where they put each item, how far they agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._types import Float, Int64
from concordant.distances import distances_from_ranks
from concordant.errors import InputError
from concordant.formatting import number
from concordant.plot.drawing import (
    BLUE,
    GREEN,
    GREY,
    LABEL,
    ORANGE,
    PALE,
    PINK,
    SKY,
    axes_or_new,
    consensus_order,
    consensus_rank,
    drawn_words,
    heading,
    height_for,
    label_rows,
    name_of,
    nothing_to_show,
    number_positions,
    numbered_name,
    rows_drawn,
    shown_places,
    text_style,
    tidy,
    weighted_quantiles,
)
from concordant.rankings import Rankings

if TYPE_CHECKING:
    from concordant.consensus import Consensus
    from concordant.rankings import Item

# The largest number of voters in a bump chart, and of lines with a colour.
_COLUMNS, _COLOURED = 12, 8
# Up to this many different rankings have a bar each.
_BARS = 30
# The letters of one name, and of all names together, in the label of a bar.
_LONGEST_FIRST, _LONGEST_START = 16, 26
_ONLY_PAIRS = "No voter ranks more than two items, so there are no positions to draw.\n"
_ONLY_PAIRS += "plot.pairwise shows the comparisons."
_LINES = (BLUE, ORANGE, GREEN, PINK, SKY, "#e69f00", "#7a5195", "#8c6d31")


# -- numbers ---------------------------------------------------------------------------------


def _rankings(data: Any, what: str) -> Rankings:
    if isinstance(data, Rankings):
        return data.explicit()
    raise InputError(
        f"plot.{what} needs Rankings, not {type(data).__name__}: pairwise counts do not contain "
        "the rankings of the voters. Use plot.pairwise"
    )


def compares_pairs(data: Rankings) -> bool:
    """Whether no voter ranks more than two of several items: ballots then have no positions.

    Example:
        >>> compares_pairs(Rankings.from_orders([["a", "b"], ["b", "c"]]))
        True
    """
    most = int(data.explicit().lengths.max(initial=0))
    return most == 2 < data.n_items


def places_on_ballots(data: Rankings) -> tuple[Int64, Float]:
    """Return the ranking and the position of each of `data.members`; ties share the mean.

    Example:
        >>> data = Rankings.from_orders([["b", ("a", "c")]], items="abc")
        >>> places_on_ballots(data)[1].tolist()
        [1.0, 2.5, 2.5]
    """
    rows: Int64 = np.repeat(np.arange(data.n_distinct, dtype=np.int64), data.lengths)
    before = np.repeat(data.offsets[:-1], data.lengths)
    position = (np.arange(1, data.members.size + 1) - before).astype(np.float64)
    if not data.members.size:
        return rows, position
    starts = np.ones(rows.size, bool)
    starts[1:] = (rows[1:] != rows[:-1]) | (data.buckets[1:] != data.buckets[:-1])
    group = np.cumsum(starts) - 1
    means: Float = np.bincount(group, position) / np.bincount(group)
    return rows, means[group]


def mean_places(rank: Int64) -> Float:
    """Return the places of ranks that start at 1; as on ballots, tied items share the mean.

    Example:
        >>> mean_places(np.array([1, 2, 2])).tolist()
        [1.0, 2.5, 2.5]
    """
    sizes = np.bincount(rank)
    places: Float = (np.cumsum(sizes) - (sizes - 1) / 2)[rank]
    return places


def taus(data: Rankings, rank: Int64) -> Float:
    """Return Kendall's tau of each distinct ranking with the ranks of a consensus.

    A pair counts when both order it strictly, as for the cost. NaN where there is no such pair.

    Args:
        data: The rankings.
        rank: The rank of each item, from 1 on; tied items share one.

    Example:
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")], []])
        >>> taus(data, np.array([1, 2, 3])).tolist()
        [1.0, 0.0, nan]
        >>> taus(data, np.array([1, 1, 2])).tolist()
        [1.0, 1.0, nan]
    """
    data = data.explicit()
    against = distances_from_ranks(rank, data)
    # The reverse goes against what agrees.
    pairs = against + distances_from_ranks(rank.max() + 1 - rank, data)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(pairs > 0, 1 - 2 * against / pairs, np.nan)


# -- pictures --------------------------------------------------------------------------------


def positions(data: Rankings, result: Consensus | Sequence[Item], ax: Any = None) -> Any:
    """Draw where the voters put each item, in the order of the consensus.

    A bar contains the middle half of the voters, a thin line contains 80 % of them, and a dot is
    the median; voters count by their weight. If rankings are partial, only ballots that rank the
    item count. Tied items share the mean of their positions. If no ballot ranks more than two
    items, the plot says so instead.

    Args:
        data: The rankings.
        result: A result, or the items in any order, best first.
        ax: The axes to draw on; by default those of a new figure.

    Raises:
        SettingError: matplotlib is not installed.
        InputError: The data are pairwise counts, not rankings.

    Example:
        >>> from concordant import aggregate
        >>> data = Rankings.from_orders([["a", "b"], ["b", "a"], ["a", "b"]])
        >>> positions(data, aggregate(data)).get_xlabel()
        'position on the ballot (1 = first)'
    """
    given = data
    data = _rankings(data, "positions")
    order = consensus_order(result, data.items)
    m = order.size
    if compares_pairs(data):
        return nothing_to_show(axes_or_new(ax, 7.5, 1.6), _ONLY_PAIRS)
    ax = axes_or_new(ax, 7.5, height_for(m))
    rows, position = places_on_ballots(data)
    weights = data.weights[rows]
    by_item = np.lexsort((position, data.members))
    ends = np.searchsorted(data.members[by_item], np.arange(m + 1))
    spans = np.full((m, 5), np.nan)
    share = np.zeros(m)
    for place, a in enumerate(order.tolist()):
        chosen = by_item[ends[a] : ends[a + 1]]
        if weights[chosen].sum() > 0:
            spans[place] = weighted_quantiles(
                position[chosen], weights[chosen], (0.1, 0.25, 0.5, 0.75, 0.9)
            )
            share[place] = weights[chosen].sum()
    box = ax.get_window_extent().height / ax.figure.dpi * 72 / max(m, 1)
    thick = min(9.0, max(0.8, 0.62 * box))
    at = rows_drawn(m)
    spans = spans[at]
    ax.hlines(at, spans[:, 0], spans[:, 4], color=SKY, linewidth=max(0.5, thick / 4))
    ax.hlines(at, spans[:, 1], spans[:, 3], color=BLUE, linewidth=thick)
    # A bar without length is invisible; the dot of its median is not.
    size = min(26.0, max(3.0, thick**2 * 0.8))
    edge = 0.8 if thick > 3 else 0
    ax.scatter(spans[:, 2], at, s=size, color="white", edgecolor=BLUE, linewidth=edge, zorder=3)
    places = mean_places(consensus_rank(result, data.items))[order]
    ax.plot(places[at], at, color=ORANGE, linewidth=1, zorder=2.5)
    label_rows(ax, [name_of(data.items[a]) for a in order.tolist()])
    number_positions(ax, m, "position on the ballot")
    partial = not given.is_complete
    if partial and m <= 40:
        total = float(data.weights.sum()) or 1.0
        for place, weight in enumerate((share / total).tolist()):
            ax.annotate(
                f" {100 * weight:.0f} %", (1, place), xycoords=("axes fraction", "data"),
                va="center", fontsize=LABEL, color=GREY, annotation_clip=False,
            )  # fmt: skip
    note = "Bar: the middle half of the voters; thin line: 80 %; dot: median; slope: consensus."
    if partial:
        shares = "; their share is in grey" if m <= 40 else ""
        note += f" Only ballots that rank the item count{shares}."
    heading(ax, "Where the voters put each item", note + drawn_words(m, at.size))
    tidy(ax, "x")
    return ax


def bump(data: Rankings, result: Consensus | Sequence[Item], ax: Any = None) -> Any:
    """Draw how the places of the items change from the consensus to the voters.

    A column is a ranking: first the consensus, then the voters, from most to least agreement, with
    their names where these are known. Of many voters a sample is drawn, and the title says how
    many. Of many items the first 8 are coloured. If no ballot ranks more than two items, the plot
    says so instead.

    Args:
        data: The rankings.
        result: A result, or the items in any order, best first.
        ax: The axes to draw on; by default those of a new figure.

    Raises:
        SettingError: matplotlib is not installed.
        InputError: The data are pairwise counts, not rankings.

    Example:
        >>> from concordant import aggregate
        >>> data = Rankings.from_orders([["a", "b"], ["b", "a"], ["a", "b"]])
        >>> bump(data, aggregate(data)).get_title(loc="left").splitlines()[0]
        'From the consensus to the voters'
    """
    data = _rankings(data, "bump")
    order = consensus_order(result, data.items)
    m = order.size
    if compares_pairs(data):
        return nothing_to_show(axes_or_new(ax, 7.5, 1.6), _ONLY_PAIRS)
    agree = taus(data, consensus_rank(result, data.items))
    chosen = _columns(data, agree)
    ax = axes_or_new(ax, min(9.0, 4.2 + 0.42 * len(chosen)), height_for(m) + 0.5)
    _, position = places_on_ballots(data)
    table = np.full((m, len(chosen) + 1), np.nan)
    table[:, 0] = mean_places(consensus_rank(result, data.items))
    for column, r in enumerate(chosen, start=1):
        inside = slice(int(data.offsets[r]), int(data.offsets[r + 1]))
        table[data.members[inside], column] = position[inside]
    many = m > 2 * _COLOURED
    across = np.arange(len(chosen) + 1)
    # The best items are drawn last, on top of the others.
    drawn = sorted({*range(min(m, _COLOURED)), *rows_drawn(m).tolist()})
    for place in reversed(drawn):
        line = table[order[place]]
        coloured = place < _COLOURED or not many
        colour = _LINES[place % len(_LINES)] if coloured else PALE
        known = np.isfinite(line)
        if coloured and not known.all():
            # A dotted line crosses the rankings that leave the item out.
            ax.plot(across[known], line[known], ":", color=colour, linewidth=0.8, zorder=1.5)
        ax.plot(
            across,
            line,
            color=colour,
            linestyle="-" if place < len(_LINES) or not coloured else "--",
            linewidth=1.8 if coloured else 0.5,
            marker="o" if m <= 60 else None,
            markersize=4 if coloured else 1.5,
            zorder=2 if coloured else 1,
        )
    deepest = max(m, int(np.nanmax(table, initial=1)))
    ax.set_ylim(deepest + 0.6, 0.4)
    places, size = shown_places(ax, m, "y")
    names = [numbered_name(p, name_of(data.items[order[p]], 22)) for p in places]
    ax.set_yticks([p + 1 for p in places], names, **text_style(fontsize=size))
    ax.set_xlim(-0.25, len(chosen) + 0.25)
    weights = data.weights
    weighted = bool((weights[chosen] != 1).any())
    whose = _names(data)
    labels = ["consensus"] + [
        whose.get(r, "τ –" if np.isnan(agree[r]) else f"τ {agree[r]:.2f}")
        + (f", × {number(weights[r].item())}" if weighted else "")
        for r in chosen
    ]
    ax.set_xticks(across, labels, **text_style(fontsize=LABEL, rotation=60, ha="right"))
    ax.tick_params(axis="x", rotation=60)
    ax.set_ylabel("position (1 = first)", fontsize=9)
    shown = (
        f"{len(chosen)} of {data.n_distinct:,} different rankings, from most to least agreement"
        if len(chosen) < data.n_distinct
        else f"all {data.n_distinct:,} different rankings"
        if data.n_distinct != 1
        else "the only ranking"
    )
    note = f"Shown: {shown}" + ("" if all(r in whose for r in chosen) else "; τ: agreement")
    note += "; ×: weight" if weighted else ""
    if not data.is_complete:
        note += "; dotted across those that leave the item out"
    if many:
        note += f"; the first {_COLOURED} items in colour"
        note += f". {drawn_words(m, len(drawn)).strip()}" if len(drawn) < m else ""
    heading(ax, "From the consensus to the voters", note)
    tidy(ax)
    ax.axvline(0, color=GREY, linewidth=0.6, zorder=0.5)
    return ax


def _names(data: Rankings) -> dict[int, str]:
    """Return the names of the voters of each distinct ranking, where they are known.

    Example:
        >>> orders = [["a", "b"], ["b", "a"], ["a", "b"], ["a", "b"]]
        >>> _names(Rankings.from_orders(orders, voters=["Ann", None, "Bo", "Cy"]))
        {0: 'Ann + 2'}
    """
    named: dict[int, list[object]] = {}
    if data.known is not None:
        for voter, r in zip(data.known.names, data.known.which.tolist(), strict=True):
            if voter is not None:
                named.setdefault(r, []).append(voter)
    return {
        r: name_of(voters[0], _LONGEST_FIRST)
        + (f" + {len(voters) - 1:,}" if len(voters) > 1 else "")
        for r, voters in named.items()
    }


def _columns(data: Rankings, agree: Float) -> list[int]:
    """Choose the rankings to draw, sorted from the most to the least agreement.

    Of many, those at equal steps of the weight are chosen. A ranking that several steps choose is
    drawn once.
    """
    filled = np.flatnonzero(data.lengths > 0)
    by_agreement = filled[np.argsort(-np.nan_to_num(agree[filled], nan=-2.0), kind="stable")]
    if by_agreement.size <= _COLUMNS:
        return [int(r) for r in by_agreement]
    weights = data.weights[by_agreement].astype(float)
    if not weights.sum() > 0:
        weights = np.ones(by_agreement.size)
    steps = (np.arange(_COLUMNS) + 0.5) / _COLUMNS
    picked = weighted_quantiles(np.arange(by_agreement.size), weights, steps.tolist())
    return [int(by_agreement[int(p)]) for p in dict.fromkeys(picked)]


def agreement(data: Rankings, result: Consensus | Sequence[Item], ax: Any = None) -> Any:
    """Draw how far each voter agrees with the consensus: Kendall's tau, from -1 to 1.

    Up to 30 voters whose names are known, or up to 30 different rankings, have a bar each; more are
    drawn as a histogram. If other rankings are or may be as good as the result, the title says so:
    agreement with them may differ.

    Args:
        data: The rankings.
        result: A result, or the items in any order, best first.
        ax: The axes to draw on; by default those of a new figure.

    Raises:
        SettingError: matplotlib is not installed.
        InputError: The data are pairwise counts, not rankings.

    Example:
        >>> from concordant import aggregate
        >>> data = Rankings.from_orders([["a", "b"], ["b", "a"], ["a", "b"]])
        >>> ax = agreement(data, aggregate(data))
        >>> ax.get_xlabel()
        "Kendall's tau with the consensus (1: same order, -1: reverse)"
    """
    data = _rankings(data, "agreement")
    others = _other_optima(data, result)
    agree, weights = taus(data, consensus_rank(result, data.items)), data.weights
    named = data.known if data.known is not None and len(data.known.names) <= _BARS else None
    rows = np.arange(data.n_distinct)
    if named is not None:
        rows = named.which
        weights = named.units if data.scale == 1 else named.units / data.scale
        agree = agree[rows]
    chosen = np.flatnonzero(~np.isnan(agree) & (weights > 0))
    ax = axes_or_new(ax, 7.5, 3.0 if chosen.size > _BARS else 1.5 + 0.2 * max(chosen.size, 3))
    if not chosen.size:
        return nothing_to_show(ax, "No voter puts one item before another.")
    chosen = chosen[np.argsort(-agree[chosen], kind="stable")]
    agree, weights = agree[chosen], weights[chosen]
    mean = _mean(agree, weights)
    total = number(weights.sum().item())
    if chosen.size <= _BARS:
        places = np.arange(chosen.size)
        ax.barh(places, agree, height=0.7, color=np.where(agree < 0, ORANGE, BLUE))
        names = [None if named is None else named.names[v] for v in chosen.tolist()]
        starts = [
            _beginning(data, int(r)) if name is None else name_of(name)
            for name, r in zip(names, rows[chosen], strict=True)
        ]
        weighted = bool((weights != 1).any())
        if weighted:
            pairs = zip(starts, weights.tolist(), strict=True)
            starts = [f"{start}  × {number(weight)}" for start, weight in pairs]
        label_rows(ax, starts, numbered=False)
        what, each = ("ranking", "different ranking") if named is None else ("voter", "voter")
        ax.set_ylabel(f"{what} (× weight)" if weighted else what, fontsize=9)
        note = f"A bar for each {each}; the dashed line is the mean."
    else:
        ax.hist(agree, _bins(agree, data.n_items), weights=weights, color=BLUE, rwidth=0.92)
        ax.set_ylabel("voters (by weight)", fontsize=9)
        note = (
            f"{total} voters, by weight; the dashed line is the mean. Left of 0 a voter disagrees "
            "with more pairs than not."
        )
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.axvline(mean, color=ORANGE, linewidth=1.2, linestyle="--")
    ax.set_xlim(min(0.0, float(agree.min()) - 0.06), 1.02)
    ax.set_xlabel("Kendall's tau with the consensus (1: same order, -1: reverse)", fontsize=9)
    silent = float(data.weights.sum() - weights.sum())
    if silent > 0:
        note += f" Left out: a weight of {number(silent)} that orders no pair."
    note += others
    heading(ax, f"How far the voters agree with the consensus: {mean:.2f} on average", note)
    tidy(ax, "x")
    return ax


def _mean(agree: Float, weights: Any) -> float:
    return float((agree * weights).sum() / weights.sum())


def _other_optima(data: Rankings, result: Any) -> str:
    """Say how far agreement depends on which of several best rankings was taken."""
    if getattr(result, "is_unique", True):
        return ""
    kept = data.weights > 0
    means = []
    for ranking in result.alternatives or ():
        agree = taus(data, consensus_rank(result.names_of(ranking, data.items), data.items))
        here = kept & ~np.isnan(agree)
        means.append(_mean(agree[here], data.weights[here]))
    if len(means) > 1:
        return (
            f" This is one of several best rankings: over the {len(means):,} listed, the mean is "
            f"from {min(means):.2f} to {max(means):.2f}."
        )
    if result.is_unique is False:
        return " Other rankings are as good, and the voters may agree with them more or less."
    return " It is not known whether other rankings are as good; agreement with them may differ."


def _beginning(data: Rankings, r: int) -> str:
    """Return the first items of a ranking, as the label of its bar."""
    start, end = int(data.offsets[r]), int(data.offsets[r + 1])
    text = ""
    for here in range(start, end):
        if here > start:
            text += " = " if data.buckets[here] == data.buckets[here - 1] else " > "
        name = name_of(data.items[data.members[here]], _LONGEST_FIRST)
        if here > start and len(text) + len(name) > _LONGEST_START:
            return f"{text}…"
        text += name
    return text


def _bins(agree: Float, m: int) -> Float:
    """Return the edges of bars that are at least as wide as a step of tau."""
    step = 4 / max(m * (m - 1), 2)
    wanted = max(float(np.ptp(agree)) / 20, 2 * step)
    width = next((w for w in (0.01, 0.02, 0.05, 0.1) if w >= wanted), 0.1)
    first = np.floor(float(agree.min()) / width - 1e-9)
    return np.arange(first, np.ceil(1 / width) + 1) * width
