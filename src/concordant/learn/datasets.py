"""Label ranking data: from files and frames, or from a classification or regression data set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import narwhals as nw
import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.validation import check_array

from concordant._checks import is_whole
from concordant._polars import pl
from concordant._types import Float
from concordant.errors import InputError, SettingError, cut, show
from concordant.formats.common.source import MAX_BYTES, Source
from concordant.formats.label_ranking import LABEL, read_cells
from concordant.learn.targets import check_ranks, rank_rows

_MISSING = {"", "?", "na", "nan"}


@dataclass(frozen=True)
class LabelRankingData:
    """Cases with features, and the rank of each label in each case.

    Attributes:
        X: The features, a row for each case.
        y: The ranks, a row for each case: 1 = best, NaN = not ranked.
        feature_names: The names of the features.
        labels: The names of the labels.
    """

    X: Float
    y: Float
    feature_names: tuple[str, ...]
    labels: tuple[str, ...]

    def __repr__(self) -> str:
        n, d = self.X.shape
        return f"<LabelRankingData: {n} cases, {d} features, {len(self.labels)} labels>"

    def frames(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the features and the ranks as frames, so that a model knows their names.

        Example:
            >>> data = make_semisynthetic([[1.0], [2.0], [3.0]], [0, 1, 1])
            >>> [frame.columns for frame in data.frames()]
            [['A1'], ['L1', 'L2']]
        """
        return (
            pl.DataFrame(self.X, schema=list(self.feature_names), orient="row"),
            pl.DataFrame(self.y, schema=list(self.labels), orient="row"),
        )


# -- files and frames ------------------------------------------------------------------------


def read_label_ranking(
    path: str | Path | BinaryIO, *, max_bytes: int = MAX_BYTES
) -> LabelRankingData:
    r"""Read a label ranking file: tab-separated, a line of names and one of types, then the cases.

    Columns `L1` … or `O1` … hold the rank of a label, 1 = best; empty, 0 or `?` means that the
    label is not ranked. All other columns are features; an empty cell or `?` is NaN.

    Raises:
        InputError: If the file has another layout, or text instead of a number.

    Example:
        >>> import io
        >>> text = "A1\tL1\tL2\nDOUBLE\tNUMERIC\tNUMERIC\n\n0.5\t2\t1\n0.1\t1\t?\n"
        >>> data = read_label_ranking(io.BytesIO(text.encode()))
        >>> data.X.tolist(), data.y.tolist()
        ([[0.5], [0.1]], [[2.0, 1.0], [1.0, nan]])
    """
    source = Source(path, max_bytes=max_bytes)
    cells = read_cells(source)
    if not cells.features:
        raise source.error(
            "there is no feature among the columns: features are called A1, A2, …", 1
        )
    if len(set(cells.features)) < len(cells.features):
        raise source.error("two features have the same name: rename one", 1)

    def numbers(name: str, check: Callable[[float], str]) -> list[float]:
        found = []
        for line, text in zip(cells.lines, cells.columns[name], strict=True):
            value = _number(text.strip())
            fault = "is not a number" if value is None else check(value)
            if fault:
                raise source.error(f"{name!r} is {cut(text.strip())!r}, which {fault}", line)
            found.append(np.nan if value is None else value)
        return found

    def rank_fault(value: float) -> str:
        return "is not a rank: ranks begin at 1" if value < 0 or np.isinf(value) else ""

    def feature_fault(value: float) -> str:
        return "is not finite" if np.isinf(value) else ""

    X = np.array([numbers(name, feature_fault) for name in cells.features]).T
    y = np.array([numbers(name, rank_fault) for name in cells.labels]).T
    return LabelRankingData(X, np.where(y == 0, np.nan, y), cells.features, cells.labels)


def _number(text: str) -> float | None:
    """Return a number, NaN for a missing one, None for other text."""
    if text.lower() in _MISSING:
        return float("nan")
    # Python also accepts underscores between digits; data files do not.
    if "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None


