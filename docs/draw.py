"""Draw the pictures of the pages into `docs/images`, from data: `python docs/draw.py`.

Each function returns one SVG as text. The tests draw the pictures again and compare them, so they
always show what the code does. A picture has its own background, light or dark.
"""

from __future__ import annotations

import functools
import io
import itertools
import math
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

import numpy as np

import concordant as cc
from concordant.tiers.costs import TierCosts

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
STYLE = """
svg { --back: #fff; --ink: #24292f; --soft: #6b7280; --line: #d0d7de; --faint: #f3f5f7;
      --good: #0072b2; --bad: #d55e00; --calm: #00795a; --on: #fff }
@media (prefers-color-scheme: dark) {
  svg { --back: #1f2430; --ink: #e6e9ef; --soft: #a2abbb; --line: #475066; --faint: #2a3040;
        --good: #56b4e9; --bad: #ff9a4d; --calm: #4fd1a5; --on: #14181f }
}
text { font: 14px system-ui, sans-serif; fill: var(--ink) }
.soft { fill: var(--soft); font-size: 12.5px } .small { font-size: 12.5px }
.strong { font-weight: 600 } .ink { fill: var(--ink) } .on { fill: var(--on); font-weight: 600 }
.good { fill: var(--good) } .bad { fill: var(--bad) } .calm { fill: var(--calm) }
.back { fill: var(--back); stroke: var(--line) } .faint { fill: var(--faint) }
.box { fill: var(--faint); stroke: var(--line) }
.line { stroke: var(--line); fill: none } .g { stroke: var(--good); fill: none }
.b { stroke: var(--bad); fill: none } .c { stroke: var(--calm); fill: none }
.s { stroke: var(--soft); fill: none } .w { stroke-width: 2 } .ww { stroke-width: 3 }
"""
CAFES = ROOT / "src" / "concordant" / "examples" / "cafes.toi"
# Lunch for seven voters; the majorities of the three items in the middle form a cycle.
LUNCH = {
    "soup > pasta > pie > salad > cake > fruit": 3,
    "soup > pie > salad > pasta > fruit > cake": 2,
    "soup > salad > pasta > pie > cake > fruit": 2,
}


def lunch() -> cc.Pairwise:
    """Count the pairs of the small example that has a cycle."""
    orders = [order.split(" > ") for order in LUNCH]
    return cc.Pairwise.from_rankings(cc.Rankings.from_orders(orders, weights=list(LUNCH.values())))


def number(value: float) -> str:
    """Write a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Write words; `anchor` sets which end of them is at x."""
    where = f' text-anchor="{anchor}"' if anchor != "start" else ""
    look = f' class="{kind}"' if kind else ""
    return f'<text x="{number(x)}" y="{number(y)}"{look}{where}>{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, kind: str, more: str = "") -> str:
    """Draw a rectangle."""
    size = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<rect {size} class="{kind}"{more}/>'


def path(points: Sequence[tuple[float, float]], kind: str, more: str = "") -> str:
    """Draw a line through points."""
    steps = " L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path d="M{steps}" class="{kind}"{more}/>'


def arrow(start: tuple[float, float], end: tuple[float, float], kind: str, gap: float = 0) -> str:
    """Draw an arrow that ends `gap` pixels before both points."""
    (x, y), (u, v) = start, end
    angle = math.atan2(v - y, u - x)
    x, y = x + gap * math.cos(angle), y + gap * math.sin(angle)
    u, v = u - gap * math.cos(angle), v - gap * math.sin(angle)
    head = [
        (u + 9 * math.cos(angle + turn), v + 9 * math.sin(angle + turn))
        for turn in (math.pi - 0.45, math.pi + 0.45)
    ]
    return path([(x, y), (u, v)], kind) + path([head[0], (u, v), head[1]], kind)


