"""`inspect`: what a file, a text or a frame would be read as, before it is."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any, Unpack

from concordant._reading import ReadOptions
from concordant.as_one import check_merge, merge_items
from concordant.formats import read_source
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reading.assemble import coverage_findings
from concordant.reading.findings import Finding, Inspection, QuestionError


def inspect(
    source: Any,
    format: str | None = None,  # noqa: A002
    **options: Unpack[ReadOptions],
) -> Inspection:
    r"""Show what a file, a text or a data frame would be read as.

    The answer has the layout, the role of each column, the items and the voters, and findings:
    notes, warnings, and questions. A file with an open question is not read: `read` raises it as
    an error. Each question lists the options that settle it.

    Args:
        source: The file; an open binary file; a text with at least two lines; or a data frame.
        format: The name of its format; by default found from the suffix, then the content.
        **options: The options of `read`.

    Raises:
        InputError: The source cannot be read in any way.

    Example:
        >>> seen = inspect("judge,Merlot,Syrah\nann,85,72\nbo,90,71\n")
        >>> seen.layout, seen.roles
        ('wide', ['voter', 'item', 'item'])
        >>> seen.questions[0].code
        'ranks-or-scores'
        >>> inspect("judge,Merlot,Syrah\nann,85,72\nbo,90,71\n", values="scores").findings
        []
    """
    if hasattr(source, "columns") and not isinstance(source, str | Path):
        return _frame(source, dict(options))
    if isinstance(source, str) and "\n" in source:
        file = io.BytesIO(source.encode())
        file.name = "the text"
        source = file
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        opened, chosen, read = read_source(source, format, **options)
        try:
            data = read()
        except QuestionError as error:
            seen = opened.inspection or Inspection(str(opened.path))
            seen.format = seen.format or chosen
            seen.findings = [*(f for f in seen.findings if f.kind != "question"), *error.questions]
            return seen
    if opened.inspection is not None:
        return opened.inspection
    seen = described(data, str(opened.path), chosen, dict(options))
    seen.findings += opened.notes
    return seen


def described(
    data: Rankings | Pairwise, path: str, chosen: str, options: dict[str, Any]
) -> Inspection:
    """Describe what was read from a file that is not a table."""
    seen = Inspection(path, chosen, items=list(data.items))
    if isinstance(data, Rankings):
        seen.n_rankings = data.n_rankings
        if data.voters is not None:
            seen.voters = ["" if voter is None else str(voter) for voter in data.voters]
        if options.get("unranked") is None and data.unranked == "unknown":
            seen.findings = coverage_findings(data.lengths, data.n_items)
    else:
        seen.layout = "matrix"
    return seen


def _frame(frame: Any, options: dict[str, Any]) -> Inspection:
    from concordant.tables.frames import inspect_frame

    merge = options.pop("merge", None)
    seen = inspect_frame(frame, options)
    if merge and not seen.questions:
        found = merge_items(Rankings.from_frame(frame, **options), check_merge(merge))
        seen.items, seen.n_rankings = list(found.data.items), found.data.n_rankings
        seen.findings.append(Finding("note", "merged", found.words()))
    return seen
