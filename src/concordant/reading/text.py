"""Lists in plain text, chats and e-mails: which lines are rankings, whose, and what is in doubt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from concordant.errors import Hint, cut, show
from concordant.reading.cells import Style, is_missing
from concordant.reading.chats import Line, Thread, read_thread
from concordant.reading.findings import Finding
from concordant.reading.outcome import Ballot, question
from concordant.reading.phrases import (
    MARKS,
    Phrase,
    bullet_item,
    is_list,
    is_opener,
    listed_phrase,
    numbered_item,
    plain,
    pointed,
    single_phrase,
    split_label,
    strong_phrase,
    unplaced_item,
    without_bullet,
)
from concordant.reading.text_doubts import (
    Found,
    drop_results,
    folded_name,
    groups_of,
    is_aside,
    is_odd,
    repaired,
    shared_places,
    unread_votes,
)
from concordant.reading.text_keys import keyed_ballots, tallied_votes, tier_lists
from concordant.reading.text_matches import match_results
from concordant.reading.text_points import by_numbers, by_points
from concordant.reading.text_words import AGENDA
from concordant.reading.words import folded, is_ordered, role_of

_LONGEST = 80
_MOST_TITLES = 3
# The smallest share of names that several lists have, where other text stands between them.
_SHARED = 0.5


@dataclass
class TextLists:
    """The lists of a text.

    Attributes:
        kind: "numbered", "named", "arrows", "bullets", "backward", "weakly", "keyed", "tally" or
            "matches".
        ballots: The rankings; rows are indices of lines.
        counted: Whether lines have a count.
        passed: The rows that are not read.
        findings: Notes, and questions that must be settled first.
        other: For "keyed", "tally" and "matches": the rankings of the other reading.
        items: Items that some list has without a place.
    """

    kind: str
    ballots: list[Ballot]
    counted: bool = False
    passed: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    other: list[Ballot] = field(default_factory=list)
    items: list[str] = field(default_factory=list)


def find_lists(
    lines: Sequence[str], style: Style | None = None, *, sure: bool = False
) -> TextLists | None:
    """Find the lists of a text; None where it has none.

    Args:
        lines: The lines of the text.
        style: The words that mean "not ranked".
        sure: Whether the text is known to hold lists: then one list is enough.

    Example:
        >>> found = find_lists(["Ann: Pizza > Sushi", "Bo: Sushi > Pizza"])
        >>> [(ballot.voter, ballot.buckets) for ballot in found.ballots]
        [('Ann', [['Pizza'], ['Sushi']]), ('Bo', [['Sushi'], ['Pizza']])]
        >>> find_lists(["Dear all,", "thank you."]) is None
        True
    """
    return find_in_thread(read_thread(lines), style, sure=sure)


def find_in_thread(
    thread: Thread, style: Style | None = None, *, sure: bool = False
) -> TextLists | None:
    """Find the lists in messages or in lines of text; see `find_lists`."""
    entries = [Line(e.row, plain(e.text), e.sender, e.quoted) for e in thread.lines]
    entries = [entry for entry in entries if re.search(r"[^\W_]", entry.text)]
    if not entries:
        return None
    keyed = keyed_ballots(entries)
    if keyed is not None:
        return TextLists("keyed", *keyed)
    tiers = tier_lists(entries)
    if tiers is not None:
        return TextLists("named", *tiers)
    matches = None if thread.kind else match_results(entries)
    if matches is not None:
        ballots, passed, findings, other = matches
        return TextLists("matches", ballots, passed=passed, findings=findings, other=other)
    found = _Text(thread, entries, style or Style(), sure=sure).lists()
    if found is None and not thread.kind:
        tally = tallied_votes(entries)
        if tally is not None:
            return TextLists("tally", *tally)
    return found


class _Text:
    """A text on its way to lists.

    Attributes:
        entries: The lines that are not empty.
        found: The lists.
        used: The indices of entries that lists and their names use.
    """

    def __init__(self, thread: Thread, entries: list[Line], style: Style, *, sure: bool) -> None:
        self.thread, self.entries, self.style, self.sure = thread, entries, style, sure
        self.found: list[Found] = []
        self.used: set[int] = set()
        self.findings: list[Finding] = []
        self.broken: int | None = None

    # -- the lists -----------------------------------------------------------------------

    def lists(self) -> TextLists | None:
        """Find the lists and what is in doubt."""
        self._blocks()
        self._strong()
        if self.found and all(map(self._is_aside, self.found)):
            # An agenda, around lists with commas.
            self.found, self.used = [], set()
        if self.found:
            self._known()
        else:
            self._weak()
        if not self.found:
            return self._bullets()
        self._name_voters()
        self._join_labels()
        self.found = [each for each in self.found if not self._is_aside(each)]
        self._drop_quotes()
        if all(each.kind == "numbered" for each in self.found):
            drop_results(self.found)
        if not self.found or not self._is_enough():
            return None
        return self._result()

    def _blocks(self) -> None:
        """Find numbered lists, each of which begins with 1."""
        block: Found | None = None
        last = at = -1
        for k, line in enumerate(self.entries):
            item = numbered_item(without_bullet(line.text))
            if item is not None and is_list(item[2]):
                # The number of a ballot, not of an item.
                item = None
            near = block is not None and k - at <= 1 + bool(item) and line.sender == block.sender
            out = unplaced_item(item[2] if item else without_bullet(line.text), numbered=bool(item))
            if near and block is not None and out:
                block.unplaced.append(out)
                last, at = item[0] if item else last, k
                self.used.add(k)
                continue
            if item is None:
                continue
            number, tied, text = item
            if near and block is not None and number != 1:
                if number == last and (tied or len(block.buckets[-1]) > 1 or number < len(block)):
                    block.buckets[-1].append(text)
                elif number in (last + 1, len(block) + 1):
                    block.buckets.append([text])
                else:
                    self.broken = self.broken or line.row
                    continue
            elif number == 1 and near and block is not None and last == 1 and tied:
                block.buckets[-1].append(text)
            elif number == 1:
                block = Found(k, line.row, "numbered", "", line.sender, [[text]], line.quoted)
                self.found.append(block)
            else:
                continue
            last, at = number, k
            self.used.add(k)
        if self.found and not any(len(each.buckets) > 1 for each in self.found):
            self.found, self.used = [], set()

    def _strong(self) -> None:
        for k, line in enumerate(self.entries):
            if k in self.used:
                continue
            item = numbered_item(line.text)
            text = item[2] if item and is_list(item[2]) and not is_list(line.text) else line.text
            phrase = strong_phrase(text)
            if phrase is None or is_aside(phrase.label):
                continue
            names = [name for bucket in phrase.buckets for name in bucket]
            if max(map(len, names)) > _LONGEST:
                continue
            if phrase.kind in ("ordinals", "places", "numbers") and any(map(is_odd, names)):
                continue
            self._add(k, line, phrase)

    def _add(self, k: int, line: Line, phrase: Phrase) -> None:
        self.used.add(k)
        self.found.append(
            Found(
                k,
                line.row,
                phrase.kind,
                phrase.label,
                line.sender,
                [list(bucket) for bucket in phrase.buckets],
                line.quoted,
                phrase.weight,
                phrase.counted,
            )
        )

    def _known(self) -> None:
        """Add lines with commas, or with one item, whose names other lists have."""
        known = {folded_name(name) for each in self.found for name in each.names}
        for k, line in enumerate(self.entries):
            if k in self.used or is_aside(split_label(without_bullet(line.text))[0]):
                continue
            phrase = listed_phrase(line.text)
            if phrase is None or not self._are_known(phrase, known):
                phrase = single_phrase(line.text)
                if phrase is None or not (phrase.label or phrase.counted):
                    continue
                empty = is_missing(phrase.buckets[0][0], self.style) and not is_opener(phrase.label)
                if empty and not line.sender and _is_name(phrase.label):
                    phrase = phrase._replace(buckets=[])
                elif not self._are_known(phrase, known):
                    continue
            self._add(k, line, phrase)

    @staticmethod
    def _are_known(phrase: Phrase, known: set[str]) -> bool:
        return all(folded_name(name) in known for bucket in phrase.buckets for name in bucket)

    def _weak(self) -> None:
        """Find lists with commas, semicolons, slashes or "then" behind names."""
        lines = [
            (k, line)
            for k, line in enumerate(self.entries)
            if not is_aside(split_label(without_bullet(line.text))[0])
        ]
        above = {k for k, _ in lines if k and _is_name(self.entries[k - 1].text)}
        best: list[tuple[int, Line, Phrase]] = []
        for mark in ("then", *MARKS):
            phrases = []
            for k, line in lines:
                phrase = listed_phrase(line.text, None if mark == "then" else mark)
                if phrase is None or (mark == "then") != (phrase.kind == "then"):
                    continue
                if phrase.label or phrase.counted or line.sender or k in above:
                    phrases.append((k, line, phrase))
            core = _core(phrases, pure=len(phrases) == len(lines))
            if len(core) > len(best):
                best = core
        if len(best) < 2:
            return
        for k, line, phrase in best:
            self._add(k, line, phrase)
        by_points(self.found)
        if not by_numbers(self.found):
            self._ask(self.found[0].row, "numbers", "has numbers that are no places")
        self._known()

    def _bullets(self) -> TextLists | None:
        """Find bullets under names: their order may mean nothing."""
        found: list[Found] = []
        for k, line in enumerate(self.entries):
            item = bullet_item(line.text)
            if item is None:
                continue
            if found and k - 1 in self.used and found[-1].sender == line.sender:
                found[-1].buckets.append([item])
            else:
                found.append(Found(k, line.row, "bullets", "", line.sender, [[item]], line.quoted))
            self.used.add(k)
        self.found = [each for each in found if len(each.buckets) > 1]
        self._name_voters()
        if (
            len(self.found) < 2
            or len(self.found) < len(found)
            or not all(b.voter for b in self.found)
        ):
            return None
        noise = [k for k in range(len(self.entries)) if k not in self.used]
        if noise and self._shared() < _SHARED:
            return None
        ballots = [each.ballot() for each in self.found]
        return TextLists("bullets", ballots, passed=[self.entries[k].row for k in noise])

    # -- names ---------------------------------------------------------------------------

    def _name_voters(self) -> None:
        """Name the voters: by the label, the sender, or the line above."""
        for each in self.found:
            label = "" if is_opener(each.label, sent=bool(each.sender)) else each.label
            each.voter = _title(label) or each.sender
        bare = [each for each in self.found if not each.label or is_opener(each.label)]
        many = Counter(each.sender for each in self.found)
        names: dict[int, str] = {}
        for each in bare:
            above = each.index - 1
            if (
                above >= 0
                and above not in self.used
                and self.entries[above].sender == each.sender
                and _is_name(self.entries[above].text)
                and (not each.sender or many[each.sender] > 1)
            ):
                names[each.index] = _title(self.entries[above].text)
        unsent = [each for each in bare if not each.sender]
        complete = len(names) >= len(bare) or (
            names and unsent and all(each.kind in ("numbered", "bullets") for each in unsent)
        )
        if complete:
            for each in bare:
                if each.index in names:
                    each.voter = names[each.index]
                    self.used.add(each.index - 1)

    def _join_labels(self) -> None:
        """Join a label with its item where other lists show that it is a part of the name."""
        known = Counter(folded_name(n) for each in self.found for n in set(each.names))
        labelled = [
            each for each in self.found if each.label and each.kind not in ("single", "marks")
        ]
        for each in labelled:
            whole = strong_phrase(self.entries[each.index].text, labelled=False)
            if whole is None or not whole.buckets[0]:
                continue
            first = whole.buckets[0][0]
            if known[folded_name(first)] and not known[folded_name(each.buckets[0][0])] > 1:
                each.buckets, each.label, each.voter = whole.buckets, "", each.sender

    def _is_aside(self, each: Found) -> bool:
        """Return whether a list is one of people or of business, not of items."""
        voters = {folded_name(other.voter) for other in self.found if other is not each}
        names = {folded_name(name) for name in each.names}
        others = {folded_name(n) for other in self.found if other is not each for n in other.names}
        words = [set(re.findall(r"[^\W_]+", folded(name))) for name in each.names]
        business = sum(bool(AGENDA & found) for found in words)
        other_kind = all(o.kind != "numbered" for o in self.found if o is not each)
        sentences = (
            sum(map(is_odd, each.names))
            if others and (not each.voter or is_aside(each.voter))
            else 0
        )
        alone = each.kind == "numbered" and other_kind and 2 * (business + sentences) >= len(words)
        is_agenda = business >= 2 or (business + sentences > 0 and alone)
        return bool(names and not names & others and (names <= voters or is_agenda))

    def _drop_quotes(self) -> None:
        """Leave out quoted copies of lists that the text has elsewhere."""
        own = [each for each in self.found if not each.quoted]
        kept = list(own)
        for each in self.found:
            if each.quoted and not any(
                other.buckets == each.buckets and each.voter in ("", "?", other.voter)
                for other in kept
            ):
                kept.append(each)
        self.found = sorted(kept, key=lambda each: each.index)

    # -- decisions -----------------------------------------------------------------------

    def _shared(self) -> float:
        names = [folded_name(name) for each in self.found for name in each.names]
        often = Counter(folded_name(n) for each in self.found for n in set(each.names))
        return sum(often[name] > 1 for name in names) / max(1, len(names))

    @property
    def _noise(self) -> list[int]:
        """The indices of entries that are not read."""
        used = self.used - {each for each in self.used if not self._is_kept(each)}
        return [k for k in range(len(self.entries)) if k not in used]

    def _is_kept(self, k: int) -> bool:
        rows = {each.index for each in self.found}
        begin = max((row for row in rows if row <= k), default=None)
        following = min((row for row in rows if row > k), default=None)
        return begin is not None or following == k + 1

    def _is_enough(self) -> bool:
        """Return whether there are enough lists, and whether they rank the same items."""
        full = [each for each in self.found if each.buckets]
        first = min((each.index for each in full), default=0)
        noise = self._noise
        titles = [k for k in noise if k < first]
        between = len(noise) - min(len(titles), _MOST_TITLES)
        if not full or not any(len(each.names) > 1 for each in full):
            return False
        if len({str(each.buckets) for each in full}) == 1 < len(full) < 0.5 * len(noise):
            # The header of several tables.
            return False
        if len(full) == 1:
            only = full[0]
            if any(map(is_odd, only.names)) or (between and not self.sure):
                return False
            return len(only.names) > 2 or bool(only.voter) or only.kind == "numbered" or self.sure
        if all(each.kind == "numbered" for each in full) and not between:
            return True
        if between or self.thread.kind or len(titles) > 1:
            return self._shared() >= _SHARED
        return True

    def _result(self) -> TextLists:
        self._repair()
        kinds = Counter(each.kind for each in self.found if each.buckets)
        main = kinds.most_common(1)[0][0]
        names = {"numbered": "numbered", "backward": "backward", "weakly": "weakly"}
        kind = names.get(main) or ("named" if any(e.voter for e in self.found) else "arrows")
        if kinds["backward"] and main != "backward":
            row = next(each.row for each in self.found if each.kind == "backward")
            self._ask(row, "direction", "is written with <, other lines with >")
        self._doubt_names()
        self._doubt_groups()
        self._doubt_voters()
        if self.broken is not None:
            self._ask(self.broken, "numbering", "does not continue the numbers above it")
        noise = self._noise
        for k, why in unread_votes(self.thread, self.entries, noise, self.found):
            self._ask(self.entries[k].row, "unread-vote", why)
        ballots = []
        for each in self.found:
            buckets = [[n for n in b if not is_missing(n, self.style)] for b in each.buckets]
            ballots.append(each.ballot([bucket for bucket in buckets if bucket]))
        counted = any(each.counted for each in self.found)
        passed = [self.entries[k].row for k in noise]
        out = [name for each in self.found for name in each.unplaced]
        return TextLists(kind, ballots, counted, passed, self.findings, items=out)

    def _ask(self, row: int, code: str, why: str, rows: Iterable[int] = ()) -> None:
        text = next(e.text for e in self.entries if e.row == row)
        out = ",".join(str(r + 1) for r in (list(rows) or [row]))
        self.findings.append(
            question(
                code,
                f"{show(cut(text, 50))} {why}",
                Hint("skip_rows", (out,), "to leave it out"),
                Hint("layout", ("lists",), "to read all lists as they are"),
                row=row + 1,
            )
        )

    def _repair(self) -> None:
        """Leave out remarks around names that other lists have."""
        changed = repaired(self.found)
        if changed:
            old, new = changed[0]
            more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
            self.findings.append(
                Finding("note", "remarks", f"{show(old)} is read as {show(new)}{more}")
            )
        tied = shared_places(self.found)
        if tied:
            text, names = tied[0]
            message = f"{show(text)} is read as a tie of {' and '.join(map(show, names))}"
            self.findings.append(Finding("note", "ties", message))

    def _doubt_names(self) -> None:
        often = Counter(folded_name(name) for each in self.found for name in set(each.names))
        noisy = bool(self._noise) or bool(self.thread.kind)
        for each in self.found:
            for name in each.names:
                if often[folded_name(name)] == 1 and is_odd(name, strict=not noisy):
                    self._ask(each.row, "odd-name", f"would make {show(name)} an item")
                    return

    def _doubt_groups(self) -> None:
        groups = groups_of(self.found)
        large = [group for group in groups if len(group) > 1]
        main = max(groups, key=len, default=[])
        if len(large) > 1:
            other = next(group for group in large if group is not main)
            rows = [self.entries[k].row for each in other for k in self._rows_of(each)]
            self._ask(
                other[0].row,
                "several-votes",
                f"and other lists share no item with line "
                f"{main[0].row + 1}: there may be two votes",
                rows,
            )
        elif len(main) > 1 and (self._noise or self.thread.kind):
            for group in groups:
                if len(group) == 1 and group[0].names:
                    self._ask(
                        group[0].row,
                        "other-list",
                        "begins a list that shares no item with the others",
                        [self.entries[k].row for k in self._rows_of(group[0])],
                    )
                    return

    def _rows_of(self, each: Found) -> list[int]:
        if each.kind != "numbered":
            return [each.index]
        following = min((o.index for o in self.found if o.index > each.index), default=10**9)
        return [
            k
            for k in sorted(self.used)
            if each.index <= k < following and numbered_item(self.entries[k].text)
        ]

    def _doubt_voters(self) -> None:
        """Ask where a few voters have two rankings: the last may replace the first."""
        voters = Counter(each.voter for each in self.found if each.voter and each.buckets)
        twice = [voter for voter, count in voters.items() if count > 1]
        if not twice or len(twice) > 0.5 * len(voters) or any(each.counted for each in self.found):
            return
        for voter in twice:
            mine = [each for each in self.found if each.voter == voter and each.buckets]
            rows = [self.entries[k].row for each in mine[:-1] for k in self._rows_of(each)]
            self._ask(
                mine[-1].row,
                "voter-twice",
                f"is ranking {len(mine)} of {show(voter)}: it may replace line {mine[0].row + 1}",
                rows,
            )
            return


def _core(phrases: list[tuple[int, Line, Phrase]], *, pure: bool) -> list[tuple[int, Line, Phrase]]:
    """Return the lists most of whose names other lists have too."""
    pointed_names = [
        [pair[1] if (pair := pointed(n)) else n for bucket in p.buckets for n in bucket]
        for _, _, p in phrases
    ]
    often = Counter(folded_name(name) for names in pointed_names for name in set(names))
    total = sum(map(len, pointed_names))
    if pure and len(phrases) > 1 and len(often) <= 0.75 * total:
        _, line, title = phrases[0]
        apart = not any(often[folded_name(name)] > 1 for name in pointed_names[0])
        headed = phrases[1][1].row > line.row + 1 or is_ordered(line.text)
        apart = apart and (headed or not title.label) and not line.text[:1].isdecimal()
        # "Trip, class 7b (24 pupils)" stands above ballots with labels or counts.
        below = all(each.text[:1].isdecimal() or p.label for _, each, p in phrases[1:])
        return phrases[1:] if apart and below else phrases
    return [
        each
        for each, names in zip(phrases, pointed_names, strict=True)
        if sum(often[folded_name(n)] > 1 for n in names) >= 0.6 * len(names)
        and max(map(len, names)) <= _LONGEST
    ]


def _is_name(text: str) -> bool:
    """Return whether a line may name the voter of the list below."""
    title = _title(text)
    words = title.split()
    return (
        0 < len(title) <= 60
        and len(words) <= 7
        and title[-1] not in ".?!;,"
        and re.search(r"[^\W_]", title) is not None
        and not set(title) & set(">|=,;\t")
        and bullet_item(text) is None
    )


def _title(text: str) -> str:
    text = re.sub(r"^(?:#+|={2,})\s*|[:\s]+$|\s*={2,}\s*$", "", text)
    label, rest = split_label(text)
    text = rest if role_of(label) == "voter" else text
    return re.sub(
        r"['’]s (list|ranking|ballot|votes?|choices|order|picks|top \d+)$",
        "",
        text,
        flags=re.IGNORECASE,
    )
