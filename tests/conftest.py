"""Settings that all tests share."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from hypothesis import settings

# No deadline: the first call of a kernel compiles it, which takes seconds. Derandomised, so that
# a change is judged by what it changes; look for new cases with `--hypothesis-profile=explore`.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("default")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave properties out of what is measured by `--cov`.

    They take twice as long when they are traced, and what they run is run by plain tests too: the
    share of lines that is reported is, if anything, too low.
    """
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("no_cover")


# The settings by which processes that tests start measure coverage.
measuring: dict[str, str] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Let no process measure coverage by itself.

    Most that are started run what is run in this process too, or no code of this package at all,
    and measuring takes as long again as what they do.
    """
    for name in [name for name in os.environ if name.startswith("COVERAGE_PROCESS")]:
        measuring[name] = os.environ.pop(name)


@contextmanager
def _measured() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in measuring.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="session")
def measured() -> Callable[[], AbstractContextManager[None]]:
    """A context for starting processes that run what runs nowhere else: their coverage counts."""
    return _measured
