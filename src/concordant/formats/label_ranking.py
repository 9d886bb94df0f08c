"""`label-ranking` data sets: features, then the rank of each label. Only read.

Such a file is separated by tabs and begins with two header lines, the names and the types of the
columns. Features are called `A1`, `A2` …; labels `L1` … or `O1` …, with the rank of the label in
each row, 1 = best. An empty cell, 0 or `?` is a label without a rank. The features are ignored
here; `concordant.learn.datasets` reads them too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from concordant.formats.common.registry import NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.tables import make_rankings
from concordant.rankings import Rankings
from concordant.tables.columns import Plan

LABEL = re.compile(r"[LO]\d+", re.ASCII)
_TYPES = {"DOUBLE", "NUMERIC", "INTEGER", "REAL", "FLOAT", "STRING", "NOMINAL"}


@dataclass(frozen=True)
class Cells:
    """The cells of a label ranking file, as text.

    Attributes:
        features: The names of the columns that are not labels.
        labels: The names of the labels.
        columns: The cells of each column, by its name.
        lines: The line of each sample.
    """

    features: tuple[str, ...]
    labels: tuple[str, ...]
    columns: dict[str, list[str]]
    lines: list[int]


def read_cells(source: Source) -> Cells:
    """Read the columns of a file, and refuse one that is not a label ranking file."""
    lines = source.lines
    names = [name.strip() for name in lines[0].split("\t")]
    labels = tuple(name for name in names if LABEL.fullmatch(name))
    if not labels:
        raise source.error(
            "no column is a label: the names of labels are L1, L2, … or O1, O2, …, separated by "
            "tabs",
            1,
        )
    types = lines[1].split("\t") if len(lines) > 1 else []
    if len(types) != len(names) or not all(name.strip().isalpha() for name in types):
        raise source.error(
            f"the second line must give the types of the {len(names)} columns, such as DOUBLE "
            "and NUMERIC",
            2,
        )
    numbers = [number for number, line in enumerate(lines[2:], start=3) if line.strip()]
    if not numbers:
        raise source.error("there is no sample below the two header lines")
    rows = [lines[number - 1].split("\t") for number in numbers]
    for number, row in zip(numbers, rows, strict=True):
        if len(row) != len(names):
            raise source.error(f"this row has {len(row)} values for {len(names)} columns", number)
    if len(set(labels)) < len(labels):
        raise source.error("two labels have the same name: rename one", 1)
    features = tuple(name for name in names if name not in labels)
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    return Cells(features, labels, columns, numbers)


def read_label_ranking(source: Source) -> Rankings:
    """Read the rankings of the labels, one per sample."""
    cells = read_cells(source)
    plan = Plan("wide", columns=cells.labels)
    column, lines = cells.columns.__getitem__, cells.lines
    return make_rankings(source, plan, column, len(lines), lines.__getitem__)


def sniff(source: Source) -> int:
    """Recognise such a file by its second line, of types."""
    types = source.sample[1].split("\t") if len(source.sample) > 1 else [""]
    return SURE if {name.upper() for name in types} <= _TYPES else NO


FORMAT = Format(
    "label-ranking",
    "label ranking data: features, then the rank of each label (only read)",
    (),
    read_label_ranking,
    None,
    sniff,
    weights="repeats",
)
