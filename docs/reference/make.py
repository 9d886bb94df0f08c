"""Write `all.md`, the API as one page of plain Markdown: `python docs/reference/make.py`.

The other pages name the objects, and the site fills in their docstrings. This page can be read
without the site, in a clone or on a forge. The tests compare it with the docstrings.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER / "all.md"
# The pages in the order of the site.
PAGES = re.findall(
    r"reference/(\w+)\.md", (FOLDER.parent.parent / "mkdocs.yml").read_text(encoding="utf-8")
)
_NAMED = re.compile(r"^::: (\S+)((?:\n {4}.*)*)", re.MULTILINE)
_SECTION = re.compile(
    r"^(Args|Returns|Raises|Yields|Attributes|Example|Examples|Note):$", re.MULTILINE
)
_ENTRY = re.compile(r"^([\w*][\w*, ]*): ", re.MULTILINE)


def reference() -> str:
    """Return the page."""
    parts = [
        "# The API on one page",
        "All public names, as plain text. `docs/reference/make.py` writes this page from the "
        "docstrings; the [API reference](index.md) of the site has the same content, with links.",
    ]
    for name in PAGES:
        if name in ("index", "all"):
            continue
        text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
        parts.append(f"## {text.splitlines()[0].removeprefix('# ')}")
        for found in _NAMED.finditer(text):
            hidden = re.findall(r"!\^(\w+)\$", found[2])
            parts += entries(found[1], hidden)
    return "\n\n".join(part.strip() for part in parts) + "\n"


def entries(path: str, hidden: list[str]) -> Iterator[str]:
    """Yield the parts for an object that a page names; of a module, also those of its members."""
    found = find(path)
    if not isinstance(found, ModuleType):
        yield from entry(path, found)
        return
    yield f"### `{path}`"
    yield markdown(found.__doc__)
    names = getattr(found, "__all__", None) or [
        name
        for name, each in vars(found).items()
        if getattr(each, "__module__", None) == path and (inspect.isclass(each) or callable(each))
    ]
    for name in names:
        if not name.startswith("_") and name not in hidden:
            each = getattr(found, name)
            if inspect.getdoc(each) and (inspect.isclass(each) or inspect.isroutine(each)):
                yield from entry(f"{path}.{name}", each)


def find(path: str) -> Any:
    """Return the object of a dotted path."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        parent, _, name = path.rpartition(".")
        return getattr(find(parent), name)


def entry(path: str, found: Any) -> Iterator[str]:
    """Yield the heading, signature and docstring of a function, or of a class and its members."""
    yield f"### `{path}`"
    yield signature(path.rpartition(".")[2], found)
    yield markdown(inspect.getdoc(found))
    if not inspect.isclass(found):
        return
    for name, member in vars(found).items():
        each = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        text = inspect.getdoc(each) if not name.startswith("_") else None
        if text and isinstance(each, property):
            yield f"#### `{path.rpartition('.')[2]}.{name}`"
            yield markdown(text)
        elif text and inspect.isroutine(each):
            yield f"#### `{path.rpartition('.')[2]}.{name}`"
            yield signature(name, each)
            yield markdown(text)


def signature(name: str, found: Any) -> str:
    """Return how to call something, as code."""
    try:
        call = inspect.signature(found)
    except (TypeError, ValueError):
        return ""
    given = [each for each in call.parameters.values() if each.name not in ("self", "cls")]
    shown = []
    for each in given:
        if each.kind is each.KEYWORD_ONLY and not any(one.startswith("*") for one in shown):
            shown.append("*")
        shown.append(parameter(each))
    returned = call.return_annotation
    end = "" if inspect.isclass(found) or returned is call.empty else f" -> {returned}"
    text = f"{name}({', '.join(shown)}){end}"
    if len(text) > 100:
        lines = "".join(f"    {each},\n" for each in shown)
        text = f"{name}(\n{lines}){end}"
    return f"```py\n{text}\n```"


def parameter(each: inspect.Parameter) -> str:
    """Return a parameter as the source has it."""
    stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
    text = stars + each.name
    if each.annotation is not each.empty:
        text += f": {each.annotation}"
    if each.default is not each.empty:
        # Defaults without a name in the source have a description in angle brackets.
        default = repr(each.default)
        text += f" = {'...' if default.startswith('<') else default}"
    return text


def markdown(text: str | None) -> str:
    """Return a docstring as Markdown: sections in bold, entries as lists, examples as code."""
    out = []
    begin, *rest = _SECTION.split(inspect.cleandoc(text or ""))
    out.append(code(begin))
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        inner, outer = split_indented(body)
        out.append(f"**{'Example' if title.startswith('Example') else title}**")
        if title in ("Args", "Attributes", "Raises"):
            items = re.split(r"\n(?=\S)", inner)
            lines = [_ENTRY.sub(r"`\1`: ", " ".join(each.split()), count=1) for each in items]
            out.append("\n".join(f"- {line}" for line in lines))
        else:
            out.append(code(inner))
        out.append(code(outer))
    return "\n\n".join(part for part in out if part)


def split_indented(body: str) -> tuple[str, str]:
    """Divide what follows the title of a section into its indented text and the rest."""
    found = re.match(r"(?:\n|[ ]{4}.*\n?)*", body)
    inner = found[0] if found else ""
    return inspect.cleandoc(inner).strip(), body[len(inner) :].strip()


def code(text: str) -> str:
    """Put examples with prompts into blocks of code."""
    parts = []
    for part in re.split(r"\n\s*\n", text.strip()):
        parts.append(f"```pycon\n{part}\n```" if part.lstrip().startswith(">>>") else part)
    return "\n\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
