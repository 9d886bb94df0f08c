"""The tasks of a worker: recognise a file, solve it, draw pictures, write a report."""

from __future__ import annotations

import io
import json
import pickle
import time
import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._names import plain_item
from concordant._reading import FIELDS
from concordant.consensus import Consensus
from concordant.describe import (
    headline,
    input_words,
    method_words,
    proof_words,
    status_words,
    tied_first,
    ties_words,
    uncompared_words,
)
from concordant.errors import InputError, InputWarning, cut, in_fields
from concordant.formats import FORMATS, Source, choose
from concordant.formats.common.registry import by_name, check_options
from concordant.formatting import number
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reading.findings import Inspection, QuestionError
from concordant.reading.inspecting import described
from concordant.serve.frames import hint_fields, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from concordant.resampling import Bootstrap
    from concordant.serve.frames import Message
    from concordant.serve.worker import Channel
    from concordant.stopping import Progress

Answer = tuple[dict[str, Any], list[bytes]]
_NAMES_SHOWN = 12
_NAME_IN_SAMPLE = 60
_MAJORITIES_SHOWN = 5
_COLUMNS_SHOWN = 50
_RANKINGS_SHOWN = 3
# Names are part of every event.
_LONGEST_NAME = 300
_SECONDS_BETWEEN_EVENTS = 0.1
_TIE_FIELDS = ("ties", "tie_penalty", "vote_tie_penalty", "tiers")
# What is told about a table as it is.
_SEEN = ("encoding", "separator", "header", "layout", "values", "numbers", "transposed")


# -- reading -----------------------------------------------------------------------------------


class _File(Source):
    """A file from which the server accepts a limited number of items."""

    def __init__(self, message: Message, content: bytes) -> None:
        limits, reading = message["limits"], message["reading"]
        file = io.BytesIO(content)
        # Only the end of the name matters: it gives the format.
        file.name = f"the file{message['suffix']}"
        super().__init__(
            file,
            unranked=reading.get("unranked"),
            duplicates=reading.get("duplicates") or "error",
            max_bytes=limits["unpacked_bytes"],
            merge=reading.get("merge"),
        )
        self._max_items = limits["items"]

    def check_items(self, m: int, line: int | None = None) -> None:
        """Refuse too many items as soon as the header of the file is known."""
        if m > self._max_items:
            raise self.error(
                f"there are {m:,} items, and this server accepts at most {self._max_items:,}: "
                "use the command line",
                line,
            )


_Read = tuple[Rankings | Pairwise, str, list[str], dict[str, Any]]


def _read(message: Message, content: bytes, source: _File | None = None) -> _Read:
    """Read a file from memory; return its rankings, its format, its warnings, and its columns."""
    source, reading = source or _File(message, content), message["reading"]
    options = {name: reading[name] for name in FIELDS if reading.get(name) is not None}
    name = options.pop("format", None)
    for general in ("unranked", "duplicates", "merge"):
        options.pop(general, None)
    chosen, options = (by_name(name), options) if name else choose(source, options)
    check_options(options, chosen.options, f"reading {chosen.name}")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        data = source.as_one(chosen.reader(source, **options))
    source.check_items(data.n_items)
    most = message["limits"]["voters"]
    if isinstance(data, Rankings) and data.n_rankings > most:
        raise InputError(
            f"there are {data.n_rankings:,} rankings, and this server accepts at most {most:,}: "
            "use the command line"
        )
    spell = in_fields(FIELDS)
    warned = [each.message for each in caught if isinstance(each.message, InputWarning)]
    texts = [whole(each.phrased(spell, placed=False)) for each in warned]
    seen = source.inspection
    if seen is None:
        seen = described(data, "", chosen.name, reading)
        seen.findings += source.notes
    return data, chosen.name, texts, _seen(seen)


