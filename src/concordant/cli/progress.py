"""`Reporter`: the progress of a run on stderr, a live line on a terminal, else plain lines."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from concordant.formatting import duration, number, percent, printable

if TYPE_CHECKING:
    from types import TracebackType

    from rich.live import Live
    from rich.text import Text

    from concordant.stopping import Progress

# Seconds before the live line appears, and between plain lines.
_LIVE_AFTER = 0.3
_SECONDS_BETWEEN_LINES = 2.0
# Seconds between plain lines about many runs.
_SECONDS_BETWEEN_STATES = 10.0
_FRAMES = "|/-\\"
_COMPILING = "compiling kernels, once per machine"


class Reporter:
    """Shows the progress of a run on stderr: a live line on a terminal, else plain lines.

    Use it as a context manager and as the `on_progress` of `aggregate`. If stderr is closed or
    full, the run continues without progress.

    Example:
        >>> from concordant import Rankings, aggregate
        >>> with Reporter(quiet=True) as report:
        ...     result = aggregate(Rankings.from_orders([["b", "a"]]), on_progress=report)
        >>> result.ranking
        ('b', 'a')
    """

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        """Report to `stream`, stderr by default; nothing if `quiet`."""
        self._stream = stream or sys.stderr
        self._quiet = quiet
        # Not from a console of rich: colours can be forced where there is no terminal.
        terminal = not quiet and self._stream is not None and self._stream.isatty()
        self._is_live = terminal and os.environ.get("TERM") not in ("dumb", "unknown")
        self._live: Live | None = None
        self._last: Progress | None = None
        self._seen = time.perf_counter()
        self._compiling = False
        self._announced = False
        self._line_at = 0.0
        self._step = ""

    def __enter__(self) -> Reporter:
        """Return the reporter; nothing is shown yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the live line from the screen."""
        self.close()

    def close(self) -> None:
        """Remove the live line from the screen."""
        if self._live is not None:
            live, self._live = self._live, None
            with suppress(OSError):
                live.stop()

    def compiling(self) -> None:
        """Show that kernels are being compiled, which makes the first run slower."""
        self._compiling = True
        if self._is_live:
            self._start()
        elif not self._announced:
            self._write(_COMPILING)
        self._announced = True

    def step(self, finished: int, total: int, name: str) -> None:
        """Show which of several runs comes next."""
        self._step, self._compiling = f"{finished + 1} of {total}: {name}", False
        if self._is_live:
            self._start()
        else:
            self._write(self._step)

    def samples(self, finished: int, total: int) -> None:
        """Show how many samples of a bootstrap are done."""
        now = time.perf_counter()
        if not self._step:
            # No plain line in the first two seconds.
            self._seen = now
        self._step, self._compiling = f"bootstrap: {finished:,} of {total:,} samples", False
        if self._is_live:
            self._start()
        elif finished < total and now - self._seen >= _SECONDS_BETWEEN_LINES:
            self._seen = now
            self._write(self._step)

    def state(self, text: str) -> None:
        """Show the progress of many runs; a plain line every ten seconds."""
        self._step, self._compiling = text, False
        if self._is_live:
            self._start()
        elif not self._line_at or time.perf_counter() - self._line_at >= _SECONDS_BETWEEN_STATES:
            self._line_at = time.perf_counter()
            self._write(text)

    def note(self, text: str) -> None:
        """Print a line that stays on the screen, above the live line if there is one."""
        if self._live is None:
            self._write(printable(text))
        else:
            self._live.console.print(f"concordant: {printable(text)}")

    def __call__(self, progress: Progress) -> None:
        """Take the state of a run, and show it if it is time to."""
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

    def _start(self) -> None:
        if self._live is not None:
            return
        # Imported here, so that runs without a live line need not load it.
        from rich.live import Live

        from concordant.cli.terminal import console_for

        self._live = Live(
            self,
            console=console_for(self._stream),
            refresh_per_second=8,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        with suppress(OSError):
            self._live.start(refresh=True)

    def _write(self, text: str) -> None:
        if self._quiet or self._stream is None:
            return
        with suppress(OSError):
            self._stream.write(f"concordant: {text}\n")
            self._stream.flush()

    def _values(self) -> list[tuple[str, str]]:
        last = self._last
        if last is None:
            return []
        # The time also advances between reports, so that a long step does not look like a stop.
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
        """Return the current live line."""
        from rich.text import Text

        frame = _FRAMES[int(time.perf_counter() * 8) % len(_FRAMES)]
        line = Text(f"{frame} ", style="cyan", no_wrap=True, overflow="ellipsis")
        if self._step or self._compiling:
            now = (self._step, _COMPILING if self._compiling else "")
            return line.append("; ".join(filter(None, now)), style="default")
        for name, value in self._values():
            if name:
                line.append(f"  {name} ", style="dim default")
            line.append(value, style="default")
        return line
