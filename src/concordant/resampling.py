"""`bootstrap`: how certain a consensus is, by resampling the voters and solving each sample."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._checks import at_least, threads_of
from concordant._files import atomic_write, read_json
from concordant._kernels.compiling import watch_compilation
from concordant._names import plain_item
from concordant._types import Int32, Int64
from concordant.aggregation import aggregate
from concordant.consensus import Consensus
from concordant.errors import InputError, SettingError, cut
from concordant.formatting import counted, percent, share
from concordant.merging import distinct
from concordant.pages import notebook_table
from concordant.pairwise import order_of
from concordant.rankings import Item, Rankings

if TYPE_CHECKING:
    import polars as pl

_KIND = "concordant-bootstrap"
_VERSION = 1
_LARGEST_SEED = 2**63 - 1
_MOST_SAMPLES = 1_000_000
# Sets of up to this number of items are solved exactly in each sample, which takes about a
# millisecond; larger ones get this number of descents.
_LARGEST_EXACT = 15
_DESCENTS = 200
# The search for the consensus ends after this number of generations, proven or not. No clock
# decides, so that the same seed gives the same intervals.
_GENERATIONS = 30
# The most work and the most samples of one task.
_WORK, _SAMPLES = 2_000_000, 32
# Up to this number of voters for each distinct ballot, drawing them one by one is faster.
_VOTERS_A_BALLOT = 16
_SECONDS_BETWEEN_REPORTS = 0.1


@dataclass(frozen=True, slots=True, repr=False)
class Bootstrap:
    """How certain each place of a consensus is.

    All tuples are in the order of `items`, best first.

    Attributes:
        items: The items in the order of the consensus.
        low, high: The interval of each item's position (1 is first): at `level` 0.95, at most
            2.5 % of the samples put it before `low`, and at most 2.5 % behind `high`.
        median: The median of each item's position; of two medians, the lower one.
        stands: For each item but the last, the share of the samples in which it is before the
            item that follows it.
        first: The share of the samples in which each item is first.
        exact: The share of the samples whose order is proven optimal.
        samples: The number of samples solved.
        requested: The number of samples requested: more, if a time limit or Ctrl-C came first.
        seed: The random seed.
        level: The level of the intervals.
        voters: The number of voters drawn for each sample.
        interrupted: Whether Ctrl-C stopped it.

    Example:
        >>> from concordant import Rankings
        >>> votes = Rankings.from_orders([["a", "b", "c"], ["b", "a", "c"]], weights=[11, 9])
        >>> firm = bootstrap(votes, samples=200)
        >>> firm.items, firm.low, firm.high
        (('a', 'b', 'c'), (1, 1, 3), (2, 2, 3))
        >>> firm.stands[1], firm.first[2]
        (1.0, 0.0)
    """

    items: tuple[Item, ...]
    low: tuple[int, ...]
    median: tuple[int, ...]
    high: tuple[int, ...]
    stands: tuple[float, ...]
    first: tuple[float, ...]
    exact: float
    samples: int
    requested: int
    seed: int
    level: float
    voters: int
    interrupted: bool = False

    @property
    def ranking(self) -> tuple[Item, ...]:
        """The consensus, best first: the same as `items`."""
        return self.items

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values, as `--json` prints them.

        Example:
            >>> from concordant import Rankings
            >>> firm = bootstrap(Rankings.from_orders([["a", "b"]] * 3), samples=10)
            >>> facts = firm.to_dict()
            >>> facts["items"], facts["low"], facts["high"], facts["stands"]
            (['a', 'b'], [1, 2], [1, 2], [1.0])
        """
        facts: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            facts[field.name] = list(value) if isinstance(value, tuple) else value
        facts["items"] = [plain_item(item) for item in self.items]
        return facts

    def to_frame(self) -> pl.DataFrame:
        """Return the places as a polars frame, a row per item, best first.

        The columns are place, item, low, median, high, first and stands; see the attributes. The
        last item has no `stands`.

        Example:
            >>> from concordant import Rankings
            >>> firm = bootstrap(Rankings.from_orders([["a", "b"]] * 3), samples=10)
            >>> firm.to_frame().rows()
            [(1, 'a', 1, 1, 1, 1.0, 1.0), (2, 'b', 2, 2, 2, 0.0, None)]
        """
        from concordant.tables.writing import named_frame

        names = ("low", "median", "high", "first")
        values: dict[str, Any] = {"place": range(1, self.n_items + 1)}
        values |= {name: getattr(self, name) for name in names}
        values["stands"] = [*self.stands, None][: self.n_items]
        frame = named_frame(self.items, {"item": range(self.n_items)}, values)
        return frame.select("place", "item", *names, "stands")

    def save(self, path: str | Path) -> None:
        """Write all fields as JSON; an existing file is replaced in one step."""
        facts = {"format": _KIND, "version": _VERSION, **self.to_dict()}
        atomic_write(path, json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=1) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Bootstrap:
        """Read a file that `save` wrote. Names that JSON cannot hold are read as text."""
        facts = read_json(path, "a bootstrap")
        if not isinstance(facts, dict) or facts.get("format") != _KIND:
            raise InputError("not a bootstrap of concordant", path=path)
        try:
            if type(facts["version"]) is not int or facts["version"] != _VERSION:
                raise InputError(
                    f"the bootstrap has version {cut(repr(facts['version']))}, and this release "
                    f"reads version {_VERSION}: read it with a newer Concordant"
                )
            return cls.from_dict(facts)
        except InputError as error:
            raise InputError(error.message, path=path) from None
        except (KeyError, TypeError) as error:
            raise InputError(f"not a bootstrap of concordant: {error}", path=path) from None

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Bootstrap:
        """Make a bootstrap from the values that `to_dict` returned.

        Example:
            >>> from concordant import Rankings
            >>> firm = bootstrap(Rankings.from_orders([["a", "b"]] * 3), samples=10)
            >>> Bootstrap.from_dict(firm.to_dict()) == firm
            True
        """
        kept: dict[str, Any] = {}
        for field in fields(cls):
            if field.name not in facts:
                raise InputError(f"it has no {field.name!r}")
            value = facts[field.name]
            kept[field.name] = tuple(value) if isinstance(value, list) else value
        m = len(kept["items"])
        for name in ("low", "median", "high", "stands", "first"):
            numbers = kept[name]
            wanted = max(0, m - 1) if name == "stands" else m
            if not isinstance(numbers, tuple) or len(numbers) != wanted:
                raise InputError(f"{name!r} must have {wanted} numbers")
            if any(isinstance(x, bool) or not isinstance(x, int | float) for x in numbers):
                raise InputError(f"{name!r} must hold only numbers")
        return cls(**kept)

    def __repr__(self) -> str:
        """Show the intervals of the first places in one line."""
        shown = ", ".join(
            f"{item} {low}-{high}"
            for item, low, high in zip(self.items[:5], self.low, self.high, strict=False)
        )
        more = ", …" if self.n_items > 5 else ""
        return f"Bootstrap({shown}{more}; {self.level:.4g} of {self.samples:,} samples)"

    def _repr_html_(self) -> str:
        """Show the interval of each item as a table in a notebook."""
        caption = f"{counted(self.samples, 'sample')} of {counted(self.voters, 'voter')}"
        heads = ["place", "item", f"{percent(self.level)} interval", "median", "first in"]
        intervals = (f"{low} to {high}" for low, high in zip(self.low, self.high, strict=True))
        first, stands = map(share, self.first), [*map(share, self.stands), None]
        places = range(1, self.n_items + 1)
        rows = zip(places, self.items, intervals, self.median, first, stands, strict=False)
        return notebook_table(caption, [*heads, "before the next in"], rows)


