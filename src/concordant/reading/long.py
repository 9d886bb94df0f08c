"""Long tables: a row for each voter and item, with a place, a score or a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from concordant.errors import Hint, InputError
from concordant.reading.cells import Column, are_links, counts_up
from concordant.reading.ends import best_end, file_end, is_p_value, metric_end
from concordant.reading.findings import Finding
from concordant.reading.lexicon import ATTEMPTS, LEAGUE
from concordant.reading.long_ballots import filled_down, long_ballots
from concordant.reading.long_values import (
    ASIDE,
    find_value,
    metric_of,
    middle_of,
    unit_end,
    which_value,
)
from concordant.reading.long_voters import (
    by_structure,
    enough,
    finer,
    is_group,
    is_whole,
    named_voters,
    other_text,
    places_of,
    tell_apart,
    told_apart,
    voter_by_structure,
)
from concordant.reading.outcome import (
    FAST_NO_VOTES,
    Proposal,
    Roles,
    check_odd,
    note_ignored,
    note_missing,
    note_unplaced,
    question,
)
from concordant.reading.outsiders import are_mixed, is_product
from concordant.reading.places import is_ranking, once
from concordant.reading.sheet import Sheet
from concordant.reading.shown_ends import file_note
from concordant.reading.single import (
    are_added_up,
    ask_about_blocks,
    gives_places,
    is_best,
)
from concordant.reading.vocabulary import METRICS, OWNERS, TITLES
from concordant.reading.votes import is_share
from concordant.reading.words import is_reference, key, tokens
from concordant.reading.zeros import ask_about_zeros

# Names that say nothing of ranks or scores.
VALUES = frozenset({"value", "values", "wert", "werte", "valeur", "valor", "valore", "waarde"})


def propose_long(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read a table with columns for the voter, the item and the place or score."""
    says_long = sheet.options.layout == "long" or bool({"rank", "score"} & set(roles.given))
    if not says_long and sum(c.ticked for c in sheet.columns) > 1:
        # Boxes for items that are called Service or Order.
        return None
    value, direction = find_value(sheet, roles)
    if value is None:
        return which_value(sheet, roles)
    counts = [c for c in roles.of("count") if c.kind == "number"]
    if counts and value not in roles.given.values() and is_share(value) and not roles.of("voter"):
        # Votes and their shares.
        return None
    if not says_long and roles.by_word.get(value.index) != "rank":
        # A column of places with a slip is not passed over.
        check_odd(sheet, (c for c in roles.of("rank") if c.mixed and not c.worded))
    proposal = Proposal("long", {})
    item = _titled(roles, _item(sheet, roles, value))
    summary = value in middle_of(roles)
    voters = [] if summary else named_voters(sheet, roles, value, item)
    if "voter" not in roles.given and are_added_up(roles.free):
        # GP are games that were played.
        voters = [c for c in voters if c.kind == "text"]
    if voters and not says_long and len(sheet.rows) > 1 and "voter" not in roles.given:
        apart = all(len(set(map(str.strip, c.cells))) == len(c.cells) for c in voters)
        if apart and not sheet.written:
            # Nobody has two items.
            return None
        if item is not None and _is_detail(voters, item, value):
            voters = []
    if item is None and not voters:
        item, voters = by_structure(sheet, roles, value)
    if item is None and voters:
        item = other_text(sheet, roles, value, voters)
    by_word = roles.by_word.get(value.index) in ("rank", "score", "low score")
    by_word = by_word or metric_end(value.name) is not None
    if item is None or (item.numeric and not by_word and value not in roles.given.values()):
        return None
    same = len(item.cells) > 2 and len(set(item.cells)) == 1
    if same and not (says_long or sheet.written or roles.by_word.get(item.index) == "item"):
        # The same word in all rows is not ranked.
        return None
    if not voters and "voter" not in roles.given:
        found = voter_by_structure(sheet, roles, value, item)
        voters = finer(roles, [], item, value) if found is None else [found]
    if not voters:
        if not _may_be_single(sheet, roles, value, item, says_long=says_long):
            return None
        proposal.findings.append(
            Finding("note", "one-ranking", "no column names a voter: the table is one ranking")
        )
        proposal.changed = True
        ask_about_blocks(sheet, roles, proposal, value)
        direction = direction or (unit_end(sheet, value) if summary else None)
        if direction == "scores" and _may_be_low(sheet, roles, value):
            direction = None
    used = {c.index: "ignored" for c in sheet.columns}
    used[item.index] = "item"
    for voter in voters:
        used[voter.index] = "voter"
    used[value.index] = "score" if direction == "scores" else "rank"
    weight = roles.weights()
    if weight is not None and key(weight.name) == "n" and is_p_value(value.name):
        # The size of a sample.
        weight = weight if weight in roles.given.values() else None
    if weight is not None and not voters and len(set(weight.cells)) > 1:
        # How often each item was shown, beside the places of one ranking.
        weight = weight if weight in roles.given.values() else None
    if weight is not None and weight not in (item, value, *voters):
        used[weight.index] = "count" if roles.is_counted(weight) else "weight"
    else:
        weight = None
    proposal.roles = used
    proposal.counted = roles.is_counted(weight)
    voters = enough(sheet, proposal, voters, item, value)
    if proposal.questions:
        return proposal
    voters = told_apart(sheet, roles, proposal, voters, item, value)
    if voters:
        voters = finer(roles, voters, item, value)
        used |= {c.index: "voter" for c in voters}
        proposal.changed = proposal.changed or len(voters) > 1
    if value.numeric:
        check_odd(sheet, [value])
    _ask_about_relevance(roles, proposal, value)
    proposal.values = _direction(sheet, proposal, voters, value, item, direction)
    if proposal.values is not None:
        asked = ask_about_zeros(sheet, [value], (*sheet.titles, value.name))
        if proposal.values == "scores" and asked is not None:
            proposal.findings.append(asked)
        used[value.index] = "score" if proposal.values == "scores" else "rank"
    note_unplaced(proposal, sheet, [value])
    blank = Counter(cell.strip() for cell in item.cells if cell.strip().casefold() in FAST_NO_VOTES)
    note_missing(proposal, {} if sheet.written else dict(blank), frozenset())
    note_ignored(proposal, sheet)
    if filled_down(voters) is not None:
        proposal.changed = True
        proposal.findings.append(
            Finding(
                "note", "merged-cells", f"empty cells of {voters[0].shown} repeat the one above"
            )
        )
    proposal.ballots = lambda: long_ballots(sheet, proposal, voters, item, value, weight)
    return proposal


