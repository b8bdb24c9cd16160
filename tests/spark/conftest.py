"""A Spark session for the tests: one at a time, reused while the next test needs the same one."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.spark.available import missing

ROOT = Path(__file__).parent.parent.parent


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("filterwarnings", "ignore:PySpark does not yet fully support pandas:FutureWarning")
    # Spark leaves sockets of py4j to the garbage collector, which reports them at any time. The tests open none.
    config.addinivalue_line("filterwarnings", "ignore:unclosed <socket:ResourceWarning")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without Spark, no test is collected; tests/conftest.py reports why."""
    return True if missing() and collection_path.name.startswith("test_") else None


def session(master: str) -> Any:
    """Return the session on this master; a session on another is stopped first."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        if active.sparkContext.master == master:
            return active
        active.stop()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with warnings.catch_warnings(action="ignore"):
        spark = (
            SparkSession.builder.master(master)
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.default.parallelism", "2")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.executorEnv.PYTHONPATH", str(ROOT))  # tests are imported by executors
            .getOrCreate()
        )
    spark.sparkContext.setLogLevel("OFF")
    return spark


@pytest.fixture(scope="module")
def spark() -> Any:
    """Spark in this process, on two threads."""
    return session("local[2]")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Spark with two executors in separate processes."""
    import pyspark

    spark = session("local-cluster[2,1,1024]")
    folder = Path(pyspark.__file__).parent / "work" / spark.sparkContext.applicationId
    yield spark
    spark.stop()
    shutil.rmtree(folder, ignore_errors=True)
