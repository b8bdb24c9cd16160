"""Settings that every test shares."""

from hypothesis import settings

# The same examples in every run: a failure is there for everybody, and no test depends on how busy the machine is.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
