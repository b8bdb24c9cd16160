"""Settings that every test shares."""

import signal
from importlib.util import find_spec
from typing import Any

from hypothesis import settings

from tests.spark.available import missing

# A background shell ignores Ctrl-C, and so would the processes that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run: failures are reproducible, and no test depends on the load of the machine.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

# tests/live needs a browser: `make test-live`
collect_ignore = ["live"] if all(map(find_spec, ("starlette", "uvicorn", "httpx"))) else ["live", "serve"]


def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    """Report what the test run has left out."""
    side_by_side = getattr(config.option, "numprocesses", None)
    reason = missing() or ("it wants a process of its own: run `make test-spark`" if side_by_side else "")
    if reason and config.args_source.name == "TESTPATHS":
        terminalreporter.write_line(f"skipped tests/spark: {reason}")
    if "serve" in collect_ignore:
        terminalreporter.write_line("skipped tests/serve: the extra serve is not installed")
    if config.args_source.name == "TESTPATHS":
        terminalreporter.write_line("skipped tests/live: it needs a browser: run `make test-live`")