def bootstrap(
    data: Rankings,
    samples: int = 1000,
    seed: int = 0,
    *,
    level: float = 0.95,
    consensus: Consensus | Sequence[Item] | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    on_progress: Callable[[int, int], Any] | None = None,
) -> Bootstrap:
    """Measure how certain the consensus is: resample the voters and solve each sample.

    Each sample draws `data.n_voters` voters with replacement and finds their consensus. Whole
    weights are repeat counts: a ranking of weight 3 is drawn as three voters. If weights have
    fractions, each ranking given is one voter; the probability that a draw takes a ranking is
    proportional to its weight. Equal `Rankings` give the same samples.

    If a sample has several optimal orders, one of them is drawn at random. Neither the number of
    an item nor its place in the consensus has an effect on this.

    Args:
        data: The rankings. A matrix of pairwise counts has no voters to draw.
        samples: The number of samples.
        seed: A whole number; the same seed gives the same intervals, on any number of threads.
        level: The level of the intervals, between 0 and 1.
        consensus: The ranking to judge, such as the result of `aggregate`; by default computed.
        n_jobs: The number of threads; one per core by default.
        time_limit: Seconds after which no more samples are drawn.
        on_progress: Called with the number of samples solved and of all samples, at most ten
            times a second.

    Returns:
        The intervals and shares. Ctrl-C returns those of the samples solved so far.

    Example:
        >>> votes = Rankings.from_orders([["a", "b"], ["b", "a"]], weights=[60, 40])
        >>> firm = bootstrap(votes, samples=400, seed=1)
        >>> firm.items, 0.9 < firm.stands[0] < 1
        (('a', 'b'), True)
    """
    started = time.perf_counter()
    if not isinstance(data, Rankings):
        raise InputError(
            "bootstrap resamples the voters, so it needs the Rankings themselves, not "
            f"{type(data).__name__}: a matrix of pairwise counts has no voters"
        )
    at_least("samples", samples, 1, _MOST_SAMPLES)
    at_least("seed", seed, 0, _LARGEST_SEED)
    number = isinstance(level, int | float | np.number) and not isinstance(level, bool)
    if not number or not 0 < level < 1:
        raise SettingError(f"level must be a number between 0 and 1, not {level!r}")
    if time_limit is not None and not (
        isinstance(time_limit, int | float | np.number) and time_limit >= 0
    ):
        raise SettingError(f"time_limit must be a number of seconds, not {time_limit!r}")
    if on_progress is not None and not callable(on_progress):
        raise SettingError(f"on_progress must be a function of two numbers, not {on_progress!r}")
    threads = threads_of(n_jobs)
    if data.units.sum() == 0:
        raise InputError("no ranking has any weight: there is no voter to draw")
    with watch_compilation() as watch:

        def elapsed() -> float:
            return time.perf_counter() - started - watch.seconds

        order = _consensus_order(data, consensus, seed, threads, time_limit)
        draws = _Draws(data, order, seed)
        orders, proven, interrupted = _solve_all(
            draws,
            samples,
            threads,
            over=lambda: time_limit is not None and elapsed() >= time_limit,
            on_progress=on_progress,
        )
    items = tuple(data.items[a] for a in order.tolist())
    return _summary(
        items,
        orders,
        exact=float(proven.mean()),
        requested=int(samples),
        seed=int(seed),
        level=float(level),
        voters=draws.voters,
        interrupted=interrupted,
    )


