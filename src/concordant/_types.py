"""Names for the arrays that modules hand to each other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float = npt.NDArray[np.float64]
# What a before b costs less what b before a costs, in the narrowest integers that hold it.
Margins = npt.NDArray[np.int32] | npt.NDArray[np.int64]
# The state of the random generator of a kernel.
Stream = npt.NDArray[np.uint64]
# Which items are known to be before which others, transitively closed.
Relation = npt.NDArray[np.int8]
