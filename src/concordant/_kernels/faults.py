"""What can be wrong with a ranking: the numbers by which checks of both kinds say it."""

from __future__ import annotations

OK, BAD_ITEM, TWICE, BUCKETS_FALL = 0, 1, 2, 3
