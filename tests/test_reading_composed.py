"""Composed tables: common layouts with random noise, each read as it was meant.

`tests/composing.py` makes the files. No file may be misread, and most must be read without a
question. Run this file as a program for the rates by layout and by noise, and for files that
fail; further arguments are the first seed and the names of layouts:

    python tests/test_reading_composed.py 5000
    python tests/test_reading_composed.py 500 1000 ballots races
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from composing import LAYOUTS, Composed, compose
from test_reading_corpus import attempt, judge

N_FILES = 400
# The smallest share of the files that must be read right.
SHARE = Fraction(95, 100)


def state_of(made: Composed, folder: Path) -> tuple[str, str]:
    """Read a composed file: how it went, and details."""
    target = folder / f"composed{made.suffix}"
    target.write_bytes(made.content)
    return judge(made.entry, attempt(target, {}))


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    folder = tmp_path_factory.mktemp("composed")
    return [state_of(compose(seed), folder) for seed in range(N_FILES)]


def test_no_composed_file_is_misread(outcomes: list[tuple[str, str]]) -> None:
    wrong = [f"seed {k}: {text}" for k, (state, text) in enumerate(outcomes) if state == "misread"]
    assert not wrong, wrong[0]


def test_most_composed_files_are_read(outcomes: list[tuple[str, str]]) -> None:
    right = sum(state == "right" for state, _ in outcomes)
    assert right >= SHARE * N_FILES, f"{right} of {N_FILES}"


def test_all_layouts_are_composed() -> None:
    made = {compose(seed).layout for seed in range(N_FILES)}
    assert made == {layout.__name__ for layout in LAYOUTS}


def shown(made: Composed) -> str:
    (name,) = [each for each in made.noise if each.startswith("encoding ")]
    return made.content.decode(name.removeprefix("encoding "))


def rates(title: str, found: dict[str, Counter[str]]) -> list[str]:
    lines = [title]
    for name, counts in sorted(found.items(), key=lambda each: each[1]["right"] / each[1].total()):
        share = counts["right"] / counts.total()
        rest = ", ".join(f"{n} {state}" for state, n in counts.items() if state != "right")
        lines.append(f"  {share:6.1%} of {counts.total():5}  {name}  {rest}")
    return lines


def main(n: int, first: int, layouts: list[str]) -> None:
    by_layout: dict[str, Counter[str]] = {}
    by_noise: dict[str, Counter[str]] = {}
    failing: dict[tuple[str, str], list[str]] = {}
    names = layouts or [None]
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + n):
            made = compose(seed, names[seed % len(names)])
            try:
                state, text = state_of(made, Path(folder))
            except Exception as error:
                state, text = "broken", repr(error)
            by_layout.setdefault(made.layout, Counter())[state] += 1
            for noise in made.noise:
                by_noise.setdefault(noise, Counter())[state] += 1
            if state != "right":
                kept = failing.setdefault((made.layout, state), [])
                kept.append(f"seed {seed}: {text[:300]}\n{made.noise}\n{shown(made)[:900]}")
    lines = []
    for (layout, state), texts in failing.items():
        lines += [f"== {layout} {state}: {len(texts)}", *texts[:3]]
    lines += rates("by noise", by_noise) + rates("by layout", by_layout)
    total: Counter[str] = sum(by_layout.values(), Counter())
    sys.stdout.write("\n".join([*lines, str(dict(total))]) + "\n")


if __name__ == "__main__":
    numbers = [int(each) for each in sys.argv[1:] if each.isdecimal()]
    words = [each for each in sys.argv[1:] if not each.isdecimal()]
    main(numbers[0] if numbers else N_FILES, numbers[1] if numbers[1:] else 0, words)
