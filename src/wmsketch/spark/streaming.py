"""Structured Streaming: a model that learns each batch exactly once."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

from wmsketch.learners.models.awm import AWMSketch
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.introspection import has_learned
from wmsketch.learners.saving.model_file import load_model, read_note
from wmsketch.spark.classifier import WMSketchClassifier, WMSketchModel
from wmsketch.spark.columns import Columns
from wmsketch.spark.survey import kept, survey_of

_NOTE = "spark"  # the key of the stream's entry in the note of a model
_OUTPUTS = ("predictionCol", "probabilityCol", "rawPredictionCol", "aggregationDepth")  # may change later


def fit_stream(
    df: DataFrame,
    estimator: WMSketchClassifier,
    path: str | os.PathLike[str],
    *,
    checkpoint: str | os.PathLike[str],
    trigger: dict[str, Any] | None = None,
    queryName: str | None = None,
) -> StreamingQuery:
    """Learn a stream; return Spark's query, which runs until it is stopped or fails.

    After each batch the model file ``path`` is replaced atomically; it holds the number of the batch. A batch that
    Spark repeats after a crash is therefore not learned twice, and a query restarted with the same ``checkpoint`` ends
    with the same bytes. ``path`` must be on a file system that the driver has mounted. ``trigger`` holds the arguments
    of Spark's ``trigger``, like ``{"availableNow": True}``.

    `latest_model` returns the current model for Spark, `wmsketch.load` for Python.
    """
    if not isinstance(df.sparkSession, SparkSession):
        raise ValueError("fit_stream needs a session in the driver's process; with Spark Connect, use fit on batches")
    if not df.isStreaming:
        raise ValueError("df must be a stream from spark.readStream; use fit for a DataFrame")
    if estimator.getOrDefault("rounds") != 1:
        raise ValueError(f"rounds must be 1 for a stream, got {estimator.getOrDefault('rounds')}")
    columns = estimator.columns(df)
    estimator.learner_parameters()
    batches = StreamBatches(estimator.copy(), columns, model_path(path))
    writer = df.writeStream.foreachBatch(batches.learn).option("checkpointLocation", os.fspath(checkpoint))
    writer = writer if queryName is None else writer.queryName(queryName)
    return (writer if trigger is None else writer.trigger(**trigger)).start()


def latest_model(path: str | os.PathLike[str]) -> WMSketchModel:
    """Return the last model that `fit_stream` wrote."""
    sketch, note = _opened(model_path(path))
    if not has_learned(sketch):
        raise ValueError(f"{os.fspath(path)}: the stream has had no rows yet")
    model = WMSketchModel(sketch, Columns(**note["columns"]))
    model._set(**{name: value for name, value in note["params"].items() if model.hasParam(name)})
    return model


def model_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a model file, which must not be a URL: only a file system can replace a file atomically."""
    text = os.fspath(path)
    if "://" in text:
        raise ValueError(f"path must be on a file system that the driver has mounted, got {text!r}")
    return Path(text.removeprefix("file:"))


def _opened(path: Path) -> tuple[OnlineClassifier, dict[str, Any]]:
    note = read_note(path).get(_NOTE)
    if not isinstance(note, dict):
        raise ValueError(f"path: {path} holds a model that was not written by a stream")
    return load_model(path, OnlineClassifier), note


class StreamBatches:
    """Learns batches into the model at a path."""

    def __init__(self, estimator: WMSketchClassifier, columns: Columns, path: Path) -> None:
        self._estimator = estimator
        self._columns = columns
        self._path = path
        params = {param.name: value for param, value in estimator.extractParamMap().items()}
        self._note = {"columns": asdict(columns), "params": params}

    def learn(self, batch: DataFrame, number: int) -> None:
        """Learn one batch, unless the model has it already."""
        query = batch.sparkSession.sparkContext.getLocalProperty("sql.streaming.queryId")
        sketch = self._model_before(number, query)
        if sketch is None:
            return
        rows = self._columns.select(batch)
        with kept(rows, batch):
            survey = survey_of(rows, self._columns.label)
            if survey.rows:
                known = has_learned(sketch)
                base = sketch if known else self._estimator.base(rows, self._columns, survey)
                sketch = self._estimator.learned(rows, self._columns, base, survey)
        sketch.save(self._path, {_NOTE: {**self._note, "batch": number, "query": query}})

    def _model_before(self, number: int, query: str) -> OnlineClassifier | None:
        """Return the model to learn this batch; None if it has learned it already."""
        if not self._path.exists():
            if number > 0:
                raise ValueError(
                    f"path: {self._path} does not exist, but batch {number} is not the first of the stream"
                )
            return AWMSketch()  # for a stream that starts with empty batches
        sketch, note = _opened(self._path)
        if note["query"] != query:
            raise ValueError(f"path: {self._path} holds the model of another stream, with another checkpoint")
        if number <= note["batch"]:
            return None
        if number > note["batch"] + 1:
            raise ValueError(f"path: {self._path} has learned up to batch {note['batch']}, but the next is {number}")
        for name, value in self._note["params"].items():
            began = note["params"].get(name)
            if value != began and name not in _OUTPUTS:
                raise ValueError(f"{name} must stay {began!r}, as at the start of the stream, got {value!r}")
        return sketch