def _seen(inspection: Inspection) -> dict[str, Any]:
    """Return what the reader of a table found: layout, roles, the first rows, findings."""
    seen = inspection.to_dict()
    found: dict[str, Any] = {name: seen[name] for name in _SEEN}
    found["n_columns"] = len(seen["columns"])
    for name in ("columns", "roles", "keys"):
        found[name] = [whole(cut(text, _LONGEST_NAME)) for text in seen[name][:_COLUMNS_SHOWN]]
    rows = [row[:_COLUMNS_SHOWN] for row in seen["rows"]]
    found["rows"] = [[whole(cut(cell, _LONGEST_NAME)) for cell in row] for row in rows]
    found["findings"] = [
        {
            **finding.to_dict(),
            "message": whole(finding.message),
            "column": finding.column and whole(cut(finding.column, _LONGEST_NAME)),
            "hints": hint_fields(finding.hints),
        }
        for finding in inspection.findings
    ]
    return found


def _facts(
    data: Rankings | Pairwise, name: str, warned: list[str], seen: dict[str, Any]
) -> dict[str, Any]:
    rankings = data if isinstance(data, Rankings) else None
    weight = None if rankings is None else data.total_weight
    return {
        "format": name,
        "summary": FORMATS[name].summary,
        "n_items": data.n_items,
        "n_rankings": None if rankings is None else rankings.n_rankings,
        "total_weight": weight,
        "has_ties": None if rankings is None else bool(rankings.has_ranked_ties),
        # This is about the file as written, also where unranked items count as last.
        "is_complete": None if rankings is None else bool((rankings.lengths == data.n_items).all()),
        "unranked": None if rankings is None else rankings.unranked,
        "items": [
            whole(cut(str(plain_item(item)), _LONGEST_NAME)) for item in data.items[:_NAMES_SHOWN]
        ],
        "sample": [] if rankings is None else _sample(rankings),
        "warnings": warned,
        **seen,
    }


def _sample(data: Rankings) -> list[dict[str, Any]]:
    """Return the first rankings in words, so that people see which end is best."""
    found = []
    for place in range(min(_RANKINGS_SHOWN, len(data))):
        order, weight = data[place]
        buckets = [
            " = ".join(
                cut(str(plain_item(item)), _NAME_IN_SAMPLE) for item in bucket[:_NAMES_SHOWN]
            )
            for bucket in order[:_NAMES_SHOWN]
        ]
        more = " > …" if len(order) > _NAMES_SHOWN else ""
        voter = None if data.voters is None else data.voters[place]
        found.append(
            {
                "voter": None if voter is None else whole(cut(str(voter), _LONGEST_NAME)),
                "weight": weight,
                "ranking": whole(" > ".join(buckets) + more),
            }
        )
    return found


