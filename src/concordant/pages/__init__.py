"""HTML: the templates and the style that all pages share, and small tables for notebooks.

Pages need Jinja2, which is loaded when the first page is rendered. Every value is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from concordant._version import __version__
from concordant.errors import SettingError, cut
from concordant.formatting import counted, duration, number, percent, printable

if TYPE_CHECKING:
    from jinja2 import Environment

# Characters that no HTML document may contain, besides those that `printable` spells out.
_NOT_HTML = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")
_NOTEBOOK_ROWS = 100


def render(template: str, **values: Any) -> str:
    """Return a page: a template filled with values, each of them escaped.

    Only markup that this package made, such as the SVG of a plot, may be passed as
    `markupsafe.Markup`, which is not escaped.

    Raises:
        SettingError: Jinja2 is not installed.
    """
    return _environment().get_template(template).render(values)


def check_pages() -> None:
    """Raise a SettingError if Jinja2 is not installed.

    Example:
        >>> check_pages()
    """
    _environment()


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise SettingError(
            "HTML pages need Jinja2, which is not installed: install the 'report' extra, "
            'pip install "concordant[report]"'
        ) from None
    environment = Environment(
        loader=PackageLoader("concordant.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_text,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(cut=cut, visible=visible)
    environment.globals.update(
        counted=counted, duration=duration, number=number, percent=percent, version=__version__
    )
    return environment


def _text(value: Any) -> Any:
    """Return a value as text for a page; markup stays as it is."""
    if hasattr(value, "__html__"):
        return value
    return "" if value is None else _NOT_HTML.sub("\ufffd", printable(value))


def visible(item: object) -> str:
    """Return the name of an item, in quotes if it would be invisible.

    Example:
        >>> visible("Zoë"), visible(" ")
        ('Zoë', "' '")
    """
    text = printable(item)
    return text if text.strip() else repr(str(item))


def notebook_table(caption: str, heads: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a small HTML table, which a notebook shows for an object; needs no Jinja2.

    Only the first 100 rows are shown. None is an empty cell.

    Example:
        >>> notebook_table("1 item", ["item"], [["<b>"]])
        '<table><caption>1 item</caption><tr><th>item</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
    """
    lines = [tuple(row) for row in rows]
    rest = len(lines) - _NOTEBOOK_ROWS
    body = _cells("th", heads) + "".join(_cells("td", row) for row in lines[:_NOTEBOOK_ROWS])
    if rest > 0:
        body += _cells("td", [f"… {rest:,} more"])
    return f"<table><caption>{escape(_text(caption))}</caption>{body}</table>"


def _cells(tag: str, values: Iterable[object]) -> str:
    texts = ("" if value is None else _text(visible(value)) for value in values)
    return f"<tr>{''.join(f'<{tag}>{escape(text)}</{tag}>' for text in texts)}</tr>"
