"""`trec` runs, the results of search systems: `query Q0 document rank score run`.

Each run is a ranking of the documents that it returns for a query, highest score first. Equal
scores are ties. The rank column is not used; trec_eval does not use it either.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from concordant._reading import options_of
from concordant.errors import Hint, InputError, cut
from concordant.formats.common.registry import LIKELY, NO, Format
from concordant.formats.common.source import Source
from concordant.formats.common.text import Ballots, all_numbers, printed_names, repeats
from concordant.merging import FIRST_PLACE
from concordant.rankings import Rankings


def read_trec(source: Source, query: str | None = None) -> Rankings:
    """Read the runs of one query; `query` is needed if the file has several."""
    wanted = None if query is None else str(query)
    # Each with its first line.
    queries: dict[str, int] = {}
    index: dict[str, int] = {}
    runs: dict[str, list[tuple[float, int]]] = {}
    seen: set[tuple[str, int]] = set()
    first_line: dict[str, int] = {}
    for line, text in enumerate(source.lines, start=1):
        words = text.split()
        if not words:
            continue
        if len(words) != 6:
            raise source.error(
                f"a line must have 6 columns, 'query Q0 document rank score run', but this one "
                f"has {len(words)}",
                line,
            )
        asked, _, document, _, score_text, run = words
        try:
            score = float(score_text)
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise source.error(f"{cut(score_text)!r} is not a score", line)
        queries.setdefault(asked, line)
        if wanted is not None and asked != wanted:
            continue
        if wanted is None and len(queries) > 1:
            continue
        first_line.setdefault(run, line)
        item = index.setdefault(document, len(index))
        if (run, item) in seen and source.duplicates == "error":
            raise source.error(
                f"run {cut(run)!r} has document {cut(document)!r} twice for query {cut(asked)}",
                line,
                [FIRST_PLACE],
            )
        seen.add((run, item))
        runs.setdefault(run, []).append((score, item))
    hints = [Hint("query", tuple(queries))]
    if wanted is None and len(queries) > 1:
        raise source.error(
            f"has runs for {len(queries)} queries, but only the runs of one can be aggregated",
            list(queries.values())[1],
            hints,
        )
    if not runs:
        raise source.error(f"has no run for query {cut(str(wanted))!r}", hints=hints)
    ballots = Ballots(source)
    for run, scores in runs.items():
        levels: dict[float, list[int]] = {}
        for score, item in scores:
            levels.setdefault(score, []).append(item)
        buckets = (levels[score] for score in sorted(levels, reverse=True))
        ballots.add(buckets, 1, first_line[run], voter=run)
    # A document that a run does not return is worse than those it returns.
    return ballots.rankings(list(index), unranked="last")


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
    """Recognise a run by six words in a line, of which the fourth and fifth are numbers."""
    words = source.opening[0].split()
    is_run = (
        len(words) == 6 and all_numbers(" ".join(words[3:5])) and not all_numbers(" ".join(words))
    )
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
