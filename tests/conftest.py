"""Settings that every test shares."""

import signal
from typing import Any

from hypothesis import settings

from tests.spark.available import missing

# A background shell ignores Ctrl-C, and so would the processes that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run: failures are reproducible, and no test depends on the load of the machine.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    """Report what the test run has left out."""
    side_by_side = getattr(config.option, "numprocesses", None)
    reason = missing() or ("it wants a process of its own: run `make test-spark`" if side_by_side else "")
    if reason and config.args_source.name == "TESTPATHS":
        terminalreporter.write_line(f"skipped tests/spark: {reason}")
