"""`bootstrap`: how firm a consensus is, by drawing the voters again and solving anew."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from concordant._checks import at_least
from concordant._files import atomic_write, read_json
from concordant._kernels.compiling import watch_compilation
from concordant._names import plain_item
from concordant._types import Int32, Int64
from concordant.aggregation import aggregate, threads_of
from concordant.consensus import Consensus
from concordant.errors import InputError, SettingError
from concordant.formatting import counted, percent, share
from concordant.pages import notebook_table
from concordant.pairwise import order_of
from concordant.rankings import Item, Rankings

_KIND = "concordant-bootstrap"
_VERSION = 1
_LARGEST_SEED = 2**63 - 1
_MOST_SAMPLES = 1_000_000
# Sets of up to this many items are solved by subsets in each sample, which takes about a
# millisecond; larger ones get this many descents.
_LARGEST_EXACT = 15
_DESCENTS = 200
# A consensus that is not proven by then is taken as it is. No clock decides, so that the same
# seed gives the same intervals.
_GENERATIONS = 30
# A task of one thread is so much work, and so many samples at most.
_WORK, _SAMPLES = 2_000_000, 32
# Up to so many voters to a distinct ballot, drawing them one by one is faster.
_VOTERS_A_BALLOT = 16
_SECONDS_BETWEEN_REPORTS = 0.1


@dataclass(frozen=True, slots=True, repr=False)
class Bootstrap:
    """How firm each place of a consensus is.

    All tuples are in the order of `items`, best first.

    Attributes:
        items: The items in the order of the consensus.
        low, high: The interval of each item's position (1 is first): at `level` 0.95, at most
            2.5 % of the samples put it before `low`, and at most 2.5 % behind `high`.
        median: The median of each item's position; the lower one of two.
        stands: For each item but the last, the share of the samples in which it is before the
            item that follows it.
        first: The share of the samples in which each item is first.
        exact: The share of the samples whose order is proven optimal.
        samples: How many samples these figures come from.
        requested: How many were asked for: more, if a time limit or Ctrl-C came first.
        seed: The seed of the draws.
        level: The level of the intervals.
        voters: How many rankings were drawn for each sample.
        interrupted: Whether it was stopped by hand.

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
        """Return all of it as plain values, the ones of `--json`.

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

    def save(self, path: str | Path) -> None:
        """Write it as JSON; an existing file is replaced in one step."""
        facts = {"format": _KIND, "version": _VERSION, **self.to_dict()}
        atomic_write(path, json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=1) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Bootstrap:
        """Read what `save` wrote. Names that JSON has no form for come back as text."""
        facts = read_json(path, "a bootstrap")
        if not isinstance(facts, dict) or facts.get("format") != _KIND:
            raise InputError("not a bootstrap of concordant", path=path)
        try:
            if facts["version"] > _VERSION:
                raise InputError("written by a newer version of concordant", path=path)
            return cls.from_dict(facts)
        except InputError as error:
            raise InputError(error.message, path=path) from None
        except (KeyError, TypeError) as error:
            raise InputError(f"not a bootstrap of concordant: {error}", path=path) from None

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Bootstrap:
        """Make one from what `to_dict` returned.

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
                raise InputError(f"{name!r} must have nothing but numbers")
        return cls(**kept)

    def __repr__(self) -> str:
        """Say in one line how firm the first places are."""
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
    """Find out how firm the consensus is: draw the voters again and again, and re-solve.

    Each sample draws as many rankings as there are, with replacement, and finds their consensus.
    Whole weights are repeat counts: a weight of 3 is three voters. Where weights are fractions,
    each sample draws `n_rankings` rankings, with probabilities in proportion to the weights.

    Where a sample has several optimal orders, one of them is drawn: no item gains by its number,
    nor by its place in the consensus.

    Args:
        data: The rankings. A matrix of pairwise counts has no voters to draw.
        samples: How many samples to draw.
        seed: A whole number; the same seed gives the same intervals, on any number of threads.
        level: The level of the intervals, between 0 and 1.
        consensus: The ranking to judge, such as the result of `aggregate`; found if not given.
        n_jobs: Threads; as many as there are cores by default.
        time_limit: Seconds after which no more samples are drawn.
        on_progress: Called with the number of samples done and of all, at most ten times a
            second.

    Returns:
        The intervals and shares. Ctrl-C returns those of the samples done so far.

    Example:
        >>> votes = Rankings.from_orders([["a", "b"], ["b", "a"]], weights=[60, 40])
        >>> firm = bootstrap(votes, samples=400, seed=1)
        >>> firm.items, 0.9 < firm.stands[0] < 1
        (('a', 'b'), True)
    """
    started = time.perf_counter()
    if not isinstance(data, Rankings):
        raise InputError(
            "bootstrap draws the voters again, so it needs the Rankings themselves, not "
            f"{type(data).__name__}: a matrix of pairwise counts does not tell its voters apart"
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
    """The ballots to draw from, and the draws themselves.

    The consensus numbers the items, so that their numbers in the input make no difference.
    """

    def __init__(self, data: Rankings, order: Int64, seed: int) -> None:
        self.seed = seed
        self.n_items = data.n_items
        data = data.explicit()
        place = np.empty(order.size, np.int32)
        place[order] = np.arange(order.size)
        self._ballots = (data.offsets, place[data.members], data.buckets)
        # Whole weights are repeat counts; those of fractions say how likely a ballot is.
        self.voters = int(data.units.sum()) if data.scale == 1 else data.n_rankings
        self._shares = data.units / data.units.sum()
        self._ballot_of = None
        if data.scale == 1 and self.voters <= _VOTERS_A_BALLOT * data.n_distinct:
            self._ballot_of = np.repeat(np.arange(data.n_distinct), data.units)

    def _draw(self, random: np.random.Generator) -> Int64:
        """Return how often each ballot is drawn; few voters are drawn one by one."""
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
            # Each sample has random numbers of its own, whoever draws it.
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
        """How many samples one task draws and solves."""
        # Of many ballots or items, so few that Ctrl-C and time limits do not wait for long.
        work = int(self._shares.size) * self.n_items + self.n_items**3
        return max(1, min(_SAMPLES, _WORK // work))


def _solve_all(
    draws: _Draws,
    samples: int,
    threads: int,
    over: Callable[[], bool],
    on_progress: Callable[[int, int], Any] | None,
) -> tuple[Int32, Any, bool]:
    """Return the orders of the samples, whether each is proven, and whether Ctrl-C came first.

    The samples returned are the first ones, without a gap, and one task's at least.
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
        # Who interrupts now comes too late: nothing is left to stop.
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
    """Sum up the orders of all samples, in which items are numbered by the consensus."""
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
