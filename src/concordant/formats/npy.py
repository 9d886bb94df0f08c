"""`npy`: a square NumPy matrix; entry (i, j) is what placing item i before item j is worth.

The items are "1" … "m". Nothing is unpickled, and the size is checked before the entries are read.
"""

from __future__ import annotations

import io
from tokenize import TokenError
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._reading import options_of
from concordant.errors import Hint, InputError, SettingError
from concordant.formats.common.registry import NO, SURE, Format
from concordant.formats.common.source import MOST_ITEMS, Source
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reading.findings import Finding, QuestionError
from concordant.reading.places import is_strict

_MARK = b"\x93NUMPY"
_LAYOUTS = ("matrix", "wide")
# From this number of rows on, the first show whether rows may be ranks.
_SAMPLE = 200


def read_npy(source: Source, *, layout: str | None = None) -> Pairwise | Rankings:
    """Read a square matrix of pairs, or a row of ranks for each voter (`layout="wide"`)."""
    if layout not in (None, "auto", *_LAYOUTS):
        raise SettingError(
            f"a NumPy matrix has the layout matrix or wide, not {layout!r}", setting="layout"
        )
    matrix = _load(source)
    n, m = matrix.shape
    if layout in (None, "auto"):
        ranks = is_strict(matrix[:_SAMPLE].tolist())
        if n != m and not ranks:
            raise source.error(
                f"the matrix has {n:,} rows and {m:,} columns, but a matrix of pairs is square",
                hints=[Hint("layout", ("wide",), "if each row has the rank of each item")],
            )
        if ranks:
            raise QuestionError([_question(square=n == m)], path=source.path)
        layout = "matrix"
    try:
        if layout == "wide":
            return Rankings.from_ranks(
                matrix,
                items=[str(k) for k in range(1, m + 1)],
                unranked=source.unranked or "unknown",
            )
        return Pairwise.from_matrix(matrix)
    except InputError as error:
        raise source.error(error) from None


def _question(*, square: bool) -> Finding:
    why = "each row has each number from 1 on once: rows may be ranks"
    pairs = Hint("layout", ("matrix",), "if an entry counts for its row against its column")
    ranks = Hint("layout", ("wide",), "if each row has the rank of each item")
    if square:
        return Finding(
            "question",
            "matrix-or-wide",
            f"{why}, or entries may be pairs",
            None,
            None,
            (ranks, pairs),
        )
    return Finding(
        "question",
        "matrix-or-wide",
        f"{why}, or the numbers of the items, best first",
        None,
        None,
        (ranks,),
    )


def _load(source: Source) -> npt.NDArray[Any]:
    """Return the matrix, after a check of its header."""
    data = source.data
    if not data.startswith(_MARK):
        raise source.error("not a NumPy file: save the matrix with numpy.save")
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        read = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}
        shape, _, kind = read[version[0]](file)
    except (ValueError, KeyError, EOFError, SyntaxError, RecursionError, TokenError):
        raise source.error("the header of the NumPy file is damaged") from None
    if kind.hasobject or kind.names is not None or kind.kind not in "biuf":
        raise source.error(f"the matrix must hold numbers, not {kind}: save it with dtype=float")
    if len(shape) != 2 or not all(shape):
        shown = " × ".join(map(str, shape)) or "a single number"
        raise source.error(f"the array is {shown}, but a matrix has two sides, none of them 0")
    if max(shape) > MOST_ITEMS:
        raise source.error(
            f"the matrix has a side of {max(shape):,}; at most {MOST_ITEMS:,} are read"
        )
    size = shape[0] * shape[1] * kind.itemsize
    if len(data) - file.tell() != size:
        raise source.error(
            f"the file is damaged, or cut off: {size:,} bytes must follow its header, but "
            f"{len(data) - file.tell():,} do"
        )
    file.seek(0)
    try:
        matrix: npt.NDArray[Any] = np.load(file, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise source.error(f"the NumPy file is damaged: {error}") from None
    return matrix.astype(np.int64) if kind.kind == "b" else matrix


def sniff(source: Source) -> int:
    """Recognise a NumPy file by its mark."""
    return SURE if source.data.startswith(_MARK) else NO


FORMAT = Format(
    "npy",
    "a square NumPy matrix: what placing the row before the column is worth",
    (".npy",),
    read_npy,
    sniff=sniff,
    binary=True,
    weights="decimals",
    names=False,
    matrix=True,
    options=options_of("npy"),
)
