"""PrefLib's `soc`, `soi`, `toc` and `toi`: orders with repeat counts, strict or with ties.

A data line is `count: 1,{2,3},4`. Before 2022 it was `count,1,{2,3},4`, and the header had no
keys: the number of alternatives, `number,name` for each, and `voters,sum,unique`. Alternatives
are numbered from 1; in files that name an alternative 0, from 0. Some files have a comma before
a closing brace (`{2,3,}`), or empty braces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from concordant._types import Int64
from concordant.errors import Hint, InputError, cut
from concordant.formats.common.registry import LIKELY, NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.text import distinct_names, printed_names
from concordant.rankings import Rankings

# Possessive repeats check a line of any length in one pass, without a stack.
_IDS = r"\s*+\d++\s*+(?:,\s*+\d++\s*+)*+"
_GROUP = rf"\s*+(?:\d++|\{{(?:{_IDS}(?:,\s*+)?+)?+\s*+\}})\s*+"
_ORDER = rf"(?:{_GROUP}(?:,{_GROUP})*+)?+\s*+"
_LINE = re.compile(rf"\s*+\d++\s*+:{_ORDER}", re.ASCII)
_OLD_LINE = re.compile(rf"\s*+\d++\s*+(?:,{_ORDER})?+", re.ASCII)
_OLD_NAME = re.compile(r"\s*+(\d++)\s*+,(.*+)", re.ASCII)


@dataclass
class _Header:
    names: list[str]
    # The number of the first alternative.
    base: int
    # The numbers of voters and of distinct orders, -1 where not given, and their line.
    voters: int
    unique: int
    totals_line: int
    # The data lines, and their line numbers.
    orders: list[str]
    lines: list[int]


def _number(source: Source, text: str, line: int, what: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 18):
        raise source.error(f"{what} must be a whole number, not {cut(text)!r}", line)
    return int(text)


def _read_header(source: Source) -> _Header:
    """Read the current header: `# KEY: value`."""
    m, voters, unique, totals_line, m_line = -1, -1, -1, 1, 1
    names: dict[int, str] = {}
    named_at: dict[int, int] = {}
    orders, lines = [], []
    for line, text in enumerate(source.lines, start=1):
        if not text.startswith("#"):
            if text and not text.isspace():
                orders.append(text)
                lines.append(line)
            continue
        key, _, value = (part.strip() for part in text[1:].partition(":"))
        key = key.upper()
        if key.startswith("ALTERNATIVE NAME "):
            number = key.removeprefix("ALTERNATIVE NAME ")
            alternative = _number(source, number, line, "the number of an alternative")
            if alternative in names:
                raise source.error(
                    f"alternative {alternative} was named before, on line {named_at[alternative]}",
                    line,
                )
            names[alternative], named_at[alternative] = value, line
        elif key == "NUMBER ALTERNATIVES":
            m, m_line = _number(source, value, line, "the number of alternatives"), line
        elif key == "NUMBER VOTERS":
            voters, totals_line = _number(source, value, line, "the number of voters"), line
        elif key == "NUMBER UNIQUE ORDERS":
            unique = _number(source, value, line, "the number of unique orders")
    if m < 0:
        if not names:
            raise source.error("the header has no line '# NUMBER ALTERNATIVES: …'", 1)
        m = max(names) + (0 in names)
    source.check_items(m, m_line)
    base = 0 if 0 in names else 1
    for alternative, line in named_at.items():
        if not base <= alternative < base + m:
            raise source.error(
                f"alternative {alternative} has a name, but the header says {m} alternatives", line
            )
    if names and len(names) < m:
        missing = next(j for j in range(base, base + m) if j not in names)
        raise source.error(
            f"the header says {m} alternatives, but number {missing} has no name", m_line
        )
    listed = [names.get(j + base, "") for j in range(m)]
    return _Header(listed, base, voters, unique, totals_line, orders, lines)


def _read_old_header(source: Source) -> _Header:
    """Read the counted header: m, then m names, then `voters,sum,unique`."""
    lines = [k for k, text in enumerate(source.lines, start=1) if text.strip()]
    texts = [source.lines[k - 1] for k in lines]
    m = _number(source, texts[0], lines[0], "the number of alternatives, which comes first,")
    source.check_items(m, lines[0])
    # The alternative 0 need not come first.
    base = 0 if any(re.match(r"\s*0+\s*,", text) for text in texts[1 : m + 1]) else 1
    names: dict[int, str] = {}
    for line, text in zip(lines[1 : m + 1], texts[1 : m + 1], strict=True):
        match = _OLD_NAME.fullmatch(text)
        if match is None:
            raise source.error(
                f"the header says {m} alternatives, so this line must be 'number,name', not "
                f"{cut(text.strip())!r}",
                line,
            )
        alternative = _number(source, match[1], line, "the number of an alternative")
        if alternative in names or not base <= alternative < base + m:
            fault = "is named twice"
            if alternative not in names:
                fault = f"is not one of {base} … {base + m - 1}"
            raise source.error(f"alternative {alternative} {fault}", line)
        names[alternative] = match[2].strip()
    if len(texts) < m + 2:
        raise source.error(
            f"the header says {m} alternatives, so {m} names and 'voters,sum,unique' must follow; "
            f"there are {len(texts) - 1} lines",
            lines[-1],
        )
    line = lines[m + 1]
    totals = texts[m + 1].split(",")
    if len(totals) != 3:
        raise source.error(
            f"the line after the names must be 'voters,sum,unique', not "
            f"{cut(texts[m + 1].strip())!r}",
            line,
        )
    voters, total, unique = (_number(source, text, line, "a total") for text in totals)
    if voters != total:
        raise source.error(f"the header says {voters} voters, but {total} as their sum", line)
    listed = [names[j + base] for j in range(m)]
    return _Header(listed, base, voters, unique, line, texts[m + 2 :], lines[m + 2 :])


def read_preflib(source: Source, kind: str) -> Rankings:
    """Read a PrefLib file of ordinal preferences; `kind` is soc, soi, toc or toi."""
    first = next(text for text in source.lines if text.strip())
    is_old = not first.startswith("#")
    header = _read_old_header(source) if is_old else _read_header(source)
    m = len(header.names)
    if m == 0:
        raise source.error("the header says that there is no item to rank", header.totals_line)
    if not header.orders:
        raise source.error("there is no ranking", source.last_line)
    pattern = _OLD_LINE if is_old else _LINE
    for text, line in zip(header.orders, header.lines, strict=True):
        if pattern.fullmatch(text) is None:
            raise _form_error(source, text, line, "," if is_old else ": ")
    counts, offsets, numbers, buckets = _read_orders(header.orders)
    members = numbers - header.base
    _check_orders(source, header, counts, offsets, members)
    rankings = source.rankings(
        distinct_names(header.names, header.base),
        offsets,
        members,
        buckets,
        counts,
        lines=header.lines,
        n_rankings=int(counts.sum()),
    )
    _check_totals(source, header, counts, rankings.n_distinct)
    _check_kind(source, header, offsets, buckets, kind)
    return rankings


def _form_error(source: Source, text: str, line: int, separator: str) -> InputError:
    count = text.split(separator[0], 1)[0].strip()
    if not (count.isascii() and count.isdecimal()):
        return source.error(
            f"{cut(count)!r} is not a count of voters (a whole number, 0 or more)", line
        )
    form = f"count{separator}1,{{2,3}},4"
    return source.error(f"{cut(text.strip())!r} does not have the form '{form}'", line)


def _read_orders(orders: list[str]) -> tuple[Int64, Int64, Int64, Int64]:
    """Read all data lines at once: (counts, offsets, numbers of alternatives, buckets)."""
    body = "\n".join(orders).encode()
    raw = np.frombuffer(body, np.uint8)
    digit = (raw >= ord("0")) & (raw <= ord("9"))
    starts = np.flatnonzero(digit & np.concatenate([[True], ~digit[:-1]]))
    blanked = np.where(digit, raw, np.uint8(ord(" "))).tobytes()
    values = np.fromstring(blanked, np.int64, sep=" ")
    ends = np.searchsorted(starts, np.flatnonzero(raw == ord("\n")))
    firsts = np.concatenate([[0], ends])
    # A number begins a bucket if it is outside braces, or the first after an opening brace.
    opened = np.cumsum(raw == ord("{"))
    group = opened[starts]
    tied = group > np.cumsum(raw == ord("}"))[starts]
    begins = np.ones(starts.size, bool)
    begins[1:] = ~tied[1:] | (group[1:] != group[:-1])
    is_count = np.zeros(starts.size, bool)
    is_count[firsts] = True
    offsets = np.append(firsts - np.arange(firsts.size), starts.size - firsts.size)
    return values[firsts], offsets, values[~is_count], np.cumsum(begins)[~is_count]


def _check_orders(
    source: Source, header: _Header, counts: Int64, offsets: Int64, members: Int64
) -> None:
    m = len(header.names)
    huge = np.flatnonzero(counts >= 2**53)
    if huge.size:
        raise source.error("the count is too large", header.lines[int(huge[0])])
    wrong = np.flatnonzero((members < 0) | (members >= m))
    if wrong.size:
        position = int(wrong[0])
        order = int(np.searchsorted(offsets, position, "right")) - 1
        raise source.error(
            f"there is no alternative {members[position] + header.base}: the header has "
            f"{header.base} … {header.base + m - 1}",
            header.lines[order],
        )


def _check_totals(source: Source, header: _Header, counts: Int64, distinct: int) -> None:
    total = int(counts.sum())
    if header.voters not in (-1, total):
        raise source.error(
            f"the header says {header.voters} voters, but the counts add up to {total}",
            header.totals_line,
        )
    if header.unique not in (-1, counts.size, distinct):
        raise source.error(
            f"the header says {header.unique} unique orders, but {counts.size} follow",
            header.totals_line,
        )


def _check_kind(source: Source, header: _Header, offsets: Int64, buckets: Int64, kind: str) -> None:
    """Refuse orders that the format does not allow: a line may be cut off."""
    lengths, m = np.diff(offsets), len(header.names)
    short = np.flatnonzero(lengths < m)
    tied = np.flatnonzero(buckets[1:] == buckets[:-1])
    fitting = f"{'t' if tied.size else kind[0]}o{'i' if short.size else kind[2]}"
    hints = [Hint("format", (fitting,))]
    if kind in ("soc", "toc") and short.size:
        order = int(short[0])
        raise source.error(
            f"{kind} means complete orders, but this one ranks {lengths[order]} of {m}",
            header.lines[order],
            hints,
        )
    if kind in ("soc", "soi") and tied.size:
        order = int(np.searchsorted(offsets, tied[0], "right")) - 1
        raise source.error(
            f"{kind} means strict orders, but this one has a tie", header.lines[order], hints
        )


def write_preflib(data: Rankings, path: Path, kind: str) -> Iterator[str]:
    """Yield the lines of a PrefLib file, with the current header."""
    names = printed_names(data.items, kind)
    counts = data.exact_weights
    header = {
        "FILE NAME": "",
        "TITLE": "",
        "DESCRIPTION": "",
        "DATA TYPE": kind,
        "MODIFICATION TYPE": "",
        "RELATES TO": "",
        "RELATED FILES": "",
        "PUBLICATION DATE": "",
        "MODIFICATION DATE": "",
        "NUMBER ALTERNATIVES": len(names),
        "NUMBER VOTERS": sum(counts),
        "NUMBER UNIQUE ORDERS": len(counts),
        **{f"ALTERNATIVE NAME {j}": name for j, name in enumerate(names, start=1)},
    }
    for key, value in header.items():
        yield f"# {key}: {value}\n"
    for ranking, count in zip(data.numbered(), counts, strict=True):
        groups = (",".join(str(item + 1) for item in bucket) for bucket in ranking)
        order = ",".join(
            group if len(bucket) == 1 else f"{{{group}}}"
            for group, bucket in zip(groups, ranking, strict=True)
        )
        yield f"{count}: {order}\n"


_KEY = re.compile(r"#\s*(FILE NAME|DATA TYPE|NUMBER ALTERNATIVES|ALTERNATIVE NAME \d+)\s*:\s*(\S*)")
_NAMED = re.compile(r"\d+\s*,")
_KINDS = {
    "soc": "strict orders, complete",
    "soi": "strict orders, incomplete",
    "toc": "orders with ties, complete",
    "toi": "orders with ties, incomplete",
}


def sniff(source: Source, kind: str) -> int:
    """Recognise a PrefLib file by its header, and its kind by the data type; toi holds all."""
    keys = [match for match in map(_KEY.match, source.sample) if match]
    if keys:
        said = next((match[2] for match in keys if match[1] == "DATA TYPE"), "")
        return SURE if kind == (said if said in _KINDS else "toi") else NO
    first, second, _ = source.opening
    is_counted = first.isdecimal() and _NAMED.match(second)
    return LIKELY if kind == "toi" and is_counted else NO


def _entry(kind: str, summary: str) -> Format:
    return Format(
        kind,
        f"PrefLib: {summary}, with repeat counts",
        (f".{kind}",),
        partial(read_preflib, kind=kind),
        partial(write_preflib, kind=kind),
        partial(sniff, kind=kind),
        ties=kind[0] == "t",
        gaps=kind[2] == "i",
    )


FORMATS = [_entry(kind, summary) for kind, summary in _KINDS.items()]
