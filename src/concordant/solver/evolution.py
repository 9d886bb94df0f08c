"""The memetic search of `auto`: generations whose members must differ, less and less over time.

A generation has as many children as members. Parents and children compete for the places of the
next one: cheap orders first, but none nearer to another than a threshold, which falls from 0.7
of the mean distance of the first population to nothing over the course of an epoch. So the search
explores while there is time, and commits at the end (explicit diversity management: Segura,
Botello Rionda, Hernández Aguirre and Valdez Peña 2015). Epochs begin from scratch: two short ones,
so that an early stop has something, then one for the rest of the time.

A search that continues an earlier one, on data that differ little, takes its elite as the first
members and has a single epoch, which begins with their distance. The elite is half of the
population early in the last epoch: cheap orders that differ. Later members are too much alike for a
search from them to find much.

The schedule counts iterations. It is planned from the rate so far and the time left, and the plan
is part of the result, so that a timed run can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from concordant._kernels import evolution as kernels
from concordant._kernels.descent import Descent
from concordant._kernels.state import (
    CHILD,
    IMPROVING,
    ITERATIONS,
    Rules,
    Table,
    Worker,
    new_state,
)
from concordant._kernels.sweeps import blocks_of
from concordant._types import Int64, Margins
from concordant.reduction.split import Part
from concordant.running import Run, stream
from concordant.solver.parts import PartOrders

if TYPE_CHECKING:
    from concordant.solver.auto import AutoSettings

CROSSOVERS = {
    "merge": kernels.MERGE,
    "order-based": kernels.ORDER_BASED,
    "cpsc": kernels.CPSC,
    "position-based": kernels.POSITION_BASED,
    "none": kernels.NONE,
}
# Children improved side by side. The answer depends on this number, so it is fixed: it does not
# follow the number of threads.
_WORKERS = 4
# Items evaluated in one round by all workers: about ten milliseconds.
_ROUND = 8_000_000
# Members of a population: 100 at 250 items and ten seconds; it grows with a power of the time and
# shrinks with a power of the number of items, within limits.
_MEMBERS, _POWER, _FEWER, _FEWEST, _MOST = 100, 0.4, 1.3, 8, 200
# Up to this number of items, children are improved in sweeps.
_SWEEPS = 1000
# Items evaluated per second, roughly: it turns iterations into seconds. In sweeps they are more.
_RATE, _RATE_IN_SWEEPS = 4e8, 8e8
# The short epochs: in seconds, and as shares of short limits.
_EPOCHS = ((0.2, 0.02), (0.8, 0.08))
# The last epoch ends at this share of the limit, in this many segments. Without a limit, each
# epoch is longer than the one before by this factor.
_PLANNED, _SEGMENTS, _GROWTH = 0.97, 20, 4.0
# At this share of the last epoch, half of its members are kept as the elite.
_KEPT = 0.2


def _in_sweeps(items: int, settings: AutoSettings) -> bool:
    """Return whether children with this number of items are improved in sweeps."""
    return settings.descent == "sweeps" or (settings.descent is None and items <= _SWEEPS)


class Schedule:
    """The length of each epoch and the progress of the present one, in iterations.

    The last epoch has segments. The length of each is planned when it begins, from the rate of
    the one before and the time left. So the plan adapts to the machine, and any other machine
    can repeat it.

    Attributes:
        plan: The lengths of all segments so far.
        last: Whether the present epoch is to fill the rest of the time.
    """

    def __init__(self, run: Run, items: int, settings: AutoSettings) -> None:
        # A search that continues an earlier one needs no short epochs.
        self._epoch = -1 if run.elite is None else len(_EPOCHS) - 1
        self._run = run
        # Iterations per second on a typical machine.
        self._typical = (_RATE_IN_SWEEPS if _in_sweeps(items, settings) else _RATE) / items
        self._given = settings.plan
        self.plan: list[int] = []
        self.last = False
        self._segments = 1
        self._segment = 0
        self._since = (0, 0.0)

    def begin_epoch(self) -> None:
        """Begin an epoch."""
        limited = self._run.time_limit is not None or self._run.max_iterations is not None
        self._epoch += 1
        self.last = self._epoch >= len(_EPOCHS) and (limited or bool(self._given))
        self._segments = _SEGMENTS if self.last else 1
        self._segment = 0
        self._plan_segment()

    def _plan_segment(self) -> None:
        run, number = self._run, len(self.plan)
        length = self._given[number] if number < len(self._given) else self._length()
        self._since = (run.iterations, run.elapsed)
        self.plan.append(max(1, int(length)))

    def _length(self) -> float:
        run = self._run
        share = _EPOCHS[self._epoch][1] if self._epoch < len(_EPOCHS) else 0.0
        if run.max_iterations is not None:
            if not self.last:
                return share * run.max_iterations
            left = _PLANNED * run.max_iterations - run.iterations
            return left / (_SEGMENTS - self._segment)
        rate = self._rate()
        if not self.last:
            if self._epoch >= len(_EPOCHS) and self.plan:
                return self.plan[-1] * _GROWTH
            seconds = _EPOCHS[min(self._epoch, len(_EPOCHS) - 1)][0]
            limit = run.time_limit
            return rate * (seconds if limit is None else min(seconds, share * limit))
        left = _PLANNED * (run.time_limit or 0.0) - run.elapsed
        return rate * left / (_SEGMENTS - self._segment)

    def _rate(self) -> float:
        """Return the iterations per second: of the last segment, or a typical rate."""
        done, seconds = self._run.iterations - self._since[0], self._run.elapsed - self._since[1]
        return done / seconds if self.plan and done and seconds > 0 else self._typical

    @property
    def seconds(self) -> float:
        """The length of the present epoch in seconds, at a typical rate."""
        return self.plan[-1] * self._segments / self._typical

    @property
    def progress(self) -> float:
        """The progress of the present epoch: from 0 to 1, and above 1 when it is over."""
        inside = (self._run.iterations - self._since[0]) / self.plan[-1]
        if inside >= 1 and self._segment + 1 < self._segments:
            self._segment += 1
            self._plan_segment()
            inside = 0.0
        return (self._segment + inside) / self._segments


class Population:
    """The members of one part, and the generation under way."""

    def __init__(
        self,
        part: Part,
        order: Int64,
        settings: AutoSettings,
        rng: np.random.Generator,
        elite: Callable[[], list[Int64]] | None = None,
    ) -> None:
        self.part = part
        self._settings = settings
        self._rng = rng
        m = part.size
        in_sweeps = _in_sweeps(m, settings)
        margins = wide_enough(part.margins) if in_sweeps else part.margins
        self._rules = {
            even: Rules(margins, part.total, CROSSOVERS[settings.crossover], even)
            for even in (False, True)
        }
        self._workers = [
            Worker(
                np.empty(m, np.int32),
                np.zeros((2, 0 if in_sweeps else m), np.int64),
                table_of(margins, m if in_sweeps else 0),
                stream(rng),
            )
            for _ in range(_WORKERS)
        ]
        self._states = [new_state(0) for _ in range(_WORKERS)]
        self.best_order = order.astype(np.int32)
        self.best_cost = part.cost(order)
        # First the start is improved to a local optimum. The elite of an earlier search follows,
        # unless the proof has ended the run by then.
        self._first = [Descent(part.margins, self.best_order.copy(), self.best_cost)]
        self._elite = elite
        self._members = np.empty((0, m), np.int32)
        self._costs = np.empty(0, np.int64)
        self._kept: npt.NDArray[np.int32] | None = None
        self._epochs = 0
        self._goes_on = False
        self.generations = 0

    @property
    def iterations(self) -> int:
        """Insertions evaluated so far."""
        first = sum(descent.iterations for descent in self._first)
        return first + int(sum(state[ITERATIONS] for state in self._states))

    @property
    def settled(self) -> bool:
        """Whether the first orders are local optima, so that generations can begin."""
        return self._elite is None and all(descent.finished for descent in self._first)

    def settle(self, budget: int) -> None:
        """Continue the first descents for about `budget` item evaluations."""
        waiting = [descent for descent in self._first if not descent.finished]
        if not waiting and self._elite is not None:
            part = self.part
            waiting = [
                Descent(part.margins, each.astype(np.int32), part.cost(each))
                for each in self._elite()
            ]
            self._first += waiting
            self._elite = None
        for descent in waiting:
            descent.advance(max(1, budget // len(waiting)))
            self.offer(descent.order.copy(), descent.cost)

    def elite(self) -> list[Int64]:
        """Return the best order, then the members that were kept, or else the last members."""
        kept = self._members if self._kept is None else self._kept
        return [order.astype(np.int64) for order in (self.best_order, *kept)]

    def begin(self, seconds: float) -> None:
        """Start an epoch with as many members as this many seconds can improve."""
        m = self.part.size
        self._goes_on = self._epochs == 0 and len(self._first) > 1
        size = self._settings.population
        if size is None and self._goes_on:
            size = max(len(self._first), _FEWEST)
        elif size is None:
            size = round(_MEMBERS * (seconds / 10) ** _POWER * (250 / m) ** _FEWER)
            size = min(max(size, _FEWEST), _MOST)
        self._members = np.empty((0, m), np.int32)
        self._costs = np.empty(0, np.int64)
        self._children = np.empty((size, m), np.int32)
        self._child_costs = np.zeros(size, np.int64)
        self._threshold = 0.0
        self._joined = False
        self._begin_generation()
        if self._goes_on:
            self._members = np.array([descent.order for descent in self._first])
            self._costs = np.array([descent.cost for descent in self._first])
            self._threshold = _nearest(self._members)
            self._joined = True
        elif self._epochs == 0:
            # The start, Borda's order or the caller's, is one of the first members.
            self._workers[0].order[:] = self.best_order
            self._states[0][IMPROVING] = 1
            kernels.resume(self._workers[0], self._states[0], self.best_cost)
        self._epochs += 1

    def _begin_generation(self) -> None:
        for n, state in enumerate(self._states):
            state[CHILD] = n
            state[IMPROVING] = 0

    @property
    def is_complete(self) -> bool:
        """Whether all children of the generation are finished."""
        return all(state[CHILD] >= self._children.shape[0] for state in self._states)

    def tasks(self, budget: int) -> list[Any]:
        """Return the tasks of the workers, each for about `budget` item evaluations."""
        # Half of the first members are uniformly random: votes have a trend, matrices need not.
        return [
            partial(
                kernels.improve, self._rules[n % 2 == 1], self._members, self._costs,
                self._members.shape[0], self._children, self._child_costs, worker, _WORKERS,
                self._states[n], budget,
            )
            for n, worker in enumerate(self._workers)
            if self._states[n][CHILD] < self._children.shape[0]
        ]  # fmt: skip

    def take_best(self) -> None:
        """Keep the best child, finished or not, if it is the best order so far."""
        for n, state in enumerate(self._states):
            finished = self._child_costs[n : state[CHILD] : _WORKERS]
            if finished.size and int(finished.min()) < self.best_cost:
                k = n + _WORKERS * int(finished.argmin())
                self.best_cost = int(self._child_costs[k])
                self.best_order = self._children[k].copy()
            if state[IMPROVING] and int(state[0]) < self.best_cost:
                self.best_cost = int(state[0])
                self.best_order = self._workers[n].order.copy()

    def offer(self, order: npt.NDArray[np.signedinteger], cost: int) -> None:
        """Keep an order from elsewhere if it is better."""
        if cost < self.best_cost:
            self.best_order, self.best_cost = order.astype(np.int32), cost

    def next_generation(self, progress: float, last: bool) -> None:
        """Choose the members of the next generation, and begin it."""
        orders = np.concatenate([self._members, self._children])
        costs = np.concatenate([self._costs, self._child_costs])
        if self._members.shape[0] == 0:
            mean = float(_distances(self._children).mean()) if len(self._children) > 1 else 0.0
            self._threshold = self._settings.diversity * mean
        elif last and progress >= 0.5 and not self._joined:
            # The best of the earlier epochs joins half way through the last one.
            orders = np.concatenate([orders, self.best_order[None]])
            costs = np.append(costs, self.best_cost)
            self._joined = True
        if last and progress >= _KEPT and self._kept is None:
            self._kept = self._members if self._goes_on else self._half()
        distance = max(1, round(self._threshold * max(0.0, 1 - progress)))
        chosen = np.empty(self._children.shape[0], np.int64)
        kernels.survivors(orders, costs, distance, chosen)
        self._members, self._costs = orders[chosen], costs[chosen]
        self.generations += 1
        self._begin_generation()

    def _half(self) -> npt.NDArray[np.int32]:
        """Return half of the members: cheap ones, at least the median distance apart."""
        chosen = np.empty(max(_FEWEST, self._members.shape[0] // 2), np.int64)
        chosen = chosen[: self._members.shape[0]]
        distance = max(1, round(_nearest(self._members)))
        kernels.survivors(self._members, self._costs, distance, chosen)
        return self._members[chosen]


def wide_enough(margins: Margins) -> Margins:
    """Return margins in a type that holds the sum of any of a row."""
    largest = int(np.abs(margins, dtype=np.int64).sum(axis=1).max(initial=0))
    if largest < 2**31:
        return margins.astype(np.int32, copy=False)
    return margins.astype(np.int64, copy=False)


def table_of(margins: Margins, items: int) -> Table:
    """Return the table of a descent in sweeps, with room for this number of items."""
    blocks, kind = blocks_of(items), margins.dtype
    return Table(
        np.empty((items + 1 if items else 0, items), kind),
        np.empty((blocks, items), kind),
        np.empty(items, kind),
        np.empty(blocks, np.bool_),
    )


def _nearest(orders: npt.NDArray[np.int32]) -> float:
    """Return the median distance of an order to its nearest neighbour."""
    return float(np.median(_distances(orders).min(axis=1))) if len(orders) > 1 else 0.0


def _distances(orders: npt.NDArray[np.int32]) -> Int64:
    """Return the distances of each order to all others, a row per order."""
    n = orders.shape[0]
    ranks = kernels.ranks_of(orders)
    found = np.empty((n, n), np.int64)
    for rank, row in zip(ranks, found, strict=True):
        kernels.distances_from(rank, ranks, row)
    return found[~np.eye(n, dtype=bool)].reshape(n, n - 1)


class Evolution:
    """The search on all unsolved parts, one round at a time."""

    def __init__(self, run: Run, parts: PartOrders, settings: AutoSettings) -> None:
        self._run = run
        self._parts = parts
        rng = run.rng()
        self._populations = {
            p: Population(
                parts.split.parts[p],
                parts.orders[p],
                settings,
                rng,
                None if run.elite is None else partial(self._inherited, run.elite, p),
            )
            for p in parts.unsolved()
        }
        sizes = [population.part.size for population in self._populations.values()]
        self._effort = sum(size**2 for size in sizes)
        self._schedule = Schedule(run, max(sizes, default=1), settings)
        self._offered: Int64 | None = None

    def _inherited(self, orders: Int64, p: int) -> list[Int64]:
        """Restrict orders of all items to a part."""
        part = self._parts.split.parts[p]
        return [part.order_in(np.argsort(order)) for order in orders]

    def __bool__(self) -> bool:
        """Whether there is something left to search for."""
        return bool(self._populations)

    def offer(self, order: Int64) -> None:
        """Offer an order of all items, from any thread; the next round uses it."""
        self._offered = order

    def elite(self) -> Int64 | None:
        """Return the orders to continue from, best first; None if nothing was searched."""
        if not self._populations:
            return None
        known = {p: each.elite() for p, each in self._populations.items()}
        orders = []
        for k in range(max(map(len, known.values()))):
            inside = list(self._parts.orders)
            for p, own in known.items():
                inside[p] = own[min(k, len(own) - 1)]
            orders.append(self._parts.split.join(inside))
        return np.array(orders)

    def _take_offer(self) -> None:
        order, self._offered = self._offered, None
        if order is None:
            return
        for p, inside in enumerate(self._parts.split.orders(order)):
            if p in self._populations:
                self._populations[p].offer(inside, self._parts.split.parts[p].cost(inside))

    def round(self, in_parallel: bool = True) -> None:
        """Run all workers for some milliseconds, and report what they found.

        Limits are checked between rounds only, so the number of threads changes nothing.
        """
        run, schedule = self._run, self._schedule
        self._take_offer()
        if not all(population.settled for population in self._populations.values()):
            self._settle(in_parallel)
            return
        if not schedule.plan or (schedule.progress >= 1 and not schedule.last):
            schedule.begin_epoch()
            for population in self._populations.values():
                population.begin(schedule.seconds)
        tasks = [
            task
            for population in self._populations.values()
            for task in population.tasks(
                max(1, _ROUND * population.part.size**2 // self._effort // _WORKERS)
            )
        ]
        self._work(tasks, in_parallel)
        run.iterations = sum(each.iterations for each in self._populations.values())
        for p, population in self._populations.items():
            population.take_best()
            self._parts.offer(p, population.best_order, population.best_cost)
            if population.is_complete:
                population.next_generation(schedule.progress, schedule.last)
        run.generations = sum(each.generations for each in self._populations.values())
        run.details["plan"] = schedule.plan
        self._parts.report()

    def _settle(self, in_parallel: bool) -> None:
        """Improve the first order of each part to a local optimum."""
        waiting = {p: each for p, each in self._populations.items() if not each.settled}
        effort = sum(each.part.size**2 for each in waiting.values())
        self._work(
            [
                partial(each.settle, max(1, _ROUND // 2 * each.part.size**2 // effort))
                for each in waiting.values()
            ],
            in_parallel,
        )
        self._run.iterations = sum(each.iterations for each in self._populations.values())
        for p, each in waiting.items():
            self._parts.offer(p, each.best_order, each.best_cost)
        self._parts.report()

    def _work(self, tasks: list[Any], in_parallel: bool) -> None:
        if in_parallel:
            self._run.in_parallel(tasks)
        else:
            for task in tasks:
                task()
