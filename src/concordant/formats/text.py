"""`text`: lists in plain text: `Ann: A > B`, `Ann: A, B`, numbered lists with a name above each.

The phrases of e-mails and chats take time to load, and a large table never needs them: functions
import `reading.text` when they run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from concordant._reading import options_of
from concordant.errors import Hint, InputError, cut, show
from concordant.formats.common.registry import LIKELY, NO, Format
from concordant.formats.common.source import Source
from concordant.formats.common.tables import warn
from concordant.merging import warn_of_repeats
from concordant.rankings import Rankings
from concordant.reading.assemble import assemble, merged
from concordant.reading.cells import Style
from concordant.reading.decide import data_findings
from concordant.reading.findings import Finding, Inspection, QuestionError
from concordant.reading.grid import is_markdown
from concordant.reading.options import Options, make_options
from concordant.reading.outcome import Ballot, question
from concordant.reading.words import is_ordered, role_of

if TYPE_CHECKING:
    from concordant.reading.text import TextLists

_COUNTED = re.compile(r"\s*\d+(\.\d+)?\s*[:*]", re.ASCII)
_MARKS = {
    b"<!doctype": "a web page, not a table",
    b"<html": "a web page, not a table",
    b"%pdf": "a PDF file, not a table",
    b"\x89png": "a picture, not a table",
    b"\xff\xd8\xff": "a picture, not a table",
    b"gif8": "a picture, not a table",
    b"<?xml": "an XML file, not a table",
}
_AS_PAGE = Hint("format", ("html",), "to read a table of the page")
_LAST_BEST = Hint("values", ("scores",), "if the last is best")
# A head, then lines of letters without blanks.
_SEQUENCES = re.compile(rb">[^\r\n>]+(?:\r?\n[A-Za-z*.-]{10,})+\s*(?:>|$)")
# The beginning of a line in the log of a program: when, and how serious.
_LOGGED = re.compile(
    rb"^\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d\S*\s+\S{0,20}\s?\[?"
    rb"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b",
    re.MULTILINE,
)
# Longer texts are tables.
_LONGEST = 2**22
# Nobody writes a longer ranking in a line.
_LONGEST_LINE = 2**19
# The number of lines that show whether a long text holds lists.
_SAMPLE = 100
_BRACKETS = re.compile(r"\([^()]*\)")


def check_kind(source: Source, head: bytes) -> None:
    """Refuse a web page, a PDF file or a picture."""
    start = head.lstrip()[:16].lower()
    for mark, what in _MARKS.items():
        if start.startswith(mark):
            is_page = "web page" in what and b"<table" in source.data.lower()
            hints = [_AS_PAGE] if is_page else []
            raise source.error(f"{what}: save the table as CSV", hints=hints)
    if len(_LOGGED.findall(head)) > 2 and _LOGGED.match(head):
        raise source.error("the log of a program, not a table: save its results as CSV", hints=[])
    if start.startswith(b">") and _SEQUENCES.match(head.lstrip()):
        raise source.error(
            "sequences in FASTA, not rankings: write one ranking in a line (Ann: A > B > C)", 1
        )


def read_text(source: Source, **given: Any) -> Rankings:
    """Read lists in plain text."""
    options = make_options(given)
    source.encoding = options.encoding
    found = text_lists(source, options, sure=True)
    if found is None:
        raise source.error(
            "there is no list: write one ranking in a line (Ann: A > B > C), or numbered lists",
            hints=[Hint("format", ("csv",), "if it is a table")],
        )
    return found


def text_lists(source: Source, options: Options, *, sure: bool = False) -> Rankings | None:
    """Return the rankings of a text of lists; None where it is something else.

    Args:
        source: The file.
        options: How to read it.
        sure: Whether a text of lists was chosen; else only clear marks count.
    """
    if not sure and (len(source.data) > _LONGEST or _has_marks(source.lines)):
        # The words of lists need not be loaded to read a table.
        return None
    from concordant.reading.text import find_lists

    check_kind(source, source.data[:4096])
    style = Style(missing=options.missing)
    lines = _without_skipped(source.lines, options)
    if not sure and len(lines) > _SAMPLE and find_lists(lines[:_SAMPLE], style) is None:
        return None
    lists = find_lists(lines, style, sure=sure)
    if lists is None or not (sure or _is_clear(source, lists)):
        return None
    return lists_read(source, lists, source.lines, options)


def lists_read(
    source: Source, lists: TextLists, lines: Sequence[str], options: Options
) -> Rankings:
    """Make rankings of the lists of a text; `lines` shows what was passed over."""
    ballots, items = _settled(source, lists, options), lists.items
    if options.names == "merge":
        ballots, items = merged(ballots, items)
    try:
        made = assemble(
            ballots,
            items,
            counted=lists.counted or lists.kind == "tally",
            duplicates=source.duplicates,
            line=lambda row: row + 1,
        )
        rankings = Rankings.from_arrays(
            made.items,
            *made.arrays,
            n_rankings=made.n_rankings,
            unranked=source.unranked or "unknown",
            voters=made.names,
        )
    except InputError as error:
        raise source.error(error) from None
    if made.dropped.size:
        warn_of_repeats(made.dropped, source.path)
    findings = [
        *_notes(lines, lists),
        *data_findings(made.items, rankings.lengths, options, unranked=source.unranked),
    ]
    source.inspection = Inspection(
        source.path,
        "text",
        source.found_encoding,
        layout="battles" if lists.kind == "matches" else "lists",
        items=list(made.items),
        voters=made.voters,
        n_rankings=rankings.n_rankings,
        findings=findings,
    )
    warn(source, findings)
    return rankings


def _without_skipped(lines: list[str], options: Options) -> list[str]:
    """Blank the lines that `skip_rows` leaves out: by number, or by how they begin."""
    skipped = [str(each).strip() for each in options.skip_rows or () if str(each).strip()]
    if not skipped:
        return lines
    numbers = {int(each) - 1 for each in skipped if each.isdecimal()}
    texts = tuple(each for each in skipped if not each.isdecimal())
    return [
        "" if k in numbers or (texts and line.strip().startswith(texts)) else line
        for k, line in enumerate(lines)
    ]


def _settled(source: Source, lists: TextLists, options: Options) -> list[Ballot]:
    """Return the rankings as the options say.

    Raises:
        QuestionError: The text has two plausible readings, and no option says which is meant.
    """
    asked = [each for each in lists.findings if each.kind == "question"]
    as_lists = options.layout == "lists"
    ballots = lists.ballots
    if lists.kind == "bullets" and not as_lists:
        hint = Hint("layout", ("lists",), "if the first of each list is best")
        asked = [question("bullets", "bullets have no order by themselves", hint)]
    elif lists.kind == "weakly" and not as_lists:
        hint = Hint("layout", ("lists",), "to read ≥ as >")
        asked = [question("ties", "rankings are written with ≥, which allows ties", hint)]
    elif lists.kind == "backward":
        if options.values == "scores":
            ballots = [ballot._replace(buckets=ballot.buckets[::-1]) for ballot in ballots]
        elif options.values is None:
            why = "rankings are written with <: the first or the last item may be best"
            first = Hint("values", ("ranks",), "if the first is best")
            asked = [question("direction", why, first, _LAST_BEST)]
    elif lists.kind == "keyed" and lists.other:
        if options.layout == "wide":
            ballots = lists.other
        elif not as_lists:
            why = (
                "each row may list the candidates, best first, or give the place of each candidate"
            )
            order = Hint("layout", ("lists",), "if the first number is the favourite")
            place = Hint("layout", ("wide",), "if the first number is the place of candidate 1")
            asked = [question("order", why, order, place, row=ballots[0].row + 1)]
    elif lists.kind == "tally":
        if as_lists:
            ballots = lists.other
        elif options.values != "scores":
            why = "votes are counted: they may be one ranking, or ballots with one choice each"
            one = Hint("values", ("scores",), "for one ranking, most votes first")
            each = Hint("layout", ("lists",), "for a ballot of one item per vote")
            asked = [question("counts", why, one, each, row=ballots[0].row + 1)]
    elif lists.kind == "matches" and options.layout == "battles":
        asked = []
    elif lists.kind == "matches" and lists.other and options.values == "scores":
        ballots, asked = lists.other, []
    if asked and not (as_lists and lists.kind in ("named", "arrows", "numbered")):
        raise QuestionError(asked, path=source.path)
    return ballots


def _notes(lines: Sequence[str], lists: TextLists) -> list[Finding]:
    """Return the notes about a text, and what was passed over."""
    found = [each for each in lists.findings if each.kind == "note"]
    if lists.passed:
        rows = lists.passed
        shown = show(cut(lines[rows[0]].strip(), 40))
        what = "line is" if len(rows) == 1 else "lines are"
        place = f"line {rows[0] + 1}" if len(rows) == 1 else f"the first is line {rows[0] + 1}"
        message = f"{len(rows)} {what} not read; {place}: {shown}"
        found.insert(0, Finding("note", "lines-passed", message, row=rows[0] + 1))
    return found


def _is_clear(source: Source, lists: TextLists) -> bool:
    """Return whether a file with the name of a table holds lists of text for sure."""
    if lists.kind in ("keyed", "tally") or _has_marks(source.lines):
        return False
    first = next(line for line in source.lines if line.strip())
    # A header such as `Ranking` has no arrow.
    return lists.kind in ("numbered", "named") or ">" in first


def _is_table(lines: Sequence[str]) -> bool:
    """Return whether lines are rows of a table below a header, such as `Name,Ranking`.

    Without a header, `Ann: A, B` and `Bo: B, A` are lists.
    """
    first, *rest = lines
    bare = _BRACKETS.sub("", first)
    if not rest or any(mark in bare for mark in ">:") or " - " in bare:
        return False
    for mark in ",;\t":
        count = first.count(mark)
        same = [line for line in rest if line.count(mark) == count]
        arrows = [line for line in rest if ">" in line]
        if not count or len(same) < 0.9 * len(rest) - 1:
            continue
        if count > 1 or (len(arrows) > 0.5 * len(rest) and not any(map(str.isdecimal, bare))):
            return True
        head, _, ranking = bare.partition(mark)
        if role_of(head) in ("voter", "name", "count") and is_ordered(ranking):
            return True
    return False


def _has_marks(lines: Sequence[str]) -> bool:
    """Return whether a line has a mark between the cells of a table."""
    return any(mark in line for line in lines for mark in ",;\t")


def sniff(source: Source) -> int:
    """Recognise lists with names, arrows or numbers; lines of counts are `abif`."""
    lines = [line for line in source.sample if line[0] != "#"] or source.sample
    if not lines or all(_COUNTED.match(line) and ">" in line for line in lines):
        return NO
    if 2 * sum("\t" in line for line in lines) > len(lines) or lines[0][0] in "{<":
        return NO
    if is_markdown(lines) or _is_table(lines):
        return NO
    from concordant.reading.text import find_lists

    sample = source.text.split("\n", _SAMPLE)[:_SAMPLE]
    found = find_lists(sample) if max(map(len, sample)) <= _LONGEST_LINE else None
    if found is None:
        return NO
    if found.kind == "arrows" and not found.counted and not found.passed and not found.findings:
        # Without names and counts, the lines are ballots of another format.
        return NO
    return LIKELY


FORMAT = Format(
    "text",
    "lists in plain text: Ann: A > B = C, Ann: A, B, C, or numbered lists",
    (),
    read_text,
    sniff=sniff,
    options=options_of("text"),
)
