"""Results, methods and comparisons as text, with colours on a terminal and plain when piped.

rich, which styles and wraps text, is imported where it is used: piped results do not need it.
"""

from __future__ import annotations

import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from concordant.describe import (
    bootstrap_words,
    constraint_words,
    group_words,
    input_words,
    method_words,
    status_words,
    strength_words,
    ties_words,
    uncompared_words,
)
from concordant.formatting import duration, number, percent, printable, share
from concordant.layout import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from concordant.algorithms.registry import Method
    from concordant.comparison import Comparison
    from concordant.consensus import Consensus
    from concordant.layout import Table as ReportTable
    from concordant.learn.evaluation import CrossValidation
    from concordant.rankings import Rankings
    from concordant.resampling import Bootstrap

# Text with its style.
Piece = tuple[str, str]


def console_for(stream: TextIO, *, width: int | None = None) -> Console:
    """Return a console that prints text as it is, without reading markup in it.

    Args:
        stream: Where to print.
        width: The width of the content, used unless the stream is a terminal.
    """
    from rich.console import Console

    class Printer(Console):
        """A console that raises an error for a broken pipe; rich would end the program."""

        def on_broken_pipe(self) -> NoReturn:
            # rich calls this while it handles the error, which is raised again.
            raise

    is_terminal = stream.isatty()
    if not is_terminal:
        width = max(width or 0, _columns())
    return Printer(
        file=stream,
        width=None if is_terminal else width,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=False,
    )


def _columns() -> int:
    """Return the width that the environment gives, 80 by default."""
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else 80


def _is_plain(stream: TextIO) -> bool:
    """Return whether text for this stream has neither colours nor a width."""
    return not stream.isatty() and not os.environ.get("FORCE_COLOR")


def _styled(pieces: Iterable[Piece | str]) -> Text:
    from rich.text import Text

    return Text.assemble(*pieces)


