"""How results, methods and progress look on a terminal, and as plain text when piped."""

from __future__ import annotations

import math
import os
import sys
import time
import unicodedata
from dataclasses import fields
from textwrap import fill
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from concordant.algorithms.registry import Method
    from concordant.comparison import Comparison
    from concordant.consensus import Consensus
    from concordant.rankings import Rankings
    from concordant.stopping import Progress

# A run shorter than this needs no live line, and one shorter than the second no plain line.
_LIVE_AFTER = 0.3
_SECONDS_BETWEEN_LINES = 2.0
_FRAMES = "|/-\\"
_COMPILING = "compiling kernels, once per machine"
# Characters that turn the direction of all text behind them.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class _Console(Console):
    """A console that leaves a broken pipe to the caller; rich would end the program."""

    def on_broken_pipe(self) -> NoReturn:
        # Called while the error is handled, so that there is one to raise again.
        raise


def console_for(stream: TextIO, *, width: int | None = None) -> Console:
    """Return a console that prints what it is given, with nothing in it read as markup.

    Args:
        stream: Where to print.
        width: What the content needs. A terminal has the last word; elsewhere nothing is
            shortened or wrapped for the sake of a width that nobody looks at.
    """
    is_terminal = stream.isatty()
    if not is_terminal:
        width = max(width or 0, _columns())
    return _Console(
        file=stream,
        width=None if is_terminal else width,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=False,
    )


def _columns() -> int:
    """Return the width asked for by the environment, 80 by default."""
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else 80


# -- values as text ------------------------------------------------------------------------


def printable(value: object) -> str:
    r"""Return a name as text on one line that cannot steer a terminal.

    Example:
        >>> print(printable("two\nlines"), printable("\x1b[31mred"), printable("Zoë"))
        two\nlines \x1b[31mred Zoë
    """
    text = str(value)
    if text.isprintable():
        return text
    return "".join(
        repr(char)[1:-1]
        if char in _TURNS or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
        else char
        for char in text
    )


def number(value: float | None) -> str:
    """Return a cost, a bound or a weight with its thousands set apart.

    Example:
        >>> number(1435183), number(14351.83), number(31.0), number(None)
        ('1,435,183', '14,351.83', '31', 'none')
    """
    if value is None:
        return "none"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"{value:,}" if isinstance(value, int) else f"{round(value, 4):,}"


