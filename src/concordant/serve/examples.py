"""The example files of the page, all invented."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_HIRING = """\
referee,1st,2nd,3rd,4th,5th,6th
Abe,Iris,Noor,Leo,Mara,Otto,Pia
Bea,Noor,Leo,Iris,Mara,Pia,Otto
Cas,Leo,Iris,Noor,Otto,Mara,Pia
Dov,Iris,Noor,Mara,Leo,Pia,Otto
Eva,Noor,Leo,Iris,Pia,Mara,Otto
Fay,Leo,Iris,Noor,Mara,Otto,Pia
Gus,Mara,Iris,Noor,Leo,Otto,Pia
"""


@dataclass(frozen=True)
class Example:
    """An example file: its title, its description, its name and its content."""

    id: str
    title: str
    description: str
    name: str
    content: Callable[[], bytes]


def _cafes() -> bytes:
    return (Path(__file__).parent.parent / "examples" / "cafes.toi").read_bytes()


@cache
def _uniform(items: int, voters: int) -> bytes:
    """Draw random rankings, without loading the solver."""
    rng = random.Random(1)
    names = [f"item {number:03}" for number in range(1, items + 1)]
    lines = [f"1:{'>'.join(rng.sample(names, items))}" for _ in range(voters)]
    return ("\n".join(lines) + "\n").encode()


@cache
def _noisy(items: int, voters: int, spread: float) -> bytes:
    """Draw rankings near one true order: add noise to each place, then sort."""
    rng = random.Random(7)
    names = [f"rider {number:02}" for number in range(1, items + 1)]
    lines = []
    for _ in range(voters):
        order = sorted(range(items), key=lambda place: place + rng.gauss(0, spread))
        lines.append(f"1:{'>'.join(names[place] for place in order)}")
    return ("\n".join(lines) + "\n").encode()


EXAMPLES = {
    example.id: example
    for example in (
        Example(
            "hiring",
            "A hiring committee",
            "Seven referees rank six candidates. The majorities form a cycle.",
            "hiring.csv",
            _HIRING.encode,
        ),
        Example(
            "cafes",
            "Seven cafes",
            "Twelve guests rank the cafes that they know. Ties are allowed.",
            "cafes.toi",
            _cafes,
        ),
        Example(
            "season",
            "A racing season",
            "Forty riders over twenty races.",
            "season.abif",
            lambda: _noisy(40, 20, 12.0),
        ),
        Example(
            "chance",
            "250 random items",
            "A hundred random rankings, the hardest kind of input. Watch the search.",
            "chance.abif",
            lambda: _uniform(250, 100),
        ),
    )
}