def _table(*names: str, right: bool = False) -> Table:
    """Return a table without lines, whose first column has the names of the rows."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(names[0], style="bold", no_wrap=True)
    for name in names[1:]:
        wraps = name == names[-1] and not right
        table.add_column(
            name,
            justify="right" if right else "left",
            no_wrap=not wraps,
            overflow="fold" if wraps else "ellipsis",
        )
    return table


def _print_table(console: Console, table: Table) -> None:
    """Print a table, without spaces at the ends of lines unless it is a terminal."""
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        console.out(line.rstrip(), highlight=False)


# -- results -------------------------------------------------------------------------------


def show_result(
    result: Consensus, data: Rankings | None, stream: TextIO, firm: Bootstrap | None = None
) -> None:
    """Print a ranking and its quality, with the bootstrap of its places if there is one."""
    lines = list(_ranking_lines(result.places, firm))
    facts = _facts(result, data)
    if firm is not None:
        facts += _bootstrap_facts(firm)
    others = [
        "also optimal " + " > ".join(printable(item) for item in other)
        for other in (result.alternatives or ())[1:]
    ]
    if _is_plain(stream):
        stream.writelines("".join(text for text, _ in line) + "\n" for line in lines)
        wide = max(len(name) for name, _ in facts)
        for name, pieces in [("", []), *facts]:
            value = "".join(text for text, _ in pieces)
            stream.write(f"{name:<{wide}}  {value}".rstrip() + "\n")
        stream.writelines(f"{other}\n" for other in others)
        return
    console = console_for(stream, width=200)
    from rich.table import Table

    # Not as a `Table`, which measures and pads each cell: that takes seconds for 10,000 items.
    ranking = [piece for line in lines for piece in (*line, ("\n", ""))]
    console.print(_styled(ranking), soft_wrap=True)

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, pieces in facts:
        grid.add_row(name, _styled(pieces))
    _print_table(console, grid)
    for other in others:
        console.print(other, soft_wrap=True)


def _ranking_lines(
    found: Sequence[tuple[int, Any]], firm: Bootstrap | None
) -> Iterable[list[Piece]]:
    """Yield places and items as the lines of a table, with bootstrap columns if there are any."""
    columns = [["place", *(f"{place:,}" for place, _ in found)]]
    if firm is not None:
        columns += _firm_columns([item for _, item in found], firm)
    widths = [max(map(len, column)) for column in columns]
    for line, cells in enumerate(zip(*columns, strict=True)):
        text = "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        if line == 0:
            yield [(f"{text}  item", "bold")]
        else:
            yield [(f"{text}  ", "dim"), (printable(found[line - 1][1]), "")]


def _firm_columns(items: list[Any], firm: Bootstrap) -> list[list[str]]:
    """Return what a bootstrap shows for each item, as columns of text."""
    place = {item: k for k, item in enumerate(firm.items)}
    shares = {"stands": firm.stands}
    if firm.tied is not None:
        shares["tied"] = firm.tied
    joint = {} if firm.rank_low is None else dict(zip(firm.items, firm.ranks, strict=True))
    columns = [["range"], ["first"], *([name] for name in shares)]
    for item in items:
        k = place[item]
        low, high = firm.low[k], firm.high[k]
        columns[0].append(_range(low, high))
        columns[1].append(share(firm.first[k]))
        for column, chances in zip(columns[2:], shares.values(), strict=True):
            column.append(share(chances[k]) if k < len(chances) else "")
    if joint:
        columns.insert(1, ["joint", *(_range(*joint[item]) for item in items)])
    if firm.scores is not None:
        scores = zip(firm.scores, firm.scores_low or (), firm.scores_high or (), strict=True)
        words = [f"{score:.2f} ({low:.2f} to {high:.2f})" for score, low, high in scores]
        columns.append(["score", *(words[place[item]] for item in items)])
    return columns


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def _bootstrap_facts(firm: Bootstrap) -> list[tuple[str, list[Piece]]]:
    level = f"{100 * firm.level:.6g} %"
    first = "first" if firm.tiers is None else "in the first tier"
    facts = [
        ("bootstrap", bootstrap_words(firm)),
        ("range", f"places of the item in {level} of the samples"),
        ("first", f"share of the samples in which it is {first}"),
        ("stands", "share of the samples in which it is before the next item"),
    ]
    if firm.rank_low is not None:
        facts.insert(2, ("joint", f"possible places at {level} confidence, for all items at once"))
    if firm.tied is not None:
        facts.append(("tied", "share of the samples in which it is tied with the next item"))
    if firm.scores is not None:
        facts.append(("score", f"the score of the item, and its {level} interval"))
    if firm.group_sizes is not None:
        facts.append(("groups", group_words(firm)))
    return [(name, [(words, "")]) for name, words in facts]


def _facts(result: Consensus, data: Rankings | None) -> list[tuple[str, list[Piece]]]:
    """Return the lines about a result, each with its name."""
    cost = [(number(result.cost), "bold")]
    if result.distance is not None:
        one = "ranking" if result.total_weight == result.n_rankings else "unit of weight"
        unit = f" disagreement{'' if result.cost == 1 else 's'}" if result.tiers is None else ""
        cost += [
            (f"{unit}, ", ""),
            (number(result.distance), "bold"),
            (f" per {one}", ""),
        ]
    proven = result.status == "optimal"
    bound = f"{number(result.lower_bound)}, so the gap is {percent(result.gap)}"
    status = [
        (result.status, "bold green" if proven else "bold"),
        (f": {status_words(result)}", ""),
    ]
    objective: list[tuple[str, list[Piece]]] = []
    if result.n_rankings is None and result.agreement is not None:
        most = "" if proven else f", at most {number(result.agreement_bound)}"
        most += ": the sum above the diagonal, as in the linear ordering problem"
        objective = [("agreement", [(number(result.agreement), "bold"), (most, "")])]
    others = []
    if result.others is not None:
        # A tie for first place is highlighted.
        style = "" if result.is_unique else "yellow"
        others.append(("optima", [(printable(result.others), style)]))
    words = ties_words(result)
    ties = [] if words is None else [("ties", [(words, "")])]
    rules: list[tuple[str, list[Piece]]] = []
    if result.constraints is not None:
        price = constraint_words(result)
        rules = [
            ("constraints", [(printable(str(result.constraints)), "")]),
            ("", [(f"{price}", "")]),
        ]
    infinite = strength_words(result)
    if infinite is not None:
        others.append(("strengths", [(printable(infinite), "yellow")]))
    apart = uncompared_words(result.uncompared or ())
    if apart is not None:
        others.append(("uncompared", [(printable(apart), "yellow")]))
    return [
        ("cost", cost),
        ("lower bound", [(bound, "")]),
        *objective,
        ("status", status),
        *rules,
        *ties,
        *others,
        ("method", [(method_words(result), "")]),
        ("input", [(input_words(result, data), "")]),
    ]


# -- methods -------------------------------------------------------------------------------


def show_methods(methods: Iterable[Method], stream: TextIO) -> None:
    """Print all methods with the time each takes, the input it needs, and what it does."""
    table = _table("method", "time", "input", "what it does")
    for method in methods:
        table.add_row(method.name, method.effort, _input_of(method), method.summary)
    console = console_for(stream, width=120)
    _print_table(console, table)
    console.print()
    console.print("input: 'rankings' excludes matrices and count files; 'complete' also excludes")
    console.print("rankings that leave items out. 'concordant methods NAME' shows the settings.")


def _input_of(method: Method) -> str:
    if method.needs_complete:
        return "complete"
    return "rankings" if method.needs_rankings else "any"


def show_method(method: Method, stream: TextIO) -> None:
    """Print one method with its settings, their defaults and its presets."""
    settings = method.make_settings({})
    console = console_for(stream, width=120)
    console.print(_styled([(method.name, "bold"), f": {method.summary}"]))
    console.print(f"time: {method.effort}; input: {_input_of(method)}")
    if method.ours:
        console.print(f"differs from the source: {method.ours}")
    if settings is None:
        console.print("It has no settings.")
        return
    console.print()
    for paragraph in _notes(type(settings).__doc__ or ""):
        console.print(paragraph)
        console.print()
    table = _table("setting", "default", "meaning")
    meanings: dict[str, str] = {}
    for kind in reversed(type(settings).__mro__):
        # Settings that a class inherits are explained in the docstring of the parent.
        meanings |= _meanings(kind.__doc__ or "")
    for field in fields(settings):
        default = _as_set(getattr(settings, field.name))
        table.add_row(field.name, default, meanings.get(field.name, ""))
    _print_table(console, table)
    presets: dict[str, dict[str, Any]] = getattr(settings, "PRESETS", {})
    if presets:
        console.print()
    for preset, values in presets.items():
        chosen = ", ".join(f"{k}={_as_set(v)}" for k, v in values.items()) or "the defaults"
        console.print(_styled(["preset ", (preset, "bold"), f": {chosen}"]))


def _as_set(value: Any) -> str:
    """Return a value of a setting as `--set` reads it."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _notes(docstring: str) -> list[str]:
    """Read the paragraphs of a docstring between its first line and its "Attributes:"."""
    paragraphs = docstring.partition("Attributes:")[0].split("\n\n")[1:]
    return [" ".join(text.split()) for text in paragraphs if text.strip()]


