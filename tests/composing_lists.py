"""Composed files with names in their cells: ballots, lists and battles."""

from __future__ import annotations

from collections import Counter

from composing_draw import Buckets, Draw, Table, form_columns, left_out, long_table, places
from composing_words import FIELDS, GRIDS, ORDINALS, PEOPLE, TITLES


def ballots(draw: Draw) -> Table:
    """A column for each choice, as in forms."""
    chosen = draw.field("film", "dish", "city", "song", "drink", "project")
    items = draw.items(chosen)
    n, n_places = draw.rng.randint(3, 8), draw.rng.randint(2, min(5, len(items)))
    draw.missing(0.4)
    rankings, cells = [], []
    for _ in range(n):
        short = "missing values" in draw.names and draw.rng.random() < 0.3
        most = draw.rng.randint(1, n_places - 1) if short else n_places
        rankings.append(draw.ranking(items, most=most))
        cells.append([*(b[0] for b in rankings[-1]), *[draw.empty] * (n_places - most)])
    words = draw.rng.choice(ORDINALS[draw.language])
    columns = form_columns(draw, n)
    columns += [[words[k], *(row[k] for row in cells)] for k in range(n_places)]
    counts: list[int] = []
    if draw.noise("count column", 0.1):
        counts = [draw.rng.randint(1, 40) for _ in range(n)]
        columns = [*columns[-n_places:], [draw.word("votes"), *map(str, counts)]]
    elif draw.noise("comments", 0.3):
        notes = [draw.rng.choice(["", "", "danke", "ok", "merci !"]) for _ in range(n)]
        columns.append([draw.word("comment"), *notes])
    header, *rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(header, rows, rankings, weights=counts)


def form_grid(draw: Draw) -> Table:
    """A grid of a form: `Question [Item]`, with the place in each cell."""
    chosen = draw.field("film", "dish", "city", "drink", "project")
    items, n = draw.items(chosen, most=6), draw.rng.randint(3, 8)
    forms = draw.rng.choice(GRIDS[draw.language])
    draw.names.append(f"cells {forms[0]!r}")
    question = draw.word("question")
    draw.missing(0.2)
    rankings, cells = [], []
    for _ in range(n):
        out = left_out(draw, items)
        rankings.append(draw.ranking([item for item in items if item not in out]))
        found = places(rankings[-1])
        cells.append([forms[found[i] - 1] if i in found else draw.empty for i in items])
    columns = form_columns(draw, n)
    columns += [
        [f"{question} [{item}]", *(row[k] for row in cells)] for k, item in enumerate(items)
    ]
    if draw.noise("comments", 0.3):
        columns.append([draw.word("comment"), *(draw.rng.choice(["", "ok"]) for _ in range(n))])
    header, *rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(header, rows, rankings, items)


def lists_in_cells(draw: Draw) -> Table:
    """One cell holds the ranking."""
    chosen = draw.field("drink", "city", "dish", "song")
    items = [item for item in draw.items(chosen) if not set(item) & set(",;>/")]
    if len(items) < 3:
        return lists_in_cells(draw)
    mark = draw.rng.choice([";", ", ", " > ", ">", "\n", "; "])
    draw.names.append(f"lists by {mark!r}")
    n = draw.rng.randint(3, 8)
    some = draw.noise("short lists", 0.3)
    rankings = [
        draw.ranking(items, most=draw.rng.randint(2, len(items)) if some else len(items))
        for _ in range(n)
    ]
    columns = form_columns(draw, n) or [[draw.word("judge"), *draw.named(n)]]
    numbered = mark in (", ", "\n", "; ") and draw.noise("numbered lists", 0.2)
    columns.append([draw.word("ranking")])
    for ranking in rankings:
        names = [f"{k + 1}. {b[0]}" if numbered else b[0] for k, b in enumerate(ranking)]
        columns[-1].append(mark.join(names))
    if draw.noise("comments", 0.2):
        columns.append([draw.word("comment"), *(draw.rng.choice(["", "ok"]) for _ in range(n))])
    header, *rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(header, rows, rankings)