def _is_detail(voters: Sequence[Column], item: Column, value: Column) -> bool:
    """Return whether the people in a column belong to the items, and rank nothing.

    No two of them share an item, and they are owners by their word, or the places run on from 1
    over all of them.
    """
    rows = [k for k, cell in enumerate(item.cells) if cell.strip()]
    if len({item.cells[k].strip() for k in rows}) < len(rows) or len(rows) < 2:
        return False
    owners = all(OWNERS & set(tokens(c.name)) for c in voters)
    return owners or (
        once(value.numbers) and not all(is_ranking(group) for group in places_of(voters, value))
    )


def _heads(roles: Roles, *, league: bool = True) -> list[Column]:
    """Return columns of numbers that may be voters, without another role.

    In a league table with places, games and goals are none.
    """
    others = [c for c in roles.free if c.kind in ("number", "time", "place")]
    others = [c for c in others if not _names_items(roles, c)]
    # The handicap of one class of boats.
    others = [c for c in others if len(set(c.numbers)) > 1 or len(c.numbers) < 3]
    others = [
        c
        for c in others
        if roles.by_word.get(c.index)
        not in (*ASIDE, "number", "total", "rank", "score", "low score")
        and not ATTEMPTS & set(tokens(c.name))
    ]
    if league and (_are_apart(others) or are_mixed(others)):
        # A rank beside ratings, weeks and p-values: these are no votes.
        return []
    others = [] if middle_of(roles) else others
    games = [c for c in roles.free if key(c.name) in LEAGUE or c.name.strip() == "+/-"]
    if league and are_added_up(roles.free):
        return []
    stats = [c for c in games if len(key(c.name)) > 2]
    if league and (len(games) > 3 or all(c in stats for c in others)):
        # The wins and losses of a ladder.
        return [c for c in others if c not in games]
    return others


def _names_items(roles: Roles, column: Column) -> bool:
    """Return whether a column such as `TeamId` names what another column names too."""
    role = roles.by_word.get(column.index)
    others = [c for c in roles.of("item", "name") if c is not column]
    return is_reference(column.name) and role in (None, "item") and bool(others)


def _are_apart(columns: list[Column]) -> bool:
    """Return whether no two columns of numbers share a range, so that they measure other things."""
    values = [[v for v in c.numbers if v is not None] for c in columns]
    if any(c.kind == "time" for c in columns):
        # Stages take different times.
        return False
    ranges = sorted((min(each), max(each)) for each in values if each)
    return all(one[1] < other[0] for one, other in pairwise(ranges))