def percent(fraction: float | None) -> str:
    """Return a gap in percent, with three digits that mean something.

    Example:
        >>> percent(0.0), percent(0.00083), percent(0.5), percent(2e-9), percent(None)
        ('0 %', '0.083 %', '50 %', 'below 0.00001 %', 'unknown')
    """
    if fraction is None or not math.isfinite(fraction):
        return "unknown"
    if fraction == 0:
        return "0 %"
    if fraction < 1e-7:
        return "below 0.00001 %"
    shown = 100 * fraction
    decimals = max(0, 2 - math.floor(math.log10(shown)))
    text = f"{shown:.{decimals}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def duration(seconds: float) -> str:
    """Return a time as a reader would say it.

    Example:
        >>> duration(0.0123), duration(4.25), duration(83), duration(4000)
        ('0.012 s', '4.2 s', '1 min 23 s', '1 h 6 min')
    """
    if seconds < 1:
        return f"{seconds:.3f} s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def counted(count: int, what: str) -> str:
    """Return a number with its noun.

    Example:
        >>> counted(1, "item"), counted(1200, "ranking")
        ('1 item', '1,200 rankings')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"


# -- results -------------------------------------------------------------------------------


def places(result: Consensus) -> list[tuple[int, Any]]:
    """Return each item with its place; items that the method left tied share one."""
    if result.buckets is None:
        return list(enumerate(result.ranking, start=1))
    found: list[tuple[int, Any]] = []
    for bucket in result.buckets:
        found += [(len(found) + 1, item) for item in bucket]
    return found


def status_words(result: Consensus) -> str:
    """Say in plain words what the status of a result means."""
    if result.status == "optimal":
        return "proven, no ranking costs less"
    found = "stopped by hand, best so far" if result.interrupted else "the best found"
    return f"{found}; none can cost less than {number(result.lower_bound)}"


def input_words(result: Consensus, data: Rankings | None) -> str:
    """Describe the input in one line; `data` is None for a bare matrix."""
    words = counted(result.n_items, "item")
    if result.n_rankings is None:
        return f"{words}, a matrix"
    words += f", {counted(result.n_rankings, 'ranking')}"
    if result.total_weight is not None and result.total_weight != result.n_rankings:
        words += f" of total weight {number(result.total_weight)}"
    if data is not None:
        if data.has_ties:
            words += ", with ties"
        if (data.lengths < data.n_items).any():
            meaning = "count as last" if data.unranked == "last" else "say nothing"
            words += f"; unranked items {meaning}"
    return words


def show_result(result: Consensus, data: Rankings | None, stream: TextIO) -> None:
    """Print a ranking and, below it, how good it is."""
    console = console_for(stream, width=200)
    _print_ranking(console, places(result))
    console.print()
    _print_table(console, _facts(result, data))
    for other in (result.alternatives or ())[1:]:
        words = " > ".join(printable(item) for item in other)
        console.print(Text(f"also optimal {words}"), soft_wrap=True)


def _print_ranking(console: Console, found: list[tuple[int, Any]]) -> None:
    """Print places and items as a table of two columns.

    Not as a `Table`, which measures and pads each cell: 10,000 items would take it seconds.
    """
    width = max(len("place"), len(f"{found[-1][0]:,}"))
    console.print(Text(f"{'place':>{width}}  item", style="bold"))
    lines = Text()
    for place, item in found:
        lines.append(f"{place:>{width},}  ", style="dim")
        lines.append(f"{printable(item)}\n")
    console.print(lines, end="", soft_wrap=True)


def _print_table(console: Console, table: Table) -> None:
    """Print a table, without the blanks at the end of its lines where nobody sees them."""
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        console.out(line.rstrip(), highlight=False)


def _facts(result: Consensus, data: Rankings | None) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")

    cost = Text(number(result.cost), style="bold")
    if result.distance is not None:
        one = "ranking" if result.total_weight == result.n_rankings else "unit of weight"
        cost.append(f" disagreement{'' if result.cost == 1 else 's'}, ", style="not bold")
        cost.append(number(result.distance))
        cost.append(f" per {one}", style="not bold")
    grid.add_row("cost", cost)
    bound = f"{number(result.lower_bound)}, so the gap is {percent(result.gap)}"
    grid.add_row("lower bound", Text(bound))
    status = Text(result.status, style="bold green" if result.status == "optimal" else "bold")
    status.append(f": {status_words(result)}", style="not bold default")
    grid.add_row("status", status)
    if result.alternatives is not None:
        grid.add_row("optima", Text(_optima_words(result)))
    grid.add_row("method", Text(_method_words(result)))
    grid.add_row("input", Text(input_words(result, data)))
    return grid


def _optima_words(result: Consensus) -> str:
    if result.is_unique:
        return "this ranking is the only optimal one"
    if result.is_unique is None:
        return "not settled whether there are others"
    return "there are others as good"


def _method_words(result: Consensus) -> str:
    words = f"{result.method}, seed {result.seed}, {duration(result.elapsed)}"
    if result.generations:
        words += f", {counted(result.generations, 'generation')}"
    return words


# -- methods -------------------------------------------------------------------------------


def show_methods(methods: Iterable[Method], stream: TextIO) -> None:
    """Print all methods: how long each takes, the input it needs, and what it does."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("method", style="bold", no_wrap=True)
    table.add_column("takes", no_wrap=True)
    table.add_column("input", no_wrap=True)
    table.add_column("what it does", overflow="fold")
    for method in methods:
        table.add_row(method.name, method.effort, _input_of(method), method.summary)
    _print_table(console_for(stream, width=120), table)


def _input_of(method: Method) -> str:
    if method.needs_complete:
        return "complete"
    return "rankings" if method.needs_rankings else "any"


def show_method(method: Method, stream: TextIO) -> None:
    """Print one method with its settings, their defaults and its presets."""
    settings = method.make_settings({})
    console = console_for(stream, width=120)
    console.print(Text.assemble((method.name, "bold"), f": {method.summary}"))
    console.print(f"takes: {method.effort}; input: {_input_of(method)}")
    if settings is None:
        console.print("It has no settings.")
        return
    console.print()
    for paragraph in _notes(type(settings).__doc__ or ""):
        console.print(Text(fill(paragraph, console.width)))
        console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("setting", style="bold", no_wrap=True)
    table.add_column("default", no_wrap=True)
    table.add_column("meaning", overflow="fold")
    meanings: dict[str, str] = {}
    for kind in reversed(type(settings).__mro__):
        # Settings that build on those of another method are explained where they are made.
        meanings |= _meanings(kind.__doc__ or "")
    for field in fields(settings):
        default = Text(str(getattr(settings, field.name)))
        table.add_row(field.name, default, Text(meanings.get(field.name, "")))
    _print_table(console, table)
    presets: dict[str, dict[str, Any]] = getattr(settings, "PRESETS", {})
    if presets:
        console.print()
    for preset, values in presets.items():
        chosen = ", ".join(f"{name}={value}" for name, value in values.items()) or "the defaults"
        console.print(Text.assemble("preset ", (preset, "bold"), f": {chosen}"))


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
    """Print a comparison: a row per method, then what the gaps are taken to."""
    console = console_for(stream, width=120)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("method", style="bold", no_wrap=True)
    repeated = found.repeats > 1
    names = ["mean cost" if repeated else "cost", "distance", "gap", "time", "tau"]
    if repeated:
        names.insert(1, "best")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for row in found.rows:
        values = [
            number(row.cost),
            "none" if row.distance is None else f"{row.distance:,.3f}",
            percent(row.gap),
            duration(row.elapsed),
            "none" if row.tau is None else f"{row.tau:.3f}",
        ]
        if repeated:
            values.insert(1, number(row.best_cost))
        table.add_row(row.method, *values, style="green" if row.gap == 0 else "")
    _print_table(console, table)
    console.print()
    for line in _comparison_words(found):
        console.print(line, soft_wrap=True)


