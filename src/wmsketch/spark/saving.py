"""A model in a folder: Spark's metadata and a wmsketch model file."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReader, MLWriter
from pyspark.sql import SparkSession

from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.spark.columns import Columns

if TYPE_CHECKING:
    from wmsketch.spark.classifier import WMSketchModel

MODEL_FILE = "model.wms"


class ModelWriter(MLWriter):
    """Writes to any file system that Spark knows. The model is written first, so a folder with metadata is complete."""

    def __init__(self, model: WMSketchModel) -> None:
        super().__init__()
        self.model = model

    def saveImpl(self, path: str) -> None:
        """Write the folder."""
        _write_bytes(self.sparkSession, f"{path}/{MODEL_FILE}", self.model.sketch.to_bytes())
        learned = {"columns": asdict(self.model.columns)}
        DefaultParamsWriter.saveMetadata(self.model, path, self.sparkSession, extraMetadata=learned)


class ModelReader(MLReader):
    """Reads what ModelWriter wrote."""

    def __init__(self, cls: type[WMSketchModel]) -> None:
        super().__init__()
        self.cls = cls

    def load(self, path: str) -> WMSketchModel:
        """Return the model of a folder."""
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        sketch = OnlineClassifier.from_bytes(_read_bytes(self.sparkSession, f"{path}/{MODEL_FILE}"))
        model = self.cls(sketch, Columns(**metadata["columns"]))
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


def _write_bytes(spark: SparkSession, path: str, data: bytes) -> None:
    """Write a new file through Hadoop, like Spark; raise an error if it exists."""
    if not isinstance(spark, SparkSession):  # Spark Connect has no way to write a file
        raise ValueError("save needs a session in the driver's process; with Spark Connect, save model.sketch instead")
    context: Any = spark.sparkContext
    file = context._jvm.org.apache.hadoop.fs.Path(path)
    stream = file.getFileSystem(context._jsc.hadoopConfiguration()).create(file, False)
    try:
        stream.write(bytearray(data))
    finally:
        stream.close()


def _read_bytes(spark: SparkSession, path: str) -> bytes:
    row = spark.read.format("binaryFile").load(path).select("content").first()
    return bytes(row.content)