def _consensus_order(
    data: Rankings,
    consensus: Consensus | Sequence[Item] | None,
    seed: int,
    threads: int,
    time_limit: float | None,
) -> Int64:
    if isinstance(consensus, Consensus) and consensus.constraints is not None:
        raise SettingError(
            "bootstrap does not take a result with constraints: its samples are solved without them"
        )
    if consensus is None:
        found = aggregate(
            data,
            seed=seed,
            n_jobs=threads,
            max_generations=_GENERATIONS,
            time_limit=time_limit,
        )
        if found.interrupted:
            raise KeyboardInterrupt
        consensus = found
    ranking = (
        consensus.ranking_of(data.items) if isinstance(consensus, Consensus) else list(consensus)
    )
    try:
        return order_of(ranking, data.items)
    except InputError as error:
        raise InputError(f"consensus: {error.message}") from None


class _Draws:
    """Draws and solves samples.

    The consensus numbers the items, and ballots are sorted: the order of items and of ballots in
    the input has no effect.
    """

    def __init__(self, data: Rankings, order: Int64, seed: int) -> None:
        self.seed = seed
        self.n_items = data.n_items
        data = data.explicit()
        place = np.empty(order.size, np.int32)
        place[order] = np.arange(order.size)
        members = place[data.members]
        *ballots, units = _sorted(
            distinct(range(order.size), data.offsets, members, data.buckets, data.units)
        )
        self._ballots = tuple(ballots)
        self.voters = data.n_voters
        self._shares = (units // np.gcd.reduce(units)) / (units.sum() // np.gcd.reduce(units))
        self._ballot_of = None
        # Whole weights are repeat counts: each voter can be drawn by his number.
        repeats, rest = np.divmod(units, data.scale)
        is_repeated = not rest.any() and int(repeats.sum()) == self.voters
        if is_repeated and self.voters <= _VOTERS_A_BALLOT * units.size:
            self._ballot_of = np.repeat(np.arange(units.size), repeats)

    def _draw(self, random: np.random.Generator) -> Int64:
        """Return how often each ballot is drawn. Few voters are drawn one by one."""
        if self._ballot_of is None:
            return random.multinomial(self.voters, self._shares)
        drawn = self._ballot_of[random.integers(self.voters, size=self.voters)]
        return np.bincount(drawn, minlength=self._shares.size)

    def solve(self, start: int, end: int) -> tuple[Int32, Any]:
        """Draw and solve the samples from `start` to `end` - 1."""
        from concordant._kernels import resampling
        from concordant._kernels.state import new_state

        n = end - start
        drawn = np.empty((n, self._shares.size), np.int64)
        streams = np.empty((n, 1), np.uint64)
        for k in range(n):
            # Each sample has its own random numbers, whichever thread draws it.
            random = np.random.default_rng([self.seed, start + k])
            drawn[k] = self._draw(random)
            streams[k] = random.integers(2**64, dtype=np.uint64)
        orders = np.empty((n, self.n_items), np.int32)
        proven = np.zeros(n, np.bool_)
        resampling.resample(
            *self._ballots,
            drawn,
            streams,
            new_state(0),
            _LARGEST_EXACT,
            _DESCENTS,
            orders,
            proven,
        )
        return orders, proven

    @property
    def per_task(self) -> int:
        """The number of samples of one task."""
        # Few for many ballots or items, so that Ctrl-C and time limits need not wait for long.
        work = int(self._shares.size) * self.n_items + self.n_items**3
        return max(1, min(_SAMPLES, _WORK // work))


def _sorted(arrays: tuple[Int64, Int32, Int32, Int64]) -> tuple[Int64, Int32, Int32, Int64]:
    """Return distinct ballots in an order that depends on nothing but their content."""
    offsets, members, buckets, units = arrays
    spans = [slice(start, end) for start, end in pairwise(offsets.tolist())]
    keys = [members[span].tobytes() + buckets[span].tobytes() for span in spans]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    places = np.concatenate([np.arange(spans[r].start, spans[r].stop) for r in order])
    lengths = np.diff(offsets)[order]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return offsets, members[places], buckets[places], units[order]


def _solve_all(
    draws: _Draws,
    samples: int,
    threads: int,
    over: Callable[[], bool],
    on_progress: Callable[[int, int], Any] | None,
) -> tuple[Int32, Any, bool]:
    """Return the orders of the samples, whether each is proven, and whether Ctrl-C came first.

    The result holds the first samples, without a gap, and those of one task at least.
    """
    size = draws.per_task
    starts = iter(range(0, samples, size))
    done: dict[int, tuple[Int32, Any]] = {}
    waiting: dict[Future[tuple[Int32, Any]], int] = {}
    reported = -math.inf
    interrupted = False
    with ThreadPoolExecutor(threads, thread_name_prefix="concordant-bootstrap") as pool:
        try:
            while True:
                while len(waiting) < 2 * threads and not (done and over()):
                    start = next(starts, None)
                    if start is None:
                        break
                    task = pool.submit(draws.solve, start, min(samples, start + size))
                    waiting[task] = start
                if not waiting:
                    break
                for task in wait(waiting, return_when=FIRST_COMPLETED).done:
                    done[waiting.pop(task)] = task.result()
                now = time.perf_counter()
                if on_progress is not None and now - reported >= _SECONDS_BETWEEN_REPORTS:
                    reported = now
                    on_progress(sum(len(found[1]) for found in done.values()), samples)
        except KeyboardInterrupt:
            interrupted = True
            for task in waiting:
                task.cancel()
        except BaseException:
            for task in waiting:
                task.cancel()
            raise
    for task, start in waiting.items():
        if not task.cancelled():
            done[start] = task.result()
    whole = []
    for start in range(0, samples, size):
        if start not in done:
            break
        whole.append(done[start])
    if not whole:
        raise KeyboardInterrupt
    orders = np.concatenate([found[0] for found in whole])
    if on_progress is not None and not interrupted:
        # Ctrl-C comes too late here: nothing is left to stop.
        with suppress(KeyboardInterrupt):
            on_progress(len(orders), samples)
    interrupted = interrupted and len(orders) < samples
    return orders, np.concatenate([found[1] for found in whole]), interrupted


def _summary(
    items: tuple[Item, ...],
    orders: Int32,
    *,
    exact: float,
    requested: int,
    seed: int,
    level: float,
    voters: int,
    interrupted: bool,
) -> Bootstrap:
    """Summarize the orders of all samples, whose items are numbered by the consensus."""
    n, m = orders.shape
    positions = np.empty((n, m), np.int32)
    np.put_along_axis(positions, orders, np.arange(1, m + 1, dtype=np.int32)[None, :], axis=1)
    outside = (1 - level) / 2
    ranked = np.sort(positions, axis=0)
    # The rounding of `level` must not move a quantile by one sample.
    skipped = math.floor(n * outside + 1e-9)
    stands = (positions[:, :-1] < positions[:, 1:]).mean(axis=0)
    return Bootstrap(
        items=items,
        low=tuple(ranked[skipped].tolist()),
        median=tuple(ranked[(n - 1) // 2].tolist()),
        high=tuple(ranked[n - 1 - skipped].tolist()),
        stands=tuple(stands.tolist()),
        first=tuple((positions == 1).mean(axis=0).tolist()),
        exact=exact,
        samples=n,
        requested=requested,
        seed=seed,
        level=level,
        voters=voters,
        interrupted=interrupted,
    )
