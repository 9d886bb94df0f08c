"""Wide tables: a column for each item, or for each voter; ranks, scores or times."""

from __future__ import annotations

import re
from collections.abc import Iterator

from concordant.errors import Hint, InputError, listed
from concordant.reading.aside import (
    with_namesakes,
    without_numbers,
    without_other_names,
    without_results,
    without_totals,
)
from concordant.reading.cells import Column
from concordant.reading.findings import Finding
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
from concordant.reading.outsiders import (
    ask_about_agreed,
    ask_about_apart,
    has_unit,
    measured_alone,
    places_alone,
    reference,
    without_points,
)
from concordant.reading.places import is_strict, is_zero_based, once, share_of_ranks
from concordant.reading.sheet import Sheet
from concordant.reading.shown_ends import said_ends
from concordant.reading.sides import find_label, find_side, summed_side
from concordant.reading.values import AS_SCORES, decide_values, vectors_of
from concordant.reading.words import (
    column_role,
    is_reference,
    is_row_number,
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
    if numeric:
        # An item that nobody ranks.
        known = {c.index for c in numeric}
        empty = {
            c.index
            for c in roles.free
            if c.kind == "empty"
            and c.name.strip()
            and roles.by_word.get(c.index) not in _ASIDE
            # A column of a form may be empty: of an item, some cells say "N/A".
            and (not form or any(map(str.strip, c.cells)))
        }
        numeric = [c for c in roles.free if c.index in known or c.index in empty]
    if sheet.questions:
        asked = [c for c in numeric if c.index in sheet.questions]
        numeric = asked if len(asked) > 1 else numeric
    chosen = sheet.options.layout == "wide"
    ticked = [c for c in numeric if c.ticked]
    # Boxes are items, whatever their names say elsewhere.
    columns = ticked if len(ticked) > 1 else _candidates(roles, numeric)
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
    columns = without_results(roles, columns, label)
    columns = with_namesakes(sheet, roles, proposal, columns, numeric, label)
    columns = without_other_names(sheet, roles, columns, label)
    columns = without_totals(sheet, proposal, columns, label)
    columns = without_numbers(sheet, proposal, columns, label)
    columns = without_points(sheet, roles, proposal, columns, label)
    if not chosen and sheet.options.values is None and label is not None and not sheet.goals:
        columns = measured_alone(sheet, proposal, columns)
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
    columns = places_alone(sheet, proposal, columns)
    columns, transposed = _orient(sheet, roles, proposal, columns, label)
    ask_about_apart(sheet, proposal, columns)
    if transposed:
        _ask_about_shares(sheet, roles, proposal, columns)
        ask_about_agreed(sheet, proposal, columns)
    if sheet.groups and not transposed and not chosen:
        _ask_about_groups(sheet, proposal)
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
        or _is_called_max(c, numeric)
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


def _is_called_max(column: Column, numeric: list[Column]) -> bool:
    """Return whether a column `Max` or `Min` is that of a person: not the end of the others."""
    if key(column.name) not in ("max", "min") or len(set(column.numbers)) == 1:
        return False
    end = max if key(column.name) == "max" else min
    rows = [[c.numbers[k] for c in numeric if c is not column] for k in range(len(column.cells))]
    given = [[v for v in row if v is not None] for row in rows]
    return any(
        v is not None and row and v != end(row)
        for v, row in zip(column.numbers, given, strict=True)
    )


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
        if (c.mixed or (c.kind == "text" and c.index in sheet.goals))
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
    same = {c.name.strip() for c in columns} == set(map(str.strip, label.cells))
    if same and words is not True and roles.by_word.get(label.index) in (None, "ignored"):
        why = f"the same {len(columns)} names stand on both sides"
        proposal.findings.append(_ask_sides(label, why))
        return columns, False
    n_rows, n_columns = len(sheet.rows), len(columns)
    by_row = vectors_of(columns, transposed=False)
    by_column = vectors_of(columns, transposed=True)
    filled = [vector for vector in by_row if any(v is not None for v in vector)]
    rows_once, columns_once = is_strict(filled), is_strict(by_column)
    if words and rows_once and len(set(map(str.strip, label.cells))) < len(label.cells):
        # Rows with the same name are not items: an age group of those who answer.
        words = None
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
        if (shares[0] == 1) != (shares[1] == 1) and not all(c.worded for c in columns):
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
    # V1, V2 are the names that R gives to columns without names.
    names = [re.sub(r"^[VX]\.?(?=\d)", "", c.name.strip()) for c in columns]
    if (
        sheet.header is None
        or sheet.written
        or proposal.questions
        or names != numbers
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


# "Price (40)", "Quality (max. 50 points)", "Time - 10 %", "Style /20".
_SHARE = re.compile(
    r"[(\[]\s*(?:[^\W\d]+\.?\s*:?\s*)?(\d+(?:[.,]\d+)?)\s?(?:%|p\w*\.?)?\s*[)\]]\s*$"
    r"|/\s?(\d+)\s*$|(\d+(?:[.,]\d+)?)\s?%\s*$"
)


def _ask_about_shares(
    sheet: Sheet, roles: Roles, proposal: Proposal, columns: list[Column]
) -> None:
    """Ask where the names of criteria say how much of a total each is, and the total is there."""
    found = [_SHARE.search(c.name) for c in columns]
    parts = {next(filter(None, match.groups())) for match in found if match}
    total = next((c for c in sheet.columns if roles.by_word.get(c.index) == "total"), None)
    if total is None or not all(found) or len(parts) < 2 or sheet.options.values is not None:
        return
    if total.numeric and total.index not in {c.index for c in columns}:
        proposal.findings.append(
            question(
                "weights",
                f"{columns[0].called} and the others count differently in {total.shown}",
                Hint("score", (total.name,), f"for one ranking, by {total.shown}"),
                Hint("values", ("scores",), "if each column ranks, all with the same weight"),
                column=total.name,
            )
        )


def _ask_about_groups(sheet: Sheet, proposal: Proposal) -> None:
    """Ask where the groups above the columns are ranked, and each has several marks."""
    subs = list(dict.fromkeys(sheet.groups.values()))
    hints = [
        Hint(
            "ignore",
            (",".join(str(k + 1) for k, name in sheet.groups.items() if name != sub),),
            f"to read {sub!r}",
        )
        for sub in subs[:2]
    ]
    why = f"each group has columns {listed(subs, 3)}: only one can be read"
    proposal.findings.append(question("which-question", why, *hints))


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
    if out and all(_is_result(c) for c in out):
        # The points of a season beside its places, or what a thing costs.
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


def _is_result(column: Column) -> bool:
    """Return whether a column beside places holds points, a total, or an amount with a unit."""
    return column_role(column.name) in ("score", "total") or has_unit(column.name)


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
        raw = vectors_of(columns, transposed=proposal.transposed, zero=False)
        # Beside numbers far above all places, such as points of a game, 0 is an amount.
        most = max((v for vector in raw for v in vector if v is not None), default=0)
        amounts = not sheet.grid.header and most > 3 * len(proposal.items or ())
        zero = not amounts and not is_zero_based(raw)
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
