"""Rank matrices from scores, from lists of labels and from top-k lists."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from concordant._checks import at_least
from concordant._types import Float
from concordant.errors import InputError, show
from concordant.learn.targets import check_ranks, rank_rows


def ranks_from_scores(scores: Any, *, decimals: int | None = None) -> Float:
    """Return the rank of each label in each row of scores: the highest score has rank 1.

    Args:
        scores: A row for each case and a column for each label; NaN = not ranked. Ranks of a
            frame keep the order of its columns.
        decimals: Round scores to this number of decimals first, so that close ones are tied.

    Example:
        >>> ranks_from_scores([[0.2, 0.9, 0.5], [3, 3, float("nan")]]).tolist()
        [[3.0, 1.0, 2.0], [1.5, 1.5, nan]]
    """
    values, _ = check_ranks(scores)
    if decimals is not None:
        values = np.round(values, decimals)
    return rank_rows(-values)


def ranks_from_orders(orders: Iterable[Sequence[Any]], labels: Sequence[Hashable]) -> Float:
    """Return the rank of each label in lists of labels, best first; labels in no list are NaN.

    Args:
        orders: A list for each case. A set, tuple or list inside it is a tie.
        labels: The labels, in the order of the columns.

    Raises:
        InputError: If a list has an unknown label, or a label twice.

    Example:
        >>> ranks_from_orders([["b", "a"], ["c", ("a", "b")]], labels=["a", "b", "c"]).tolist()
        [[2.0, 1.0, nan], [2.5, 2.5, 1.0]]
    """
    column = {label: k for k, label in enumerate(labels)}
    rows = []
    for number, order in enumerate(orders):
        row = np.full(len(column), np.nan)
        for place, bucket in enumerate(order):
            for label in bucket if isinstance(bucket, list | tuple | set | frozenset) else [bucket]:
                if label not in column:
                    raise InputError(f"list {number} has {show(label)}, which is not in `labels`")
                if not np.isnan(row[column[label]]):
                    raise InputError(f"list {number} has {show(label)} twice")
                row[column[label]] = place
        rows.append(row)
    return rank_rows(np.array(rows).reshape(-1, len(column)))


def ranks_from_top_k(
    orders: Iterable[Sequence[Any]], labels: Sequence[Hashable], k: int | None = None
) -> Float:
    """Return the rank of each label in top-k lists: labels that are not listed are tied at the end.

    Args:
        orders: As for `ranks_from_orders`.
        labels: The labels, in the order of the columns.
        k: Use only the first places of each list.

    Example:
        >>> ranks_from_top_k([["b"], ["c", "a", "b"]], labels=["a", "b", "c"], k=1).tolist()
        [[2.5, 1.0, 2.5], [2.5, 2.5, 1.0]]
    """
    if k is not None:
        at_least("k", k, 1)
    ranks = ranks_from_orders((order[:k] for order in orders), labels)
    return rank_rows(np.where(np.isnan(ranks), np.inf, ranks))
