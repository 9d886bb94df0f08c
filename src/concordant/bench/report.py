"""A report of stores of results: Markdown, CSV, LaTeX, figures and one HTML page in a folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, count
from pathlib import Path

from concordant._files import atomic_write, reason
from concordant.bench.figures import Figure, draw_figures
from concordant.bench.page import Section, render_markdown, render_page
from concordant.bench.records import Manifest, Record
from concordant.bench.results import Results
from concordant.bench.store import load
from concordant.bench.suites import SUITES, Suite, get
from concordant.bench.tables import error_table
from concordant.errors import InputError
from concordant.layout import Table


def write_report(stores: Sequence[str | Path], output: str | Path) -> list[Path]:
    """Write a report of stores of results, beside the published figures, to a folder.

    The report is `report.md`, `report.html`, a CSV and a LaTeX file for each table and, in
    `figures/`, each figure as SVG and PNG. Files of these names are replaced, other files stay. The
    same stores give the same files, byte for byte, with the same version of matplotlib.

    Args:
        stores: Folders that `concordant bench run` wrote. An incomplete store is reported as far
            as it goes.
        output: The folder; it is created if it does not exist.

    Returns:
        The files written.

    Raises:
        InputError: If a store cannot be read, or the folder cannot be written.
        SettingError: Without matplotlib.
    """
    # Errors in the input are raised before anything is written.
    sections = build_sections((str(path), *load(path)) for path in stores)
    files: dict[str, str | bytes] = {
        "report.md": render_markdown(sections),
        "report.html": render_page(sections),
    }
    for section in sections:
        for table in section.tables:
            files[f"{section.key}-{table.name}.csv"] = table.to_csv()
            files[f"{section.key}-{table.name}.tex"] = table.to_latex()
        for figure in section.figures:
            files[f"figures/{section.key}-{figure.name}.svg"] = figure.svg
            files[f"figures/{section.key}-{figure.name}.png"] = figure.png
    folder = Path(output)
    try:
        (folder / "figures").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be created: {reason(error)}", path=output) from None
    for name, content in files.items():
        atomic_write(folder / name, content)
    return [folder / name for name in files]


def build_sections(loaded: Iterable[tuple[str, Manifest, Sequence[Record]]]) -> list[Section]:
    """Return a section for each store, given as its name, its manifest and its records.

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
        results = results_of(manifest, records)
        folder = Path(store).name if suites[manifest.suite] > 1 else ""
        key = _free_key(manifest.suite, folder, {section.key for section in sections})
        tables = [*suite_tables(results), *_suite_of(manifest).published()]
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


def results_of(manifest: Manifest, records: Iterable[Record]) -> Results:
    """Return the results of a store, with the columns in the order of its suite."""
    return Results.from_records(manifest, records, _suite_of(manifest).columns)


def suite_tables(results: Results) -> list[Table]:
    """Return the tables of a store; none if it is empty."""
    return _suite_of(results.manifest).tables(results) if results.records else []


def suite_figures(results: Results) -> list[Figure]:
    """Return the figures of a store, without those that have nothing to draw."""
    return draw_figures(_suite_of(results.manifest).figures, results)


def missing_parts(results: Results) -> list[str]:
    """List what a store lacks: rows of the paper's table, and runs that others of its kind have."""
    parts = []
    planned = re.match(r"(\d+) tasks", str(results.manifest.settings.get("tasks")))
    tasks = int(planned[1]) if planned else None
    done = len(results.records) + len(results.errors)
    if tasks is not None and done < tasks:
        parts.append(f"{tasks - done:,} of {tasks:,} tasks have no result yet")
    parts += _suite_of(results.manifest).missing(results)
    return parts if done == tasks else [*parts, *results.missing]


def _suite_of(manifest: Manifest) -> Suite:
    """Return the suite of a store; for one that this version does not have, generic tables."""
    if manifest.suite in SUITES:
        return get(manifest.suite)
    return Suite(manifest.suite, "", lambda plan: [])


def _free_key(suite: str, folder: str, taken: set[str]) -> str:
    """Return a free name for a section: the suite, with folder and number if needed."""
    name = folder if folder.startswith(suite) else f"{suite}-{folder}" if folder else suite
    name = re.sub(r"[^A-Za-z0-9-]+", "-", name) or "suite"
    numbered = (f"{name}-{n}" for n in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)
