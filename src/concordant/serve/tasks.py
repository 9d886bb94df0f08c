"""The tasks of a worker: recognise a file, solve it, draw pictures, write a report."""

from __future__ import annotations

import io
import json
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from concordant._names import plain_item
from concordant._reading import FIELDS
from concordant.describe import resampled_words
from concordant.errors import InputError, InputWarning, cut, in_fields
from concordant.formats import FORMATS, Source, choose, read
from concordant.formats.common.registry import by_name, check_options
from concordant.formats.folders import read_folder
from concordant.formats.json import write_json
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reading.findings import Inspection, QuestionError
from concordant.reading.inspecting import described
from concordant.selection import take
from concordant.serve.details import add_details, matching, places_of, saved
from concordant.serve.frames import SEVERAL, hint_fields, unpack, whole
from concordant.serve.records import pack_record, proof_of, unpack_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from concordant.consensus import Consensus
    from concordant.resampling import Bootstrap
    from concordant.serve.frames import Message
    from concordant.serve.worker import Channel
    from concordant.stopping import Progress

Answer = tuple[dict[str, Any], list[bytes]]
_NAMES_SHOWN = 12
_NAME_IN_SAMPLE = 60
_COLUMNS_SHOWN = 50
_RANKINGS_SHOWN = 3
# Names are part of every event.
_LONGEST_NAME = 300
_SECONDS_BETWEEN_EVENTS = 0.1
_FIELDS_OF_SEARCH = (
    *("ties", "tie_penalty", "vote_tie_penalty", "tiers"),
    *("before", "first", "last", "groups_in_order"),
)
# How firm a result is takes a fraction of a second for up to this many items.
_QUICK_ITEMS, _QUICK_SAMPLES, _QUICK_SECONDS = 30, 100, 1.0
# A larger proof is not kept.
_MOST_PROOF_BYTES = 4_000_000
# The fields of a request that leave something out of the rankings.
_LEFT_OUT = ("without_items", "without_voters")
# The names under which the page saves these files; the report names them too.
PROOF_FILE, RANKINGS_FILE = "concordant-proof.json", "concordant-rankings.json"
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
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        several = message["suffix"] == SEVERAL
        data, name = (_read_several if several else _read_one)(source, reading, content)
    data = source.as_one(data)
    source.check_items(data.n_items)
    data = _without(data, reading)
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
        seen = described(data, "", name, reading)
        seen.findings += source.notes
    return data, name, texts, _seen(seen)


def _read_one(source: _File, reading: dict[str, Any], _: bytes) -> tuple[Rankings | Pairwise, str]:
    """Read a file; return its rankings and its format."""
    options = {name: reading[name] for name in FIELDS if reading.get(name) is not None}
    name = options.pop("format", None)
    for general in ("unranked", "duplicates", "merge"):
        options.pop(general, None)
    chosen, options = (by_name(name), options) if name else choose(source, options)
    check_options(options, chosen.options, f"reading {chosen.name}")
    return source.as_one(chosen.reader(source, **options)), chosen.name


def _read_several(source: _File, reading: dict[str, Any], content: bytes) -> tuple[Rankings, str]:
    """Read files of one ranking each, as a folder of them is read."""
    found = unpack(io.BytesIO(content))
    assert found is not None
    files: list[BinaryIO] = []
    for name, block in zip(found[0]["names"], found[1], strict=True):
        file = io.BytesIO(block)
        file.name = name or "file"
        files.append(file)
    options = {name: reading[name] for name in FIELDS if reading.get(name) is not None}
    unranked = options.pop("unranked", None)
    options.pop("merge", None)
    options["max_bytes"] = source.max_bytes
    return source.as_one(read_folder(source, files, read, options, unranked)), "folder"


def _without(data: Rankings | Pairwise, reading: dict[str, Any]) -> Rankings | Pairwise:
    """Leave out the items and the voters that a request names."""
    items, voters = reading.get("without_items"), reading.get("without_voters")
    if not items and not voters:
        return data
    if not isinstance(data, Rankings):
        raise InputError("items and voters can only be left out of rankings, not of a matrix")
    if voters:
        names = data.voters or ()
        gone = set(matching([name for name in names if name is not None], voters, "voter"))
        data = take(data, np.flatnonzero([name not in gone for name in names]))
    if items:
        gone = set(matching(data.items, items, "item"))
        data = data.subset(items=[item for item in data.items if item not in gone])
    return data


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
        "summary": FORMATS[name].summary if name in FORMATS else "a file for each voter",
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
    proof = _proof(result)
    result = replace(result, proof=None)
    rankings = data if isinstance(data, Rankings) else None
    facts = saved(result, data)
    add_details(facts, result, data)
    facts["has_proof"] = proof is not None
    facts["left_out"] = {name: message["reading"].get(name) or [] for name in _LEFT_OUT}
    spell = in_fields(_FIELDS_OF_SEARCH)
    facts["words"]["warnings"] = [
        whole(each.message.phrased(spell, placed=False))
        for each in caught
        if isinstance(each.message, InputWarning)
    ]
    answer = {"cancelled": channel.cancelled.is_set(), "resampled": False}
    record = pack_record(result, proof=proof)
    if rankings is None or channel.cancelled.is_set():
        return answer, [_json(facts), record]
    if not message["bootstrap"]:
        facts["words"]["resampled"] = _quickly_resampled(rankings, result)
        return answer, [_json(facts), record]
    # The server gets the result now, so that it keeps it when the bootstrap is cancelled or fails.
    channel.send({"event": "solved"}, _json(facts), record)
    events.resampled(0, 1)
    firm = _bootstrap(rankings, result, message, events, channel)
    answer["cancelled"] = channel.cancelled.is_set()
    if firm is not None:
        answer["resampled"] = True
        facts["bootstrap"] = firm.to_dict()
        facts["words"]["resampled"] = resampled_words(firm)
    return answer, [_json(facts), pack_record(result, firm, proof)]