def _item(sheet: Sheet, roles: Roles, value: Column) -> Column | None:
    found = [c for c in roles.of("item") if c is not value]
    if "item" not in roles.given and any(c.kind == "text" for c in roles.of("name")):
        # 27.5 under "Buch." is not the name of an item.
        found = [c for c in found if c.whole or not c.numeric]
    found = [c for c in found if c.kind != "empty"] or found[:1]
    if "item" not in roles.given and len(value.cells) > 2:
        # The same number of samples in each row.
        found = [c for c in found if not c.numeric or len(set(c.numbers)) > 1]
    if len([c for c in found if c.numeric]) > 1:
        # Columns such as Coffee and Tea hold ranks.
        return None
    if "item" not in roles.given and found:
        named = [c for c in roles.of("name") if c.kind == "text"][:1]
        again = all(len(set(map(str.strip, c.cells))) < len(c.cells) for c in found)
        if again and is_whole(value) and any(map(_names_rows, roles.free)):
            # The artists or countries beside titles that are all different.
            found = named
        elif all(is_group(c) for c in found):
            # Beside a name, the club is not ranked.
            found = named or found
    if not found and roles.by_word.get(value.index) == "score" and any(map(are_links, roles.free)):
        # What has a page on the web is rated.
        found = [c for c in roles.of("name") if c.kind == "text"][:1]
    if not found and (roles.by_word.get(value.index) == "rank" or value in roles.given.values()):
        # Place, name and time of one race.
        texts = [c for c in roles.free if c.kind == "text"]
        named = [c for c in texts if roles.by_word.get(c.index) == "name"]
        others = [c for c in texts if roles.by_word.get(c.index) != "ignored"]
        different = [c for c in named if len(set(map(str.strip, c.cells))) == len(c.cells)]
        found = named if named == others else different[:1] if not _heads(roles) else []
        if not found and not _heads(roles) and once(value.numbers):
            # Of a chart, the first text that differs from row to row is ranked.
            apart = [c for c in others if len(set(map(str.strip, c.cells))) == len(c.cells)]
            seen = [name for c in others for name in set(map(str.strip, c.cells))]
            # Lists side by side share names.
            whole = len(set(seen)) == len(seen) and all(c.filled == len(c.cells) for c in others)
            found = apart[:1] if whole and not sheet.questions else []
    if not found and value in roles.given.values() and not roles.of("voter"):
        # Where an option names the value, the one column of different texts names the items.
        texts = [c for c in roles.free if c.kind == "text" and tell_apart([c])]
        found = texts if len(texts) == 1 else []
    if value in middle_of(roles) and "item" not in roles.given:
        found = [c for c in roles.free if c.kind == "text" and tell_apart([c])][:1]
    if len(found) < 2:
        return found[0] if found else None
    # A rider has a team and a number too: the finest name is ranked.
    texts = [c for c in found if c.kind == "text"] or found
    texts = [c for c in texts if not is_reference(c.name)] or texts
    texts = [c for c in texts if not is_group(c)] or texts
    # Each magazine has the places from 1 on: it ranks the songs.
    texts = [c for c in texts if not all(once([*g]) for g in places_of([c], value))] or texts
    return max(texts, key=lambda c: len(set(map(str.strip, c.cells))))


def _titled(roles: Roles, item: Column | None) -> Column | None:
    """Return the titles of items that numbers name, where each number has one title."""
    if item is None or not item.numeric or "item" in roles.given:
        return item
    for column in roles.free:
        if column.kind == "text" and TITLES & set(tokens(column.name)):
            pairs = set(zip(map(str.strip, item.cells), map(str.strip, column.cells), strict=True))
            if len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs}):
                return column
    return item


def _names_rows(column: Column) -> bool:
    """Return whether a column of text differs from row to row."""
    return column.kind == "text" and tell_apart([column])


def _may_be_single(
    sheet: Sheet, roles: Roles, value: Column, item: Column, *, says_long: bool
) -> bool:
    """Return whether a table without voters is one ranking."""
    names = [cell.strip() for cell in item.cells if cell.strip()]
    if len(set(names)) < len(names):
        if is_group(item) and not says_long:
            return False
        if roles.by_word.get(item.index) == "item" or says_long:
            raise InputError(
                "the same item is in several rows, and no column names the voter",
                hints=[Hint("voter", purpose="to choose a column")],
            )
        return False
    if says_long and value in roles.given.values():
        return True
    by_word = roles.by_word.get(value.index) in ("rank", "score", "low score")
    by_word = by_word or bool(best_end(value.name) or metric_end(value.name)) or value.points
    by_word = by_word or value in middle_of(roles)
    metrics = roles.of("score", "low score")
    if roles.by_word.get(value.index) != "rank" and len([c for c in metrics if c.numeric]) > 1:
        # Several metrics: each is a voter of a wide table.
        return False
    league = roles.by_word.get(value.index) == "rank"
    if not league and len(set(value.numbers)) == len(names) and are_added_up(roles.free):
        # The points of a league table.
        return True
    numeric = [c for c in _heads(roles, league=league) if c is not value]
    best = [c for c in numeric if gives_places(c, value)]
    tries = [*numeric, *(c for c in roles.free if c.mixed)]
    if league and any(len(numeric) == 1 or is_best(c, tries) for c in best):
        # The best jump of each, from which the places follow.
        numeric = []
    if is_product(value, [c for c in roles.free if c.kind == "number" and c is not value]):
        # "RICE score", made of reach, impact, confidence and effort.
        numeric = []
    return (by_word or says_long) and not numeric and item.kind == "text"


