"""An executor that lacks the package, and a Spark that is too old, say so in one sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.spark.visits import COLUMNS, visits
from wmsketch.spark import WMSketchClassifier, explain

HIDDEN = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == "wmsketch":
            raise ModuleNotFoundError("No module named 'wmsketch'", name="wmsketch")
sys.meta_path.insert(0, Hidden())
"""


def test_an_executor_without_the_package_says_so(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    df = spark.createDataFrame(visits(40), COLUMNS).coalesce(1)
    (tmp_path / "sitecustomize.py").write_text(HIDDEN)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    model = WMSketchClassifier(labelCol="bought", budget="8KiB").fit(df)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(python))
    sentence = r"^the Python of the executors \(.*\) has no module 'wmsketch': install wmsketch there, or send .*\)$"
    with pytest.raises(ImportError, match=sentence) as raised:
        WMSketchClassifier(labelCol="bought", budget="8KiB").fit(df)
    assert "\n" not in str(raised.value)
    with pytest.raises(ImportError, match=sentence):
        explain(df, "minutes>3")
    with pytest.raises(Exception, match="the Python of the executors"):
        model.transform(df).collect()


@pytest.mark.parametrize("version", ["3.5.7", "4.0.1"])
def test_an_older_spark_is_refused_in_one_sentence(version: str) -> None:
    code = f"""import pyspark
pyspark.__version__ = {version!r}
try:
    import wmsketch.spark
except ImportError as problem:
    print(problem)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == f"wmsketch.spark needs pyspark 4.1 or newer, found {version}: pip install 'pyspark>=4.1'\n"
