"""What a worker can do: look at a file, solve it, draw it, write its report."""

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

from concordant._names import plain_item
from concordant._reading import FIELDS
from concordant.consensus import Consensus
from concordant.describe import input_words, method_words, proof_words
from concordant.errors import InputError, InputWarning, cut, in_fields
from concordant.formats import FORMATS, Source, choose
from concordant.formatting import number
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.serve.frames import whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from concordant.resampling import Bootstrap
    from concordant.serve.frames import Message
    from concordant.serve.worker import Channel
    from concordant.stopping import Progress

Answer = tuple[dict[str, Any], list[bytes]]
_NAMES_SHOWN = 12
# They go out with every event.
_LONGEST_NAME = 300
_SECONDS_BETWEEN_EVENTS = 0.1


# -- reading -----------------------------------------------------------------------------------


def _read(message: Message, content: bytes) -> tuple[Rankings | Pairwise, str, list[str]]:
    """Read a file from memory; return its rankings, its format and the warnings."""
    from concordant.formats import read

    limits, options = message["limits"], message["reading"]
    file = io.BytesIO(content)
    # Only the end of the name counts: it shows the format.
    file.name = f"the file{message['suffix']}"
    given = {name: options[name] for name in FIELDS if options.get(name) is not None}
    found = given.pop("format", None)
    if found is None:
        chosen, given = choose(Source(file, max_bytes=limits["unpacked_bytes"]), given)
        found = chosen.name
        file.seek(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        data = read(file, found, max_bytes=limits["unpacked_bytes"], **given)
    if data.n_items > limits["items"]:
        raise InputError(
            f"there are {data.n_items:,} items, and this server takes at most "
            f"{limits['items']:,}; the command line has no such limit"
        )
    if isinstance(data, Rankings) and data.n_rankings > limits["voters"]:
        raise InputError(
            f"there are {data.n_rankings:,} rankings, and this server takes at most "
            f"{limits['voters']:,}; the command line has no such limit"
        )
    spell = in_fields(FIELDS)
    warned = [each.message for each in caught if isinstance(each.message, InputWarning)]
    return data, found, [whole(each.phrased(spell, placed=False)) for each in warned]


def _facts(data: Rankings | Pairwise, name: str, warned: list[str]) -> dict[str, Any]:
    rankings = data if isinstance(data, Rankings) else None
    weight = None if rankings is None else data.total_weight
    return {
        "format": name,
        "summary": FORMATS[name].summary,
        "n_items": data.n_items,
        "n_rankings": None if rankings is None else rankings.n_rankings,
        "total_weight": weight,
        "has_ties": None if rankings is None else bool(rankings.has_ranked_ties),
        # As written: where items left out count as last, they are left out all the same.
        "is_complete": None if rankings is None else bool((rankings.lengths == data.n_items).all()),
        "unranked": None if rankings is None else rankings.unranked,
        "items": [
            whole(cut(str(plain_item(item)), _LONGEST_NAME)) for item in data.items[:_NAMES_SHOWN]
        ],
        "warnings": warned,
    }


def look(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Recognise a file: its format, its size, and what is wrong with it."""
    return {"facts": _facts(*_read(message, blocks[0]))}, []


# -- solving -----------------------------------------------------------------------------------


class _Events:
    """Sends the progress of a run to the server, at most ten times a second."""

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
        now = time.perf_counter()
        if now - self._sent >= _SECONDS_BETWEEN_EVENTS or done == total:
            self._sent = now
            self._channel.send(
                {"event": "progress", "phase": "resampling", "share": done / max(1, total)}
            )


def solve(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Read a file and find its consensus; a cancelled search hands over the best it has."""
    from concordant.aggregation import aggregate

    events = _Events(channel)
    events.send("reading")
    data, name, warned = _read(message, blocks[0])
    channel.send({"event": "read", "facts": _facts(data, name, warned)})
    result = aggregate(
        data,
        time_limit=message["time_limit"],
        seed=message["seed"],
        stop=lambda progress: channel.cancelled.is_set(),
        on_progress=events,
    )
    if channel.cancelled.is_set() and result.status != "optimal":
        result = replace(result, interrupted=True)
    result = replace(result, proof=None)
    rankings = data if isinstance(data, Rankings) else None
    facts = saved(result, data)
    answer = {"cancelled": channel.cancelled.is_set(), "resampled": False}
    if rankings is None or not message["bootstrap"] or channel.cancelled.is_set():
        return answer, [_json(facts), pickle.dumps((result, None))]
    # A search that is done is not lost when what follows is cancelled or fails.
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
    """Draw the voters again; a cancellation keeps the samples that there are."""
    from concordant.resampling import bootstrap

    def report(done: int, total: int) -> None:
        events.resampled(done, total)
        if channel.cancelled.is_set():
            # What Ctrl-C does: the samples drawn so far are handed over.
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
    # A name may hold half of a character, which UTF-8 has no bytes for: JSON can escape it.
    return json.dumps(facts, allow_nan=False).encode()


def saved(result: Consensus, data: Rankings | Pairwise) -> dict[str, Any]:
    """Return a result as its file holds it, with what the page says about it.

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
    facts["words"] = {
        "proof": f"{state}{proof_words(result)}",
        "others": result.others,
        "input": input_words(result, data if isinstance(data, Rankings) else None),
        "method": method_words(result),
        "cost": cost_words(result),
    }
    pairs = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
    place = {item: index for index, item in enumerate(data.items)}
    order = [place[item] for item in result.ranking]
    facts["neighbours"] = [
        {
            "for": pairs.value(int(pairs.counts[a, b])),
            "against": pairs.value(int(pairs.counts[b, a])),
        }
        for a, b in pairwise(order)
    ]
    return facts


def cost_words(result: Consensus) -> str:
    """Say what the cost of a result means."""
    if result.n_rankings is None:
        return f"cost {number(result.cost)}"
    what = f"{number(result.cost)} disagreements"
    if result.n_rankings > 1 and result.distance is not None:
        what += f", {number(round(result.distance, 2))} per ranking"
    return what


# -- warming -----------------------------------------------------------------------------------


def warm(solver: bool) -> None:
    """Run everything once, so that the first person who asks does not wait for it to load."""
    from concordant.formats import read

    example = Path(__file__).parent.parent / "examples" / "cafes.toi"
    data = read(example)
    read(io.BytesIO(b"voter,1st,2nd\nx,a,b\n"), "csv")
    if not solver:
        import matplotlib.figure  # noqa: F401 - for the first picture that is asked for

        return
    from concordant import generate
    from concordant.aggregation import aggregate

    aggregate(data, time_limit=1)
    for items, voters in ((10, 20), (60, 20), (250, 10)):
        aggregate(generate.mallows(items, voters, theta=0.01, seed=1), time_limit=0.5)


# -- pictures and reports ----------------------------------------------------------------------

# What can be drawn of a result: a title for those who cannot see the picture.
PICTURES = {
    "positions": "Where the voters put each item",
    "pairwise": "How many voters prefer each item to each other item",
    "agreement": "How far each voter agrees with the consensus",
    "bump": "The voters' rankings beside the consensus",
    "bootstrap": "How firm each place is",
}


def draw(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Draw one picture of a result."""
    from concordant import plot

    result, firm = pickle.loads(blocks[1])
    data, _, _ = _read(message, blocks[0])
    name = message["picture"]
    if name == "bootstrap":
        if firm is None:
            raise InputError("no samples were drawn for this job")
        axes = plot.bootstrap(firm)
    else:
        axes = getattr(plot, name)(data, result)
    return {}, [plot.picture(axes)]


def report(message: Message, blocks: list[bytes], channel: Channel) -> Answer:
    """Write the report of a result, one page that needs nothing else."""
    from concordant.report import Source, html

    result, firm = pickle.loads(blocks[1])
    data, _, _ = _read(message, blocks[0])
    options = [
        part
        for name, option in FIELDS.items()
        if message["reading"].get(name)
        for part in (option.flag, message["reading"][name])
    ]
    source = Source.of_bytes(message["name"] or "pasted.txt", blocks[0], options)
    return {}, [html(result, data, bootstrap=firm, source=source).encode(errors="replace")]


TASKS: dict[str, Callable[[Message, list[bytes], Channel], Answer]] = {
    "look": look,
    "solve": solve,
    "draw": draw,
    "report": report,
}
