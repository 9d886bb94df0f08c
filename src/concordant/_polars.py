"""polars, which reads and writes tables: loaded here, so that its absence has one clear message."""

from __future__ import annotations

from concordant.errors import SettingError

try:
    import polars as pl
except ModuleNotFoundError:
    raise SettingError(
        "tables and data frames need polars, which is not installed: pip install polars"
    ) from None

__all__ = ["pl"]