def _meanings(docstring: str) -> dict[str, str]:
    """Read the meaning of each setting from the "Attributes:" of a docstring."""
    found: dict[str, str] = {}
    inside, depth, name = False, 0, ""
    for line in docstring.splitlines():
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if text == "Attributes:":
            inside, depth = True, 0
        elif inside and text:
            depth = depth or indent
            if indent < depth:
                break
            if indent == depth and ":" in text:
                name, _, text = text.partition(":")
                found[name] = text.strip()
            elif name:
                found[name] += f" {text}"
    return found


# -- comparisons ---------------------------------------------------------------------------


def show_comparison(found: Comparison, stream: TextIO) -> None:
    """Print a comparison: a row per method, then what the columns mean."""
    console = console_for(stream, width=120)
    columns = {"method": [row.method for row in found.rows]}
    if found.repeats > 1:
        columns["mean cost"] = [number(row.cost) for row in found.rows]
        columns["best"] = [number(row.best_cost) for row in found.rows]
    else:
        columns["cost"] = [number(row.cost) for row in found.rows]
    columns["distance"] = [_decimal(row.distance) for row in found.rows]
    columns["gap"] = [percent(row.gap) for row in found.rows]
    columns["time"] = [duration(row.elapsed) for row in found.rows]
    columns["tau"] = [_decimal(row.tau) for row in found.rows]
    # On a narrow terminal, whole columns are left out: a number is never cut.
    left_out = []
    for name in ("distance", "tau", "time"):
        if sum(2 + max(map(len, [key, *cells])) for key, cells in columns.items()) > console.width:
            del columns[name]
            left_out.append(name)
    table = _table(*columns, right=True)
    for row, cells in zip(found.rows, zip(*columns.values(), strict=True), strict=True):
        table.add_row(*cells, style="green" if row.gap == 0 else "")
    _print_table(console, table)
    console.print()
    for line in _comparison_words(found):
        console.print(line, soft_wrap=True)
    if left_out:
        console.print(f"no room for: {', '.join(left_out)}")


