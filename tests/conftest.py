"""Settings that all tests share."""

from hypothesis import settings

# No deadline: the first call of a kernel compiles it, which takes seconds. Derandomised, so that
# a change is judged by what it changes; look for new cases with `--hypothesis-profile=explore`.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("default")