def lists_in_columns(draw: Draw) -> Table:
    """A column for each list, the best on top."""
    chosen = draw.field("gene", "film", "city", "song", "dish")
    items = draw.items(chosen)
    n = draw.rng.randint(2, 6)
    heads = draw.named(n)
    if chosen.word == "gene":
        heads = [f"{draw.rng.choice(chosen.events)} {2009 + k}" for k in range(n)]
    some = draw.noise("short lists", 0.3)
    rankings = [
        draw.ranking(items, most=draw.rng.randint(2, len(items)) if some else len(items))
        for _ in range(n)
    ]
    names = Counter(bucket[0] for ranking in rankings for bucket in ranking)
    if sum(count > 1 for count in names.values()) < 2:
        return lists_in_columns(draw)
    length = max(map(len, rankings))
    cells = [[*(b[0] for b in r), *[""] * (length - len(r))] for r in rankings]
    dot = draw.rng.choice(["", "."])
    columns = [[draw.word("rank"), *(f"{k + 1}{dot}" for k in range(length))]]
    columns += [[head, *column] for head, column in zip(heads, cells, strict=True)]
    header, *rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(header, rows, rankings)


def named_lists(draw: Draw) -> Table:
    """Lines `Name: A > B = C`."""
    chosen = draw.field("drink", "city", "dish", "film", "song")
    items = [item for item in draw.items(chosen) if not set(item) & set(",;>:=")]
    if len(items) < 3:
        return named_lists(draw)
    mark = draw.rng.choice([" > ", " > ", ">", ", "])
    draw.names.append(f"lists by {mark!r}")
    ties = mark == " > " and draw.noise("ties", 0.3)
    voters = draw.rng.sample(PEOPLE, draw.rng.randint(3, 8))
    rankings = [draw.ranking(items, ties=ties) for _ in voters]
    lines = [
        f"{v}: {mark.join(' = '.join(b) for b in r)}" for v, r in zip(voters, rankings, strict=True)
    ]
    if draw.noise("title", 0.3):
        lines[:0] = [draw.rng.choice(TITLES[draw.language]), ""]
    return Table([], [], rankings, text="\n".join(lines) + "\n")


def numbered_lists(draw: Draw) -> Table:
    """A name, and a numbered list below it."""
    chosen = draw.field("drink", "city", "dish", "film", "song", "wine")
    items = draw.items(chosen, most=6)
    voters = draw.rng.sample(PEOPLE, draw.rng.randint(2, 6))
    mark = draw.rng.choice([". ", ") "])
    colon = draw.rng.choice(["", ":"])
    indent = draw.rng.choice(["", "  "])
    rankings = [draw.ranking(items) for _ in voters]
    blocks = []
    for voter, ranking in zip(voters, rankings, strict=True):
        lines = [f"{indent}{k + 1}{mark}{b[0]}" for k, b in enumerate(ranking)]
        blocks.append("\n".join([voter + colon, *lines]))
    if draw.noise("title", 0.3):
        blocks.insert(0, draw.rng.choice(TITLES[draw.language]))
    return Table([], [], rankings, text="\n\n".join(blocks) + "\n")


def matches(draw: Draw, n: int) -> list[tuple[str, str, int, int]]:
    """Return two sides and their goals for some matches, each side in one at least."""
    items = draw.items(FIELDS["club"])
    pairs = [(items[k], items[(k + 1) % len(items)]) for k in range(len(items))]
    while len(pairs) < n:
        one, other = draw.rng.sample(items, 2)
        pairs.append((one, other))
    return [(one, other, draw.rng.randint(0, 4), draw.rng.randint(0, 4)) for one, other in pairs]


def outcome(one: str, other: str, mine: int, yours: int) -> Buckets:
    if mine == yours:
        return [[one, other]]
    return [[one], [other]] if mine > yours else [[other], [one]]


