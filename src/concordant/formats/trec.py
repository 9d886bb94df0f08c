"""`trec` runs: what search systems return, a document a line: `query Q0 document rank score run`.

Each run is a ranking of the documents that it returns for a query, by falling score; the rank
column is not used, as trec_eval does not use it. Equal scores are ties.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from concordant.errors import InputError
from concordant.formats._text import Ballots, cut, each_ranking, printed_names
from concordant.formats.numeric import repeats

if TYPE_CHECKING:
    from collections.abc import Iterator

    from concordant.formats._text import Source
    from concordant.rankings import Rankings, Unranked


def read_trec(source: Source, unranked: Unranked | None, query: str | None = None) -> Rankings:
    """Read the runs of one query; `query` is needed where the file has several."""
    wanted = None if query is None else str(query)
    # With the line where each comes first.
    queries: dict[str, int] = {}
    index: dict[str, int] = {}
    runs: dict[str, dict[int, float]] = {}
    first_line: dict[str, int] = {}
    for line, text in enumerate(source.lines, start=1):
        words = text.split()
        if not words:
            continue
        if len(words) != 6:
            raise source.error(
                f"a line has 6 columns, 'query Q0 document rank score run', but this has "
                f"{len(words)}",
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
        scores = runs.setdefault(run, {})
        first_line.setdefault(run, line)
        item = index.setdefault(document, len(index))
        if item in scores:
            raise source.error(
                f"run {cut(run)!r} has document {cut(document)!r} twice for query {cut(asked)}",
                line,
            )
        scores[item] = score
    if wanted is None and len(queries) > 1:
        some = ", ".join(cut(asked, 20) for asked in list(queries)[:5])
        raise source.error(
            f"has runs for {len(queries)} queries ({some}{' …' if len(queries) > 5 else ''}), "
            "whose rankings have nothing to do with each other: choose one, as in "
            f"--query {cut(next(iter(queries)))} (in Python, query={cut(next(iter(queries)))!r})",
            list(queries.values())[1],
        )
    if not runs:
        raise source.error(f"has no run for query {cut(str(wanted))!r}")
    ballots = Ballots(source)
    for run, scores in runs.items():
        levels: dict[float, list[int]] = {}
        for item, score in scores.items():
            levels.setdefault(score, []).append(item)
        ballots.add((levels[score] for score in sorted(levels, reverse=True)), 1, first_line[run])
    return ballots.rankings(list(index), unranked)


def write_trec(data: Rankings) -> Iterator[str]:
    """Yield the lines of runs `run1`, `run2` … for one query, `1`; scores count down to 1."""
    names = printed_names(data.items, "trec")
    blank = next((name for name in names if len(name.split()) > 1), None)
    if blank is not None:
        raise InputError(
            f"item {cut(blank)!r} cannot be written as trec: its name has a blank. Rename it, or "
            "write json"
        )
    lengths = data.lengths
    if not lengths.all():
        raise InputError("trec cannot hold a ranking of nothing: write json, csv or toi")
    ranked = set(data.members.tolist())
    if len(ranked) < len(names):
        missing = next(name for item, name in enumerate(names) if item not in ranked)
        raise InputError(
            f"trec has only items that some ranking ranks, so item {cut(missing)!r} would be "
            "lost: write json, csv or toi"
        )
    run = 0
    for ranking, count in zip(each_ranking(data), repeats(data, "trec"), strict=True):
        rows: list[tuple[str, int, int]] = []
        for number, bucket in enumerate(ranking):
            score = len(ranking) - number
            rows += [(names[item], len(rows) + k, score) for k, item in enumerate(bucket, 1)]
        for _ in range(count):
            run += 1
            yield "".join(f"1 Q0 {name} {rank} {score} run{run}\n" for name, rank, score in rows)
