"""Wide tables: a column for each item, or for each voter; ranks, scores or times."""

from __future__ import annotations

from collections.abc import Iterator

from concordant.errors import Hint, InputError, listed
from concordant.reading.cells import Column
from concordant.reading.ends import best_end, metric_end
from concordant.reading.findings import Finding
from concordant.reading.lexicon import AVERAGES
from concordant.reading.outcome import (
    Ballot,
    Proposal,
    Roles,
    check_odd,
    levels,
    note_ignored,
    note_unplaced,
    question,
    read_weights,
)
from concordant.reading.outsiders import ask_about_apart, reference, without_points
from concordant.reading.places import is_strict, is_zero_based, once, share_of_ranks
from concordant.reading.sheet import Sheet
from concordant.reading.sides import find_label, find_side, summed_side
from concordant.reading.totals import is_mean, is_sum
from concordant.reading.values import AS_SCORES, decide_values, said_ends, vectors_of
from concordant.reading.words import (
    column_role,
    is_reference,
    is_row_number,
    is_word,
    key,
    place_of,
    tokens,
)

# Roles of columns that are never ranked in a wide table.
_ASIDE = ("ignored", "number", "total", "weight", "count", "voter", "name", "rank")


def propose_written(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read a wide table as this package writes it: a voter, a count or weight, then the items."""
    if not sheet.written or sheet.names[1] == "item" or sheet.options.values == "scores":
        return None
    by_index = {c.index: c for c in sheet.columns}
    if len(by_index) < len(sheet.names) or any(place_of(name) for name in sheet.names[2:]):
        return None
    label, weight, *columns = sheet.columns
    if not columns or any(not c.numeric and c.kind != "empty" for c in columns):
        return None
    vectors = vectors_of(columns, transposed=False)
    ranked = any(v is not None for vector in vectors for v in vector)
    if ranked and share_of_ranks(vectors, len(columns)) < 1:
        return None
    proposal = Proposal("wide", {c.index: "item" for c in columns})
    proposal.roles |= {label.index: "voter", weight.index: weight.name}
    proposal.values = "ranks"
    proposal.counted = weight.name == "count"
    proposal.items = _item_names(sheet, columns)
    proposal.ballots = lambda: _ballots(sheet, roles, proposal, columns, label, weight)
    return proposal


def propose_wide(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read a table of numbers: each row or each column is a voter."""
    numeric = [column for column in roles.free if column.numeric]
    form = any(roles.by_word.get(c.index) == "ignored" for c in sheet.columns)
    if numeric and not form:
        # An item that nobody ranks.
        known = {c.index for c in numeric}
        empty = {
            c.index
            for c in roles.free
            if c.kind == "empty" and c.name.strip() and roles.by_word.get(c.index) not in _ASIDE
        }
        numeric = [c for c in roles.free if c.index in known or c.index in empty]
    if sheet.questions:
        asked = [c for c in numeric if c.index in sheet.questions]
        numeric = asked if len(asked) > 1 else numeric
    chosen = sheet.options.layout == "wide"
    columns = _candidates(roles, numeric)
    if len(columns) < 2:
        # Items may be called "Time" or "Age": with other columns, these are set aside.
        columns = [c for c in numeric if roles.by_word.get(c.index) not in ("weight", "count")]
        if len(columns) < 2:
            return None
        aside = ("ignored", "number", "total")
        if any(roles.by_word.get(c.index) in aside for c in columns) and not (
            chosen or is_strict(vectors_of(columns, transposed=False))
        ):
            return None
    worded = [c for c in columns if c.worded]
    if len(worded) > 1:
        # Beside answers in words, numbers such as a year of study are not ranked.
        columns = worded
    proposal = Proposal("wide", {})
    label = find_label(sheet, roles, columns)
    columns = [c for c in columns if c is not label]
    columns = _without_results(roles, columns, label)
    columns = _with_namesakes(sheet, roles, proposal, columns, numeric, label)
    columns = _without_other_names(sheet, roles, columns, label)
    columns = _without_totals(sheet, proposal, columns, label)
    columns = _without_numbers(sheet, proposal, columns, label)
    columns = without_points(sheet, roles, proposal, columns, label)
    if (
        sheet.questions
        and len({sheet.questions[c.index] for c in columns if c.index in sheet.questions}) > 1
    ):
        heads = list(dict.fromkeys(sheet.questions[c.index] for c in columns))
        first = [c.index + 1 for c in columns if sheet.questions[c.index] == heads[0]]
        rest = [c.index + 1 for c in columns if sheet.questions[c.index] != heads[0]]
        proposal.findings.append(
            question(
                "which-question",
                f"the table has {len(heads)} ranking questions: {listed(heads, 3)}",
                Hint("ignore", (",".join(map(str, rest)),), "to read the first"),
                Hint("ignore", (",".join(map(str, first)),), "to read the others"),
            )
        )
        _set_roles(proposal, sheet, roles, columns, label, transposed=False)
        return proposal
    columns, transposed = _orient(sheet, roles, proposal, columns, label)
    ask_about_apart(sheet, proposal, columns)
    if not transposed and not chosen:
        _ask_about_places(sheet, proposal, columns)
    if not transposed and not chosen and _is_long(roles, columns, label):
        return None
    _set_roles(proposal, sheet, roles, columns, label, transposed=transposed)
    proposal.transposed = transposed
    if proposal.questions:
        return proposal
    check_odd(sheet, [*columns, *_mixed(sheet, roles, proposal)])
    decide_values(sheet, proposal, columns, transposed=transposed)
    note_unplaced(proposal, sheet, columns)
    note_ignored(proposal, sheet)
    weight = None if transposed else roles.weights()
    proposal.counted = roles.is_counted(weight)
    names = _item_names(sheet, columns)
    if transposed:
        assert label is not None
        if len(set(map(str.strip, label.cells))) < len(label.cells):
            twice = next(c for k, c in enumerate(label.cells) if c in label.cells[:k])
            raise InputError(
                f"two rows are named {twice!r}: rename one, or use a long table (voter, item, rank)"
            )
        proposal.items = [cell.strip() for cell in label.cells]
    else:
        proposal.items = names
    proposal.ballots = lambda: _ballots(sheet, roles, proposal, columns, label, weight)
    return proposal


def _candidates(roles: Roles, numeric: list[Column]) -> list[Column]:
    """Return the columns that may be ranked: those without another role by their names.

    An item may be called "Total" or "Age": where only with such columns each row has each place
    once, they are ranked.
    """
    columns = [
        c
        for c in numeric
        if (
            roles.by_word.get(c.index) not in _ASIDE
            and not is_row_number(c.name)
            and not (roles.by_word.get(c.index) == "item" and is_reference(c.name))
        )
        or (c.kind == "time" and roles.by_word.get(c.index) not in ("ignored", "total"))
    ]
    taken = {c.index for c in columns}
    aside = [
        c
        for c in numeric
        if c.index not in taken
        and roles.by_word.get(c.index) in ("ignored", "number", "total", "rank")
    ]
    for extra in aside[:20]:
        more = [c for c in numeric if c.index in taken or c is extra]
        if len(more) < 3 or len(more[0].cells) < 2:
            continue
        alone = [vectors_of(columns, transposed=t) for t in (False, True)] if columns else []
        together = vectors_of(more, transposed=False)
        if is_strict(together) and not any(is_strict(vectors) for vectors in alone):
            return more
    return columns


# Words for columns of a form or a list that are also names of items.
_NAMESAKES = frozenset(
    key(word)
    for word in (
        *("price", "preis", "prix", "precio", "prezzo", "preco", "service", "language", "sprache"),
        *("langue", "idioma", "lingua", "duration", "feedback", "importance"),
    )
)


def _with_namesakes(
    sheet: Sheet,
    roles: Roles,
    proposal: Proposal,
    columns: list[Column],
    numeric: list[Column],
    label: Column | None,
) -> list[Column]:
    """Keep items called Heat, Price or Service, whose names are also words for other columns.

    Numbers in the range of the others show that such a column may be an item: then ask.
    """
    if label is None or len(columns) < 2:
        return columns
    values = [v for c in columns for v in c.numbers if v is not None]
    found = []
    for column in numeric:
        given = [v for v in column.numbers if v is not None]
        role, word = roles.by_word.get(column.index), key(column.name)
        if column is label or column in columns or not given or is_reference(column.name):
            continue
        soft = word in _NAMESAKES or is_word("aside", column.name)
        if role not in ("voter", "name") and not soft:
            continue
        if _is_like(given, columns) and min(values) <= min(given) <= max(given) <= max(values):
            found.append(column)
    if not found:
        return columns
    if sheet.options.layout == "wide" or all(c.points for c in (*found, *columns)):
        return [c for c in numeric if c in columns or c in found]
    proposal.findings.append(
        question(
            "another-item",
            f"{found[0].called} may be an item by its numbers, and not by its name",
            Hint("layout", ("wide",), "if it is ranked"),
            Hint("ignore", (reference(sheet, found[0]),), "if it is not ranked"),
            column=found[0].name,
        )
    )
    return columns


def _is_like(given: list[float], columns: list[Column]) -> bool:
    """Return whether numbers lie among those of at least half of the columns."""
    middle = sum(given) / len(given)
    ranges = [[v for v in c.numbers if v is not None] for c in columns]
    return 2 * sum(bool(r) and min(r) <= middle <= max(r) for r in ranges) >= len(ranges)


def _is_long(roles: Roles, columns: list[Column], label: Column | None) -> bool:
    """Return whether voters have several rows each, none of which ranks the columns."""
    if label is None or roles.by_word.get(label.index) != "voter":
        return False
    repeated = 2 * len(set(map(str.strip, label.cells))) <= len(label.cells)
    return repeated and not any(
        once(vector) for vector in vectors_of(columns, transposed=False, zero=False)
    )


def _mixed(sheet: Sheet, roles: Roles, proposal: Proposal) -> list[Column]:
    """Return columns that would be passed over, as some of their cells are not numbers."""
    return [
        c
        for c in roles.free
        if c.mixed
        and proposal.roles.get(c.index) == "ignored"
        and roles.by_word.get(c.index) not in (*_ASIDE, "item")
    ]


def _item_names(sheet: Sheet, columns: list[Column]) -> list[str]:
    names = [c.name.strip() if sheet.changed else c.name for c in columns]
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise InputError(
            f"two columns are named {twice!r}: rename one, or ignore one by its number",
            line=sheet.line(sheet.header),
        )
    return names


def _without_results(roles: Roles, columns: list[Column], label: Column | None) -> list[Column]:
    """Leave out a last column of final results beside places, and numbers beside times."""
    times = [c for c in columns if c.kind == "time"]
    if len(times) > 1 and all(c in times or not c.name.strip() or _is_aside(c) for c in columns):
        columns = times
    last = columns[-1] if columns else None
    if (
        label is not None
        and len(columns) > 2
        and last is not None
        and roles.by_word.get(last.index) == "outcome"
        and once(last.numbers)
    ):
        return columns[:-1]
    return columns


def _is_aside(column: Column) -> bool:
    return is_word("aside", column.name) or column_role(column.name) in ("ignored", "total")


def _without_other_names(
    sheet: Sheet, roles: Roles, columns: list[Column], label: Column | None
) -> list[Column]:
    """Leave out one column that numbers items, as the boat of each sailor."""
    if label is None or roles.by_word.get(label.index) != "item" or len(columns) < 3:
        return columns
    others = [c for c in columns if roles.by_word.get(c.index) == "item"]
    if len(others) != 1 or is_strict(vectors_of(others, transposed=True)):
        return columns
    rest = [c for c in columns if c is not others[0]]
    return rest if is_strict(vectors_of(rest, transposed=True)) else columns


def _without_totals(
    sheet: Sheet, proposal: Proposal, columns: list[Column], label: Column | None
) -> list[Column]:
    """Leave out columns that are the sum, the mean or the best of the others."""
    if len(columns) < 3 or len(sheet.rows) < 2:
        return columns
    sides = ((False, len(columns)), (True, len(sheet.rows)))
    if any(share_of_ranks(vectors_of(columns, transposed=t), n) == 1 for t, n in sides):
        return columns
    order = (
        [columns[-1], columns[0], *columns[1:-1]] if len(columns) <= _MOST_PARTS else columns[-1:]
    )
    for column in order:
        others = [c for c in columns if c is not column]
        what = _derived(column, _parts(column, others))
        if what is not None and (label is not None or what in ("sum", "mean")):
            proposal.findings.append(
                Finding(
                    "note",
                    "total-column",
                    f"{column.called} is the {what} of the others and is left out",
                    column=column.name,
                )
            )
            return others
    return columns


# Wider tables are not searched for sums, but for their last column.
_MOST_PARTS = 60


def _derived(column: Column, others: list[Column]) -> str | None:
    """Return what a column is of the others in every row: their sum, mean, highest or lowest."""
    fits = {"sum": True, "mean": True, "highest": True, "lowest": True}
    rows = 0
    for k, value in enumerate(column.numbers):
        values = [v for c in others if (v := c.numbers[k]) is not None]
        if value is None or len(values) < 2:
            continue
        rows += 1
        fits["sum"] = fits["sum"] and is_sum(value, values)
        fits["mean"] = fits["mean"] and is_mean(value, values)
        fits["highest"] = fits["highest"] and value == max(values)
        fits["lowest"] = fits["lowest"] and value == min(values)
        if not any(fits.values()):
            return None
    given = {value for value in column.numbers if value is not None}
    decimals = any(v != int(v) for v in given)
    if rows > 1 and fits["sum"]:
        return "sum"
    if rows > 2 and fits["mean"] and len(given) > 1 and decimals:
        return "mean"
    found = [end for end in ("highest", "lowest") if fits[end]]
    # Places of a race may all be lower than those of the others.
    amounts = decimals or max(given, default=0) > len(column.cells)
    return found[0] if rows > 3 and found and len(given) > 1 and amounts else None


def _parts(column: Column, others: list[Column]) -> list[Column]:
    """Return the columns that may make up another: those with its end, for `Average accuracy`."""
    end = best_end(column.name) or metric_end(column.name)
    same = [c for c in others if (best_end(c.name) or metric_end(c.name)) == end]
    return same if end is not None and AVERAGES & set(tokens(column.name)) else others


def _without_numbers(
    sheet: Sheet, proposal: Proposal, columns: list[Column], label: Column | None
) -> list[Column]:
    """Leave out a first column that numbers the rows, where another one names them."""
    first, *rest = columns
    counts = [float(k) for k in range(1, len(first.cells) + 1)]
    codes = [v for v in first.numbers if v is not None]
    if (
        label is not None
        and len(rest) > 1
        and first.index < label.index
        and len(set(codes)) == len(first.cells)
        and min(codes) > 10 * len(counts)
        and is_strict(vectors_of(rest, transposed=True))
    ):
        # Code numbers of the rows.
        return rest
    if label is None or len(columns) < 3 or len(counts) < 3 or label.index < first.index:
        return columns
    if first.numbers != counts:
        return columns
    if share_of_ranks(vectors_of(rest, transposed=True), len(counts)) == 1:
        # Places as in the other columns: told by a name like theirs, as Stage 1 and Stage 2.
        if first.name.strip() and tokens(first.name)[:1] == tokens(rest[0].name)[:1]:
            return columns
        if sheet.options.layout == "wide":
            return columns
        proposal.findings.append(
            question(
                "number-or-rank",
                f"{first.called} may number the rows, or hold places",
                Hint("ignore", (reference(sheet, first),), "if it numbers the rows"),
                Hint("layout", ("wide",), "if it holds places"),
                column=first.name,
            )
        )
    return rest


def _orient(
    sheet: Sheet, roles: Roles, proposal: Proposal, columns: list[Column], label: Column | None
) -> tuple[list[Column], bool]:
    """Return the columns that are read, and whether each column is a voter."""
    if sheet.options.transpose is not None:
        transposed = sheet.options.transpose
        if transposed and label is None:
            raise InputError("no column names the rows, so that rows cannot be items")
        return _without_outliers(sheet, proposal, columns, transposed=transposed), transposed
    if label is None or "voter" in roles.given or roles.weights() is not None:
        return _without_outliers(sheet, proposal, columns, transposed=False), False
    words = find_side(sheet, roles, columns, label)
    n_rows, n_columns = len(sheet.rows), len(columns)
    by_row = vectors_of(columns, transposed=False)
    by_column = vectors_of(columns, transposed=True)
    rows_once, columns_once = is_strict(by_row), is_strict(by_column)
    if words is None and label.kind == "text" and not any(tokens(c) for c in label.cells):
        words = False
    if words is not None:
        against = columns_once and not rows_once if not words else rows_once and not columns_once
        other = share_of_ranks(by_row if words else by_column, n_columns if words else n_rows)
        mine = share_of_ranks(by_column if words else by_row, n_rows if words else n_columns)
        if against and other == 1 and mine < 1 and max(n_rows, n_columns) > 2:
            proposal.findings.append(_ask_sides(label, "the words and the places disagree"))
        return _without_outliers(sheet, proposal, columns, transposed=words), words
    if rows_once != columns_once:
        return columns, columns_once
    if rows_once and columns_once:
        why = "each row and each column has each place once"
        if n_rows == 1 or n_columns == 1:
            return columns, n_columns == 1
    else:
        smaller = [
            _without_outliers(sheet, Proposal("", {}), columns, transposed=t) for t in (False, True)
        ]
        strict = [
            is_strict(vectors_of(found, transposed=bool(t))) and len(found) > 1
            for t, found in enumerate(smaller)
        ]
        if strict[0] != strict[1]:
            transposed = strict[1]
            return _without_outliers(sheet, proposal, columns, transposed=transposed), transposed
        shares = (share_of_ranks(by_row, n_columns), share_of_ranks(by_column, n_rows))
        if (shares[0] == 1) != (shares[1] == 1):
            return columns, shares[1] == 1
        summed = summed_side(sheet, roles, columns)
        if summed is not None:
            return columns, summed
        why = f"nothing shows whether {label.called} names voters or items"
    proposal.findings.append(_ask_sides(label, why))
    return columns, False


def _ask_about_places(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> None:
    """Ask where columns 1 to n hold the numbers 1 to n: each is an item, or a place."""
    numbers = [str(k) for k in range(1, len(columns) + 1)]
    if (
        sheet.header is None
        or sheet.written
        or proposal.questions
        or [c.name.strip() for c in columns] != numbers
        or not is_strict(vectors_of(columns, transposed=False))
    ):
        return
    proposal.findings.append(
        question(
            "ballots-or-wide",
            f"columns 1 to {len(columns)} may be items with their ranks, or places with the "
            "numbers of items",
            Hint("layout", ("wide",), "if each column is an item"),
            Hint("layout", ("ballots",), "if each column is a place"),
            column=columns[0].name,
        )
    )


def _ask_sides(label: Column, why: str) -> Finding:
    return question(
        "rows-or-columns",
        f"each row may be a voter or an item: {why}",
        Hint("transpose", ("no",), "if each row is a voter"),
        Hint("transpose", ("yes",), "if each row is an item"),
        column=label.name,
    )


def _without_outliers(
    sheet: Sheet, proposal: Proposal, columns: list[Column], *, transposed: bool
) -> list[Column]:
    """Leave out columns of other numbers, where the rest are ranks without a doubt."""
    n_items = len(sheet.rows) if transposed else len(columns)
    if sheet.options.values is not None or len(columns) < 3 or said_ends(sheet, columns):
        return columns
    if any(c.kind == "place" for c in columns):
        return columns
    if share_of_ranks(vectors_of(columns, transposed=transposed), n_items) == 1:
        return columns
    if transposed:
        kept = [c for c in columns if once([v for v in c.numbers if v != 0])]
    else:
        kept = [
            c
            for c in columns
            if all(v is None or (0 <= v < len(columns) and v == int(v)) for v in c.numbers)
        ]
    if len(kept) < 2 or 2 * len(kept) < len(columns):
        return columns
    vectors = vectors_of(kept, transposed=transposed)
    if len(vectors) < 2 or not is_strict([v for v in vectors if any(x is not None for x in v)]):
        return columns
    out = [c for c in columns if c not in kept]
    if all(v is None or 1 <= v <= n_items for c in out for v in c.numbers):
        # Levels of a scale, which others use as places.
        return columns
    if out and all(column_role(c.name) in ("score", "total") for c in out):
        # The points of a season beside its places.
        return kept
    if out:
        shown = ", ".join(c.shown for c in out)
        proposal.findings.append(
            question(
                "not-a-rank",
                f"{shown} holds other numbers than places, and the other columns hold places",
                Hint("ignore", (",".join(reference(sheet, c) for c in out),), "to leave it out"),
                AS_SCORES,
                column=out[0].name,
            )
        )
    return kept


def _set_roles(
    proposal: Proposal,
    sheet: Sheet,
    roles: Roles,
    columns: list[Column],
    label: Column | None,
    *,
    transposed: bool,
) -> None:
    found = {c.index: "ignored" for c in sheet.columns}
    for column in columns:
        found[column.index] = "voter" if transposed else "item"
    if label is not None:
        found[label.index] = "item" if transposed else "voter"
    weight = roles.weights()
    if weight is not None and not transposed:
        found[weight.index] = "count" if roles.is_counted(weight) else "weight"
    proposal.roles = found


def _ballots(
    sheet: Sheet,
    roles: Roles,
    proposal: Proposal,
    columns: list[Column],
    label: Column | None,
    weight: Column | None,
) -> Iterator[Ballot]:
    options = sheet.options
    reverse = {options.find(name, sheet.names, "reverse") for name in options.reverse}
    reverse ^= proposal.reverse
    scores = proposal.values == "scores"
    # 0 is a score, and no place.
    zero = not scores and not reverse and not proposal.measured
    if options.values == "ranks":
        zero = not is_zero_based(vectors_of(columns, transposed=proposal.transposed, zero=False))
    # Beside decimals, 0 is an amount.
    zero = zero and all(c.whole for c in columns)
    vectors = vectors_of(columns, transposed=proposal.transposed, zero=zero)
    signs = [-1.0 if scores != (c.index in reverse) else 1.0 for c in columns]
    items = proposal.items or []
    if proposal.transposed:
        for column, vector, sign in zip(columns, vectors, signs, strict=True):
            pairs = [
                (sign * v, name) for v, name in zip(vector, items, strict=True) if v is not None
            ]
            yield Ballot(column.name.strip(), levels(pairs), 1, sheet.rows[0])
        return
    weights = read_weights(sheet, weight)
    for k, vector in enumerate(vectors):
        turn = -1.0 if k in proposal.reverse_rows else 1.0
        pairs = [
            (turn * sign * v, name)
            for v, name, sign in zip(vector, items, signs, strict=True)
            if v is not None
        ]
        who = "" if label is None else label.cells[k].strip()
        yield Ballot(who, levels(pairs), 1 if weights is None else weights[k], sheet.rows[k])
