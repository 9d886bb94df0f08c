"""What a type checker sees in a user's script: names of items, and misspelt keywords."""

from __future__ import annotations

import ast
import copy
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import concordant as cc
from concordant._reading import READING, ReadOptions

ROOT = Path(__file__).parent.parent

# Behind "# shows" is the type that mypy reveals; behind "# finds", words of the error.
SCRIPT = """
from typing import Any

import numpy as np

import concordant as cc

data = cc.Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")]], weights=[3, 1])
reveal_type(data)  # shows Rankings[str]
reveal_type(data.items)  # shows tuple[str, ...]
reveal_type(data.subset(items=["a"])[:1])  # shows Rankings[str]
reveal_type(cc.Rankings.from_orders([[1, 2], [2, 1]]))  # shows Rankings[int]
reveal_type(cc.Rankings.from_ranks([[1, 2]]))  # shows Rankings[str]
reveal_type(cc.Rankings.from_ranks([[1, 2]], items=[3, 4]).items)  # shows tuple[int, ...]
reveal_type(cc.Pairwise.from_rankings(data))  # shows Pairwise[str]

result = cc.aggregate(data, "her", population=10, history_length=5, time_limit=1)
reveal_type(result)  # shows Consensus[str]
reveal_type(result.ranking)  # shows tuple[str, ...]
reveal_type(result.tiers)  # shows tuple[tuple[str, ...], ...] | None
reveal_type(result.winners)  # shows tuple[str, ...] | None
reveal_type(cc.compare(data, ["borda"]).ranking)  # shows tuple[str, ...]
reveal_type(cc.generate.mallows(5, 9, 0.1))  # shows Rankings[str]
reveal_type(cc.generate.partial(cc.generate.uniform(5, 9)))  # shows Rankings[str]
reveal_type(cc.generate.plackett_luce(9, weights={1: 2.0, 2: 1.0}))  # shows Rankings[int]
reveal_type(cc.Rankings.from_battles([("a", "b"), ("c", "a")]))  # shows Rankings[str]
reveal_type(cc.Rankings.from_battles([("a", "b", "tie")], weights=[2]))  # shows Rankings[str]
reveal_type(cc.Rankings.from_battles([(1, 2)]))  # shows Rankings[Any]
reveal_type(cc.aggregate([[0, 1], [2, 0]]))  # shows Consensus[str]
reveal_type(cc.aggregate(np.zeros((2, 2))))  # shows Consensus[str]

reveal_type(cc.bootstrap(data, 10).items)  # shows tuple[str, ...]
reveal_type(cc.bootstrap(data, 10).groups)  # shows tuple[tuple[str, ...], ...]
reveal_type(cc.groups(data).consensuses)  # shows tuple[Consensus[str], ...]
reveal_type(cc.aggregate_many({"a": data, "b": data})["a"].ranking)  # shows tuple[str, ...]
reveal_type(cc.aggregate_many(cc.read_many("a.csv", "year"))["a"].ranking)  # shows tuple[Any, ...]
reveal_type(cc.list_significance(data).significant())  # shows tuple[str, ...]

reveal_type(cc.read("votes.soc"))  # shows Rankings[str] | Pairwise[str]
reveal_type(cc.aggregate(cc.read("votes.soc")).ranking)  # shows tuple[str, ...]
reveal_type(cc.read("votes", "soc", unranked="last"))  # shows Rankings[str]
reveal_type(cc.read("matrix", format="lop"))  # shows Pairwise[str]
reveal_type(cc.read("counts", "npz"))  # shows Pairwise[Any]


def solved(votes: cc.Rankings, named: cc.Rankings[str], numbers: cc.Pairwise[int]) -> str:
    reveal_type(cc.aggregate(votes))  # shows Consensus[Any]
    reveal_type(cc.aggregate(numbers))  # shows Consensus[int]
    found: cc.Consensus = cc.aggregate(named, first=["a"])
    reveal_type(found.ranking)  # shows tuple[Any, ...]
    return " > ".join(cc.aggregate(named).ranking)


cc.aggregate(data, popultion=10)  # finds did you mean "population"
cc.aggregate(data, time_limit="soon")  # finds incompatible type "str"
cc.aggregate(data).rankin  # finds has no attribute "rankin"
cc.read("votes.csv", unrankd="last")  # finds did you mean "unranked"
cc.read("votes.csv", unranked="first")  # finds No overload variant of "read"
cc.bootstrap(data, 100, prioor=3.0)  # finds did you mean "prior"
cc.compare(data, timelimit=2)  # finds did you mean "time_limit"
cc.compare_many([data], timelimit=2)  # finds did you mean "time_limit"
cc.inspect("votes.csv", layuot="long")  # finds did you mean "layout"
cc.Rankings.from_orders([["a"]], wieghts=[1])  # finds did you mean "weights"
cc.Rankings.from_battles([("a", "b")], wieghts=[1])  # finds did you mean "weights"
cc.aggregate_many({"a": data}, sead=1)  # finds Unexpected keyword argument "sead"
cc.Rankings.from_frame({"a": [1]}, layuot="long")  # finds did you mean "layout"
cc.list_significance(data, univers=9)  # finds did you mean "universe"
cc.agregate(data)  # finds has no attribute "agregate"; maybe "aggregate"

# Settings of a method from outside are not known: they are passed on as a dict of any values.
options: dict[str, Any] = {"by": 3}
cc.aggregate(data, "mine", **options)
"""