def picture(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    """Put the parts on a background; a screen reader reads the title."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{escape(title)}">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n"
        + box(0.5, 0.5, width - 1, height - 1, "back", ' rx="8"')
        + "\n"
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def pairs() -> str:
    """Draw the pairwise counts in the order of the consensus: the cost is below the diagonal."""
    data = cc.read(CAFES)
    result = cc.aggregate(data)
    order = result.ranking
    counts = cc.Pairwise.from_rankings(data).restrict(order).counts
    side, left, top = 46, 140, 122
    parts = [text(left, 26, "how many guests put the row before the column", "soft")]
    for a, name in enumerate(order):
        y = top + side * a
        parts.append(text(left - 12, y + side / 2 + 5, str(name), "strong", "end"))
        turned = f' transform="rotate(-35 {left + side * a + 16} {top - 8})"'
        parts.append(
            text(left + side * a + 16, top - 8, str(name)[:11], "small").replace(
                "<text", f"<text{turned}"
            )
        )
        for b in range(len(order)):
            x = left + side * b
            if a == b:
                parts.append(box(x, y, side - 2, side - 2, "faint"))
                continue
            share = counts[a, b] / (counts[a, b] + counts[b, a])
            kind = "good" if a < b else "bad"
            strength = f' fill-opacity="{0.12 + 0.5 * share:.2f}"'
            parts.append(box(x, y, side - 2, side - 2, kind, strength))
            parts.append(text(x + side / 2 - 1, y + side / 2 + 4, str(counts[a, b]), "", "middle"))
    x = left + side * len(order) + 24
    below = int(np.tril(counts).sum())
    parts += [
        box(x, top + 8, 18, 18, "good", ' fill-opacity="0.5"'),
        text(x + 28, top + 22, "votes that the order follows"),
        box(x, top + 44, 18, 18, "bad", ' fill-opacity="0.5"'),
        text(x + 28, top + 58, "votes that it goes against"),
        text(x, top + 104, f"cost = all of the orange = {below}", "strong"),
        text(x, top + 128, "Another order permutes rows", "soft"),
        text(x, top + 146, "and columns: find the one with", "soft"),
        text(x, top + 164, "the least below the diagonal.", "soft"),
    ]
    return picture(744, 466, f"Pairwise counts of seven cafes; the cost is {below}", parts)


def components() -> str:
    """Draw the majority relation: an order of parts, and a cycle inside one of them."""
    pairwise = lunch()
    order = list(cc.aggregate(pairwise).ranking)
    counts = pairwise.restrict(order).counts
    reach = counts > counts.T
    for k in range(len(order)):
        reach |= reach[:, [k]] & reach[[k], :]
    alike = (reach & reach.T) | np.eye(len(order), dtype=bool)
    groups: list[list[int]] = []
    for a in range(len(order)):
        if groups and alike[a, groups[-1][0]]:
            groups[-1].append(a)
        else:
            groups.append([a])
    parts, x, middle = [], 30.0, 150.0
    for group in groups:
        width = 110.0 if len(group) == 1 else 230.0
        height = 70.0 if len(group) == 1 else 210.0
        parts.append(box(x, middle - height / 2, width, height, "box", ' rx="10"'))
        center = x + width / 2
        places = [
            (
                center + (0 if len(group) == 1 else 74 * math.sin(2 * math.pi * k / len(group))),
                middle
                + (0 if len(group) == 1 else 12 - 66 * math.cos(2 * math.pi * k / len(group))),
            )
            for k in range(len(group))
        ]
        for a, start in zip(group, places, strict=True):
            parts.append(text(start[0], start[1] + 5, str(order[a]), "strong", "middle"))
            for b, end in zip(group, places, strict=True):
                if counts[a, b] > counts[b, a]:
                    parts.append(arrow(start, end, "b w", gap=30))
                    margin = f"{counts[a, b]}:{counts[b, a]}"
                    where = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
                    out = 1.0 + 20 / max(1.0, math.dist(where, (center, middle + 12)))
                    parts.append(
                        text(
                            center + (where[0] - center) * out,
                            middle + 12 + (where[1] - middle - 12) * out + 5,
                            margin,
                            "soft",
                            "middle",
                        )
                    )
        if group is not groups[-1]:
            parts.append(arrow((x + width + 5, middle), (x + width + 35, middle), "g ww"))
        x += width + 40
    parts.append(
        text(
            30, 30, "Arrows: the majority of seven voters. The middle three go in a circle.", "soft"
        )
    )
    return picture(
        int(x) - 10, 282, "Majorities split the items into parts; one part holds a cycle", parts
    )


def cycle() -> str:
    """Draw why a cycle raises the bound: every order goes against one of its majorities."""
    pairwise = lunch()
    names = ["pasta", "pie", "salad"]
    counts = pairwise.restrict(names).counts
    parts = [
        text(24, 30, "Each order of the three goes against at least one of the majorities.", "soft")
    ]
    for row, first in enumerate(range(3)):
        order = [names[(first + k) % 3] for k in range(3)]
        y = 76 + 56 * row
        for k, name in enumerate(order):
            parts.append(text(70 + 120 * k, y + 5, name, "strong", "middle"))
        index = [names.index(name) for name in order]
        for k in range(2):
            parts.append(arrow((70 + 120 * k, y), (190 + 120 * k, y), "g w", gap=32))
        a, b = index[2], index[0]
        paid = int(counts[a, b] - counts[b, a])
        bend = f"M300 {y + 12} Q190 {y + 40} 84 {y + 14}"
        parts.append(f'<path d="{bend}" class="b w" stroke-dasharray="5 4"/>')
        parts.append(path([(91, y + 21), (84, y + 14), (94, y + 13)], "b w"))
        plural = "vote" if paid == 1 else "votes"
        parts.append(text(366, y, f"against {names[a]} before {names[b]}:", "small"))
        parts.append(
            text(366, y + 18, f"{paid} {plural} more than the pairs' minorities", "bad small")
        )
    least = min(int(counts[k, (k + 1) % 3] - counts[(k + 1) % 3, k]) for k in range(3))
    parts.append(
        text(
            24,
            256,
            f"So no order does with less than {least} more: the bound rises by {least}.",
            "strong",
        )
    )
    return picture(640, 280, "Every order goes against one arrow of a cycle", parts)


def gap() -> str:
    """Draw costs on a line: the bound rises, the best cost falls, the gap is in between."""
    data = cc.generate.mallows(20, 9, 0.02, seed=4)
    pairs_alone = cc.Pairwise.from_rankings(data).lower_bound()
    optimum = cc.aggregate(data, "exact").cost
    simple = cc.aggregate(data, "borda").cost
    low, high = pairs_alone - 5, simple + 5
    y = 118

    def at(value: float) -> float:
        return 40 + 580 * (value - low) / (high - low)

    def dot(value: float, kind: str) -> str:
        return f'<circle cx="{number(at(value))}" cy="{y}" r="6" class="{kind}"/>'

    parts = [
        text(40, 30, "total disagreements", "soft"),
        path([(30, y), (630, y)], "line w"),
        arrow((at(pairs_alone), y), (at(optimum), y), "c ww", gap=10),
        arrow((at(simple), y), (at(optimum), y), "g ww", gap=10),
        dot(pairs_alone, "calm"),
        dot(simple, "good"),
        dot(optimum, "ink"),
    ]
    for value in (pairs_alone, optimum, simple):
        parts.append(text(at(value), y + 26, str(value), "strong", "middle"))
    parts += [
        text(at(pairs_alone), y + 46, "each pair pays its minority", "calm small"),
        text(at(simple), y + 46, "Borda's order", "good small", "middle"),
        text(at(optimum), y + 46, "they meet: proven best", "small", "middle"),
        text(at((pairs_alone + optimum) / 2), y - 18, "the bound rises", "calm", "middle"),
        text(at((optimum + simple) / 2), y - 18, "orders get cheaper", "good", "middle"),
        text(
            40,
            214,
            f"Gap at the start: ({simple} − {pairs_alone}) / {simple} = "
            f"{(simple - pairs_alone) / simple:.1%}. Gap at the end: 0.",
            "strong",
        ),
    ]
    return picture(660, 238, "The bound rises and the cost falls until they meet", parts)


def crossover() -> str:
    """Draw what a child takes from its parents: every pair that both order alike."""
    first = list("ABCDEFG")
    second = list("BADCGEF")
    child = list("BACDEGF")
    for a in first:
        for b in first[first.index(a) + 1 :]:
            kept = child.index(a) < child.index(b)
            assert kept or second.index(a) > second.index(b), "a pair that both parents order alike"
    columns = [(90, "one parent", first), (320, "child", child), (550, "other parent", second)]
    top, step = 82, 38
    parts = [text(24, 30, "Lines that cross are pairs on which two orders differ.", "soft")]
    for (x, _, one), (u, _, other) in itertools.pairwise(columns):
        for item in first:
            y, v = top + step * one.index(item), top + step * other.index(item)
            parts.append(path([(x + 18, y), (u - 18, v)], "g w" if y == v else "b w"))
    for x, name, order in columns:
        parts.append(text(x, 58, name, "soft", "middle"))
        for place, item in enumerate(order):
            y = top + step * place
            parts.append(f'<circle cx="{x}" cy="{y}" r="14" class="box"/>')
            parts.append(text(x, y + 5, item, "strong", "middle"))
    return picture(640, 356, "A child keeps all pairs that its parents agree on", parts)


def lads() -> str:
    """Draw a search by the rules of the paper: the cost may rise, the best cost never does."""
    data = cc.generate.mallows(30, 25, 0.01, seed=2)
    pairwise = cc.Pairwise.from_rankings(data)
    counts = pairwise.counts
    order = pairwise.order_of(cc.aggregate(data, "borda").ranking)
    rng = np.random.default_rng(3)

    def cost_of(order: np.ndarray) -> int:
        return int(np.tril(counts[np.ix_(order, order)]).sum())

    cost = previous = best = cost_of(order)
    history = [cost] * 5
    walk, bests = [cost], [cost]
    for iteration in range(6000):
        a, b = rng.integers(0, 30, 2)
        candidate = order.copy()
        candidate[[a, b]] = candidate[[b, a]]
        found = cost_of(candidate)
        previous = cost
        if found == cost or found < max(history):
            order, cost = candidate, found
            best = min(best, cost)
            walk.append(cost)
            bests.append(best)
        turn = iteration % len(history)
        if cost > history[turn] or cost < min(history[turn], previous):
            history[turn] = cost
    top, bottom = max(walk), min(bests)

    def at(k: int, value: int) -> tuple[float, float]:
        return 60 + 560 * k / len(walk), 40 + 190 * (top - value) / (top - bottom)

    parts = [
        path([(60, 36), (60, 236), (624, 236)], "s"),
        path([at(k, value) for k, value in enumerate(walk)], "b"),
        path([at(k, value) for k, value in enumerate(bests)], "g w"),
        text(340, 258, "accepted moves", "soft", "middle"),
        text(70, 26, "cost", "soft"),
        text(440, 70, "the present order", "bad"),
        text(440, 92, "the best so far", "good"),
    ]
    return picture(
        660, 274, "Late acceptance: the present order may get worse, the best stays", parts
    )


def pair_costs(ahead: int, tied: int, p: float, q: float | None = None) -> tuple[float, ...]:
    """Return what a before b, a tie and b before a cost with 100 votes, per vote."""
    orders = [["a", "b"], ["b", "a"], [("a", "b")]]
    weights = [ahead, 100 - ahead - tied, tied]
    data = cc.Rankings.from_orders(orders, weights=weights, items="ab")
    costs = TierCosts.from_rankings(data, p, q)
    states = np.array([[0, 1], [0, 0], [1, 0]])
    return tuple(costs.cost_units(state) / costs.scale / 100 for state in states)


def chart(title: str, below: str, lines: Sequence[tuple[str, str, Callable[[int], float]]]) -> str:
    """Draw what states of a pair cost per vote, for shares of 0 to 100 %."""

    def at(share: float, cost: float) -> tuple[float, float]:
        return 70 + 3.2 * share, 200 - 160 * cost

    parts = [path([at(0, 1), at(0, 0), at(100, 0)], "line")]
    for share in (0, 25, 50, 75, 100):
        parts.append(text(at(share, 0)[0], 218, f"{share} %", "soft", "middle"))
    for cost in (0, 0.5, 1):
        parts.append(text(60, at(0, cost)[1] + 4, f"{cost:g}", "soft", "end"))
    parts += [text(230, 238, below, "soft", "middle"), text(60, 24, "cost per vote", "soft")]
    for row, (words, kind, cost) in enumerate(lines):
        parts.append(path([at(share, cost(share)) for share in range(0, 101, 5)], f"{kind[0]} w"))
        parts.append(text(420, 60 + 26 * row, words, kind))
    return picture(700, 252, title, parts)


def tie_penalty() -> str:
    """Without tied votes, a tie is cheapest where the votes are divided and p is below 1/2."""
    return chart(
        "A tie costs p, an order costs the votes against it",
        "votes that put a before b, the rest put b before a",
        [
            ("a before b", "good", lambda share: pair_costs(share, 0, 0.5)[0]),
            ("b before a", "bad", lambda share: pair_costs(share, 0, 0.5)[2]),
            ("a tie, p = 0.5: never cheaper", "soft", lambda share: pair_costs(share, 0, 0.5)[1]),
            (
                "a tie, p = 0.25: from 25 to 75 %",
                "calm",
                lambda share: pair_costs(share, 0, 0.25)[1],
            ),
        ],
    )


def vote_tie_penalty() -> str:
    """Tied votes pull towards a tie where q is p, and leave the pair alone where q is 0."""

    def ahead(tied: int) -> int:
        return round(0.8 * (100 - tied))

    return chart(
        "Tied votes count against an order with q = p, and not at all with q = 0",
        "votes that tie the pair; of the rest, four in five put a before b",
        [
            ("a tie, p = 0.5", "soft", lambda t: pair_costs(ahead(t), t, 0.5)[1]),
            ("a before b, q = p = 0.5", "bad", lambda t: pair_costs(ahead(t), t, 0.5)[0]),
            ("a before b, q = 0", "good", lambda t: pair_costs(ahead(t), t, 0.5, 0)[0]),
        ],
    )


# A small table of each layout; the roles and the rankings in the pictures are those that are read.
LAYOUTS = {
    "long": "race,rider,position\nSpring,Ann,1\nSpring,Cy,2\nSpring,Di,DNF\n"
    "Summer,Cy,1\nSummer,Ann,2\n",
    "wide": "judge,Merlot,Syrah,Malbec\nAnn,1,3,2\nBo,2,1,3\nCy,1,2,3\n",
    "ballots": "Timestamp,Name,First choice,Second choice\n2025-03-04,Ann,Tea,Coffee\n"
    "2025-03-04,Bo,Coffee,Tea\n2025-03-05,Cy,Tea,\n",
    "grid": "Timestamp,Rank the drinks [Tea],Rank the drinks [Milk]\n2025-03-04,1st,2nd\n"
    "2025-03-04,2nd,1st\n",
    "lists": "Name,Ranking\nAnn,Tea;Coffee;Milk;\nBo,Coffee;Tea;Milk;\nCy,Milk;Tea;Coffee;\n",
    "columns": "Rank,Smith 2019,Lee 2020\n1,TP53,MYC\n2,MYC,TP53\n3,KRAS,KRAS\n",
    "battles": "model_a,model_b,winner\nada,brio,model_a\nbrio,cato,model_b\ncato,ada,tie\n",
    "matrix": "beats,ada,brio,cato\nada,0,7,4\nbrio,2,0,6\ncato,5,3,0\n",
}


def layout(table: str) -> str:
    """Show a table with the role of each column above it, and the rankings that are read."""
    seen = cc.inspect(table)
    data = cc.read(io.BytesIO(table.encode()), format="csv")
    assert isinstance(data, cc.Rankings)
    columns = [
        [role, name, *cells]
        for role, name, *cells in zip(seen.roles, seen.columns, *seen.rows, strict=True)
    ]
    widths = [20 + 8.4 * max(len(cell) for cell in column) for column in columns]
    height = 44 + 24 * (len(columns[0]))
    parts, x = [], 16.0
    parts.append(box(x, 40, sum(widths), height - 54, "box"))
    for column, width in zip(columns, widths, strict=True):
        role, name, *cells = column
        kind = "soft" if role == "ignored" else "good strong"
        parts.append(text(x + 8, 30, role, kind))
        parts.append(text(x + 8, 60, name, "strong" if role != "ignored" else "soft"))
        for k, cell in enumerate(cells):
            parts.append(text(x + 8, 84 + 24 * k, cell, "soft" if role == "ignored" else ""))
        x += width
    parts.append(path([(16, 67), (x, 67)], "line"))
    lines = readings(data)[:6]
    parts.append(text(x + 40, 30, "read as", "soft"))
    parts += [text(x + 40, 60 + 24 * k, line) for k, line in enumerate(lines)]
    parts.append(arrow((x + 8, 72), (x + 32, 72), "g w"))
    end = x + 64 + 7.8 * max(len(line) for line in lines)
    return picture(round(end), round(max(height, 64 + 24 * len(lines))), seen.summary, parts)


def readings(data: cc.Rankings) -> list[str]:
    """Return the rankings in words, with the names of the voters and the weights."""
    voters = data.voters if data.voters is not None else [None] * len(data)
    return [
        (f"{voter}: " if voter else "") + (f"{weight} × " if weight != 1 else "") + order
        for voter, (ranking, weight) in zip(voters, data, strict=True)
        if (order := " > ".join(" = ".join(map(str, bucket)) for bucket in ranking))
    ]


PICTURES: dict[str, Callable[[], str]] = {
    "pairs": pairs,
    "components": components,
    "lads": lads,
    "crossover": crossover,
    "cycle": cycle,
    "gap": gap,
    "tie-penalty": tie_penalty,
    "vote-tie-penalty": vote_tie_penalty,
    **{f"layout-{name}": functools.partial(layout, table) for name, table in LAYOUTS.items()},
}


def main() -> None:
    """Write all pictures."""
    IMAGES.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (IMAGES / f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
