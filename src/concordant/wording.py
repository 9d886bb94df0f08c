"""Values and results in plain words, the same on the terminal, in messages and on pages."""

from __future__ import annotations

import math
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concordant.consensus import Consensus
    from concordant.rankings import Rankings
    from concordant.resampling import Bootstrap

# Characters that turn the direction of all text behind them.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


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


def share(fraction: float) -> str:
    """Return a share of samples in whole percent; only none is 0 % and only all are 100 %.

    Example:
        >>> share(0.0), share(0.002), share(0.874), share(0.9999), share(1.0)
        ('0 %', '<1 %', '87 %', '>99 %', '100 %')
    """
    if 0 < fraction < 0.005:
        return "<1 %"
    if 0.995 < fraction < 1:
        return ">99 %"
    return f"{100 * fraction:.0f} %"


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


def status_words(result: Consensus) -> str:
    """Say what the status of a result means."""
    if result.status == "optimal":
        return "proven, no ranking costs less"
    if result.top_proven:
        first = "first place is" if result.top == 1 else f"first {result.top} places are"
        return f"the {first} proven, some optimal ranking begins so; the rest was left"
    found = "stopped by hand, best so far" if result.interrupted else "the best found"
    return f"{found}; none can cost less than {number(result.lower_bound)}"


def method_words(result: Consensus) -> str:
    """Say how a result was found."""
    words = f"{result.method}, seed {result.seed}, {duration(result.elapsed)}"
    if result.generations:
        words += f", {counted(result.generations, 'generation')}"
    return words


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


def bootstrap_words(firm: Bootstrap) -> str:
    """Say in a line what a bootstrap was made of."""
    words = f"{counted(firm.samples, 'sample')} of {counted(firm.voters, 'voter')}"
    if firm.samples < firm.requested:
        words += f", of {firm.requested:,} asked for"
    words += f", seed {firm.seed}"
    if firm.exact == 1:
        return f"{words}, all solved exactly"
    return f"{words}, {share(firm.exact)} solved exactly, the others by local search"


def count_words(state: Any) -> str:
    """Say how far a count of files is (`streaming.Counting`).

    Example:
        >>> from types import SimpleNamespace
        >>> count_words(
        ...     SimpleNamespace(
        ...         bytes_done=1,
        ...         bytes_total=4,
        ...         files_done=0,
        ...         files_total=2,
        ...         n_rankings=1_500_000,
        ...         seconds_left=9.0,
        ...     )
        ... )
        '25 %, 1,500,000 rankings, 0 of 2 files, about 9.0 s left'
    """
    share = state.bytes_done / max(1, state.bytes_total)
    words = [f"{share:.0%}".replace("%", " %"), f"{state.n_rankings:,} rankings"]
    if state.files_total > 1:
        words.append(f"{state.files_done:,} of {state.files_total:,} files")
    if state.seconds_left is not None and state.bytes_done < state.bytes_total:
        words.append(f"about {duration(state.seconds_left)} left")
    return ", ".join(words)
