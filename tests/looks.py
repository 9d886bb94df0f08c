"""How often a method looks at its limits: what tests of limits count in place of seconds."""

from typing import Any

from concordant.algorithms.registry import get
from concordant.rankings import Rankings
from concordant.running import Run


def looked(method: str, data: Rankings, limit: int = 10**9, **options: Any) -> tuple[Run, int]:
    """Run a method until it has looked at its limits so often; return the run and the looks."""
    looks = 0

    def rule(progress: object) -> bool:
        nonlocal looks
        looks += 1
        return looks >= limit

    run = Run(data, rule=rule)
    chosen = get(method)
    chosen.function()(run, chosen.make_settings(options))
    return run, looks
