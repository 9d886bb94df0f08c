"""A report of stores of results: Markdown, CSV, figures and one HTML page in a folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, count
from pathlib import Path

from concordant._files import atomic_write, reason
from concordant.bench.figures import suite_figures
from concordant.bench.page import Section, render_markdown, render_page
from concordant.bench.paper_tables import published_contest, published_partial_against_complete
from concordant.bench.published import ROWS
from concordant.bench.records import Manifest, Record
from concordant.bench.results import Results
from concordant.bench.store import load
from concordant.bench.tables import error_table, missing_parts, suite_tables
from concordant.errors import InputError


def write_report(stores: Sequence[str | Path], output: str | Path) -> list[Path]:
    """Write what some stores of results say, beside what is published, to a folder.

    The folder gets `report.md`, `report.html`, a CSV file for each table and, in `figures/`, each
    figure as SVG and PNG. Files of these names are replaced, others stay. The same stores give the
    same files, byte for byte, with the same version of matplotlib.

    Args:
        stores: Folders that `concordant bench run` wrote; a store that is not complete is
            reported with what it has.
        output: The folder; it is made if need be.

    Returns:
        The files written.

    Raises:
        InputError: If a store cannot be read, or the folder cannot be written to.
        SettingError: Without matplotlib.
    """
    # All that can go wrong with the input does so before anything is written.
    sections = build_sections((str(path), *load(path)) for path in stores)
    files: dict[str, str | bytes] = {
        "report.md": render_markdown(sections),
        "report.html": render_page(sections),
    }
    for section in sections:
        for table in section.tables:
            files[f"{section.key}-{table.name}.csv"] = table.to_csv()
        for figure in section.figures:
            files[f"figures/{section.key}-{figure.name}.svg"] = figure.svg
            files[f"figures/{section.key}-{figure.name}.png"] = figure.png
    folder = Path(output)
    try:
        (folder / "figures").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made a folder: {reason(error)}", path=output) from None
    for name, content in files.items():
        atomic_write(folder / name, content)
    return [folder / name for name in files]


def build_sections(loaded: Iterable[tuple[str, Manifest, Sequence[Record]]]) -> list[Section]:
    """Return a section for each store: its name, its manifest and its records.

    Example:
        >>> manifest = Manifest("complete", "smoke", {}, {}, {}, "concordant bench run complete")
        >>> [section] = build_sections([("a", manifest, [])])
        >>> section.key, section.count, len(section.missing)
        ('complete', 0, 20)
    """
    loaded = list(loaded)
    suites = Counter(manifest.suite for _, manifest, _ in loaded)
    sections: list[Section] = []
    for store, manifest, records in loaded:
        results = Results.from_records(manifest, records)
        folder = Path(store).name if suites[manifest.suite] > 1 else ""
        key = _free_key(manifest.suite, folder, {section.key for section in sections})
        tables = suite_tables(results)
        if manifest.suite in ROWS:
            tables.append(published_contest(ROWS[manifest.suite], "published"))
        if manifest.suite == "partial":
            tables.append(published_partial_against_complete())
        if results.errors:
            tables.append(error_table(results))
        sections.append(
            Section(
                key,
                store,
                manifest,
                len(results.records),
                tuple(tables),
                tuple(suite_figures(results)),
                tuple(missing_parts(results)),
            )
        )
    return sections


def _free_key(suite: str, folder: str, taken: set[str]) -> str:
    """Return a name for a section and its files: the suite, with its folder, then numbered."""
    name = folder if folder.startswith(suite) else f"{suite}-{folder}" if folder else suite
    name = re.sub(r"[^A-Za-z0-9-]+", "-", name) or "suite"
    numbered = (f"{name}-{n}" for n in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)
