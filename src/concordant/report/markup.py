"""HTML put together from elements: text is always escaped, so that no name can become markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Any

from concordant.errors import cut
from concordant.formatting import printable

# What stands in a page: text, which is escaped, markup, or several of these.
Content = Any
_LONGEST_NAME = 80
_VOID = frozenset({"meta", "br", "hr"})
# Half characters and others that no document may hold.
_NOT_HTML = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(content: Content) -> Markup:
    """Return content as HTML: text escaped, markup as it is, several one after the other.

    Example:
        >>> escaped(["a < b", Markup("<br>"), None, 3])
        'a &lt; b<br>3'
    """
    if isinstance(content, Markup):
        return content
    if content is None:
        return Markup("")
    if isinstance(content, Iterable) and not isinstance(content, str):
        return Markup("".join(escaped(each) for each in content))
    return Markup(html.escape(_NOT_HTML.sub("\ufffd", str(content))))


def element(tag: str, *content: Content, **attributes: str | bool | None) -> Markup:
    """Return an element; attributes that are None or false are left out.

    An underscore at the end of a name is dropped, others become dashes.

    Example:
        >>> element("p", "1 < 2", class_="note", hidden=False)
        '<p class="note">1 &lt; 2</p>'
    """
    said = []
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        key = name.rstrip("_").replace("_", "-")
        said.append(f" {key}" if value is True else f' {key}="{escaped(value)}"')
    opening = f"<{tag}{''.join(said)}>"
    return Markup(opening if tag in _VOID else f"{opening}{escaped(content)}</{tag}>")


def item_name(item: object) -> Markup:
    """Return the name of an item, which keeps its direction to itself; a long one is cut.

    Example:
        >>> item_name("<b>")
        '<bdi class="item">&lt;b&gt;</bdi>'
    """
    text = printable(item)
    if not text.strip():
        text = repr(str(item))
    short = cut(text, _LONGEST_NAME)
    return element("bdi", short, class_="item", title=None if short == text else text)


def listed(items: Iterable[object], most: int = 12) -> Markup:
    """Return names as a list in a sentence; of many, the first ones and how many more.

    Example:
        >>> listed("ab").count("<bdi"), listed("abc", most=1)[-11:]
        (2, ' and 2 more')
    """
    names: list[Content] = [item_name(item) for item in items]
    if len(names) > most:
        names = [*names[:most], f"{len(names) - most:,} more"]
    if len(names) == 1:
        return escaped(names[0])
    joined: list[Content] = []
    for place, name in enumerate(names):
        joined += [name, " and " if place == len(names) - 2 else ", "]
    return escaped(joined[:-1])


def table(
    caption: Content, heads: Iterable[Content], rows: Iterable[Iterable[Content]], numbers: str = ""
) -> Markup:
    """Return a table; `numbers` has an "n" for every column that holds numbers, else a "-"."""
    kinds = [kind == "n" for kind in numbers]

    def cells(tag: str, values: Iterable[Content], **more: str) -> Markup:
        return escaped(
            element(tag, value, class_="n" if place < len(kinds) and kinds[place] else None, **more)
            for place, value in enumerate(values)
        )

    body = [element("tr", cells("td", row)) for row in rows]
    return element(
        "div",
        element(
            "table",
            element("caption", caption),
            element("thead", element("tr", cells("th", heads, scope="col"))),
            element("tbody", body),
        ),
        class_="wide",
    )


def folded(summary: Content, *content: Content, printed: bool = False) -> Markup:
    """Return content that is shown when its summary is clicked, and on paper if it is `printed`."""
    kind = "full" if printed else None
    return element("details", element("summary", summary), content, class_=kind)
