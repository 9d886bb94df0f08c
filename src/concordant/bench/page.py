"""The report of the experiments as Markdown and as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from concordant.bench.figures import Figure
from concordant.bench.published import SOURCE
from concordant.bench.records import Manifest
from concordant.formatting import counted
from concordant.layout import Table, code_markdown, escape_markdown, show
from concordant.pages import check_pages, render
from concordant.plot import embed

TITLE = "Benchmarks of Concordant"
_INTRODUCTION = (
    f"Published figures are those of {SOURCE}. Distances are the mean Kendall distance of an order "
    "to the rankings of an instance, as there. Lower is better, except for Kendall's tau."
)


@dataclass(frozen=True, slots=True)
class Section:
    """The part of a report about one store.

    Attributes:
        key: A short name, unique in the report: letters, digits and dashes.
        store: The folder of the store, as the user named it.
        manifest: How the results were computed.
        count: The number of tasks with a result.
        tables: The tables; the last one lists errors if there are any.
        figures: The figures.
        missing: The parts that the store lacks, in words.
    """

    key: str
    store: str
    manifest: Manifest
    count: int
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    missing: tuple[str, ...]

    @property
    def facts(self) -> list[tuple[str, str, bool]]:
        """How the results were computed: name, text, and whether the text is code."""
        manifest = self.manifest
        facts = [("store", self.store, True), ("command", manifest.command, True)]
        if manifest.date:
            facts.append(("date", manifest.date, False))
        facts.append(("results", f"{counted(self.count, 'task')} at scale {manifest.scale}", False))
        for name in ("settings", "machine", "versions"):
            kept = dict(_fact(key, value) for key, value in getattr(manifest, name).items())
            if kept:
                facts.append((name, _plain(kept), False))
        return facts


def _fact(key: str, value: Any) -> tuple[str, Any]:
    """Return a setting, or a property of a machine, with readable units."""
    if key == "instances" and isinstance(value, dict):
        return key, f"read from {counted(len(value), 'file')}"
    if key == "tasks" and isinstance(value, str):
        # The number of tasks is shown elsewhere.
        return "digest of the tasks", value.rpartition(", ")[2]
    if key == "time_limit":
        return "time limit", "of the suite" if value is None else f"{value:g} s"
    if key == "memory_gib":
        return "memory", f"{value} GiB"
    return key, value


def _plain(value: Any) -> str:
    """Return settings as text without quotes and braces."""
    if isinstance(value, dict):
        return "; ".join(f"{str(k).replace('_', ' ')} {_plain(v)}" for k, v in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    return "none" if value is None else str(value)


# -- Markdown --------------------------------------------------------------------------------


def render_markdown(sections: Sequence[Section]) -> str:
    """Return the report as Markdown; its figures are files in `figures/`."""
    parts = [f"# {TITLE}", escape_markdown(_INTRODUCTION)]
    for section in sections:
        parts.append(f"## {escape_markdown(section.key)}")
        parts.append(
            "\n".join(
                f"- {name}: {code_markdown(text) if is_code else escape_markdown(text)}"
                for name, text, is_code in section.facts
            )
        )
        if section.missing:
            parts.append("Missing so far:")
            parts.append("\n".join(f"- {escape_markdown(each)}" for each in section.missing))
        if not section.count:
            parts.append("There are no results yet.")
        for figure in section.figures:
            title = escape_markdown(figure.title)
            parts.append(f"### {title}")
            parts.append(f"![{title}](figures/{section.key}-{figure.name}.svg)")
        for table in section.tables:
            parts.append(f"### {escape_markdown(table.title)}")
            parts.append(table.to_markdown())
            parts += [escape_markdown(note) for note in table.notes]
    return "\n\n".join(parts) + "\n"


# -- HTML ------------------------------------------------------------------------------------


def render_page(sections: Sequence[Section]) -> str:
    """Return the report as one HTML page, with its style and its figures in it.

    Raises:
        SettingError: Jinja2 is not installed.
    """
    check_pages()
    from markupsafe import Markup

    def picture(section: Section, figure: Figure) -> Markup:
        # The SVG is markup that matplotlib made, with every name escaped.
        return Markup(embed(figure.svg, figure.title, f"{section.key}-{figure.name}"))

    def heads(table: Table) -> list[tuple[str, str]]:
        return [(column.name, "" if column.is_text else "n") for column in table.columns]

    return render(
        "experiments.html",
        title=TITLE,
        introduction=_INTRODUCTION,
        sections=sections,
        picture=picture,
        heads=heads,
        show=show,
    )
