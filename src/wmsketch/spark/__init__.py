"""wmsketch on Apache Spark: train on the executors, merge sketches of a fixed size, predict in place.

Needs pyspark 4.1 or newer: ``pip install wmsketch[spark]``.
"""

try:
    import pyspark as _pyspark
except ImportError as problem:
    raise ImportError("wmsketch.spark needs pyspark: pip install wmsketch[spark]") from problem

if tuple(map(int, _pyspark.__version__.split(".")[:2])) < (4, 1):
    raise ImportError(
        f"wmsketch.spark needs pyspark 4.1 or newer, found {_pyspark.__version__}: pip install 'pyspark>=4.1'"
    )

from wmsketch.spark.apps import diff, explain, pmi
from wmsketch.spark.classifier import WMSketchClassifier, WMSketchModel
from wmsketch.spark.streaming import fit_stream, latest_model

__all__ = ["WMSketchClassifier", "WMSketchModel", "diff", "explain", "fit_stream", "latest_model", "pmi"]
