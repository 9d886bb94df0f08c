"""`insertion`: items moved to their best places until no move improves."""

from __future__ import annotations

import numpy as np

from concordant._kernels import memetic as kernels
from concordant.algorithms.parts import PartOrders
from concordant.running import Run

# Items looked at in one slice, a few milliseconds.
_SLICE = 10_000_000


def insertion(run: Run, settings: None) -> None:
    """Move items to their best places, from Borda's order, until no move improves."""
    parts = PartOrders(run)
    for p in parts.unsolved():
        order = parts.orders[p].astype(np.int32)
        state = np.zeros(kernels.STATE_SIZE, np.int64)
        state[kernels.COST] = parts.costs[p]
        while state[kernels.SCANNED] < order.size and not run.stop():
            before = int(state[kernels.ITERATIONS])
            kernels.descend(parts.split.parts[p].margins, order, state, _SLICE)
            run.iterations += int(state[kernels.ITERATIONS]) - before
            parts.offer(p, order, int(state[kernels.COST]))
            parts.report()