def recognise(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Return the format, the items and the rankings of a file."""
    source = _File(message, blocks[0])
    try:
        return {"facts": _facts(*_read(message, blocks[0], source))}, []
    except InputError as error:
        seen = source.inspection or Inspection()
        if isinstance(error, QuestionError):
            notes = [finding for finding in seen.findings if finding.kind != "question"]
            seen = replace(seen, findings=[*notes, *error.questions])
        problem = {
            "detail": whole(error.phrased(in_fields(FIELDS), placed=False)),
            "message": whole(error.message),
            "line": error.line,
            "hints": hint_fields(error.hints),
        }
        format_ = seen.format or None
        facts = {"readable": False, "format": format_, "problems": [problem], **_seen(seen)}
        return {"facts": facts}, []


# -- solving -----------------------------------------------------------------------------------


class _Events:
    """Sends the progress of a run to the server."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._sent = 0.0

    def __call__(self, progress: Progress) -> None:
        phase = "compiling" if progress.phase == "compile" else "searching"
        self.send(phase, progress.cost, progress.lower_bound, progress.gap)

    def send(self, phase: str, cost: Any = None, bound: Any = None, gap: Any = None) -> None:
        self._channel.send(
            {"event": "progress", "phase": phase, "cost": cost, "lower_bound": bound, "gap": gap}
        )

    def resampled(self, done: int, total: int) -> None:
        """Send the share of finished samples, at most ten times a second."""
        now = time.perf_counter()
        if now - self._sent >= _SECONDS_BETWEEN_EVENTS or done == total:
            self._sent = now
            self._channel.send(
                {"event": "progress", "phase": "resampling", "share": done / max(1, total)}
            )


def solve(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Read a file and find its consensus. A cancelled search returns the best ranking so far."""
    from concordant.aggregation import aggregate

    events = _Events(channel)
    events.send("reading")
    data, name, warned, seen = _read(message, blocks[0])
    channel.send({"event": "read", "facts": _facts(data, name, warned, seen)})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        result = aggregate(
            data,
            time_limit=message["time_limit"],
            seed=message["seed"],
            stop=lambda progress: channel.cancelled.is_set(),
            on_progress=events,
            **(message.get("ties") or {}),
        )
    if channel.cancelled.is_set() and result.status != "optimal":
        result = replace(result, interrupted=True)
    result = replace(result, proof=None)
    rankings = data if isinstance(data, Rankings) else None
    facts = saved(result, data)
    spell = in_fields(_TIE_FIELDS)
    facts["words"]["warnings"] = [
        whole(each.message.phrased(spell, placed=False))
        for each in caught
        if isinstance(each.message, InputWarning)
    ]
    answer = {"cancelled": channel.cancelled.is_set(), "resampled": False}
    if rankings is None or not message["bootstrap"] or channel.cancelled.is_set():
        return answer, [_json(facts), pickle.dumps((result, None))]
    # The server gets the result now, so that it keeps it when the bootstrap is cancelled or fails.
    channel.send({"event": "solved"}, _json(facts), pickle.dumps((result, None)))
    events.resampled(0, 1)
    firm = _bootstrap(rankings, result, message, events, channel)
    answer["cancelled"] = channel.cancelled.is_set()
    if firm is not None:
        answer["resampled"] = True
        facts["bootstrap"] = firm.to_dict()
    return answer, [_json(facts), pickle.dumps((result, firm))]


def _bootstrap(
    data: Rankings, result: Consensus, message: Message, events: _Events, channel: Channel
) -> Bootstrap | None:
    """Resample the voters (bootstrap). A cancellation keeps the samples drawn so far."""
    from concordant.resampling import bootstrap

    def report(done: int, total: int) -> None:
        events.resampled(done, total)
        if channel.cancelled.is_set():
            # As after Ctrl-C, the bootstrap then returns the samples drawn so far.
            raise KeyboardInterrupt

    try:
        return bootstrap(
            data,
            samples=message["bootstrap"],
            seed=message["seed"],
            consensus=result,
            time_limit=message["limits"]["seconds"],
            on_progress=report,
        )
    except KeyboardInterrupt:
        return None


def _json(facts: dict[str, Any]) -> bytes:
    # Only as an escape of JSON can a single surrogate in a name be encoded.
    return json.dumps(facts, allow_nan=False).encode()


def saved(result: Consensus, data: Rankings | Pairwise) -> dict[str, Any]:
    """Return a result as `Consensus.save` writes it, with the sentences that the page shows.

    Example:
        >>> from concordant import aggregate, Rankings
        >>> data = Rankings.from_orders([["a", "b"], ["a", "b"], ["b", "a"]])
        >>> facts = saved(aggregate(data), data)
        >>> facts["words"]["proof"], facts["neighbours"]
        ('Proven the best. No other order has fewer disagreements.', [{'for': 2, 'against': 1}])
    """
    facts: dict[str, Any] = {"format": "concordant-result", "version": 1, **result.to_dict()}
    facts["trace"] = [list(point) for point in result.trace]
    state = "Stopped by hand. " if result.interrupted else ""
    if result.status == "optimal":
        state = "Proven the best. "
    proof = proof_words(result)
    if result.tiers is not None:
        proof = status_words(result)
        state, proof = "", f"{proof[0].upper()}{proof[1:]}."
    facts["words"] = {
        "headline": headline(result),
        "proof": f"{state}{proof}",
        "ties": ties_words(result),
        "warnings": [],
        "others": result.others,
        "uncompared": uncompared_words(result.uncompared or ()),
        "input": input_words(result, data if isinstance(data, Rankings) else None),
        "method": method_words(result),
        "cost": cost_words(result),
    }
    pairs = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
    place = {item: index for index, item in enumerate(data.items)}
    order = [place[item] for item in result.ranking]
    facts["first"] = [plain_item(item) for item in tied_first(result)]
    facts["overruled"] = _overruled(result, pairs, order)
    facts["neighbours"] = [
        {
            "for": pairs.value(int(pairs.counts[a, b])),
            "against": pairs.value(int(pairs.counts[b, a])),
        }
        for a, b in pairwise(order)
    ]
    return facts


def _overruled(result: Consensus, pairs: Pairwise, order: list[int]) -> list[dict[str, Any]]:
    """Return the majorities that a proven ranking goes against: by how much, and why.

    Those against the items at the top come first.
    """
    from concordant.report.findings import overruled

    if result.status != "optimal" or result.n_rankings is None or result.tiers is not None:
        return []
    laid_out = pairs.counts[np.ix_(order, order)]
    found, _ = overruled(laid_out, _MAJORITIES_SHOWN)
    names = [plain_item(item) for item in result.ranking]
    return [
        {
            "circle": [names[place] for place in each.path],
            "for": pairs.value(int(laid_out[each.path[-1], each.path[0]])),
            "against": pairs.value(int(laid_out[each.path[0], each.path[-1]])),
        }
        for each in sorted(found, key=lambda each: (each.path[0], -each.by))
    ]


def cost_words(result: Consensus) -> str:
    """Return the cost of a result in words."""
    if result.n_rankings is None or result.tiers is not None:
        return f"cost {number(result.cost)}"
    what = f"{number(result.cost)} disagreement{'' if result.cost == 1 else 's'}"
    if result.n_rankings > 1 and result.distance is not None:
        what += f", {number(round(result.distance, 2))} per ranking"
    return what


# -- loading -----------------------------------------------------------------------------------


def preload(solver: bool) -> None:
    """Load and run everything once, so that the first request is answered as fast as later ones."""
    from concordant.formats import read

    example = Path(__file__).parent.parent / "examples" / "cafes.toi"
    data = read(example)
    read(io.BytesIO(b"voter,1st,2nd\nx,a,b\n"), "csv")
    if not solver:
        import matplotlib.figure  # noqa: F401 - for the first picture

        return
    from concordant import generate
    from concordant.aggregation import aggregate

    aggregate(data, time_limit=1)
    for items, voters in ((10, 20), (60, 20), (250, 10)):
        aggregate(generate.mallows(items, voters, theta=0.01, seed=1), time_limit=0.5)


# -- pictures and reports ----------------------------------------------------------------------


def draw(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Draw one picture of a result."""
    from concordant import plot

    result, firm = pickle.loads(blocks[1])
    data = _read(message, blocks[0])[0]
    name = message["picture"]
    if name == "bootstrap":
        if firm is None:
            raise InputError("this job has no bootstrap samples")
        axes = plot.bootstrap(firm)
    else:
        axes = getattr(plot, name)(data, result)
    return {}, [plot.picture(axes)]


def report(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Write the report of a result, one HTML page that loads no other file."""
    from concordant.report import Source, html

    result, firm = pickle.loads(blocks[1])
    data = _read(message, blocks[0])[0]
    options = [
        part
        for name, option in FIELDS.items()
        if message["reading"].get(name)
        for part in (option.flag, message["reading"][name])
    ]
    source = Source.of_bytes(message["name"] or "pasted.txt", blocks[0], options)
    return {}, [html(result, data, bootstrap=firm, source=source).encode(errors="replace")]


TASKS: dict[str, Callable[[Message, list[bytes], Channel], Answer]] = {
    "recognise": recognise,
    "solve": solve,
    "draw": draw,
    "report": report,
}
