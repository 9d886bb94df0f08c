"""Make the tables and figures of pages from stores of results: `python docs/documents.py docs`.

A comment names the source of a table. This program writes what stands between the comments:

    <!-- table: complete/averages from results/complete -->
    <!-- end of table -->

The first part names a suite and one of its tables, the second a store, by its path from the page.
`from published` takes a table of published figures alone, which needs no store. A comment before a
picture names the source of the picture:

    <!-- figure: history-length/cost-drop from results/history-length -->
    ![Cost against time](images/cost-drop.svg)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from concordant._files import atomic_write, read_text
from concordant.bench.published import SOURCE
from concordant.bench.report import results_of, suite_figures, suite_tables
from concordant.bench.results import Results
from concordant.bench.store import load
from concordant.bench.suites import get
from concordant.errors import ConcordantError, InputError
from concordant.layout import Table, code_markdown, escape_markdown

_PUBLISHED = "published"
_BEGIN = re.compile(r"^<!-- table: (\S+) from (\S+) -->[ \t]*$", re.MULTILINE)
_END = "<!-- end of table -->"
_FIGURE = re.compile(
    r"^<!-- figure: (\S+)/(\S+) from (\S+) -->\s*^!\[[^\]]*\]\((\S+\.svg)\)", re.MULTILINE
)
_SOURCE = re.compile(r"<!-- measured: \S.*-->")
# A number with decimals or in percent: a sign of a measurement.
_MEASURED = re.compile(r"\d[.,]\d|\d %|\.\d\d")


def refresh_pages(folder: str | Path) -> list[Path]:
    """Write the tables and figures of the pages of a folder; return the files that changed."""
    changed = []
    for page in sorted(Path(folder).rglob("*.md")):
        before = read_text(page)
        made = {page: refresh(before, page), **draw_figures(before, page)}
        for path, text in made.items():
            if not path.exists() or read_text(path) != text:
                atomic_write(path, text)
                changed.append(path)
    return changed


def draw_figures(text: str, page: Path) -> dict[Path, str]:
    """Return the pictures of a page that come from a store, by file."""
    found = {}
    for match in _FIGURE.finditer(text):
        suite, name, source, target = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        try:
            figures = suite_figures(_load_results(suite, source, page.parent))
            [found[page.parent / target]] = [each.svg for each in figures if each.name == name]
        except InputError as error:
            raise error.at(path=page, line=line) from None
        except ValueError:
            message = f"{source} has no figure {name!r}"
            raise InputError(message, path=page, line=line) from None
    return found


def refresh(text: str, page: Path) -> str:
    """Return the text of a page with its tables made from their stores.

    For a store that does not exist yet, the table is a line with the command that makes it.

    Raises:
        InputError: If a table is not closed, or its suite or store does not have it.
    """
    parts, at = [], 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < at:
            continue
        line = text.count("\n", 0, begin.start()) + 1
        end = text.find(_END, begin.end())
        following = _BEGIN.search(text, begin.end())
        if end < 0 or (following and following.start() < end):
            raise InputError(f"the table has no {_END!r} after it", path=page, line=line)
        try:
            block = _render(begin[1], begin[2], page.parent)
        except InputError as error:
            raise error.at(path=page, line=line) from None
        parts += [text[at : begin.end()], "\n\n", block, "\n\n"]
        at = end
    return "".join([*parts, text[at:]])


def unsourced_tables(text: str) -> list[int]:
    r"""Return the lines of tables with measured figures that do not name their source.

    A comment `<!-- measured: how -->` before a table names a source that is not a suite.

    Example:
        >>> unsourced_tables("| m | gap |\n|---|---|\n| 5 | 0.13 % |\n")
        [1]
        >>> unsourced_tables("<!-- measured: by hand -->\n\n| m |\n|---|\n| 0.5 |\n")
        []
        >>> unsourced_tables("| format | suffix |\n|---|---|\n| `soc` | `.soc` |\n")
        []
    """
    found, lines = [], text.splitlines()
    inside, sourced = False, False
    for number, line in enumerate(lines, start=1):
        if _BEGIN.match(line):
            inside = True
        elif line.startswith(_END):
            inside = False
        elif _SOURCE.match(line):
            sourced = True
        elif line.startswith("|"):
            first = number < 2 or not lines[number - 2].startswith("|")
            if first and not inside and not sourced and _is_measured(lines[number - 1 :]):
                found.append(number)
        elif line.strip():
            sourced = False
    return found


def _is_measured(lines: Sequence[str]) -> bool:
    for line in lines:
        if not line.startswith("|"):
            return False
        # Code, such as a setting, is not measured.
        if _MEASURED.search(re.sub(r"`[^`]*`", "", line)):
            return True
    return False


def _render(name: str, source: str, folder: Path) -> str:
    suite, _, table_name = name.partition("/")
    if source == _PUBLISHED:
        table = _choose(get(suite).published(), table_name)
        return _block(table, f"Published: {escape_markdown(SOURCE)}.")
    store = folder / source
    shown = _from_docs(store) or source
    if not store.is_dir():
        command = f"concordant bench run {suite} --scale small --store {shown}"
        return f"*No results yet: {code_markdown(command)} makes them.*"
    results = _load_results(suite, source, folder)
    table = _choose(suite_tables(results), table_name)
    made = (
        f"Suite {code_markdown(suite)}, store {code_markdown(shown)}: "
        f"{code_markdown(results.manifest.command)}."
    )
    return _block(table, made)


def _load_results(suite: str, source: str, folder: Path) -> Results:
    """Load a store, given by its path from a page, and check its suite."""
    manifest, records = load(folder / source)
    if manifest.suite != suite:
        raise InputError(f"{source} holds the suite {manifest.suite!r}, not {suite!r}")
    return results_of(manifest, records)


def _from_docs(path: Path) -> str | None:
    """Return a path from the folder `docs` on; None if it is not in `docs`."""
    parts = path.parts
    if "docs" not in parts:
        return None
    return "/".join(parts[len(parts) - 1 - parts[::-1].index("docs") :])


def _choose(tables: Sequence[Table], name: str) -> Table:
    for table in tables:
        if table.name == name:
            return table
    there = ", ".join(table.name for table in tables) or "none"
    raise InputError(f"there is no table {name!r}; there are: {there}")


def _block(table: Table, source: str) -> str:
    notes = " ".join(map(escape_markdown, table.notes))
    return f"{table.to_markdown()}\n\n{escape_markdown(table.title)}. {source} {notes}".rstrip()


def main(arguments: Sequence[str]) -> int:
    """Make the tables and figures of the pages in some folders."""
    try:
        for folder in arguments or ["docs"]:
            for page in refresh_pages(folder):
                sys.stdout.write(f"{page}\n")
    except ConcordantError as error:
        sys.stderr.write(f"concordant: error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
