"""`trec` runs, the results of search systems: `query Q0 document rank score run`; also judgments.

Each run is a ranking of the documents that it returns for a query, highest score first. Equal
scores are ties. The rank column is not used; trec_eval does not use it either. Lines of four words,
`query 0 document grade`, are relevance judgments: a ranking of the documents by their grades.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from concordant._reading import options_of
from concordant.errors import Hint, InputError, cut
from concordant.formats.common.registry import LIKELY, NO, Format
from concordant.formats.common.source import Source
from concordant.formats.common.text import all_numbers, printed_names, repeats
from concordant.merging import FIRST_PLACE
from concordant.rankings import Rankings
from concordant.reading.findings import Finding, QuestionError


@dataclass
class Query:
    """What the runs return for a query.

    Attributes:
        line: The first line of the query.
        documents: The number of each document.
        runs: The documents and scores of each run.
        error: The first fault of its lines.
    """

    line: int
    documents: dict[str, int] = field(default_factory=dict)
    runs: dict[str, tuple[list[int], list[float]]] = field(default_factory=dict)
    error: InputError | None = None

    def rankings(self, source: Source) -> Rankings:
        """Sort the documents of each run by score, highest first; equal scores are ties."""
        members, buckets, offsets = [], [], [0]
        for items, scores in self.runs.values():
            values = np.array(scores)
            order = np.argsort(-values, kind="stable")
            values = values[order]
            members.append(np.array(items, np.int32)[order])
            steps = np.zeros(values.size, np.int32)
            steps[1:] = values[1:] != values[:-1]
            buckets.append(np.cumsum(steps, dtype=np.int32))
            offsets.append(offsets[-1] + values.size)
        return source.rankings(
            list(self.documents),
            np.array(offsets, np.int64),
            np.concatenate(members),
            np.concatenate(buckets),
            lines=[self.line] * len(self.runs),
            # A document that a run does not return is worse than those it returns.
            unranked="last",
            voters=list(self.runs),
        )


def parse_runs(
    source: Source, queries: dict[str, Query], taken: Iterable[str] = ()
) -> dict[str, set[str]]:
    r"""Add the runs of a file to those of each query, in one pass. A fault is one of its query.

    Returns the names of the runs that the file has for each query.

    Args:
        source: The file.
        queries: The queries so far.
        taken: The names of the runs of other files. A run of the same name is another run.

    Example:
        >>> import io
        >>> found: dict[str, Query] = {}
        >>> parse_runs(Source(io.BytesIO(b"q1 Q0 a 1 9 bm25\nq2 Q0 b 1 best bm25")), found)
        {'q1': {'bm25'}}
        >>> found["q1"].runs, found["q2"].error.message
        ({'bm25': ([0], [9.0])}, "'best' is not a score")
    """
    others = set(taken)
    own: dict[str, set[str]] = {}
    last = ("", "")
    documents: dict[str, int] = {}
    items: list[int] = []
    scores: list[float] = []
    judged = _are_judgments(source)
    for line, text in enumerate(source.lines, start=1):
        words = text.split()
        if not words:
            continue
        if judged and len(words) == _JUDGMENT:
            words = [*words[:3], "0", words[3], "judgments"]
        try:
            key, _, document, _, score, run = words
            value = float(score)
        except ValueError:
            query = queries.setdefault(words[0], Query(line))
            query.error = query.error or _fault(source, words, line)
            continue
        if (key, run) != last:
            last = (key, run)
            query = queries.setdefault(key, Query(line))
            documents = query.documents
            name = f"{run} ({source.path})" if run in others else run
            items, scores = query.runs.setdefault(name, ([], []))
            own.setdefault(key, set()).add(run)
        items.append(documents.setdefault(document, len(documents)))
        scores.append(value)
    return own


_JUDGMENT = 4


def _are_judgments(source: Source) -> bool:
    """Return whether the first lines are judgments: `query 0 document grade`."""
    lines = [line.split() for line in source.sample]
    return len(lines) > 2 and all(
        len(words) == _JUDGMENT
        and words[1].upper() in ("0", "Q0")
        and re.fullmatch(r"-?\d", words[3])
        for words in lines
    )


def _fault(source: Source, words: list[str], line: int) -> InputError:
    if len(words) != 6:
        return source.error(
            "a line must have 6 columns, 'query Q0 document rank score run', but this one has "
            f"{len(words)}",
            line,
        )
    return source.error(f"{cut(words[4])!r} is not a score", line)


def _check_runs(source: Source, key: str, query: Query, runs: set[str]) -> None:
    """Note a document that a run of this file has twice, or a score that is not finite."""
    scored = [query.runs.get(f"{run} ({source.path})") or query.runs[run] for run in runs]
    for items, scores in scored:
        repeats = source.duplicates == "error" and len(set(items)) < len(items)
        if query.error is None and (repeats or not math.isfinite(sum(scores))):
            query.error = _fault_of_runs(source, key)


def _fault_of_runs(source: Source, key: str) -> InputError | None:
    """Return the first fault of a query that takes other lines to see; None if there is none."""
    seen = set()
    for line, text in enumerate(source.lines, start=1):
        words = text.split()
        if len(words) not in (6, _JUDGMENT) or words[0] != key:
            continue
        document, run = words[2], words[5:]
        if not math.isfinite(float(words[4 if run else 3])):
            return _fault(source, words, line)
        if (*run, document) in seen and source.duplicates == "error":
            who = f"run {cut(run[0])!r}" if run else "the file"
            message = f"{who} has document {cut(document)!r} twice for query {cut(key)}"
            return source.error(message, line, [FIRST_PLACE])
        seen.add((*run, document))
    return None


def read_trec(source: Source, query: str | None = None) -> Rankings:
    """Read the runs of one query; `query` is needed if the file has several."""
    queries: dict[str, Query] = {}
    own = parse_runs(source, queries)
    wanted = next(iter(queries)) if query is None else str(query)
    if wanted in own:
        _check_runs(source, wanted, queries[wanted], own[wanted])
    for each in queries.values():
        # A line that cannot be read may be one of the wanted query, with a damaged name.
        if each.error is not None:
            raise each.error
    hints = [Hint("query", tuple(queries))]
    if query is None and len(queries) > 1:
        asked = Finding(
            "question",
            "query",
            f"there are runs for {len(queries)} queries, and each query has a ranking of its own: "
            "choose one, or read all with read_many",
            list(queries.values())[1].line,
            hints=tuple(hints),
        )
        raise QuestionError([asked], path=source.path)
    if wanted not in queries:
        raise source.error(f"has no run for query {cut(wanted)!r}", hints=hints)
    return queries[wanted].rankings(source)


def read_queries(sources: Iterable[Source]) -> tuple[dict[str, Rankings], dict[str, InputError]]:
    r"""Read TREC runs, of one or several files: the rankings of each query, and what is broken.

    A fault in a line is a fault of its query only.

    Example:
        >>> import io
        >>> lines = b"q1 Q0 a 1 9 bm25\nq2 Q0 a 1 7 bm25\nq1 Q0 b 1 3 dense\nq3 Q0 a 1 x bm25"
        >>> good, bad = read_queries([Source(io.BytesIO(lines))])
        >>> {key: rankings.n_rankings for key, rankings in good.items()}, list(bad)
        ({'q1': 2, 'q2': 1}, ['q3'])
    """
    queries: dict[str, Query] = {}
    taken: set[str] = set()
    source = None
    for source in sources:
        own = parse_runs(source, queries, taken)
        for key, runs in own.items():
            _check_runs(source, key, queries[key], runs)
            taken |= runs
    good, bad = {}, {}
    for key, query in queries.items():
        try:
            if query.error is not None:
                raise query.error
            assert source is not None
            good[key] = query.rankings(source)
        except InputError as error:
            bad[key] = error
    return good, bad


def write_trec(data: Rankings, path: Path) -> Iterator[str]:
    """Yield the lines of runs `run1`, `run2` … for one query, `1`; scores count down to 1."""
    names = printed_names(data.items, "trec")
    blank = next((name for name in names if len(name.split()) > 1), None)
    if blank is not None:
        raise InputError(
            f"item {cut(blank)!r} cannot be written as trec, because its name has a blank: rename "
            "it, or write json"
        )
    lengths = data.lengths
    if not lengths.all():
        raise InputError("trec cannot hold a ranking of nothing: write json, csv or toi")
    ranked = set(data.members.tolist())
    if len(ranked) < len(names):
        missing = next(name for item, name in enumerate(names) if item not in ranked)
        raise InputError(
            f"trec cannot hold item {cut(missing)!r}, which no ranking ranks: write json, csv or "
            "toi"
        )
    run = 0
    for ranking, count in zip(data.numbered(), repeats(data, "trec"), strict=True):
        rows: list[tuple[str, int, int]] = []
        for number, bucket in enumerate(ranking):
            score = len(ranking) - number
            rows += [(names[item], len(rows) + k, score) for k, item in enumerate(bucket, 1)]
        for _ in range(count):
            run += 1
            yield "".join(f"1 Q0 {name} {rank} {score} run{run}\n" for name, rank, score in rows)


def sniff(source: Source) -> int:
    """Recognise a run by six words in a line, the fourth and fifth numbers; or judgments."""
    words = source.opening[0].split()
    is_run = (
        len(words) == 6 and all_numbers(" ".join(words[3:5])) and not all_numbers(" ".join(words))
    )
    is_run = is_run or _are_judgments(source)
    return LIKELY if is_run else NO


FORMAT = Format(
    "trec",
    "TREC runs: query Q0 document rank score run",
    (".trec", ".run"),
    read_trec,
    write_trec,
    sniff,
    weights="repeats",
    options=options_of("trec"),
)
