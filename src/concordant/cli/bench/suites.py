"""`concordant bench suites`: list the suites of experiments and how long they take."""

import math
import sys

from concordant.errors import SettingError

EXAMPLES = ("concordant bench suites",)


def run() -> None:
    """List the suites with, for each scale, the number of tasks and the longest time they take.

    The times are upper limits for 'bench run --jobs 2' on two cores: most tasks finish earlier.
    """
    from concordant.bench.runner import estimate, plan_tasks
    from concordant.bench.suites import SCALES, SUITES, Plan, get
    from concordant.cli.terminal import show_suites

    rows = []
    for name in SUITES:
        suite = get(name)
        try:
            planned = [plan_tasks(suite, Plan(scale)) for scale in SCALES]
        except SettingError as error:
            # Its tasks need a package that is not installed.
            rows.append([name, "-", "-", "-", f"{suite.summary} ({error})"])
            continue
        sizes = [f"{len(tasks):,} in {_most(estimate(tasks, 2))}" for tasks in planned]
        rows.append([name, *sizes, suite.summary])
    show_suites(rows, sys.stdout)


def _most(seconds: float) -> str:
    """Return a time, rounded up to whole seconds, minutes, hours or days."""
    for size, unit in ((1, "s"), (60, "min"), (3600, "h")):
        if seconds <= 100 * size:
            return f"{math.ceil(seconds / size)} {unit}"
    return f"{math.ceil(seconds / 86400)} days"
