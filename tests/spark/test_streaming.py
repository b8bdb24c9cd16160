"""fit_stream: each batch is learned exactly once, whatever happens between two batches."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import StreamingQueryException

import wmsketch
from tests.spark.test_classifier import probabilities, table_of
from tests.spark.visits import COLUMNS, visits
from wmsketch import AWMSketch, merge_models
from wmsketch.learners.saving.model_file import read_note
from wmsketch.spark import WMSketchClassifier, fit_stream, latest_model

FILES = 3
ROWS = 200


class Stream:
    """A folder of files that arrive one after the other, a model and a checkpoint."""

    def __init__(self, spark: Any, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        self.model = folder / "model.wms"
        (folder / "in").mkdir(parents=True)
        self.estimator = WMSketchClassifier(labelCol="bought", budget="8KiB")

    def arrive(self, *numbers: int) -> None:
        for number in numbers:
            path = self.folder / "in" / f"{number}.parquet"
            table = table_of(visits(ROWS, seed=number))
            pq.write_table(table.set_column(1, "pages", table["pages"].cast(pa.int32())), path)
            os.utime(path, (1000 + number, 1000 + number))  # Spark reads them in the order of time

    def run(self, files: int = 1) -> None:
        """Learn everything available, with this many files per batch."""
        df = self.spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", files).parquet(str(self.folder / "in"))
        query = fit_stream(
            df, self.estimator, self.model, checkpoint=self.folder / "checkpoint", trigger={"availableNow": True}
        )
        try:
            query.awaitTermination()
        finally:
            query.stop()

    @property
    def bytes(self) -> bytes:
        return wmsketch.load(self.model).to_bytes()

    @property
    def batch(self) -> int:
        return int(read_note(self.model)["spark"]["batch"])


@pytest.fixture(scope="module")
def whole(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Stream:
    """A stream that was learned without interruption."""
    stream = Stream(spark, tmp_path_factory.mktemp("whole"))
    stream.arrive(*range(FILES))
    stream.run()
    return stream


def test_a_stream_is_learned_as_in_python(whole: Stream) -> None:
    model = AWMSketch("8KiB")
    for number in range(FILES):
        model.learn_file(table_of(visits(ROWS, seed=number)), label="bought")
    assert whole.bytes == model.to_bytes()
    assert whole.batch == FILES - 1


def test_the_latest_model_can_be_asked(spark: Any, whole: Stream) -> None:
    model = latest_model(whole.model)
    rows = visits(20, seed=9)
    found = probabilities(model.transform(spark.createDataFrame(rows, COLUMNS)))
    assert (found == wmsketch.load(whole.model).predict_proba(table_of(rows).drop(["bought"]))).all()


def test_a_stream_that_was_interrupted_ends_with_the_same_bytes(
    spark: Any, whole: Stream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Stream(spark, tmp_path)
    stream.arrive(0, 1)
    stream.run()
    before = stream.bytes
    # a crash after the model was saved, but before Spark recorded that the batch is done: Spark repeats it
    for name in ("1", ".1.crc"):
        (tmp_path / "checkpoint" / "commits" / name).unlink()
    stream.run()
    assert stream.bytes == before
    assert wmsketch.load(stream.model).n_seen_ == 2 * ROWS
    # a crash before the model was saved
    stream.arrive(2)
    with monkeypatch.context() as patch:

        def full(*_: Any) -> None:
            raise OSError("No space left on device")

        patch.setattr(AWMSketch, "save", full)
        with pytest.raises(StreamingQueryException, match="No space left on device"):
            stream.run()
    assert stream.bytes == before
    stream.run()
    assert stream.bytes == whole.bytes


def test_batches_of_several_partitions_count_once(spark: Any, tmp_path: Path) -> None:
    stream = Stream(spark, tmp_path)
    stream.arrive(0, 1, 2, 3)
    spark.conf.set("spark.sql.files.openCostInBytes", str(2**30))  # a partition for each file
    try:
        stream.run(files=2)
    finally:
        spark.conf.unset("spark.sql.files.openCostInBytes")
    assert stream.batch == 1
    parts = [AWMSketch("8KiB").learn_file(table_of(visits(ROWS, seed=number)), label="bought") for number in (0, 1)]
    base = merge_models(parts)
    parts = [copy.copy(base).learn_file(table_of(visits(ROWS, seed=number)), label="bought") for number in (2, 3)]
    found, wanted = wmsketch.load(stream.model), merge_models(parts, base=base)
    state = found._learner().state()
    for name, array in wanted._learner().state().items():  # sums of squares may differ in their last bit
        np.testing.assert_allclose(state[name], array, rtol=1e-12, err_msg=name)
    assert found.n_seen_ == 4 * ROWS


def test_mismatched_streams_are_rejected(spark: Any, whole: Stream, tmp_path: Path) -> None:
    stream = Stream(spark, tmp_path)
    stream.arrive(0)
    stream.model.write_bytes(whole.model.read_bytes())
    with pytest.raises(StreamingQueryException, match="holds the model of another stream"):
        stream.run()
    stream.model.unlink()
    stream.run()
    stream.arrive(1)
    stream.estimator = WMSketchClassifier(labelCol="bought", budget="4KiB")
    with pytest.raises(StreamingQueryException, match="budget must stay '8KiB', as at the start of the stream"):
        stream.run()
    stream.model.unlink()
    with pytest.raises(StreamingQueryException, match="does not exist, but batch 1 is not the first"):
        stream.run()


def test_arguments_are_checked_at_once(spark: Any, tmp_path: Path) -> None:
    stream = Stream(spark, tmp_path)
    frame = spark.createDataFrame(visits(3), COLUMNS)
    df = spark.readStream.schema(COLUMNS).parquet(str(tmp_path / "in"))
    fit = WMSketchClassifier(labelCol="bought")
    for args, words in (
        ((frame, fit, stream.model), "df must be a stream"),
        ((df, WMSketchClassifier(labelCol="sold"), stream.model), "labelCol: there is no column 'sold'"),
        ((df, WMSketchClassifier(labelCol="bought", rounds=2), stream.model), "rounds must be 1 for a stream, got 2"),
        ((df, fit, "s3a://bucket/model.wms"), "path must be on a file system that the driver has mounted"),
    ):
        with pytest.raises(ValueError, match=words):
            fit_stream(*args, checkpoint=tmp_path / "checkpoint")
