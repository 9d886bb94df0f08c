"""Type names for arrays and choices that several modules use."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

import numpy as np
import numpy.typing as npt

Int8 = npt.NDArray[np.int8]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float = npt.NDArray[np.float64]
# The cost of a before b minus the cost of b before a, in the narrowest integers that can hold it.
Margins = npt.NDArray[np.int32] | npt.NDArray[np.int64]
# The state of the random generator of a kernel.
Stream = npt.NDArray[np.uint64]
# Entry [a, b] is 1 if a is known to be before b. The relation is transitive.
Relation = npt.NDArray[np.int8]

# The name of an item.
Item = Hashable
# The meaning of unranked items: no opinion, or tied behind all ranked items.
Unranked = Literal["unknown", "last"]
# How an item that a ranking repeats is treated: as an error, or only its first place counts.
Duplicates = Literal["error", "first"]