def _comparison_words(found: Comparison) -> list[str]:
    lines = [
        f"gap: to the proven lower bound {number(found.lower_bound)}; "
        f"tau: with the best ranking, of cost {number(found.cost)}"
    ]
    if found.repeats > 1:
        lines.append(f"means of {found.repeats} runs of each method")
    for name, why in found.skipped.items():
        lines.append(f"left out: {name} {why}")
    if found.interrupted:
        lines.append("stopped by hand: some runs are missing")
    return lines


# -- examples ------------------------------------------------------------------------------


def show_examples(lines: Iterable[str], stream: TextIO) -> None:
    """Print the examples of a help page, one a line, to be copied as they are."""
    console = console_for(stream)
    console.print(Text(" Examples", style="bold"))
    for line in lines:
        console.print(Text(f"   {line}", style="cyan"), soft_wrap=True)


# -- progress ------------------------------------------------------------------------------


class Reporter:
    """Shows the progress of a run on stderr: a live line on a terminal, else plain lines.

    Use it as a context manager and as the `on_progress` of `aggregate`.
    """

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        """Report to `stream`, stderr by default; a quiet one says nothing."""
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._live: Live | None = None
        self._console = None if quiet else console_for(self._stream)
        self._last: Progress | None = None
        self._seen = time.perf_counter()
        self._compiling = False
        self._announced = False
        self._line_at = 0.0
        self._step = ""

    def __enter__(self) -> Reporter:
        """Start: nothing is shown before there is something to say."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the live line off the screen."""
        self.close()

    def close(self) -> None:
        """Take the live line off the screen."""
        if self._live is not None:
            live, self._live = self._live, None
            live.stop()

    def compiling(self) -> None:
        """Say that kernels are being compiled: why a first run takes longer."""
        self._compiling = True
        if self._is_live:
            self._start()
        elif not self._quiet and not self._announced:
            self._write(_COMPILING)
        self._announced = True

    def step(self, finished: int, total: int, name: str) -> None:
        """Say which of several runs comes next."""
        self._step = f"{finished + 1} of {total}: {name}"
        if self._quiet:
            return
        if self._is_live:
            self._start()
        else:
            self._write(self._step)

    def __call__(self, progress: Progress) -> None:
        """Take the state of the run, and show it when it is time to."""
        if self._quiet:
            return
        if progress.phase == "compile":
            self.compiling()
            return
        self._last, self._seen, self._compiling = progress, time.perf_counter(), False
        if self._is_live:
            if progress.elapsed >= _LIVE_AFTER:
                self._start()
        elif progress.elapsed - self._line_at >= _SECONDS_BETWEEN_LINES:
            self._line_at = progress.elapsed
            self._write(", ".join(f"{name} {value}".strip() for name, value in self._values()))

    @property
    def _is_live(self) -> bool:
        # The stream is asked, not the console: colours can be forced on one that is no terminal.
        console = self._console
        return console is not None and self._stream.isatty() and not console.is_dumb_terminal

    def _start(self) -> None:
        if self._live is None and self._console is not None:
            self._live = Live(
                self,
                console=self._console,
                refresh_per_second=8,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start(refresh=True)

    def _write(self, text: str) -> None:
        self._stream.write(f"concordant: {text}\n")
        self._stream.flush()

    def _values(self) -> list[tuple[str, str]]:
        last = self._last
        if last is None:
            return []
        # The clock goes on between two reports, so that a long step does not look like a halt.
        elapsed = last.elapsed + (time.perf_counter() - self._seen if self._is_live else 0.0)
        values = [("", f"{elapsed:.1f} s" if elapsed < 60 else duration(elapsed))]
        if last.generations:
            values.append(("generation", f"{last.generations:,}"))
        if last.cost is not None:
            values.append(("best", number(last.cost)))
        if last.lower_bound is not None:
            values.append(("bound", number(last.lower_bound)))
        if last.gap is not None:
            values.append(("gap", percent(last.gap)))
        return values

    def __rich__(self) -> Text:
        """Return the live line as it is now."""
        frame = _FRAMES[int(time.perf_counter() * 8) % len(_FRAMES)]
        line = Text(f"{frame} ", style="cyan", no_wrap=True, overflow="ellipsis")
        if self._step:
            return line.append(self._step, style="default")
        if self._compiling:
            return line.append(_COMPILING, style="default")
        for name, value in self._values():
            if name:
                line.append(f"  {name} ", style="dim default")
            line.append(value, style="default")
        return line
