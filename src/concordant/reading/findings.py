"""What is found about a table: notes, warnings and questions, and the reading as a whole."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from concordant.errors import Hint, InputError, cut

Kind = Literal["note", "warning", "question"]
_MOST_ROWS = 8
_MOST_COLUMNS = 12


@dataclass(frozen=True)
class Finding:
    """Something to know about a table before it is read.

    Attributes:
        kind: "note" (what was passed over or assumed), "warning", or "question" (two readings are
            plausible and give different rankings).
        code: A stable name, such as `ranks-or-scores`.
        message: What was found, in plain words.
        row, column: Where: the number of the row, from 1; the name of the column.
        hints: The options that settle it.

    Example:
        >>> print(Finding("note", "total-row", "row 9 (Total) is left out", row=9))
        note: row 9 (Total) is left out
    """

    kind: Kind
    code: str
    message: str
    row: int | None = None
    column: str | None = None
    hints: tuple[Hint, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}: {InputError(self.message, hints=self.hints)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain data, for JSON."""
        hints = [
            {"setting": hint.setting, "values": list(hint.values), "purpose": hint.purpose}
            for hint in self.hints
        ]
        return {
            "kind": self.kind,
            "code": self.code,
            "row": self.row,
            "column": self.column,
            "message": self.message,
            "hints": hints,
        }


@dataclass
class Inspection:
    """What a file, a text or a frame is read as: the answer of `concordant.inspect`.

    Attributes:
        source: The name of the file, or what it is.
        format: The format: "csv", "excel", "soc" …
        encoding: The encoding of a text, such as "utf-8".
        separator: The character between the values of a CSV file.
        header: The row of the header, from 1; None without one.
        layout: "long", "wide", "ballots", "lists", "columns", "battles", "matrix" or "edges"; None
            where no table is read, or where it is not known yet.
        columns: The names of the columns.
        roles: The role of each column: "voter", "item", "rank", "score", "weight", "count",
            "choice 1", "winner", "ranking", "ignored" …
        values: "ranks" (the lowest is best) or "scores" (the highest is best), where cells hold
            numbers.
        items: The items, in the order of their numbers.
        voters: The names of the voters, where the file has some.
        n_rankings: The number of rankings.
        rows: The first rows of the table below the header.
        keys: For each column, the text by which an option names it: its name, or its number.
        numbers: The number of each of these rows in the file, as `skip_rows` takes it.
        transposed: Whether each row is an item and each column a voter.
        findings: Notes, warnings and questions.
    """

    source: str = ""
    format: str = ""
    encoding: str | None = None
    separator: str | None = None
    header: int | None = None
    layout: str | None = None
    columns: list[str] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    values: str | None = None
    items: list[Any] = field(default_factory=list)
    voters: list[str] = field(default_factory=list)
    n_rankings: int | None = None
    rows: list[list[str]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    transposed: bool = False

    @property
    def questions(self) -> list[Finding]:
        """The findings that must be settled before the file can be read."""
        return [finding for finding in self.findings if finding.kind == "question"]

    @property
    def summary(self) -> str:
        """What is read, in one line.

        Example:
            >>> Inspection(format="csv", layout="wide", values="ranks", items=["a", "b"]).summary
            'csv, wide, ranks (lowest best), 2 items'
        """
        best = {"ranks": "ranks (lowest best)", "scores": "scores (highest best)"}
        ignored = sum(role == "ignored" for role in self.roles)
        parts = [
            self.format,
            "" if self.encoding in (None, "utf-8", "ascii") else str(self.encoding),
            self.layout or "",
            best.get(self.values or "", ""),
            f"{len(self.items)} items" if self.items else "",
            _counted(self.n_rankings, "ranking") if self.n_rankings is not None else "",
            f"{_counted(ignored, 'column')} ignored" if ignored else "",
            _counted(len(self.questions), "open question") if self.questions else "",
        ]
        return ", ".join(part for part in parts if part)

    def to_dict(self) -> dict[str, Any]:
        """Return the inspection as plain data, for JSON."""
        return {
            "source": self.source,
            "format": self.format,
            "encoding": self.encoding,
            "separator": self.separator,
            "header": self.header,
            "layout": self.layout,
            "columns": list(self.columns),
            "roles": list(self.roles),
            "values": self.values,
            "items": [item if isinstance(item, str | int) else str(item) for item in self.items],
            "voters": list(self.voters),
            "n_rankings": self.n_rankings,
            "rows": [list(row) for row in self.rows],
            "keys": list(self.keys),
            "numbers": list(self.numbers),
            "transposed": self.transposed,
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def table(self) -> list[list[str]]:
        """Return the preview: roles, names, the first rows; wide tables are cut."""
        width = max([len(self.roles), *(len(row) for row in self.rows)], default=0)
        shown = min(width, _MOST_COLUMNS)
        lines = [
            self.roles,
            *([self.columns] if any(self.columns) else []),
            *self.rows[:_MOST_ROWS],
        ]
        more = ["…"] if width > shown else []
        return [
            [*(cut(cell.strip(), 24) for cell in _padded(line, width)[:shown]), *more]
            for line in lines
        ]

    def lines(self) -> list[str]:
        """Return the summary and the preview as lines of text."""
        lines = [f"{self.source}: {self.summary}" if self.source else self.summary]
        table = self.table()
        if table and table[0]:
            widths = [max(len(line[k]) for line in table) for k in range(len(table[0]))]
            for number, line in enumerate(table):
                cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
                lines.append("  " + "  ".join(cells).rstrip())
                if number == 0:
                    lines.append("  " + "  ".join("-" * width for width in widths))
        return lines

    def __repr__(self) -> str:
        return "\n".join([*self.lines(), *(str(finding) for finding in self.findings)])

    def _repr_html_(self) -> str:
        def row(cells: Iterable[str], tag: str) -> str:
            inside = "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
            return f"<tr>{inside}</tr>"

        table = self.table()
        body = "".join(row(line, "td") for line in table[1:])
        head = row(table[0], "th") if table else ""
        found = "".join(f"<li>{html.escape(str(each))}</li>" for each in self.findings)
        return (
            f"<p>{html.escape(self.source)}: {html.escape(self.summary)}</p>"
            f"<table><thead>{head}</thead><tbody>{body}</tbody></table><ul>{found}</ul>"
        )


def _padded(line: Sequence[str], width: int) -> list[str]:
    return [*line, *([""] * (width - len(line)))]


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


class QuestionError(InputError):
    """A table with an open question: two readings are plausible and give different rankings.

    Attributes:
        questions: The open questions, each with the options that settle it.
        inspection: What was found about the table, where known.
    """

    def __init__(
        self,
        questions: Sequence[Finding],
        path: str | None = None,
        inspection: Inspection | None = None,
    ) -> None:
        first = questions[0]
        self.questions = list(questions)
        self.inspection = inspection
        super().__init__(first.message, path=path, line=first.row, hints=first.hints)

    def at(self, path: Any = None, line: int | None = None) -> QuestionError:
        """Return the same error with the name of the file."""
        place = self.path or (None if path is None else str(path))
        return QuestionError(self.questions, place, self.inspection)

    def rows_as(self, word: str) -> QuestionError:
        """Return the same error with the number of the row in its message, as `record 7`."""
        first, *others = self.questions
        if first.row is not None:
            message = f"{word} {first.row}: {first.message}"
            first = replace(first, message=message, row=None)
        return QuestionError([first, *others], self.path, self.inspection)
