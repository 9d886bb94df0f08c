"""Names, numbers and times as people read them: on the terminal, in messages and on pages."""

from __future__ import annotations

import math
import unicodedata

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
