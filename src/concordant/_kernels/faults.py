"""Numbers for the faults of a ranking, as compiled and plain checks return them."""

from __future__ import annotations

OK, BAD_ITEM, TWICE, BUCKETS_FALL = 0, 1, 2, 3
