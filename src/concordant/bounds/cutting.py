"""Cutting planes with HiGHS: the linear program over triangles, solved to the end.

The dual ascent solves the same program, and faster: at 250 items in seconds, where simplex
stalls. This is the independent way to its optimum, by which the ascent is checked. Active
triangles are the rows to start with; violated ones are added, slack ones dropped. The duals are
multipliers like any other, so the exact bound of `ascent.exact_bound` applies to them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._kernels import triangles as kernels
from concordant._types import Float, Int64
from concordant.bounds.ascent import Relation, never

# Rows added in one round, and the violation that counts.
_MOST_ROWS = 5_000
_VIOLATION = 1e-6
# The solver is asked to come back this often, to see whether the run is over.
_SECONDS = 0.5


class CuttingPlanes:
    """The linear program of one node: pairs that are free, and some of the triangles.

    Attributes:
        x: The last fractional solution, on all pairs.
        value: The relative cost of it, in floating point.
        optimal: Whether no triangle is violated: `value` is the bound of all triangles.
    """

    def __init__(self, costs: Int64, before: Relation, triangles: npt.NDArray[np.int32]) -> None:
        import highspy

        k = costs.shape[0]
        self._costs = costs
        self._before = before
        free = np.triu((before | before.T) == 0, 1)
        self._pairs = np.argwhere(free)
        self._column = np.full((k, k), -1, np.int64)
        self._column[free] = np.arange(self._pairs.shape[0])
        self._fixed = np.triu(before, 1).astype(np.float64)
        self.x = self._fixed.copy()
        self.value = -np.inf
        self.optimal = False
        self._triangles = np.zeros((0, 3), np.int32)
        self._known: set[tuple[int, int, int]] = set()
        self._inf = highspy.kHighsInf
        self._highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        self._highs.setOptionValue("presolve", "off")
        n = self._pairs.shape[0]
        empty = np.zeros(0, np.int32)
        self._highs.addCols(
            n,
            costs[free].astype(np.float64),
            np.zeros(n),
            np.ones(n),
            0,
            np.zeros(n, np.int32),
            empty,
            np.zeros(0),
        )
        self._add(triangles)

    def _add(self, triangles: npt.NDArray[np.int32]) -> int:
        """Add rows; triangles that the relation settles are left out."""
        columns = np.stack(
            [self._column[triangles[:, p], triangles[:, q]] for p, q in ((0, 1), (1, 2), (0, 2))],
            axis=1,
        )
        constant = (
            self._fixed[triangles[:, 0], triangles[:, 1]]
            + self._fixed[triangles[:, 1], triangles[:, 2]]
            - self._fixed[triangles[:, 0], triangles[:, 2]]
        )
        kept = (columns >= 0).sum(axis=1) > 0
        fresh = np.array([tuple(row) not in self._known for row in triangles.tolist()], bool)
        kept &= fresh
        triangles, columns, constant = triangles[kept], columns[kept], constant[kept]
        present = columns >= 0
        signs = np.broadcast_to(np.array([1.0, 1.0, -1.0]), columns.shape)
        sizes = present.sum(axis=1)
        starts = np.cumsum(sizes) - sizes
        self._highs.addRows(
            len(columns),
            -constant,
            1.0 - constant,
            int(present.sum()),
            starts.astype(np.int32),
            columns[present].astype(np.int32),
            signs[present],
        )
        self._triangles = np.concatenate([self._triangles, triangles])
        self._known.update(tuple(row) for row in triangles.tolist())
        return len(columns)

    def round(self, deadline: float, stop: Callable[[], bool] = never) -> bool:
        """Solve, then add what is violated; False when stopped before the end.

        Args:
            deadline: A time of `time.perf_counter` after which to give up.
            stop: Asked now and then while the solver runs.
        """
        import highspy

        while True:
            remaining = deadline - time.perf_counter()
            if remaining <= 0 or stop():
                return False
            self._highs.setOptionValue(
                "time_limit", self._highs.getRunTime() + min(remaining, _SECONDS)
            )
            self._highs.run()
            status = self._highs.getModelStatus()
            if status == highspy.HighsModelStatus.kOptimal:
                break
            if status != highspy.HighsModelStatus.kTimeLimit:
                return False
        solution = self._highs.getSolution()
        values = np.clip(np.array(solution.col_value), 0.0, 1.0)
        self.x = self._fixed.copy()
        self.x[self._pairs[:, 0], self._pairs[:, 1]] = values
        self._y = -np.array(solution.row_dual)
        self.value = float(self._highs.getObjectiveValue()) + float(
            self._costs[self._fixed > 0].sum()
        )
        found = np.zeros((_MOST_ROWS, 3), np.int32)
        depth = np.zeros(_MOST_ROWS)
        number, _ = kernels.violated(self.x, _VIOLATION, _MOST_ROWS, found, depth)
        self._drop_slack()
        self.optimal = self._add(found[: int(number)]) == 0
        return True

    def _drop_slack(self) -> None:
        """Delete rows without a multiplier that are far from tight."""
        triangles = self._triangles
        s = (
            self.x[triangles[:, 0], triangles[:, 1]]
            + self.x[triangles[:, 1], triangles[:, 2]]
            - self.x[triangles[:, 0], triangles[:, 2]]
        )
        slack = (np.abs(self._y) < 1e-9) & (np.minimum(s, 1 - s) > 0.2)
        self._duals = (triangles[~slack], self._y[~slack])
        if slack.sum() * 4 < slack.size:
            self._duals = (triangles, self._y)
            return
        rows = np.flatnonzero(slack).astype(np.int32)
        self._highs.deleteRows(rows.size, rows)
        self._known.difference_update(tuple(row) for row in triangles[slack].tolist())
        self._triangles = triangles[~slack]

    def start(self) -> tuple[npt.NDArray[np.int32], Float]:
        """Return triangles and multipliers of the last solution, to go on with."""
        triangles, y = self._duals
        kept = np.abs(y) > 1e-12
        return np.ascontiguousarray(triangles[kept]), y[kept]
