"""Count how often a method checks its limits, so that tests of limits need no seconds."""

from typing import Any

from concordant.algorithms.registry import get
from concordant.rankings import Rankings
from concordant.running import Run


def looked(method: str, data: Rankings, limit: int = 10**9, **options: Any) -> tuple[Run, int]:
    """Run a method until it has checked its limits `limit` times; return the run and the count."""
    looks = 0

    def rule(progress: object) -> bool:
        nonlocal looks
        looks += 1
        return looks >= limit

    run = Run(data, rule=rule)
    chosen = get(method)
    chosen.function()(run, chosen.make_settings(options))
    return run, looks
