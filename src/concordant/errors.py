"""What Concordant raises, so that a caller can tell bad input from a bad setting."""

from __future__ import annotations

from pathlib import Path


class ConcordantError(Exception):
    """Base of every error that Concordant raises on purpose."""


class InputError(ConcordantError, ValueError):
    """Rankings, a matrix or a file that cannot be used, with the place where it goes wrong.

    Example:
        >>> print(InputError("item 'a' is ranked twice", path="votes.soc", line=7))
        votes.soc, line 7: item 'a' is ranked twice

    Where a setting would help, `setting` names it as Python does (`format`), and the message has
    that name as a word, or with a value (`format="ranks"`): the command line says `--format ranks`.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        ranking: int | None = None,
        setting: str | None = None,
    ) -> None:
        self.message = message
        self.setting = setting
        # The index of the faulty ranking, so that a reader of files can tell its line.
        self.ranking = ranking
        self.path = None if path is None else str(path)
        self.line = line
        place = ", ".join(
            part
            for part in (self.path, None if line is None else f"line {line}")
            if part is not None
        )
        super().__init__(f"{place}: {message}" if place else message)

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
            setting=self.setting,
        )


class InputWarning(UserWarning):
    """Input that was used, though not quite as it stands: says what was changed and where.

    Example:
        >>> print(InputWarning("2 items were dropped", path="votes.soc"))
        votes.soc: 2 items were dropped
    """

    def __init__(self, message: str, *, path: str | Path | None = None) -> None:
        self.message = message
        self.path = None if path is None else str(path)
        super().__init__(message if path is None else f"{path}: {message}")


class SettingError(ConcordantError, ValueError):
    """A setting that makes no sense, refused before any work starts.

    `setting` is its name, as Python spells it and as the message does; each front end says it in
    its own way (`time_limit`, `--time-limit`).

    Example:
        >>> error = SettingError("time_limit must not be negative", setting="time_limit")
        >>> error.setting, error.message
        ('time_limit', 'time_limit must not be negative')
    """

    def __init__(self, message: str, *, setting: str | None = None) -> None:
        self.message = message
        self.setting = setting
        super().__init__(message)


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
    # A cell of a table that holds a list comes as a series, which prints over many lines.
    return cut(repr(value.to_list() if hasattr(value, "to_list") else value))
