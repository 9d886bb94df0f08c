"""`bootstrap`: how certain a consensus is, by resampling the voters and solving each sample."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._checks import at_least, threads_of, true_or_false
from concordant._files import atomic_write, read_json
from concordant._kernels.compiling import watch_compilation
from concordant._names import plain_item
from concordant._types import Int32, Int64
from concordant.aggregation import aggregate
from concordant.consensus import Consensus
from concordant.errors import InputError, SettingError, cut
from concordant.formatting import counted, percent, share
from concordant.pages import notebook_table
from concordant.pairwise import order_of
from concordant.rankings import Item, Rankings
from concordant.samples import Draws, TierDraws
from concordant.tiers.aggregation import TieSettings
from concordant.tiers.resampling import places_of

if TYPE_CHECKING:
    import polars as pl

_KIND = "concordant-bootstrap"
_VERSION = 1
_LARGEST_SEED = 2**63 - 1
_MOST_SAMPLES = 1_000_000
# The search for the consensus ends after this number of generations, proven or not. No clock
# decides, so that the same seed gives the same intervals.
_GENERATIONS = 30
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
        tiers: The consensus, where it is an answer with ties; None for others. Tied items then
            share the first of their places, also in the samples.
        tied: For each item but the last, the share of the samples in which it is tied with the
            item that follows it; None without `tiers`.

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
    tiers: tuple[tuple[Item, ...], ...] | None = None
    tied: tuple[float, ...] | None = None

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
        if self.tiers is None:
            del facts["tiers"], facts["tied"]
        else:
            facts["tiers"] = [[plain_item(item) for item in tier] for tier in self.tiers]
        return facts

    def to_frame(self) -> pl.DataFrame:
        """Return the places as a polars frame, a row per item, best first.

        The columns are place, item, low, median, high, first and stands; see the attributes. The
        last item has no `stands`. With ties, there is a column tied as well.

        Example:
            >>> from concordant import Rankings
            >>> firm = bootstrap(Rankings.from_orders([["a", "b"]] * 3), samples=10)
            >>> firm.to_frame().rows()
            [(1, 'a', 1, 1, 1, 1.0, 1.0), (2, 'b', 2, 2, 2, 0.0, None)]
        """
        from concordant.tables.writing import named_frame

        names = ("low", "median", "high", "first")
        values: dict[str, Any] = {"place": self.places}
        values |= {name: getattr(self, name) for name in names}
        values["stands"] = [*self.stands, None][: self.n_items]
        if self.tied is not None:
            values["tied"] = [*self.tied, None][: self.n_items]
        frame = named_frame(self.items, {"item": range(self.n_items)}, values)
        return frame.select("place", "item", *names, *list(values)[5:])

    @property
    def places(self) -> list[int]:
        """The place of each item in the consensus; tied items share the first of theirs."""
        if self.tiers is None:
            return list(range(1, self.n_items + 1))
        sizes = np.array([len(tier) for tier in self.tiers])
        first: list[int] = np.repeat(1 + np.cumsum(sizes) - sizes, sizes).tolist()
        return first

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
            if field.name not in facts and field.name in ("tiers", "tied"):
                continue
            if field.name not in facts:
                raise InputError(f"it has no {field.name!r}")
            value = facts[field.name]
            kept[field.name] = tuple(value) if isinstance(value, list) else value
        m = len(kept["items"])
        if kept.get("tiers") is not None:
            kept["tiers"] = tuple(tuple(tier) for tier in kept["tiers"])
            if tuple(item for tier in kept["tiers"] for item in tier) != kept["items"]:
                raise InputError("'tiers' must have the items in their order")
        for name in ("low", "median", "high", "stands", "first", "tied"):
            numbers = kept.get(name)
            if name == "tied" and kept.get("tiers") is None:
                continue
            wanted = max(0, m - 1) if name in ("stands", "tied") else m
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
        columns: list[Any] = [self.places, self.items, intervals, self.median, first, stands]
        heads.append("before the next in")
        if self.tied is not None:
            columns.append([*map(share, self.tied), None])
            heads.append("tied with the next in")
        return notebook_table(caption, heads, zip(*columns, strict=False))


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
    ties: bool = False,
    tie_penalty: float | None = None,
    vote_tie_penalty: float | None = None,
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
        ties: Whether to find the best answer with ties of each sample, as `aggregate` does with
            `ties=True`. A consensus with tiers asks for it, with its own penalties and number of
            tiers.
        tie_penalty: What a vote that orders a pair charges a tie; 0.5 by default.
        vote_tie_penalty: What a vote that ties a pair charges an order; `tie_penalty` by default.

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
    settings = _tie_settings(consensus, ties, tie_penalty, vote_tie_penalty)
    if data.units.sum() == 0:
        raise InputError("no ranking has any weight: there is no voter to draw")
    with watch_compilation() as watch:

        def elapsed() -> float:
            return time.perf_counter() - started - watch.seconds

        order, sizes = _consensus_order(data, consensus, seed, threads, time_limit, settings)
        draws = Draws(data, order, seed)
        if settings is not None:
            draws = TierDraws(data, order, seed, settings, sizes)
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
        sizes=None if settings is None else sizes,
        exact=float(proven.mean()),
        requested=int(samples),
        seed=int(seed),
        level=float(level),
        voters=draws.voters,
        interrupted=interrupted,
    )


def _tie_settings(
    consensus: Any, ties: bool, tie_penalty: float | None, vote_tie_penalty: float | None
) -> TieSettings | None:
    """Return what answers with ties are asked for, by the arguments or by the consensus."""
    true_or_false("ties", ties)
    tiers = None
    if isinstance(consensus, Consensus) and consensus.tiers is not None:
        if tie_penalty is not None or vote_tie_penalty is not None:
            raise SettingError(
                "the consensus has tiers, and with them its penalties: leave out tie_penalty and "
                "vote_tie_penalty"
            )
        tie_penalty, vote_tie_penalty = consensus.tie_penalty, consensus.vote_tie_penalty
        ties, tiers = True, consensus.settings.get("tiers")
    given = {} if tie_penalty is None else {"tie_penalty": tie_penalty}
    return TieSettings.take("auto", {"ties": ties, **given}, vote_tie_penalty, tiers)


def _consensus_order(
    data: Rankings,
    consensus: Consensus | Sequence[Item] | None,
    seed: int,
    threads: int,
    time_limit: float | None,
    settings: TieSettings | None,
) -> tuple[Int64, list[int]]:
    """Return the items in the order of the consensus, and the sizes of its tiers."""
    if isinstance(consensus, Consensus) and consensus.constraints is not None:
        raise SettingError(
            "bootstrap does not take a result with constraints: its samples are solved without them"
        )
    if consensus is None:
        asked: dict[str, Any] = {}
        if settings is not None:
            asked = {"ties": True, "tie_penalty": settings.tie_penalty}
            asked["vote_tie_penalty"] = settings.vote_tie_penalty
        found = aggregate(
            data,
            seed=seed,
            n_jobs=threads,
            max_generations=_GENERATIONS,
            time_limit=time_limit,
            **asked,
        )
        if found.interrupted:
            raise KeyboardInterrupt
        consensus = found
    sizes = [1] * data.n_items
    ranking: Sequence[Item]
    if isinstance(consensus, Consensus):
        ranking = consensus.ranking_of(data.items)
        if consensus.tiers is not None:
            sizes = [len(tier) for tier in consensus.tiers]
    else:
        ranking = list(consensus)
    try:
        return order_of(ranking, data.items), sizes
    except InputError as error:
        raise InputError(f"consensus: {error.message}") from None


def _solve_all(
    draws: Draws,
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
    found: Int32,
    *,
    sizes: list[int] | None,
    exact: float,
    requested: int,
    seed: int,
    level: float,
    voters: int,
    interrupted: bool,
) -> Bootstrap:
    """Summarize what was found in all samples, whose items are numbered by the consensus.

    That is orders or, with the `sizes` of the tiers of the consensus, the tier of each item.
    """
    n, m = found.shape
    tiers = tied = None
    positions: Int32 = np.empty((n, m), np.int32)
    if sizes is None:
        np.put_along_axis(positions, found, np.arange(1, m + 1, dtype=np.int32)[None, :], axis=1)
    else:
        positions = places_of(found)
        tied = tuple((positions[:, :-1] == positions[:, 1:]).mean(axis=0).tolist())
        ends = np.cumsum(sizes).tolist()
        tiers = tuple(items[end - k : end] for end, k in zip(ends, sizes, strict=True))
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
        tiers=tiers,
        tied=tied,
    )
