"""A JSON text read step by step: values, members of objects, elements of lists."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from concordant.errors import InputError, cut
from concordant.formats.common.source import Source

_DECODER = json.JSONDecoder()
_BLANKS = " \t\n\r"
_BLANK_RUN = re.compile(f"[{_BLANKS}]*+")


class JsonText:
    """Reads a JSON text step by step, so that errors can name the line."""

    def __init__(self, source: Source) -> None:
        self.source, self.text, self.position = source, source.text, 0

    def error(self, message: str, position: int | None = None) -> InputError:
        """Return the error for a position in the text, by default the current one."""
        position = self.position if position is None else position
        return self.source.error(message, self.text.count("\n", 0, position) + 1)

    def next(self) -> str:
        """Skip blanks and return the next character, without reading it."""
        if not self.rest():
            raise self.error("the JSON text is incomplete")
        return self.text[self.position]

    def take(self, expected: str) -> str:
        """Read one of the expected characters."""
        found = self.next()
        if found not in expected:
            wanted = " or ".join(expected)
            raise self.error(f"not valid JSON: found {found!r} in place of {wanted}")
        self.position += 1
        return found

    def value(self, decoder: json.JSONDecoder = _DECODER) -> Any:
        """Read a value."""
        self.next()
        try:
            value, self.position = decoder.raw_decode(self.text, self.position)
        except json.JSONDecodeError as error:
            if error.msg.startswith("Unterminated") or error.pos >= len(self.text.rstrip()):
                raise self.error(
                    "the JSON text is incomplete: the file ends within a value. Export it again",
                    error.pos,
                ) from None
            raise self.error(f"not valid JSON: {error.msg}", error.pos) from None
        except (RecursionError, ValueError, ArithmeticError) as error:
            raise self.error(f"not valid JSON: {cut(str(error), 200)}") from None
        return value

    def members(self) -> Iterator[str]:
        """Yield the keys of an object. The caller reads each value before the next key."""
        self.take("{")
        if self.next() == "}":
            self.position += 1
            return
        while True:
            key = self.value() if self.next() == '"' else self.take('"')
            self.take(":")
            yield key
            if self.take(",}") == "}":
                return

    def elements(self) -> Iterator[int]:
        """Yield where each element of a list begins. The caller reads it before the next."""
        self.take("[")
        if self.next() == "]":
            self.position += 1
            return
        while True:
            self.next()
            yield self.position
            if self.take(",]") == "]":
                return

    def rest(self) -> bool:
        """Skip blanks and return whether there is more text."""
        blanks = _BLANK_RUN.match(self.text, self.position)
        self.position = self.position if blanks is None else blanks.end()
        return self.position < len(self.text)
