"""Whether Spark can be tested here."""

import importlib.util
import os
import shutil


def missing() -> str:
    """Return why Spark cannot be tested, or nothing if it can."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed; `make test-spark` installs it"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "Spark needs Java 17 or newer, and there is no Java"
    if "PYTEST_XDIST_TESTRUNUID" in os.environ or "PYTEST_XDIST_WORKER" in os.environ:
        return "processes that run tests side by side cannot share a session; run `make test-spark`"
    return ""
