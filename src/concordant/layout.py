"""A table of a report: columns with a unit each, and its text as Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from concordant.formatting import number, percent, printable


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        name: Its heading.
        kind: The kind of its values, which decides their format: "text", "code" (a name as it is
            typed), "count", "cost", "value" (a distance, three decimals), "signed", "percent" (of a
            fraction), "seconds", "p", "ratio", "power" (two decimals) or "bytes".
    """

    name: str
    kind: str = "text"

    @property
    def is_text(self) -> bool:
        """Whether it holds text, which is aligned to the left."""
        return self.kind in ("text", "code")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of unrounded values; they are rounded when they are written.

    Attributes:
        name: Short and unique in its suite; pages refer to it.
        title: What it shows.
        columns: The columns.
        rows: A value for each column; None if there is no value.
        notes: Sentences below the table.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"a row of {self.name!r} has {len(row)} values for {len(self.columns)} columns"
                )

    def to_markdown(self) -> str:
        """Return the table alone, without its title and notes.

        Example:
            >>> table = Table("t", "T", (Column("m", "count"), Column("f", "value")), ((5, 1.5),))
            >>> print(table.to_markdown())
            | m | f |
            |---:|---:|
            | 5 | 1.500 |
        """
        lines = [
            _line([escape_markdown(column.name) for column in self.columns]),
            f"|{'|'.join('---' if column.is_text else '---:' for column in self.columns)}|",
        ]
        for row in self.rows:
            lines.append(
                _line(
                    [
                        _markdown_cell(column, value)
                        for column, value in zip(self.columns, row, strict=True)
                    ]
                )
            )
        return "\n".join(lines)

    def to_csv(self) -> str:
        """Return the table as CSV with unrounded values; percents stay fractions.

        Example:
            >>> table = Table("t", "T", (Column("gap", "percent"), Column("x")), ((0.5, "a"),))
            >>> print(table.to_csv(), end="")
            gap,x
            0.5,a
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        writer.writerows([["" if v is None else _spreadsheet(v) for v in row] for row in self.rows])
        return text.getvalue()

    def to_latex(self) -> str:
        r"""Return the table as a `tabular` of LaTeX; it needs `\usepackage{booktabs}`.

        Title and notes are comments.

        Example:
            >>> table = Table("t", "Gaps", (Column("method", "code"), Column("gap", "percent")),
            ...     (("kwiksort", 0.5), ("auto", None)))
            >>> print(table.to_latex(), end="")
            % Gaps
            % Needs \usepackage{booktabs}.
            \begin{tabular}{lr}
            \toprule
            method & gap \\
            \midrule
            \texttt{kwiksort} & 50\,\% \\
            \texttt{auto} & -- \\
            \bottomrule
            \end{tabular}
        """
        lines = [f"% {printable(text)}" for text in (self.title, *self.notes)]
        lines.insert(1, r"% Needs \usepackage{booktabs}.")
        lines.append(rf"\begin{{tabular}}{{{''.join('lr'[not c.is_text] for c in self.columns)}}}")
        rows = [
            [_latex_cell(c, v) for c, v in zip(self.columns, r, strict=True)] for r in self.rows
        ]
        head = [escape_latex(column.name) for column in self.columns]
        lines += [r"\toprule", _latex_line(head), r"\midrule"]
        lines += [*map(_latex_line, rows), r"\bottomrule", r"\end{tabular}"]
        return "\n".join(lines) + "\n"


def show(kind: str, value: Any) -> str:
    """Return a value as text, in the format of its kind.

    Example:
        >>> show("value", 187.8125), show("signed", 0.25), show("percent", 0.00083), show("p", 1e-5)
        ('187.812', '+0.250', '0.083 %', '1.0e-05')
        >>> (
        ...     show("seconds", 0.0123),
        ...     show("seconds", 12.3),
        ...     show("ratio", 33.333),
        ...     show("count", 1200),
        ... )
        ('0.012', '12.3', '33.3', '1,200')
        >>> show("value", None), show("text", "a"), show("bytes", 2**30)
        ('–', 'a', '1,024 MiB')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, str) or kind in ("text", "code"):
        return printable(value)
    if kind == "percent":
        return f"-{percent(-value)}" if value < 0 else percent(value)
    if kind == "cost":
        return number(value)
    if kind == "p":
        return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"
    if kind == "seconds":
        return f"{value:.3f}" if value < 10 else f"{value:,.1f}"
    if kind == "count" and float(value).is_integer():
        return f"{int(value):,}"
    if kind == "bytes":
        return f"{value / 2**20:,.0f} MiB" if value >= 2**20 else f"{value / 2**10:,.0f} KiB"
    return f"{value:{_FORMATS.get(kind, '.3f')}}"


_FORMATS = {"signed": "+.3f", "ratio": ",.1f", "power": ".2f", "count": ",.0f"}


def escape_markdown(text: object) -> str:
    r"""Return text that Markdown shows unchanged, even in a table.

    Example:
        >>> print(escape_markdown("a|b *c* <i> MM050n0.200_01"))
        a\|b \*c\* &lt;i> MM050n0.200\_01
    """
    shown = printable(text).replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    for mark in "|*_`[]":
        shown = shown.replace(mark, f"\\{mark}")
    return shown


def code_markdown(text: object) -> str:
    """Return text as code in Markdown, even if it has backquotes.

    Example:
        >>> code_markdown("lads"), code_markdown("a`b")
        ('`lads`', '`` a`b ``')
    """
    shown = printable(text)
    if "`" not in shown:
        return f"`{shown}`"
    fence = "`"
    while fence in shown:
        fence += "`"
    return f"{fence} {shown} {fence}"


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "–": "--",
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "θ": r"$\theta$",
    "β": r"$\beta$",
    "²": "$^2$",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}


def escape_latex(text: object) -> str:
    r"""Return text that LaTeX shows unchanged.

    Example:
        >>> print(escape_latex("50 % of a_b & {c} at θ = 1"))
        50\,\% of a\_b \& \{c\} at $\theta$ = 1
    """
    shown = "".join(_LATEX.get(char, char) for char in printable(text))
    return shown.replace(r" \%", r"\,\%")


def _latex_line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _latex_cell(column: Column, value: Any) -> str:
    shown = escape_latex(show(column.kind, value))
    if column.kind == "code" and value is not None:
        return rf"\texttt{{{shown}}}"
    if not column.is_text and shown[:1] in ("-", "+") and shown != "--":
        return f"${shown[0]}${shown[1:]}"
    return shown


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(column: Column, value: Any) -> str:
    if column.kind == "code" and value is not None:
        return code_markdown(value).replace("|", "\\|")
    return escape_markdown(show(column.kind, value))


def _spreadsheet(value: Any) -> Any:
    # A spreadsheet would evaluate text that begins like a formula.
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return value
