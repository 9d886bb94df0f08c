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
    """An example file: its title, its description, its name and its content.

    A sample shows one layout, with as few values as possible.
    """

    id: str
    title: str
    description: str
    name: str
    content: Callable[[], bytes]
    is_sample: bool = False


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


_SAMPLES = (
    (
        "ballots",
        "A row for each voter, best first",
        "The first place, the second place and so on have a column each.",
        "voter,1st,2nd,3rd\nAnn,Tea,Coffee,Milk\nBo,Coffee,Tea,Milk\nCy,Tea,Milk,Coffee\n",
    ),
    (
        "columns",
        "A column for each voter, best on top",
        "Each column lists the items that one voter ranks.",
        "Ann,Bo,Cy\nTea,Coffee,Tea\nCoffee,Tea,Milk\nMilk,Milk,Coffee\n",
    ),
    (
        "places",
        "A row for each voter, places as numbers",
        "Each item has a column with its place; 1 is best.",
        "voter,Coffee,Milk,Tea\nAnn,2,3,1\nBo,1,3,2\nCy,3,2,1\n",
    ),
    (
        "scores",
        "A row for each judge and item, with a score",
        "Three columns: the judge, the item and its score; the highest is best.",
        "judge,item,score\nAnn,Tea,9\nAnn,Coffee,7.5\nAnn,Milk,4\nBo,Coffee,9\nBo,Tea,8\n",
    ),
    (
        "long",
        "A row for each voter and item, with a place",
        "Three columns: the voter, the item and its place.",
        "voter,item,rank\nAnn,Tea,1\nAnn,Coffee,2\nAnn,Milk,3\nBo,Coffee,1\nBo,Tea,2\nBo,Milk,3\n",
    ),
    (
        "battles",
        "A row for each battle",
        "Two columns: who won and who lost.",
        "winner,loser\nTea,Coffee\nTea,Milk\nCoffee,Milk\nCoffee,Tea\n",
    ),
    (
        "matrix",
        "A matrix of counts",
        "Each cell: how many voters put the row before the column. The word beats says so.",
        "beats,Coffee,Milk,Tea\nCoffee,0,2,1\nMilk,1,0,0\nTea,2,3,0\n",
    ),
    (
        "lines",
        "A line for each ranking, as text",
        "An optional number of voters, then > between items and = between ties.",
        "2: Tea > Coffee > Milk\n1: Coffee > Tea = Milk\n1: Tea > Milk\n",
    ),
)


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
        *(
            Example(
                f"sample-{name}",
                title,
                description,
                f"sample-{name}.{'txt' if name == 'lines' else 'csv'}",
                content.encode,
                is_sample=True,
            )
            for name, title, description, content in _SAMPLES
        ),
    )
}
