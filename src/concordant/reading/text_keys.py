"""Ballots of numbers or letters with a key above them, and tallies of votes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from concordant.reading.chats import Line
from concordant.reading.findings import Finding
from concordant.reading.outcome import Ballot, levels
from concordant.reading.phrases import clean, numbered_item, split_label, without_bullet
from concordant.reading.text_words import COUNTED, any_of

_KEY = re.compile(r"(?:^|[,;|/]|\s{2,}|(?<=\s))[(\[]?(\d{1,2})\s*[.):=\]-]?\s+(?=[^\W\d_])")
_ROW = re.compile(
    r"(?:(?P<voter>[^\W\d][^:>|,;]{0,40}?)\s*[:–-]\s*)?(?P<marks>\d{1,2}(?:\s*[\s,;>/-]\s*\d{1,2})*)\s*[.;]?"
)
_MARKS = re.compile(r"\d{1,2}")
_COUNT = re.compile(r"\s*(\d{1,9})\s*[x×*:]\s*(?=\d)")
_TALLY = re.compile(
    rf"(?P<item>\S.*?)\s*(?:[:–—-]|\s|\.{{2,}}|\t)\s*(?:(?P<strokes>(?:[|Il1/]{{1,5}}[\s,]*)+|(?:[xX✓✔●★]\s?)+)"
    rf"|[(\[]?(?P<count>\d{{1,9}})\s*{any_of(COUNTED)}[)\]]?)\s*",
    re.IGNORECASE,
)

_TIERS = ["S+", "S", "S-", "A+", "A", "A-", "B+", "B", "B-", "C", "D", "E", "F"]
_TIERS += list("123456789")
_TIER = re.compile(
    r"(?:(?P<tier>[SABCDEF]|[SAB][+-])(?:[- ]tier)?|tier\s+(?P<other>[SABCDEF][+-]?|[1-9]))"
    r"\s*[:=–—-]\s*(?P<items>.*)",
    re.IGNORECASE,
)

Keyed = tuple[list[Ballot], bool, list[int], list[Finding], list[Ballot]]


def keyed_ballots(entries: Sequence[Line]) -> Keyed | None:
    """Read rows of numbers below a key such as `1 Hughes, 2 Iqbal`; None where there are none.

    Returns the ballots with the numbers as candidates, best first; whether lines have a count; the
    rows that are not read; findings; and the ballots with the numbers as places.
    """
    names, used = _key(entries)
    if len(names) < 2:
        return None
    orders: list[Ballot] = []
    places: list[Ballot] = []
    counted = False
    rest = []
    for k, line in enumerate(entries):
        if k in used:
            continue
        count = _COUNT.match(line.text)
        text = line.text[count.end() :] if count else line.text
        match = _ROW.fullmatch(text)
        marks = [int(mark) for mark in _MARKS.findall(match["marks"])] if match else []
        if match is None or len(marks) < 2 or not all(1 <= mark <= len(names) for mark in marks):
            rest.append(line.row)
            continue
        weight = int(count[1]) if count else 1
        counted = counted or count is not None
        voter = (match["voter"] or line.sender).strip()
        orders.append(Ballot(voter, [[names[mark]] for mark in marks], weight, line.row))
        if ">" not in text and len(marks) == len(names):
            pairs = [(float(mark), name) for mark, name in zip(marks, names.values(), strict=True)]
            places.append(Ballot(voter, levels(pairs), weight, line.row))
    if len(orders) < 2 or any(len({b[0] for b in o.buckets}) < len(o.buckets) for o in orders):
        return None
    return orders, counted, rest, [], places if len(places) == len(orders) else []


def _key(entries: Sequence[Line]) -> tuple[dict[int, str], set[int]]:
    """Return the candidates by number, in a line or in numbered lines, and the lines of the key."""
    for k, line in enumerate(entries[:12]):
        label, body = split_label(line.text)
        text = body if label and not label.isdecimal() else line.text
        matches = list(_KEY.finditer(text))
        numbers = [int(match[1]) for match in matches]
        if len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1)):
            ends = [*(match.start() for match in matches[1:]), len(text)]
            names = [
                clean(text[m.end() : end].strip(" ,;|/"))
                for m, end in zip(matches, ends, strict=True)
            ]
            if all(names) and not text[: matches[0].start()].strip():
                return dict(zip(numbers, names, strict=True)), {k}
    items = [(k, item) for k, line in enumerate(entries) if (item := numbered_item(line.text))]
    items = [(k, item) for k, item in items if re.search(r"[^\W\d_]", item[2])]
    if (
        len(items) > 1
        and [item[0] for _, item in items] == list(range(1, len(items) + 1))
        and all(b - a == 1 for (a, _), (b, _) in pairwise(items))
        and ">" not in "".join(item[2] for _, item in items)
    ):
        return {item[0]: clean(item[2]) for _, item in items}, {k for k, _ in items}
    return {}, set()


def tier_lists(entries: Sequence[Line]) -> Keyed | None:
    """Read tier lists, `S: Hades, Celeste` above `A: Tunic`: the items of a tier tie.

    Example:
        >>> found = tier_lists([Line(0, "S: Hades, Celeste"), Line(1, "A: Tunic")])
        >>> found[0][0].buckets
        [['Hades', 'Celeste'], ['Tunic']]
    """
    found: list[tuple[int, list[list[str]]]] = []
    rest: list[int] = []
    tier, last, sure = -1, -2, False
    for k, line in enumerate(entries):
        match = _TIER.fullmatch(without_bullet(line.text))
        if match is None:
            rest.append(k)
            continue
        name = (match["tier"] or match["other"]).upper()
        sure = (
            sure or name.startswith("S") or "tier" in match.string[: match.start("items")].lower()
        )
        place = _TIERS.index(name)
        if place <= tier or last != k - 1:
            found.append((k, []))
        tier, last = place, k
        names = [clean(part) for part in re.split(r"\s*[,;|]\s*|\s+/\s+", match["items"].strip())]
        if names := [part for part in names if part and re.search(r"\w", part)]:
            found[-1][1].append(names)
    items = [[name for bucket in buckets for name in bucket] for _, buckets in found]
    if not sure or not found or any(len(set(each)) < len(each) for each in items):
        return None
    if any(len(buckets) < 2 for _, buckets in found) or len(rest) > 2 * len(found):
        return None
    shared = set.intersection(*map(set, items))
    if len(found) > 1 and len(shared) < 2:
        return None
    ballots = []
    for k, buckets in found:
        above = entries[k - 1].text.strip("# :") if k - 1 in rest and len(found) > 1 else ""
        if above:
            rest.remove(k - 1)
        above = re.sub(r"^[=#*\s-]+|[=#*:\s-]+$", "", above)
        voter = entries[k].sender or (above if len(above.split()) < 5 else "")
        ballots.append(Ballot(voter, buckets, 1, entries[k].row))
    note = Finding("note", "tiers", "each tier is a place: its items tie")
    return ballots, False, [entries[k].row for k in rest], [note], []


def tallied_votes(entries: Sequence[Line]) -> Keyed | None:
    """Read the number of votes of each item, in strokes or in digits.

    Returns one ranking by votes and, as the other reading, a ballot of one item per vote.
    """
    counts: list[tuple[float, str]] = []
    rows, rest = [], []
    for line in entries:
        match = _TALLY.fullmatch(line.text)
        item = "" if match is None else match["item"].strip(" :-–—.\t")
        if match is None or not re.search(r"[^\W\d_]", item) or len(item.split()) > 6:
            rest.append(line.row)
            continue
        strokes = re.sub(r"[\s,]", "", match["strokes"] or "")
        counts.append((float(match["count"] or len(strokes)), item))
        rows.append(line.row)
    if (
        len(counts) < 2
        or len(counts) < len(rest)
        or len({item for _, item in counts}) < len(counts)
    ):
        return None
    ranking = Ballot("", levels([(-count, item) for count, item in counts]), 1, rows[0])
    each = [
        Ballot("", [[item]], int(count), row)
        for (count, item), row in zip(counts, rows, strict=True)
    ]
    return [ranking], False, rest, [], each
