"""`insertion`: descent from Borda's order to a local optimum under insertion."""

from __future__ import annotations

import numpy as np

from concordant._kernels.descent import Descent
from concordant.algorithms.scoring import counted_in_time
from concordant.running import Run
from concordant.solver.parts import SPLITTING, PartOrders

# Items compared between two checks of the limits: a few milliseconds.
_SLICE = 10_000_000


def insertion(run: Run, settings: None) -> None:
    """Move items to their best places, from Borda's order, until no move improves."""
    if not counted_in_time(run, SPLITTING):
        return
    parts = PartOrders(run)
    for p in parts.unsolved():
        order = parts.orders[p].astype(np.int32)
        descent = Descent(parts.split.parts[p].margins, order, parts.costs[p])
        while not descent.finished and not run.stop():
            run.iterations += descent.advance(_SLICE)
            parts.offer(p, order, descent.cost)
            parts.report()