def match_table(draw: Draw, columns: list[list[str]], rankings: list[Buckets]) -> Table:
    """Return a table of matches, with a date or a round in front."""
    n = len(rankings)
    if draw.noise("date", 0.3):
        columns.insert(0, [draw.word("date"), *(f"2025-04-{k % 28 + 1:02}" for k in range(n))])
    if draw.noise("round", 0.2):
        columns.insert(0, [draw.word("round"), *(str(k // 3 + 1) for k in range(n))])
    if draw.noise("venue", 0.15):
        pool = ["Arena", "Stadion", "Parc", "Campo"]
        columns.append([draw.word("venue"), *(draw.rng.choice(pool) for _ in range(n))])
    header, *rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(header, rows, rankings)


def results(draw: Draw) -> Table:
    """Home, guest, and the result in one cell."""
    played = matches(draw, draw.rng.randint(4, 12))
    mark = draw.rng.choice(["-", ":", " - ", " : ", "–"])
    draw.names.append(f"results by {mark!r}")
    columns = [
        [draw.word("home"), *(m[0] for m in played)],
        [draw.word("away"), *(m[1] for m in played)],
        [draw.word("result"), *(f"{m[2]}{mark}{m[3]}" for m in played)],
    ]
    return match_table(draw, columns, [outcome(*m) for m in played])


def goals(draw: Draw) -> Table:
    """Two sides with a column of goals for each."""
    played = matches(draw, draw.rng.randint(4, 12))
    home, away = draw.word("home"), draw.word("away")
    word = draw.word("goals")
    columns = [
        [home, *(m[0] for m in played)],
        [away, *(m[1] for m in played)],
        [f"{word} {home}", *(str(m[2]) for m in played)],
        [f"{word} {away}", *(str(m[3]) for m in played)],
    ]
    return match_table(draw, columns, [outcome(*m) for m in played])


def winners(draw: Draw) -> Table:
    """A winner and a loser."""
    played = [m for m in matches(draw, draw.rng.randint(5, 12)) if m[2] != m[3]]
    if len(played) < 3:
        return winners(draw)
    rankings = [outcome(*m) for m in played]
    columns = [
        [draw.word("winner"), *(r[0][0] for r in rankings)],
        [draw.word("loser"), *(r[1][0] for r in rankings)],
    ]
    if draw.noise("other order of columns", 0.2):
        columns.reverse()
    if draw.noise("count column", 0.2):
        counts = [draw.rng.randint(1, 30) for _ in rankings]
        header, *rows = zip(*columns, [draw.word("votes"), *map(str, counts)], strict=True)
        return Table([*header], [[*row] for row in rows], rankings, weights=counts)
    return match_table(draw, columns, rankings)


def arena(draw: Draw) -> Table:
    """Two models, and which of them won."""
    items = draw.items(FIELDS["model"])
    form = draw.rng.choice(
        [("model_a", "model_b", "tie"), ("left", "right", "tie"), ("", "", "tie")]
    )
    draw.names.append(f"winner as {form[0] or 'name'}")
    rankings, cells = [], []
    for _ in range(draw.rng.randint(6, 14)):
        one, other = draw.rng.sample(items, 2)
        result = draw.rng.randint(0, 2)
        rankings.append([[[one], [other]], [[other], [one]], [[one, other]]][result])
        names = [form[0] or one, form[1] or other, form[2]]
        cells.append([one, other, names[result]])
    heads = [form[0] or "model_a", form[1] or "model_b", "winner"]
    extra = []
    if draw.noise("attribute judge", 0.3):
        extra.append(["judge", *(draw.rng.choice(PEOPLE) for _ in cells)])
    if draw.noise("attribute language", 0.3):
        extra.append(["language", *(draw.rng.choice(["en", "de", "fr"]) for _ in cells)])
    if draw.noise("attribute turn", 0.2):
        extra.append(["turn", *("1" for _ in cells)])
    columns = [[head, *(row[k] for row in cells)] for k, head in enumerate(heads)]
    table = long_table(draw, columns + extra, shuffled=False)
    table.rankings = rankings
    return table
