"""Tables in the pages of `docs/`: made by `docs/documents.py` from the stores that they name."""

from __future__ import annotations

import doctest
import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from concordant.bench.records import Manifest, Record
from concordant.bench.store import Store
from concordant.errors import InputError

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))


def load_tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


documents = load_tool("documents")
refresh, refresh_pages = documents.refresh, documents.refresh_pages
unsourced_tables = documents.unsourced_tables
PAGE = """# A page

<!-- table: evaluation/evaluation from results/evaluation -->
<!-- end of table -->

The end, 5.5.
"""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_agree_with_their_stores(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert refresh(text, page) == text, "run `python docs/documents.py`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_measured_tables_name_their_source(page: Path) -> None:
    found = unsourced_tables(page.read_text(encoding="utf-8"))
    assert not found, f"{page.name}, lines {found}: name the store, or how it was measured"


def test_examples() -> None:
    assert doctest.testmod(documents) == (0, 3)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    manifest = Manifest("evaluation", "smoke", {}, {}, {}, "concordant bench run evaluation")
    with Store.open(folder / "results" / "evaluation", manifest) as store:
        for name, rate in (("full", 10.0), ("incremental", 305.0)):
            measures = {"iterations_per_second": rate}
            store.append(Record(f"a/{name}/0", "a", name, elapsed=1.0, measures=measures))
    (folder / "page.md").write_text(PAGE, encoding="utf-8")
    return folder


class TestRefresh:
    def test_a_table_is_made_and_names_its_store(self, docs: Path) -> None:
        page = docs / "page.md"
        assert refresh_pages(docs) == [page]
        text = page.read_text(encoding="utf-8")
        assert "| a | 10 | 305 | 30.5 | 29 to 34 |" in text
        assert "store `docs/results/evaluation`: `concordant bench run evaluation`" in text
        assert text.endswith("\n\nThe end, 5.5.\n")
        assert unsourced_tables(text) == []
        assert refresh_pages(docs) == []

    def test_every_changed_figure_is_noticed(self, docs: Path) -> None:
        page = docs / "page.md"
        refresh_pages(docs)
        text = page.read_text(encoding="utf-8")
        inside = text.index("<!-- end")
        digits = [
            m.start() for m in re.finditer(r"\d", text[:inside]) if "\n| a" in text[: m.start()]
        ]
        assert len(digits) > 5
        for place in digits:
            changed = text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :]
            assert refresh(changed, page) == text != changed

    def test_figures_are_drawn(self, docs: Path) -> None:
        page = docs / "page.md"
        figure = "<!-- figure: evaluation/evaluation from results/evaluation -->\n![It](it.svg)\n"
        page.write_text(figure, encoding="utf-8")
        assert refresh_pages(docs) == [docs / "it.svg"]
        assert "speed-up" in (docs / "it.svg").read_text(encoding="utf-8")
        page.write_text(figure.replace("n/evaluation f", "n/x f"), encoding="utf-8")
        with pytest.raises(InputError, match=r"line 1: .* has no figure 'x'"):
            refresh_pages(docs)

    def test_a_changed_store_is_noticed(self, docs: Path) -> None:
        refresh_pages(docs)
        results = docs / "results" / "evaluation" / "results.jsonl"
        results.write_text(results.read_text().replace("305.0", "306.0"))
        assert refresh_pages(docs) == [docs / "page.md"]

    def test_no_store_yet(self, tmp_path: Path) -> None:
        page = tmp_path / "page.md"
        text = refresh(PAGE, page)
        assert "`concordant bench run evaluation --scale small --store results/evaluation`" in text
        assert refresh(text, page) == text

    def test_pages_without_tables_stay(self, tmp_path: Path) -> None:
        assert refresh("nothing\n", tmp_path / "page.md") == "nothing\n"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (PAGE.replace("<!-- end of table -->", ""), "line 3: the table has no"),
            (PAGE.replace("evaluation/evaluation", "evaluation/rates"), "no table 'rates'"),
            (PAGE.replace("evaluation/evaluation", "complete/averages"), "not 'complete'"),
            (
                "<!-- table: partial/x from published -->\n<!-- end of table -->",
                "no table 'x'; there are: published, published-partial",
            ),
        ],
    )
    def test_errors_name_the_fault(self, docs: Path, text: str, message: str) -> None:
        with pytest.raises(InputError, match=message):
            refresh(text, docs / "page.md")

    def test_command(self, docs: Path, capsys: Any) -> None:
        assert documents.main([str(docs)]) == 0
        assert capsys.readouterr().out == f"{docs / 'page.md'}\n"
        (docs / "page.md").write_text(PAGE.replace("/evaluation f", "/x f"), encoding="utf-8")
        assert documents.main([str(docs)]) == 2
        assert "no table 'x'" in capsys.readouterr().err
