"""Tables and figures in pages, made from stores: `python -m concordant.bench.documents docs`.

A page says where a table comes from, and what stands between the two comments is written by
this module:

    <!-- table: complete/averages from results/complete -->
    <!-- end of table -->

The first part names a suite and one of its tables, the second a store, by its path from the page.
`from published` stands for the tables about the paper's own figures, which need no store. A picture
is drawn where a comment stands before it:

    <!-- figure: history-length/cost-drop from results/history-length -->
    ![Cost against time](images/cost-drop.svg)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from concordant._files import atomic_write, read_text
from concordant.bench.figures import suite_figures
from concordant.bench.layout import Table, code_markdown, escape_markdown
from concordant.bench.published import SOURCE
from concordant.bench.records import Manifest, Record
from concordant.bench.results import Results
from concordant.bench.store import load
from concordant.bench.tables import published_tables, suite_tables
from concordant.errors import ConcordantError, InputError

_PUBLISHED = "published"
_BEGIN = re.compile(r"^<!-- table: (\S+) from (\S+) -->[ \t]*$", re.MULTILINE)
_END = "<!-- end of table -->"
_FIGURE = re.compile(
    r"^<!-- figure: (\S+)/(\S+) from (\S+) -->\s*^!\[[^\]]*\]\((\S+\.svg)\)", re.MULTILINE
)
_OTHERWISE = re.compile(r"<!-- measured: \S.*-->")
# A number with decimals, or in percent: what is measured and not counted by hand.
_MEASURED = re.compile(r"\d[.,]\d|\d %|\.\d\d")

Loader = Callable[[Path], tuple[Manifest, Sequence[Record]]]


def refresh_pages(folder: str | Path, load: Loader = load) -> list[Path]:
    """Make tables and figures of the Markdown pages of a folder anew; return what changed."""
    changed = []
    for page in sorted(Path(folder).rglob("*.md")):
        before = read_text(page)
        made = {page: refresh(before, page, load), **draw_figures(before, page, load)}
        for path, text in made.items():
            if not path.exists() or read_text(path) != text:
                atomic_write(path, text)
                changed.append(path)
    return changed


def draw_figures(text: str, page: Path, load: Loader = load) -> dict[Path, str]:
    """Return the pictures of a page that a store makes, by the files they belong in."""
    found = {}
    for match in _FIGURE.finditer(text):
        suite, name, source, target = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        try:
            figures = suite_figures(_load_results(suite, source, page.parent, load))
            [found[page.parent / target]] = [each.svg for each in figures if each.name == name]
        except InputError as error:
            raise error.at(path=page, line=line) from None
        except ValueError:
            message = f"{source} gives no figure {name!r}"
            raise InputError(message, path=page, line=line) from None
    return found


def refresh(text: str, page: Path, load: Loader = load) -> str:
    """Return the text of a page with the tables made anew from its stores.

    A store that is not there yet leaves a line with the command that makes it.

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
            raise InputError(f"the table has no {_END!r}", path=page, line=line)
        try:
            block = _render(begin[1], begin[2], page.parent, load)
        except InputError as error:
            raise error.at(path=page, line=line) from None
        parts += [text[at : begin.end()], "\n\n", block, "\n\n"]
        at = end
    return "".join([*parts, text[at:]])


def unsourced_tables(text: str) -> list[int]:
    r"""Return the lines of tables with measured figures that do not say where they come from.

    A table that no suite makes says so in a comment `<!-- measured: how -->` before it.

    Example:
        >>> unsourced_tables("| m | gap |\n|---|---|\n| 5 | 0.13 % |\n")
        [1]
        >>> unsourced_tables("<!-- measured: by hand -->\n\n| m |\n|---|\n| 0.5 |\n")
        []
        >>> unsourced_tables("| format | suffix |\n|---|---|\n| `soc` | `.soc` |\n")
        []
    """
    found, lines = [], text.splitlines()
    inside, said = False, False
    for number, line in enumerate(lines, start=1):
        if _BEGIN.match(line):
            inside = True
        elif line.startswith(_END):
            inside = False
        elif _OTHERWISE.match(line):
            said = True
        elif line.startswith("|"):
            first = number < 2 or not lines[number - 2].startswith("|")
            if first and not inside and not said and _is_measured(lines[number - 1 :]):
                found.append(number)
        elif line.strip():
            said = False
    return found


def _is_measured(lines: Sequence[str]) -> bool:
    for line in lines:
        if not line.startswith("|"):
            return False
        # What is typed, such as a setting, is not measured.
        if _MEASURED.search(re.sub(r"`[^`]*`", "", line)):
            return True
    return False


def _render(name: str, source: str, folder: Path, load: Loader) -> str:
    suite, _, table_name = name.partition("/")
    if source == _PUBLISHED:
        table = _choose(published_tables(), table_name or suite)
        return _block(table, f"Published: {escape_markdown(SOURCE)}.")
    store = folder / source
    shown = _from_docs(store) or source
    if not store.is_dir():
        command = f"concordant bench run {suite} --scale small --store {shown}"
        return f"*No results yet: {code_markdown(command)} makes them.*"
    results = _load_results(suite, source, folder, load)
    table = _choose(suite_tables(results), table_name)
    made = (
        f"Suite {code_markdown(suite)}, store {code_markdown(shown)}: "
        f"{code_markdown(results.manifest.command)}."
    )
    return _block(table, made)


def _load_results(suite: str, source: str, folder: Path, load: Loader) -> Results:
    """Load a store, by its path from a page, that must hold a suite."""
    manifest, records = load(folder / source)
    if manifest.suite != suite:
        raise InputError(f"{source} holds the suite {manifest.suite!r}, not {suite!r}")
    return Results.from_records(manifest, records)


def _from_docs(path: Path) -> str | None:
    """Return a path from the folder of the documentation on, which every checkout has."""
    parts = path.parts
    if "docs" not in parts:
        return None
    return "/".join(parts[len(parts) - 1 - parts[::-1].index("docs") :])


def _choose(tables: Sequence[Table], name: str) -> Table:
    for table in tables:
        if table.name == name:
            return table
    there = ", ".join(table.name for table in tables) or "none"
    raise InputError(f"there is no table {name!r}: there are {there}")


def _block(table: Table, source: str) -> str:
    notes = " ".join(map(escape_markdown, table.notes))
    return f"{table.to_markdown()}\n\n{escape_markdown(table.title)}. {source} {notes}".rstrip()


def main(arguments: Sequence[str]) -> int:
    """Make the tables and figures in the pages of the folders named anew."""
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
