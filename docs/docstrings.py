"""Docstrings for the reference: what ours write in short, as griffe understands it."""

from __future__ import annotations

import re
from typing import Any

import griffe

# `a, b: text` in a list of attributes or parameters.
SEVERAL = re.compile(r"^( {4})((?:\*{0,2}\w+, )+)(\w+):(?= )", re.MULTILINE)


def expand(text: str) -> str:
    """Rename the section of examples, and give each of several names a line of its own.

    Without this, griffe takes `Example:` for a note and its prompts for quotations, and the second
    name of `a, b:` for the type of the first.
    """
    text = text.replace("\nExample:\n", "\nExamples:\n")
    return SEVERAL.sub(
        lambda found: (
            "".join(
                f"{found[1]}{name}: See `{found[3]}`.\n"
                for name in found[2].strip(", ").split(", ")
            )
            + f"{found[1]}{found[3]}:"
        ),
        text,
    )


class Docstrings(griffe.Extension):
    """Expand the docstring of whatever was found."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called by griffe for each module, class, function and attribute."""
        if obj.docstring:
            obj.docstring.value = expand(obj.docstring.value)
