"""Counting, searching and comparing on a Dask cluster: the public functions.

Needs the extra `dask`, which is imported only when a function needs it.
"""

from __future__ import annotations

from concordant.counting.cluster import cluster, connect, count

__all__ = ["cluster", "connect", "count"]
