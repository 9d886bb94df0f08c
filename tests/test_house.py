"""The house: which module may import which, and what every module keeps to."""

from __future__ import annotations

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import concordant

SOURCE = Path(concordant.__file__).parent
# From the base up; a module may import from its own layer and from those below it.
LAYERS = {
    "base": [
        *["errors", "_version", "_types", "_checks", "_files", "_memory", "_names", "_kernels"],
        *["formatting", "pages", "workers", "_reading", "plugins", "layout", "_polars"],
    ],
    "data": [
        *["units", "merging", "voters", "orders", "selection", "looks", "tables", "battles"],
        *["graphs", "reading", "rankings", "pairwise", "counting", "reduction", "distances"],
        *["generate", "formats", "constraints", "problems", "as_one"],
    ],
    "solving": [
        "stopping",
        "running",
        "certificate",
        "checker",
        "bounds",
        "solver",
        "algorithms",
        "tiers",
    ],
    "front": [
        *["verification", "consensus", "aggregation", "comparison", "resampling", "describe"],
        *["many", "grouping", "samples", "plot", "report", "rules", "margin_of_victory"],
        *["firmness", "separation", "lists", "paired", "comparing_many", "outcome"],
    ],
    "edges": ["learn", "bench", "serve", "distributed", "cli", "__main__"],
}
MODULES = {
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(SOURCE.rglob("*.py"))
}


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(path: Path) -> list[tuple[str, str]]:
    """All imports of a file from the package, late ones too: (module, name)."""
    found = []
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if is_type_checking(node):
            waiting.extend(node.orelse)  # type: ignore[attr-defined]
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports name the whole path"
            if (node.module or "").split(".")[0] == "concordant":
                found += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(a.name, "") for a in node.names if a.name.split(".")[0] == "concordant"]
        waiting.extend(ast.iter_child_nodes(node))
    return found


def target(module: str, name: str) -> str:
    """The module that an import loads: `from package import module` means the module."""
    return f"{module}.{name}" if f"{module}.{name}" in MODULES else module


GRAPH = {
    module: {target(*each) for each in imports(path)} - {module}
    for module, path in MODULES.items()
    if module != "concordant"
}


def layer(module: str) -> int:
    first = module.split(".")[1]
    for number, names in enumerate(LAYERS.values()):
        if first in names:
            return number
    raise AssertionError(f"{module} is in no layer: give it one in LAYERS")


def test_imports_point_down() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, others in GRAPH.items()
        for other in others
        if other != "concordant" and layer(other) > layer(module)
    ]
    assert not wrong


def test_no_cycle_not_even_by_late_imports() -> None:
    graph = {module: others - {"concordant"} for module, others in GRAPH.items()}
    assert list(TopologicalSorter(graph).static_order())


def test_the_package_itself_imports_nothing_but_its_version() -> None:
    assert {target(*each) for each in imports(MODULES["concordant"])} <= {"concordant._version"}


@pytest.mark.parametrize("module", sorted(MODULES))
def test_no_private_name_crosses_a_module(module: str) -> None:
    crossing = [
        f"from {other} import {name}"
        for other, name in imports(MODULES[module])
        if name.startswith("_") and not name.startswith("__") and f"{other}.{name}" not in MODULES
    ]
    assert not crossing


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_file_has_one_subject(module: str) -> None:
    text = MODULES[module].read_text(encoding="utf-8")
    assert text.count("\n") <= 600
    first = ast.get_docstring(ast.parse(text))
    assert first, "its first line says what it is about"
    assert not re.search(r"TODO|FIXME|XXX", text)
