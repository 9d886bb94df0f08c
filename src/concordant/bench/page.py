"""A report as Markdown and as one HTML page that needs nothing else."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from concordant.bench.figures import INK, Figure
from concordant.bench.layout import Table, code_markdown, escape_markdown
from concordant.bench.published import SOURCE
from concordant.bench.records import Manifest
from concordant.formatting import counted, printable

TITLE = "Benchmarks of Concordant"
_INTRODUCTION = (
    f"Published figures are those of {SOURCE}. Distances are the mean Kendall distance of an order "
    "to the rankings of an instance, as there. Lower is better, except for Kendall's tau."
)


@dataclass(frozen=True, slots=True)
class Section:
    """What a report says about one store.

    Attributes:
        key: Short and unique in the report.
        store: The folder it is from, as it was named.
        manifest: How the results were made.
        count: How many tasks gave a result.
        tables: The tables, the last of them about errors if there are any.
        figures: The figures.
        missing: What the store lacks, in words.
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
        """How the results were made: name, text, and whether the text is code."""
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
    """Return a setting, or a fact of a machine, as a reader sees it."""
    if key == "instances" and isinstance(value, dict):
        return key, f"read from {counted(len(value), 'file')}"
    if key == "tasks" and isinstance(value, str):
        # How many there are is said elsewhere.
        return "digest of the tasks", value.rpartition(", ")[2]
    if key == "time_limit":
        return "time limit", "of the suite" if value is None else f"{value:g} s"
    if key == "memory_gib":
        return "memory", f"{value} GiB"
    return key, value


def _plain(value: Any) -> str:
    """Return settings as a reader's list: no quotes, no braces."""
    if isinstance(value, dict):
        return "; ".join(f"{str(k).replace('_', ' ')} {_plain(v)}" for k, v in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    return "none" if value is None else str(value)


# -- Markdown --------------------------------------------------------------------------------


def render_markdown(sections: Sequence[Section]) -> str:
    """Return the report as Markdown; pictures are files in `figures/`."""
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
    """Return the report as one HTML page, with its style and its figures in it."""
    links = " ".join(
        f'<a href="#{_id(section.key)}">{_text(section.key)}</a>' for section in sections
    )
    body = "\n".join(_section_html(section) for section in sections)
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        # Nothing is loaded and nothing runs, whatever a name in the results may hold.
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        f"<title>{_text(TITLE)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<header><h1>{_text(TITLE)}</h1>\n<p>{_text(_INTRODUCTION)}</p>\n<nav>{links}</nav>"
        f"</header>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _section_html(section: Section) -> str:
    facts = ""
    for name, text, is_code in section.facts:
        value = f"<code>{_text(text)}</code>" if is_code else _text(text)
        facts += f"<dt>{_text(name)}</dt><dd>{value}</dd>"
    parts = [
        f'<section id="{_id(section.key)}">\n<h2>{_text(section.key)}</h2>',
        f"<dl>{facts}</dl>",
    ]
    if section.missing:
        items = "".join(f"<li>{_text(each)}</li>" for each in section.missing)
        what = counted(len(section.missing), "part")
        is_open = " open" if len(section.missing) <= 8 else ""
        parts.append(
            f"<details{is_open}><summary>Missing so far: {what}</summary><ul>{items}</ul></details>"
        )
    if not section.count:
        parts.append("<p>There are no results yet.</p>")
    for figure in section.figures:
        picture = inline_svg(figure.svg, f"{_id(section.key)}-{figure.name}", figure.title)
        caption = f"<figcaption>{_text(figure.title)}</figcaption>"
        parts.append(f'<figure>{caption}<div class="wide">{picture}</div></figure>')
    for table in section.tables:
        notes = "".join(f'<p class="note">{_text(note)}</p>' for note in table.notes)
        parts.append(f"<h3>{_text(table.title)}</h3>")
        parts.append(f'<div class="wide" tabindex="0">{table.to_html()}</div>{notes}')
    return "\n".join(parts) + "\n</section>"


def inline_svg(svg: str, name: str, title: str) -> str:
    """Return an SVG drawing as an element of a page.

    Its names are made unique in the page, its lines take the colour of the page's text, and it is
    as wide as there is room for.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', body)
    body = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", body)
    body = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', body)
    body = body.replace(INK, "currentColor")
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    width = re.search(r'<svg[^>]*? width="([\d.]+)pt"', body)
    body = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", body, count=1)
    body = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", body, count=1)
    points = width[1] if width else "600"
    label = html.escape(title)
    return body.replace(
        "<svg", f'<svg role="img" aria-label="{label}" style="max-width:{points}pt"', 1
    ).rstrip()


def _text(value: object) -> str:
    return html.escape(printable(value))


def _id(key: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]+", "-", key)


_STYLE = """
:root { --ink: #1d2125; --soft: #5a6470; --line: #d5dae0; --page: #ffffff; --tint: #f4f6f8;
  --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #a3adb8; --line: #3a434d;
  --page: #15191d; --tint: #1e242a; --link: #7db8f0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; color: var(--ink); background: var(--page);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: .5rem 0; line-height: 1.2; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 .75rem; padding-top: .75rem;
  border-top: 2px solid var(--line); }
a { color: var(--link); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 1rem;
  font-size: .875rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: .95em ui-monospace, monospace; }
details, .note { font-size: .875rem; color: var(--soft); }
.note { max-width: 60rem; margin: .35rem 0 0; }
.wide { overflow-x: auto; }
figure { margin: 1.5rem 0; }
figure svg { display: block; width: 100%; min-width: 34rem; height: auto; color: var(--ink); }
h3, figcaption { font-size: 1rem; font-weight: 600; margin: 0; padding: .25rem 0; }
h3 { margin-top: 1.75rem; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: bottom; }
th { font-weight: 600; background: var(--tint); }
td { white-space: nowrap; }
.n { text-align: right; }
tbody tr:hover { background: var(--tint); }
@media (max-width: 36rem) { body { padding: .75rem; } dl { grid-template-columns: 1fr; }
  dd { margin-bottom: .35rem; } th, td { padding: .25rem .4rem; } }
@media print {
  @page { size: A4 landscape; margin: 12mm; }
  :root { --ink: #000; --soft: #333; --line: #bbb; --page: #fff; --tint: #fff; --link: #000; }
  body { max-width: none; padding: 0; font-size: 9pt; }
  nav { display: none; }
  .wide { overflow: visible; }
  table { font-size: 6.5pt; }
  th, td { padding: 1pt 3pt; }
  tr, figure, figure svg { break-inside: avoid; }
  figure svg { min-width: 0; max-height: 160mm; }
  h2, h3 { break-after: avoid; }
}
"""