def _may_be_low(sheet: Sheet, roles: Roles, value: Column) -> bool:
    """Return whether the lowest score of one ranking may be best.

    Then rows are numbered from the lowest to the highest, like places, or a `Score` has the many
    decimals of a loss.
    """
    if sheet.options.values is not None or value in roles.given.values():
        return False
    numbers = [v for v in value.numbers if v is not None]
    rises = all(a <= b for a, b in pairwise(numbers)) and numbers[:1] != numbers[-1:]
    if rises and any(counts_up(c) for c in roles.of("number")):
        return True
    decimals = [cell.strip().partition(".")[2] for cell in value.cells if cell.strip()]
    plain = key(value.name) in ("score", "scores")
    return plain and bool(decimals) and all(len(text) > 3 for text in decimals)


# Above what people say of the results of an engine.
_JUDGED = frozenset(
    {
        *("relevance", "relevancy", "relevant", "qrel", "relevanz", "pertinence", "relevancia"),
        *("rilevanza", "pertinenza", "relevantie", "gain"),
    }
)


def _ask_about_relevance(roles: Roles, proposal: Proposal, value: Column) -> None:
    """Ask which ranks the documents: the places that an engine gave, or their relevance."""
    if roles.by_word.get(value.index) != "rank" or value in roles.given.values():
        return
    for column in roles.free:
        if column.kind == "number" and _JUDGED & set(tokens(column.name)):
            why = f"{value.shown} and {column.shown} order the rows differently"
            hints = [
                Hint("rank", (value.name,), f"for {value.shown}, lowest best"),
                Hint("score", (column.name,), f"for {column.shown}, highest best"),
            ]
            proposal.findings.append(question("which-score", why, *hints))
            return


def _direction(
    sheet: Sheet,
    proposal: Proposal,
    voters: list[Column],
    value: Column,
    item: Column,
    direction: str | None,
) -> str | None:
    if value.kind == "time" and sheet.options.values is None:
        proposal.findings.append(
            Finding("note", "times", f"{value.shown} holds times: the lowest is best")
        )
        return "ranks"
    if direction is not None:
        return direction
    if value.worded and value.points and sheet.options.values is None:
        return "scores"
    ends = {best_end(text) for text in (*sheet.titles, *sheet.names)} - {None}
    if len(ends) == 1:
        return ends.pop()
    large = max((v or 0 for v in value.numbers), default=0) > 6
    end = metric_of(sheet) or metric_end(value.name, large=large)
    if not voters and end == "scores" and _may_be_low(sheet, Roles(sheet), value):
        end = None
    if end is not None:
        return end
    if _by_metric(sheet, proposal, voters):
        return "scores"
    groups = places_of(voters, value)
    if all(is_ranking(group) for group in groups) and key(value.name) not in VALUES:
        return "ranks"
    if (end := file_end(sheet.grid.file)) is not None:
        proposal.findings.append(file_note(sheet.grid.file, end))
        proposal.changed = True
        return end
    proposal.findings.append(
        question(
            "ranks-or-scores",
            f"nothing shows which end of {value.shown} is best",
            Hint("score", (value.name,), "if the highest is best"),
            Hint("rank", (value.name,), "if the lowest is best"),
            column=value.name,
        )
    )
    return None


def _by_metric(sheet: Sheet, proposal: Proposal, voters: list[Column]) -> bool:
    """Follow a column that names the metric of each row: the error rate of one data set is low."""
    for column in sheet.columns:
        cells = [cell.strip() for cell in column.cells]
        if column.kind != "text" or not METRICS & set(tokens(column.name)) or column in voters:
            continue
        ends = {cell: best_end(cell) or metric_end(cell) for cell in set(cells)}
        pairs = {(*(c.cells[k].strip() for c in voters), cell) for k, cell in enumerate(cells)}
        if not all(ends.values()) or len(pairs) > len({pair[:-1] for pair in pairs}):
            return False
        proposal.reverse_rows = frozenset(
            k for k, cell in enumerate(cells) if ends[cell] == "ranks"
        )
        proposal.changed = True
        note = f"{column.shown} names what each row measures, and so which end is best"
        proposal.findings.append(Finding("note", "best-end", note))
        return True
    return False