def _proof(result: Consensus) -> bytes | None:
    """Return the file that proves the bound; None if there is none, or if it is very large."""
    if result.proof is None:
        return None
    content = json.dumps(result.certificate(), separators=(",", ":")).encode() + b"\n"
    return content if len(content) <= _MOST_PROOF_BYTES else None


def _quickly_resampled(data: Rankings, result: Consensus) -> str | None:
    """Return who is first in how many samples, for data that is resampled in a moment."""
    from concordant.resampling import bootstrap

    is_plain = result.tiers is None and result.constraints is None
    if data.n_items > _QUICK_ITEMS or result.status != "optimal" or not is_plain:
        return None
    firm = bootstrap(data, _QUICK_SAMPLES, result.seed, consensus=result, time_limit=_QUICK_SECONDS)
    return None if firm.samples < _QUICK_SAMPLES else resampled_words(firm)


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
    from concordant._kernels.jit import CACHE
    from concordant.aggregation import aggregate

    assert isinstance(data, Rankings)
    _quickly_resampled(data, aggregate(data, time_limit=1))
    sizes = [(10, 20), (60, 20)]
    # Most jobs are proven without the search. Where its kernels are not compiled yet, which takes
    # long, the first job that needs them waits, and not every job that comes after the start.
    if any(CACHE.rglob("evolution.*.nbi")):
        sizes.append((250, 10))
    for items, voters in sizes:
        aggregate(generate.mallows(items, voters, theta=0.01, seed=1), time_limit=0.5)


# -- pictures, reports and other files ---------------------------------------------------------


def draw(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Draw one picture of a result, as PNG or SVG."""
    from concordant import plot

    result, firm = unpack_record(blocks[1])
    data = _read(message, blocks[0])[0]
    name = message["picture"]
    if name == "bootstrap":
        if firm is None:
            raise InputError("this job has no bootstrap samples")
        axes = plot.bootstrap(firm)
    else:
        axes = getattr(plot, name)(data, result)
    if message["kind"] == "svg":
        return {}, [plot.svg_file(axes, name).encode(errors="replace")]
    return {}, [plot.picture(axes)]


def report(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Write the report of a result, one HTML page that loads no other file."""
    from concordant.report import Source, html

    result, firm = unpack_record(blocks[1])
    proof = proof_of(blocks[1])
    data = _read(message, blocks[0])[0]
    options = [
        part
        for name, option in FIELDS.items()
        if message["reading"].get(name)
        for part in (option.flag, message["reading"][name])
    ]
    source = Source.of_bytes(message["name"] or "pasted.txt", blocks[0], options)
    if message["suffix"] == SEVERAL or any(map(message["reading"].get, _LEFT_OUT)):
        # The commands of the report need one file that holds what was counted.
        source = Source.of_bytes(RANKINGS_FILE, _rankings_file(data))
    page = html(
        result,
        data,
        bootstrap=firm,
        source=source,
        proof=None if proof is None else Source.of_bytes(PROOF_FILE, proof),
        title=message.get("title") or None,
        date=message.get("date") or None,
    )
    return {}, [page.encode(errors="replace")]


def proof_file(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Return the file that proves the bound of a result."""
    proof = proof_of(blocks[1])
    if proof is None:
        raise InputError(
            "this job has no proof file: its bound is not proven, or the proof is very large. Use "
            "'concordant aggregate --proof'"
        )
    return {}, [proof]


def table(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Return the ranking as a spreadsheet."""
    from concordant.serve.spreadsheet import workbook

    result, _ = unpack_record(blocks[1])
    rows = zip(places_of(result), map(str, result.ranking), strict=True)
    return {}, [workbook([("place", "item"), *rows])]


def rankings(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Return the rankings as they were counted: one file, without what was left out."""
    return {}, [_rankings_file(_read(message, blocks[0])[0])]


def _rankings_file(data: Rankings | Pairwise) -> bytes:
    if not isinstance(data, Rankings):
        raise InputError("a matrix has no rankings")
    return "".join(write_json(data, Path(RANKINGS_FILE))).encode(errors="replace")


TASKS: dict[str, Callable[[Message, list[bytes], Channel], Answer]] = {
    "recognise": recognise,
    "solve": solve,
    "draw": draw,
    "report": report,
    "proof": proof_file,
    "table": table,
    "rankings": rankings,
}
