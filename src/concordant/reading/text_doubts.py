"""What is in doubt in a text of lists: odd names, remarks, other votes, lines that may be votes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from concordant.errors import show
from concordant.reading.assemble import plainly
from concordant.reading.chats import Line, Thread
from concordant.reading.outcome import Ballot
from concordant.reading.phrases import is_opener, split_label, without_bullet
from concordant.reading.text_words import (
    AGENDA,
    AND,
    DECIDED,
    FOR_ME,
    LABELS_ASIDE,
    MINE,
    PREFER,
    SAME,
    any_of,
)
from concordant.reading.words import folded

_CLOCK = re.compile(r"\b\d{1,2}:\d{2}\b|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b")
_SENTENCE = re.compile(r"[^.]{2,}[a-zà-ž][.!?]\s+\S|[!?]$|\w{3,}[.]$")
_SAME = re.compile(rf"\W*{any_of(SAME)}\b.*|\W*{any_of(SAME)}\W*", re.IGNORECASE)
_REMARK = re.compile(r"\s*(?:[(\[][^()\[\]]*[)\]]?|\s[-–—]\s.*|[.!?…;,]+(?:\s.*)?|\s*//.*)$")
_EMOJI = re.compile(r"[\s\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d:;()^_xD]+$")
_AND = re.compile(rf"\s+{any_of(AND)}\s+|\s*[/&+]\s*", re.IGNORECASE)
_FOR_ME = re.compile(rf"\s*,?\s+{any_of(FOR_ME)}\W*$", re.IGNORECASE)
# A time, a gap or a number of points behind a name.
_POINTS = r"(?:pts?|points?|votes?|punkte?|stimmen|voix|puntos|punti|pontos|votos|voti|%)"
_RESULT = re.compile(
    rf"(.*?\S)(?:\s{{2,}}|\t|\s+[-–—(]?\s?(?=\d+:\d|\d[\d.,]*\s?{_POINTS}))"
    rf"\(?(?:\+ ?|[aà] )?\d[\d:.,]*\s?(?:{_POINTS}|s|min|km|m)?\.?\)?",
    re.IGNORECASE,
)
# One blank before a time: no version, as each name is there once.
_TIME = re.compile(r"(.*[^\W\d_].*?)\s+\(?\d{1,5}[.,]\d{1,3}\s?s?\)?")
_GREETING = re.compile(r"[^\d]{2,40}(?:[!…\u2600-\u27bf\U0001f000-\U0001faff]|\w{4}\.)")
_MOST_WORDS = 7
_FEW_WORDS = 2


@dataclass
class Found:
    """A list in a text: where it begins, its kind, who gave it, its items and its weight.

    `unplaced` are items that did not finish, such as `Holly Marsh  DNS`.
    """

    index: int
    row: int
    kind: str
    label: str
    sender: str
    buckets: list[list[str]]
    quoted: bool = False
    weight: int = 1
    counted: bool = False
    voter: str = ""
    unplaced: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return sum(map(len, self.buckets))

    @property
    def names(self) -> list[str]:
        """The names of all items."""
        return [name for bucket in self.buckets for name in bucket]

    def ballot(self, buckets: list[list[str]] | None = None) -> Ballot:
        """Return the ranking."""
        return Ballot(
            self.voter, self.buckets if buckets is None else buckets, self.weight, self.row
        )


def folded_name(name: str) -> str:
    """Return a name as names are compared."""
    return plainly(name)


def is_odd(name: str, *, strict: bool = False) -> bool:
    """Return whether a name has the marks of a message, or is a sentence.

    Args:
        name: The name.
        strict: Whether only a colon, a time or a tag count.

    Example:
        >>> is_odd("18:05 - Tom's mum: Zoo"), is_odd("Zoo")
        (True, False)
    """
    if ": " in name or re.search(r"<[^<>]*>?|\bhttps?:", name) or "\t" in name:
        return True
    if _CLOCK.search(name):
        return True
    return not strict and (len(name.split()) > _MOST_WORDS or _SENTENCE.search(name) is not None)


def is_aside(label: str) -> bool:
    """Return whether a label such as `Present` or `Date` begins no vote.

    Example:
        >>> is_aside("Present"), is_aside("Apologies for absence"), is_aside("Ann")
        (True, True, False)
    """
    words = re.findall(r"[^\W_]+", folded(label))
    numbered = bool(words) and words[0].isdecimal() and not AGENDA.isdisjoint(words)
    return 0 < len(words) < 5 and (words[0] in LABELS_ASIDE or numbered)


def repaired(found: Sequence[Found]) -> list[tuple[str, str]]:
    """Cut remarks off names, where the rest is an item of other lists; return what was changed."""
    often = Counter(folded_name(name) for each in found for name in set(each.names))
    spelled: dict[str, str] = {}
    for each in found:
        for name in each.names:
            spelled.setdefault(folded_name(name), name)
    changed = _without_openers(found)
    if changed:
        often = Counter(folded_name(name) for each in found for name in set(each.names))
    cut = [(each, name, *_remark(name)) for each in found for name in each.names]
    bare = Counter(folded_name(short) for _, _, short, words in cut if words != 1)
    told = {folded_name(short) for _, _, short, words in cut if words > _FEW_WORDS}
    for each in found:
        # Each list has a remark at the same item. "Oak (north)" may be another one than "Oak".
        for bucket in each.buckets:
            for k, name in enumerate(bucket):
                short, words = _remark(name)
                lone = often[folded_name(name)] == 1 and not often[folded_name(short)]
                known = bare[folded_name(short)] > 1 and folded_name(short) in told
                if short and words > 1 and lone and known:
                    bucket[k] = short
                    changed.append((name, short))
    if changed:
        often = Counter(folded_name(name) for each in found for name in set(each.names))
        for each in found:
            for name in each.names:
                spelled.setdefault(folded_name(name), name)
    for each in found:
        for place, bucket in enumerate(each.buckets):
            for k, name in enumerate(bucket):
                if often[folded_name(name)] > 1:
                    continue
                first = place == 0 and k == 0
                last = place == len(each.buckets) - 1 or each.kind == "numbered"
                better = _shorter(name, often, spelled, first=first, last=last)
                if better is not None and better not in each.names:
                    bucket[k] = better
                    changed.append((name, better))
    return changed


def _without_openers(found: Sequence[Found]) -> list[tuple[str, str]]:
    """Leave out `my order is` before the first item, and `for me` behind the last."""
    changed = []
    for each in found:
        if not each.buckets or each.kind == "single":
            continue
        first, last = each.buckets[0], each.buckets[-1]
        for bucket, k, short in (
            (first, 0, _without_opener(first[0])),
            (last, -1, _FOR_ME.sub("", last[-1])),
        ):
            if short and short != bucket[k]:
                changed.append((bucket[k], short))
                bucket[k] = short
    return changed


def _without_opener(name: str) -> str:
    words = name.split()
    for k in range(len(words) - 1, 1, -1):
        if folded(words[0]).strip("'") in MINE and is_opener(" ".join(words[:k])):
            return " ".join(words[k:])
    return name


def _remark(name: str) -> tuple[str, int]:
    """Return a name without its remark, and the number of words of the remark."""
    short = _REMARK.sub("", name).strip()
    remark = name[len(short) :]
    return short, len(re.findall(r"[^\W_]+", remark)) + _FEW_WORDS * ("!" in remark)


def drop_results(found: Sequence[Found]) -> None:
    """Leave out times, points and votes behind the items, where all items have some."""
    names = [name for each in found for name in each.names]
    once = len(found) > 1 and len(set(names)) == len(names)
    result = _TIME if once and all(map(_TIME.fullmatch, names)) else _RESULT
    if not names or not all(map(result.fullmatch, names)):
        return
    for each in found:
        each.buckets = [
            [m[1].strip(" -–—(") if (m := result.fullmatch(name)) else name for name in bucket]
            for bucket in each.buckets
        ]


def shared_places(found: Sequence[Found]) -> list[tuple[str, list[str]]]:
    """Split `Oak and Elm` where other lists have both apart; return what was split."""
    often = Counter(folded_name(name) for each in found for name in set(each.names))
    changed = []
    for each in found:
        for place, bucket in enumerate(each.buckets):
            parts = [name for text in bucket for name in _AND.split(text)]
            if len(parts) == len(bucket) or each.kind == "single":
                continue
            if all(often[folded_name(name)] > 1 or name in bucket for name in parts) and all(
                often[folded_name(text)] == 1 for text in bucket if text not in parts
            ):
                changed.append((next(t for t in bucket if t not in parts), parts))
                each.buckets[place] = parts
    return changed


def _shorter(
    name: str, often: Counter[str], spelled: dict[str, str], *, first: bool, last: bool
) -> str | None:
    """Return the item that a name with a remark stands for."""
    variants = []
    if last:
        variants += [
            _EMOJI.sub("", name),
            _REMARK.sub("", name),
            _EMOJI.sub("", _REMARK.sub("", name)),
        ]
    variants.append(re.sub(r"\s*[(\[][^()\[\]]*[)\]]$", "", name))
    for text in variants:
        found = folded_name(text)
        if text and text != name and often[found]:
            return spelled[found]
    if first:
        # "I'd say Pizza", "My order: Pizza".
        for match in re.finditer(r"[\s:]+(?=\S)", name):
            rest = folded_name(name[match.end() :])
            before = name[: match.start()]
            # "Good morning! Pizza".
            if often[rest] and (is_opener(before) or _GREETING.fullmatch(before)):
                return spelled[rest]
    return None


def groups_of(found: Sequence[Found]) -> list[list[Found]]:
    """Return the groups of lists that share items, directly or through others."""
    group_of: dict[str, int] = {}
    groups: dict[int, list[Found]] = {}
    for number, each in enumerate(found):
        if not each.names:
            continue
        names = [folded_name(name) for name in each.names]
        joined = {group_of[name] for name in names if name in group_of}
        groups[number] = [each]
        for other in joined:
            groups[number] += groups.pop(other)
        for name, group in list(group_of.items()):
            if group in joined:
                group_of[name] = number
        group_of |= dict.fromkeys(names, number)
    return [sorted(group, key=lambda each: each.index) for group in groups.values()]


def unread_votes(
    thread: Thread, entries: Sequence[Line], noise: Sequence[int], found: Sequence[Found]
) -> list[tuple[int, str]]:
    """Return the first line that was not read and may be a vote, and why."""
    first, last = min(each.index for each in found), max(each.index for each in found)
    voters = {each.voter for each in found} | {each.sender for each in found}
    items = {folded_name(name) for each in found for name in each.names if len(name) > 1}
    named = any(each.label and not is_opener(each.label) for each in found)
    for k in noise:
        line = entries[k]
        label, body = split_label(without_bullet(line.text))
        who = line.sender or label
        if thread.kind:
            if k < first or not who or who in voters or line.quoted:
                continue
            text = line.text
            words = set(re.findall(r"[^\W_]+", folded(text)))
            names = [item for item in items if _has(plainly(text), item)]
            if _SAME.fullmatch(folded(text)) or (label and _SAME.fullmatch(folded(body))):
                return [(k, "may vote as somebody else does")]
            if names and not words & DECIDED and (words & PREFER or len(words) <= 4):
                return [(k, f"names {show(names[0])} but is no list")]
        elif (
            named
            and label
            and not is_aside(label)
            and len(label.split()) < 4
            and len([item for item in items if _has(plainly(body), item)]) > 1
        ):
            return [(k, "names items but is no list")]
        elif (
            first < k < last and named and label and not is_aside(label) and len(label.split()) < 4
        ):
            return [(k, "is no list, between lists")]
        elif k > last and named and label in voters:
            continue
        elif k >= first and label and not is_aside(label) and _SAME.fullmatch(folded(body)):
            return [(k, "may vote as somebody else does")]
    return []


def _has(text: str, item: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(item)}(?!\w)", text) is not None
