"""A checker of certificates that needs nothing but Python.

It has three parts, which import each other and otherwise only the standard library. `source` joins
them into one file, which can be handed out.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from concordant.checker.orders import Refused, check
from concordant.checker.program import main
from concordant.checker.tiers import check_tiers

__all__ = ["Refused", "check", "check_tiers", "main", "source"]

_PARTS = ("orders", "tiers", "program")


def source() -> str:
    """Return the checker as the text of one file: `concordant verify --export-checker` writes it.

    Example:
        >>> source().partition(":")[0].strip('"')
        'Checks certificates of Concordant with nothing but Python'
    """
    modules: set[str] = set()
    names: dict[str, set[str]] = defaultdict(set)
    bodies = []
    about = ""
    for part in _PARTS:
        text = Path(__file__).with_name(f"{part}.py").read_text(encoding="utf-8")
        lines = text.splitlines()
        tree = ast.parse(text)
        end = 0
        for node in tree.body:
            if isinstance(node, ast.Import):
                modules.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                names[node.module or ""].update(alias.name for alias in node.names)
            else:
                continue
            end = node.end_lineno or end
        first = tree.body[0].end_lineno
        # The last part is the program, and its docstring explains all of them.
        about = "\n".join(lines[:first])
        title = (ast.get_docstring(tree) or "").partition(".")[0].partition(":")[0]
        bodies.append(f"# -- {title} ".ljust(100, "-") + "\n\n\n" + "\n".join(lines[end:]).strip())
    imports = [f"import {name}" for name in sorted(modules)]
    for module in sorted(names):
        if module != "__future__" and not module.startswith("concordant"):
            imports.append(f"from {module} import {', '.join(sorted(names[module]))}")
    head = f"{about}\n\nfrom __future__ import annotations\n\n" + "\n".join(imports)
    return f"{head}\n\n" + "\n\n\n".join(bodies) + "\n"
