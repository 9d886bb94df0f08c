"""What the searches remember between slices, and the arrays that they take together.

A search runs in slices of some milliseconds. What it has to remember is one array of integers,
whose places are named here and nowhere else. A record with named fields would read better, but
handing one to a kernel takes microseconds, which a short descent has not got.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from concordant._types import Int32, Int64, Margins, Stream

# The cost of the present order, and the least since the start of a walk.
COST, BEST, ITERATIONS = 0, 1, 2
# Descent: the next item to look at, and how many in a row were at their best place.
ITEM, SCANNED = 3, 4
# Late acceptance: the cost list's next entry, its largest cost and how often that is there;
# idle iterations, and candidates refused, in a row.
TURN, F_MAX, COUNT, IDLE, REFUSED = 5, 6, 7, 8, 9
# A worker of a generation: the child under way, and whether it is being improved.
CHILD, IMPROVING = 10, 11
_SIZE = 12


def new_state(cost: int) -> Int64:
    """Return the state of a search that starts from an order of this cost."""
    state = np.zeros(_SIZE, np.int64)
    state[COST] = state[BEST] = cost
    return state


class Ballots(NamedTuple):
    """Rankings in the arrays of `Rankings`, and where each has its items.

    where[k, a] is the index of item a of ranking k in `members`, -1 where it is not ranked.
    """

    offsets: Int64
    members: Int32
    buckets: Int32
    units: Int64
    where: Int32


class LadsRules(NamedTuple):
    """The settings of a LADS search, as its kernel wants them.

    An iteration takes `step_work` units of work, an accepted one `move_work` more. The search
    ends after `max_idle` idle iterations, or after `max_refused` candidates refused in a row.
    """

    insertion: bool
    count_all: bool
    evaluator: int
    max_idle: int
    max_refused: int
    step_work: int
    move_work: int


class Walk(NamedTuple):
    """The arrays that a late acceptance walk changes: see `moves.lay_out` for the columns."""

    order: Int32
    best: Int32
    rank: Int64
    columns: Margins
    history: Int64
    stream: Stream


class Rules(NamedTuple):
    """The problem of a memetic search and its settings, as its kernel wants them.

    New starts are drawn evenly, or sorted by the margins with a random share of the items.
    """

    margins: Margins
    total: int
    crossover: int
    even: bool


class Worker(NamedTuple):
    """The arrays of one worker: an order, the bounds of its descent, a random stream."""

    order: Int32
    bounds: Int64
    stream: Stream


class GaRules(NamedTuple):
    """The problem of a genetic algorithm and its settings, as its kernel wants them.

    Parents win tournaments of so many members; a child is mutated with the probability
    `mutated` of 2^32. An operator of -1 is drawn anew for each child.
    """

    margins: Margins
    total: int
    crossover: int
    mutation: int
    mutated: int
    tournament: int


class Ant(NamedTuple):
    """An order that is being built: the items left over, and what each wins against those."""

    order: Int32
    left: Int64
    potential: Int64