def show_report_table(found: ReportTable, stream: TextIO) -> None:
    """Print a table of a report, and its notes."""
    console = console_for(stream, width=120)
    table = _table(*(column.name for column in found.columns), right=True)
    for row in found.rows:
        table.add_row(
            *(show(column.kind, value) for column, value in zip(found.columns, row, strict=True))
        )
    _print_table(console, table)
    console.print()
    for note in found.notes:
        console.print(note)


def show_orders(found: Comparison, stream: TextIO) -> None:
    """Print the ranking of each method in a column of its own."""
    names = list(found.rankings)
    rows = [["place", *names]]
    for place, items in enumerate(zip(*found.rankings.values(), strict=True), start=1):
        rows.append([f"{place:,}", *(printable(item) for item in items)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    stream.write("\n")
    for row in rows:
        cells = [row[0].rjust(widths[0])]
        cells += [cell.ljust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        stream.write("  ".join(cells).rstrip() + "\n")


def _decimal(value: float | None) -> str:
    return "none" if value is None else f"{value:,.3f}"


def _comparison_words(found: Comparison) -> list[str]:
    lines = [
        f"gap: how far the cost can be above the optimum, by the proven lower bound "
        f"{number(found.lower_bound)}",
        f"tau: Kendall's tau with the best ranking found, which costs {number(found.cost)}",
    ]
    if found.constraints is not None:
        changed = ""
        if found.repaired:
            changed = f"; changed to satisfy them: the rankings of {', '.join(found.repaired)}"
        lines.append(f"constraints: {found.constraints}{changed}")
    if found.tiers is not None:
        lines[1] = (
            f"tau: Kendall's tau with the best answer found, which costs {number(found.cost)}"
        )
        lines.append(
            f"costs are those of answers with ties: p = {number(found.tie_penalty or 0)}, "
            f"q = {number(found.vote_tie_penalty or 0)}"
        )
    if found.repeats > 1:
        lines.append(
            f"costs, distances, times and tau are means of {found.repeats} runs of each method"
        )
    for name, why in found.skipped.items():
        lines.append(f"left out: {name} {why}")
    if found.interrupted:
        lines.append("stopped by hand: some runs are missing")
    return lines


def show_scores(found: Sequence[CrossValidation], stream: TextIO) -> None:
    """Print how well label rankers predict: a row per method."""
    console = console_for(stream)
    table = _table("method", "tau", "± folds", "± repeats", "time per fold", right=True)
    for each in found:
        repeated = each.scores.shape[0] > 1
        deviation = f"{each.repeat_deviation:.3f}" if repeated else "-"
        table.add_row(
            each.method,
            f"{each.mean:.3f}",
            f"{each.fold_deviation:.3f}",
            deviation,
            duration(each.seconds),
        )
    _print_table(console, table)
    console.print()
    console.print("tau: mean Kendall tau between predicted and true rankings")
    console.print("±: standard deviation of tau between folds, and between repeats")


def show_suites(rows: Iterable[Sequence[str]], stream: TextIO) -> None:
    """Print the suites of `bench`, each with its size at each scale."""
    rows = list(rows)
    width = max(sum(len(cell) + 2 for cell in row) for row in rows)
    console = console_for(stream, width=width)
    table = _table("suite", "smoke", "small", "full", "what it shows")
    for row in rows:
        table.add_row(*row)
    _print_table(console, table)
    console.print()
    console.print(
        "smoke, small, full: number of tasks, and the longest time with 2 jobs on 2 cores"
    )