@pytest.fixture(scope="module")
def messages(tmp_path_factory):
    """What mypy says of each line of the script, in one run with the settings of the project.

    These are strict. With the same settings, mypy finds the modules of the package in its cache.
    """
    pytest.importorskip("mypy")
    path = tmp_path_factory.mktemp("script") / "script.py"
    path.write_text(SCRIPT)
    package = Path(cc.__file__).parent.parent
    given = ["--config-file", ROOT / "pyproject.toml", "--hide-error-context", path]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *given],
        cwd=ROOT,
        env=os.environ | {"MYPYPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    found: dict[int, str] = {}
    for line in done.stdout.splitlines():
        if match := re.match(r".*script\.py:(\d+): (.*)", line):
            found[int(match[1])] = f"{found.get(int(match[1]), '')}{match[2]}\n"
    return found


def test_types_are_revealed_and_mistakes_are_found(messages):
    wrong = []
    for number, line in enumerate(SCRIPT.splitlines(), start=1):
        said = messages.pop(number, "")
        # mypy names the modules too.
        plain = re.sub(r"concordant\.\w+\.(?=[A-Z])", "", said)
        _, _, shown = line.partition("# shows ")
        _, _, mistake = line.partition("# finds ")
        expected = f'Revealed type is "{shown}"' if shown else mistake
        if (expected not in plain) or (bool(expected) != bool(said)) or (shown and "error" in said):
            wrong.append(f"{number}: {line}\n{said}")
    assert not wrong, "\n".join(wrong)
    assert not messages


def test_type_checkers_know_all_public_names():
    tree = ast.parse(Path(cc.__file__).read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [node for node in ast.walk(blocks[0]) if isinstance(node, ast.ImportFrom)]
    known = {alias.name for node in imports for alias in node.names}
    assert known >= {*cc.__all__, *cc._MODULES} - {"__version__"}


def test_the_options_of_read_are_those_of_the_table():
    assert ReadOptions.__optional_keys__ == set(READING) - {"format"}


def test_generic_classes_behave_as_before():
    data = cc.Rankings.from_orders([["a", "b"], ["b", "a"], ["b", "a"]])
    pairs, firm = cc.Pairwise.from_rankings(data), cc.bootstrap(data, 10)
    for each in (data, pairs, cc.aggregate(data), firm, cc.list_significance(data)):
        kind = type(each)
        assert kind[str] is not kind
        assert not hasattr(each, "__dict__"), "it has slots"
        for twin in (copy.copy(each), pickle.loads(pickle.dumps(each))):
            assert type(twin) is kind
            assert twin == each
