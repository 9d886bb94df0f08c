"""The queries of TREC runs, each as rankings of its own, from one pass over the files."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from concordant._types import Unranked
from concordant.errors import InputError, cut
from concordant.formats.common.source import Source
from concordant.rankings import Rankings


@dataclass
class _Query:
    """What the runs return for a query: their documents, with scores, run by run."""

    documents: dict[str, int] = field(default_factory=dict)
    runs: dict[str, tuple[list[int], list[float]]] = field(default_factory=dict)
    error: InputError | None = None


def read_queries(
    sources: Iterable[Source], unranked: Unranked | None = None
) -> tuple[dict[str, Rankings], dict[str, InputError]]:
    r"""Read TREC runs, of one or several files: the rankings of each query, and what is broken.

    A fault in a line is a fault of its query only. Documents that a run does not return are last,
    as for `read`.

    Example:
        >>> import io
        >>> lines = b"q1 Q0 a 1 9 bm25\nq2 Q0 a 1 7 bm25\nq1 Q0 b 1 3 dense\nq3 Q0 a 1 x bm25"
        >>> good, bad = read_queries([Source(io.BytesIO(lines))])
        >>> {key: rankings.n_rankings for key, rankings in good.items()}, list(bad)
        ({'q1': 2, 'q2': 1}, ['q3'])
    """
    found: dict[str, _Query] = {}
    owner: dict[str, int] = {}
    for number, source in enumerate(sources):
        # The same name in two files is two runs.
        own: dict[str, str] = {}
        for line, text in enumerate(source.lines, start=1):
            words = text.split()
            if not words:
                continue
            query = found.get(words[0])
            if query is None:
                query = found[words[0]] = _Query()
            try:
                _, _, document, _, score_text, run = words
                score = float(score_text)
            except ValueError:
                query.error = query.error or _fault(source, words, line)
                continue
            name = own.get(run)
            if name is None:
                name = run if owner.setdefault(run, number) == number else f"{run} ({source.path})"
                own[run] = name
            documents = query.documents
            item = documents.setdefault(document, len(documents))
            scored = query.runs.get(name)
            if scored is None:
                scored = query.runs[name] = ([], [])
            scored[0].append(item)
            scored[1].append(score)
        for key, query in found.items():
            query.error = query.error or _twice(source, key, query)
    if not found:
        raise InputError("the files have no runs")
    good, bad = {}, {}
    for key, query in found.items():
        try:
            if query.error is not None:
                raise query.error
            good[key] = _rankings(query, unranked)
        except InputError as error:
            bad[key] = error
    return good, bad


def _fault(source: Source, words: list[str], line: int) -> InputError:
    if len(words) != 6:
        return source.error(
            "a line must have 6 columns, 'query Q0 document rank score run', but this one has "
            f"{len(words)}",
            line,
        )
    return source.error(f"{cut(words[4])!r} is not a score", line)


def _twice(source: Source, key: str, query: _Query) -> InputError | None:
    """Return the error for a document that a run has twice, or for a score that is no number."""
    for name, (items, scores) in query.runs.items():
        if len(set(items)) < len(items):
            if source.duplicates == "error":
                return source.error(f"run {cut(name)!r} has a document twice for query {cut(key)}")
            first = list(dict.fromkeys(items))
            places = [items.index(item) for item in first]
            query.runs[name] = (first, [scores[place] for place in places])
        if not all(map(math.isfinite, scores)):
            return source.error(f"run {cut(name)!r} has a score that is no number for {cut(key)}")
    return None


def _rankings(query: _Query, unranked: Unranked | None) -> Rankings:
    """Sort the documents of each run by score, highest first; equal scores are ties."""
    members, buckets, offsets = [], [], [0]
    for items, scores in query.runs.values():
        values = np.array(scores)
        order = np.argsort(-values, kind="stable")
        values = values[order]
        members.append(np.array(items, np.int32)[order])
        steps = np.zeros(values.size, np.int32)
        steps[1:] = values[1:] != values[:-1]
        buckets.append(np.cumsum(steps, dtype=np.int32))
        offsets.append(offsets[-1] + values.size)
    return Rankings.from_arrays(
        list(query.documents),
        np.array(offsets, np.int64),
        np.concatenate(members),
        np.concatenate(buckets),
        unranked=unranked or "last",
        voters=list(query.runs),
    )
