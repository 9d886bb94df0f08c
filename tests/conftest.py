"""Settings that all tests share."""

import signal

import pytest
from hypothesis import settings

from concordant._kernels.compiling import announce_nothing

# The fixtures `address`, `browser` and `page` of the tests of the page.
pytest_plugins = ["browsing"]

# No deadline: the first call of a kernel compiles it, which takes seconds. Derandomised, so that
# a change is judged by what it changes; look for new cases with `--hypothesis-profile=explore`.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("default")


def pytest_configure() -> None:
    """Let Ctrl-C work: shells have what they start in the background ignore it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Any test may be the first to need a kernel.
    announce_nothing()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave properties out of what is measured by `--cov`.

    They take twice as long when they are traced, and what they run is run by plain tests too: the
    share of lines that is reported is, if anything, too low.
    """
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("no_cover")
