"""The errors and warnings that Concordant raises, and how each front end phrases them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

# Values of a hint that a message lists.
_MOST_VALUES = 10


@dataclass(frozen=True, slots=True)
class Hint:
    """A setting that would solve a problem. Each front end phrases it in its own words.

    Attributes:
        setting: The name of the setting in Python.
        values: The values that would help; empty where only the user knows the value.
        purpose: When or why to use it: the end of a sentence that begins with "Use".
        placeholder: What stands for the value where there are no `values`.

    Example:
        >>> error = InputError("the format is unclear", hints=[Hint("format", ("ranks", "orders"))])
        >>> print(error)
        the format is unclear. Use format="ranks" or format="orders"
        >>> print(error.phrased(in_shell({"format": "--from"})))
        the format is unclear. Use --from ranks or --from orders
        >>> print(error.phrased(in_fields({"format"})))
        the format is unclear. Use format ranks or format orders
    """

    setting: str
    values: tuple[str, ...] = ()
    purpose: str = ""
    placeholder: str = "NAME"


# Turns a hint and one of its values, or None, into words; returns None where the front end does
# not have the setting.
Spelling = Callable[[Hint, "str | None"], "str | None"]


def in_python(hint: Hint, value: str | None) -> str:
    """Spell a setting as an argument in Python: `format="ranks"`."""
    if value is None:
        return f"{hint.setting}={hint.placeholder}"
    shown = f'"{value}"' if value.isprintable() and not set(value) & set('"\\') else repr(value)
    return f"{hint.setting}={shown}"


def in_shell(flags: Mapping[str, str]) -> Spelling:
    """Spell settings as the options of a command: `--format ranks`.

    Args:
        flags: The option of each setting that the command has.
    """

    def spell(hint: Hint, value: str | None) -> str | None:
        flag = flags.get(hint.setting)
        shown = hint.placeholder if value is None else shlex.quote(value)
        return None if flag is None else f"{flag} {shown}"

    return spell


def in_fields(fields: Collection[str]) -> Spelling:
    """Spell settings as the fields of a form: `format ranks`.

    Args:
        fields: The settings that the form has.
    """

    def spell(hint: Hint, value: str | None) -> str | None:
        shown = hint.placeholder if value is None else value
        return f"{hint.setting} {shown}" if hint.setting in fields else None

    return spell


class _Explained:
    """What is wrong, where, and which settings would help."""

    message: str
    place: str
    hints: tuple[Hint, ...]

    def _explain(self, message: str, place: str, hints: Iterable[Hint]) -> str:
        self.message, self.place, self.hints = message, place, tuple(hints)
        return self.phrased()

    def phrased(self, spell: Spelling = in_python, *, placed: bool = True) -> str:
        """Return the message with its hints in the words of a front end.

        Hints for settings that the front end does not have are left out.

        Args:
            spell: How the front end spells a setting.
            placed: Whether the file and the line come first.
        """
        place = f"{self.place}: " if placed and self.place else ""
        sentences = [f"{place}{self.message}"]
        for hint in self.hints:
            values = hint.values[:_MOST_VALUES] or (None,)
            spelled = [spell(hint, None if value is None else cut(value)) for value in values]
            choices = [choice for choice in spelled if choice is not None]
            if choices:
                more = " or others" if len(hint.values) > _MOST_VALUES else ""
                sentences.append(f"Use {' or '.join(choices)}{more} {hint.purpose}".rstrip())
        return ". ".join(sentences)


class ConcordantError(Exception):
    """Base of every error that Concordant raises on purpose."""


class InputError(_Explained, ConcordantError, ValueError):
    """Rankings, a matrix or a file that cannot be used, with the place of the fault.

    Attributes:
        message: What is wrong, without the place and without the hints.
        path, line: The file and the line, where known.
        ranking: The index of the faulty ranking, where known.
        hints: Settings that would help.

    Example:
        >>> print(InputError("item 'a' is ranked twice", path="votes.soc", line=7))
        votes.soc, line 7: item 'a' is ranked twice
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        ranking: int | None = None,
        hints: Iterable[Hint] = (),
    ) -> None:
        self.ranking = ranking
        self.path = None if path is None else str(path)
        self.line = line
        parts = (self.path, None if line is None else f"line {line}")
        place = ", ".join(part for part in parts if part is not None)
        super().__init__(self._explain(message, place, hints))

    def at(self, path: str | Path | None = None, line: int | None = None) -> InputError:
        """Return the same error with a place added where none was known.

        Example:
            >>> print(InputError("no ranking").at(path="empty.csv"))
            empty.csv: no ranking
        """
        return InputError(
            self.message,
            path=self.path or path,
            line=self.line or line,
            ranking=self.ranking,
            hints=self.hints,
        )


class InputWarning(_Explained, UserWarning):
    """Input that was used with a change: says what was changed and where.

    Example:
        >>> print(InputWarning("2 items were dropped", path="votes.soc"))
        votes.soc: 2 items were dropped
    """

    def __init__(
        self, message: str, *, path: str | Path | None = None, hints: Iterable[Hint] = ()
    ) -> None:
        self.path = None if path is None else str(path)
        super().__init__(self._explain(message, self.path or "", hints))


class PluginWarning(UserWarning):
    """A method or a format of another package that cannot be used: says which, and why."""


class SettingError(_Explained, ConcordantError, ValueError):
    """A setting that cannot be used, refused before any work starts.

    `setting` is its name in Python, which the message contains as a word. The command line
    replaces that word by its option (`--time-limit`).

    Example:
        >>> error = SettingError("time_limit must not be negative", setting="time_limit")
        >>> error.setting, error.message
        ('time_limit', 'time_limit must not be negative')
    """

    def __init__(
        self, message: str, *, setting: str | None = None, hints: Iterable[Hint] = ()
    ) -> None:
        self.setting = setting
        super().__init__(self._explain(message, "", hints))


class MethodError(ConcordantError):
    """A method that broke its contract: it offered no order, or one that is not an order."""


class VerificationError(ConcordantError):
    """A result that does not hold for the data it is checked against."""


def cut(text: str, most: int = 60) -> str:
    """Shorten a text for a message.

    Example:
        >>> cut("a long line of a file", 10)
        'a long li…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def show(value: object) -> str:
    """Show a value in a message, shortened where it is very long.

    Example:
        >>> show("a"), show("a" * 100)
        ("'a'", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…")
    """
    # A cell of a table that holds a list is a series, which prints over many lines.
    return cut(repr(value.to_list() if hasattr(value, "to_list") else value))


def listed(values: Iterable[object], most: int = 10) -> str:
    """List values in a message: at most `most` of them.

    Example:
        >>> listed(["a", "b", "c"], 2)
        "'a', 'b', …"
    """
    shown = [show(value) for value in values]
    return ", ".join([*shown[:most], *(["…"] if len(shown) > most else [])])
