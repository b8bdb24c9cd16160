"""wmsketch on Apache Spark: train on the executors, merge sketches of a fixed size, predict in place.

Needs pyspark 4.1 or newer: ``pip install wmsketch[spark]``.
"""

try:
    import pyspark as _pyspark  # noqa: F401
except ImportError as problem:
    raise ImportError("wmsketch.spark needs pyspark: pip install wmsketch[spark]") from problem

from wmsketch.spark.apps import diff, explain, pmi
from wmsketch.spark.classifier import WMSketchClassifier, WMSketchModel
from wmsketch.spark.streaming import fit_stream, latest_model

__all__ = ["WMSketchClassifier", "WMSketchModel", "diff", "explain", "fit_stream", "latest_model", "pmi"]