def from_frame(
    frame: Any, labels: Sequence[str] | None = None, features: Sequence[str] | None = None
) -> LabelRankingData:
    """Split a frame into feature columns and rank columns.

    Args:
        frame: A data frame of pandas or polars.
        labels: The columns with the rank of a label; by default those called `L1` … or
            `O1` ….
        features: The columns with features; by default all others.

    Raises:
        InputError: If a column is missing or not numeric.

    Example:
        >>> data = from_frame(
        ...     pl.DataFrame({"age": [20, 60], "tea": [2, 1], "coffee": [1, 2]}), ["tea", "coffee"]
        ... )
        >>> data, data.labels, data.X.tolist()
        (<LabelRankingData: 2 cases, 1 features, 2 labels>, ('tea', 'coffee'), [[20.0], [60.0]])
    """
    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise InputError(
            f"a {type(frame).__name__} is not a data frame: give one of pandas or polars"
        ) from None
    if labels is None:
        labels = [name for name in table.columns if LABEL.fullmatch(str(name))]
        if not labels:
            raise InputError(
                "no column is called L1, L2 … or O1, O2 …: name the columns of the labels"
            )
    if features is None:
        features = [name for name in table.columns if name not in labels]
    for name in (*labels, *features):
        if name not in table.columns:
            raise InputError(f"there is no column {show(name)}")
        if not table.schema[name].is_numeric():
            raise InputError(f"column {show(name)} is not numeric: encode it as numbers first")
    X = np.column_stack(
        [table.get_column(name).cast(nw.Float64).to_numpy() for name in features]
        or [np.zeros((len(table), 0))]
    )
    y, _ = check_ranks(table.select(*labels).to_native())
    return LabelRankingData(X, y, tuple(map(str, features)), tuple(map(str, labels)))


# -- rankings made from other data -----------------------------------------------------------


def make_semisynthetic(
    X: Any, y: Any = None, *, labels: int | Sequence[int] | None = None
) -> LabelRankingData:
    """Make label ranking data from a classification or a regression data set.

    With classes, each class is a label, and a case ranks them by their posterior in a naive Bayes
    model of all cases. Without classes, some attributes are removed, and a case ranks them by their
    standardised values, the largest first; the other attributes are the features. Both after
    Cheng, Hühn and Hüllermeier (2009).

    Args:
        X: The attributes.
        y: The class of each case.
        labels: Without classes: the number of last attributes to remove, or their columns.

    Raises:
        SettingError: If neither classes nor attributes to remove are given, or both.

    Example:
        >>> from sklearn.datasets import load_diabetes, load_iris
        >>> make_semisynthetic(*load_iris(return_X_y=True))
        <LabelRankingData: 150 cases, 4 features, 3 labels>
        >>> make_semisynthetic(load_diabetes().data, labels=6)
        <LabelRankingData: 442 cases, 4 features, 6 labels>
    """
    if (y is None) == (labels is None):
        raise SettingError("give the classes `y`, or the attributes to remove as `labels`")
    X = check_array(X, dtype=np.float64)
    if y is not None:
        model = GaussianNB().fit(X, y)
        # Use logarithms, because the posteriors of unlikely classes all round to 0.
        scores = model.predict_joint_log_proba(X)
    else:
        d = X.shape[1]
        removed = list(range(d - labels, d)) if is_whole(labels) else list(labels)  # type: ignore[arg-type]
        if not 0 < len(set(removed)) < d or not all(0 <= each < d for each in removed):
            raise SettingError(
                f"labels must leave some of the {d} attributes and remove some, not {labels!r}"
            )
        scores = X[:, removed]
        spread = scores.std(0)
        scores = (scores - scores.mean(0)) / np.where(spread > 0, spread, 1)
        X = np.delete(X, removed, axis=1)
    return LabelRankingData(
        X,
        rank_rows(-scores),
        tuple(f"A{j + 1}" for j in range(X.shape[1])),
        tuple(f"L{j + 1}" for j in range(scores.shape[1])),
    )
