"""Spark Connect: the same model and the same counts as a session in the driver's process."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.spark.conftest import ROOT
from tests.spark.visits import COLUMNS, visits
from wmsketch.spark import WMSketchClassifier, explain


@pytest.mark.skipif(importlib.util.find_spec("grpc") is None, reason="Spark Connect needs grpcio: pyspark[connect]")
def test_connect_learns_what_a_session_learns(spark: Any, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"}
    environment["PYSPARK_PYTHON"] = sys.executable
    command = [sys.executable, "-m", "tests.spark.connected", str(tmp_path / "model")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    df = spark.createDataFrame(spark.sparkContext.parallelize(visits(600), 1), COLUMNS)
    model = WMSketchClassifier(labelCol="bought", budget="8KiB", rounds=2).fit(df)
    assert found["model"] == model.sketch.to_bytes().hex()
    assert found["first"] == model.transform(df).first().probability[1]
    assert (found["seen"], found["tokens"]) == (600, sum(None not in row for row in visits(600)))
    assert found["outliers"] == explain(df, "minutes>p80", budget="1MiB").outliers
    assert {name for name, *_ in found["items"]} == {"device=phone", "device=laptop", "device=tablet"}
    assert "with Spark Connect, save model.sketch instead" in found["said"]
