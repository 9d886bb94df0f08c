"""The state of a search between slices, and named groups of arrays that kernels take.

A search runs in slices of a few milliseconds. Its state is one array of integers, whose indices
are named here. A record with named fields would read better, but passing one to a kernel takes
microseconds, which is too long for a short descent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from concordant._types import Int32, Int64, Margins, Stream

# The cost of the current order, the least cost since the start, and the iterations.
COST, BEST, ITERATIONS = 0, 1, 2
# Descent: the next item to evaluate, and how many in a row were at their best place.
ITEM, SCANNED = 3, 4
# Late acceptance: the next entry of the cost list, the largest cost in it and the number of such
# entries; the idle iterations in a row, and the refused candidates in a row.
TURN, F_MAX, COUNT, IDLE, REFUSED = 5, 6, 7, 8, 9
# A worker of a generation: the current child, and whether it is being improved.
CHILD, IMPROVING = 10, 11
_SIZE = 12


def new_state(cost: int) -> Int64:
    """Return the state of a search that starts from an order of this cost."""
    state = np.zeros(_SIZE, np.int64)
    state[COST] = state[BEST] = cost
    return state


class Ballots(NamedTuple):
    """The arrays of `Rankings`, and the place of each item in them.

    where[k, a] is the index in `members` of item a in ranking k, -1 where it is not ranked.
    """

    offsets: Int64
    members: Int32
    buckets: Int32
    units: Int64
    where: Int32


class LadsRules(NamedTuple):
    """The settings of a LADS search, in the form that its kernel takes.

    An iteration takes `step_work` units of work, an accepted one `move_work` more. The search
    ends after `max_idle` idle iterations, or after `max_refused` refused candidates in a row.
    """

    insertion: bool
    count_all: bool
    evaluator: int
    max_idle: int
    max_refused: int
    step_work: int
    move_work: int


class Walk(NamedTuple):
    """The arrays that a late acceptance search changes; see `moves.lay_out` for the columns."""

    order: Int32
    best: Int32
    rank: Int64
    columns: Margins
    history: Int64
    stream: Stream


class Rules(NamedTuple):
    """The problem of a memetic search and its settings, in the form that its kernel takes.

    With `even`, first orders are uniformly random. Otherwise items are sorted by their margins
    with a random share of the other items.
    """

    margins: Margins
    total: int
    crossover: int
    even: bool


class Table(NamedTuple):
    """The arrays of a descent in sweeps (see `sweeps`); empty for a descent item by item."""

    sums: Margins
    lows: Margins
    least: Margins
    changed: npt.NDArray[np.bool_]


class Worker(NamedTuple):
    """The arrays of one worker: an order, those of its descent, a random stream."""

    order: Int32
    bounds: Int64
    table: Table
    stream: Stream


class GaRules(NamedTuple):
    """The problem of a genetic algorithm and its settings, in the form that its kernel takes.

    A parent is the best of `tournament` members. A child is mutated with probability
    `mutated` / 2^32. An operator of -1 is drawn for each child.
    """

    margins: Margins
    total: int
    crossover: int
    mutation: int
    mutated: int
    tournament: int


class PartialOrder(NamedTuple):
    """An order that is built place by place: the items left, and what each wins against these."""

    order: Int32
    left: Int64
    potential: Int64
