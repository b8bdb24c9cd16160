"""Labels, thresholds, names of columns and vectors as people have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import StringIndexer, VectorAssembler
from pyspark.sql import functions as F

from tests.spark.test_classifier import probabilities
from tests.spark.visits import COLUMNS, visits
from wmsketch import MulticlassAWMSketch
from wmsketch.spark import WMSketchClassifier, WMSketchModel


@pytest.fixture(scope="module")
def df(spark: Any) -> Any:
    return spark.createDataFrame(spark.sparkContext.parallelize(visits(900), 2), COLUMNS).cache()


@pytest.fixture(scope="module")
def known(df: Any) -> Any:
    return df.na.drop()


def test_labels_of_any_whole_numbers_are_evaluated_by_spark(known: Any) -> None:
    # a hundred rows of two labels come first: the third is late
    first = known.limit(100).withColumn("label", 100 + F.col("bought"))
    labelled = known.withColumn("label", 100 + F.col("bought") + F.col("member").cast("int"))
    late = first.union(labelled).coalesce(1)
    model = WMSketchClassifier(featureCols=["minutes", "member"], budget="16KiB").fit(late)
    assert isinstance(model.sketch, MulticlassAWMSketch)
    answers = model.transform(late)
    assert {row.prediction for row in answers.select("prediction").distinct().collect()} <= {100.0, 101.0, 102.0}
    for metric, least in (("accuracy", 0.5), ("f1", 0.4)):
        assert MulticlassClassificationEvaluator(metricName=metric).evaluate(answers) > least
    assert MulticlassClassificationEvaluator(metricName="logLoss").evaluate(answers) < 1.0


def test_two_labels_of_one_sign_are_two_labels(known: Any) -> None:
    model = WMSketchClassifier(featureCols=["minutes"], budget="8KiB").fit(
        known.withColumn("label", F.col("bought") + 1)
    )
    assert model.labels == [0.0, 1.0, 2.0]
    assert all(row.probability[0] == 0 for row in model.transform(known).take(20))


def test_text_labels_are_evaluated_after_an_indexer(known: Any) -> None:
    """Spark's evaluators take numbers only: StringIndexer makes them, as for every classifier of Spark."""
    indexed = StringIndexer(inputCol="device", outputCol="label").fit(known).transform(known)
    model = WMSketchClassifier(featureCols=["minutes", "pages"], budget="8KiB").fit(indexed)
    assert MulticlassClassificationEvaluator(metricName="accuracy").evaluate(model.transform(indexed)) > 0.25


def test_thresholds_decide_predictions(df: Any, tmp_path: Path) -> None:
    model = WMSketchClassifier(labelCol="bought", budget="8KiB", threshold=0.8).fit(df)
    chance = probabilities(model.transform(df))[:, 1]

    def predicted(model: Any) -> np.ndarray:
        return np.asarray([row.prediction for row in model.transform(df).select("prediction").collect()])

    assert (predicted(model) == (chance > 0.8)).all() and 0 < (chance > 0.8).sum() < (chance > 0.5).sum()
    model.save(str(tmp_path / "model"))
    assert (predicted(WMSketchModel.load(str(tmp_path / "model"))) == (chance > 0.8)).all()
    assert (predicted(model.copy().setThresholds([0.9, 0.1])) == (chance > 0.1)).all()
    with pytest.raises(ValueError, match="thresholds must have 2 numbers, one for each label"):
        model.copy().setThresholds([0.5, 0.2, 0.3]).transform(df)
    with pytest.raises(ValueError, match="threshold must be from 0 to 1, got 2"):
        WMSketchClassifier(threshold=2)
    with pytest.raises(ValueError, match="threshold and thresholds cannot be combined"):
        WMSketchClassifier(labelCol="bought", threshold=0.5, thresholds=[0.5, 0.5]).fit(df)


def test_columns_have_odd_names(df: Any) -> None:
    odd = {"minutes": "time.in minutes", "pages": "`pages`", "device": "De Vice", "bought": "was.bought?"}
    renamed = df.select(*(F.col(name).alias(odd.get(name, name)) for name in df.columns))
    plain = WMSketchClassifier(labelCol="bought", budget="8KiB").fit(df)
    model = WMSketchClassifier(labelCol="was.bought?", budget="8KiB").fit(renamed)
    assert {"time.in minutes", "`pages`"} <= {str(row.feature) for row in model.top(20)}
    assert probabilities(model.transform(renamed)) == pytest.approx(probabilities(plain.transform(df)), abs=0.1)
    named = {"labelCol": "WAS.BOUGHT?", "featureCols": ["TIME.in Minutes", "de vice"]}
    other = WMSketchClassifier(budget="8KiB", **named).fit(renamed)
    assert other.columns.features == ["time.in minutes", "De Vice"]
    lower = renamed.withColumnRenamed("De Vice", "DE VICE")
    assert (probabilities(other.transform(lower)) == probabilities(other.transform(renamed))).all()


def test_vectors_have_the_names_of_their_metadata(known: Any) -> None:
    numbers = ["minutes", "pages"]
    assembled = VectorAssembler(inputCols=numbers, outputCol="v").transform(known)
    model = WMSketchClassifier(labelCol="bought", featuresCol="v", budget="8KiB").fit(assembled.coalesce(1))
    columns = WMSketchClassifier(labelCol="bought", featureCols=numbers, budget="8KiB").fit(assembled.coalesce(1))
    assert {row.feature for row in model.top()} == set(numbers)
    found = probabilities(model.transform(assembled))
    assert found == pytest.approx(probabilities(columns.transform(assembled)), abs=1e-3)
    row = assembled.first()
    assert found[0, 1] == model.sketch.predict_proba_one({"minutes": row.minutes, "pages": float(row.pages)})[1]


def test_all_weights_zero_and_bytes_beside_a_map_are_said(spark: Any, known: Any) -> None:
    with pytest.raises(ValueError, match="weightCol 'w' must hold a number above 0, found only 0"):
        WMSketchClassifier(labelCol="bought", weightCol="w").fit(known.withColumn("w", F.lit(0.0)))
    rows = [({"a": 1.0}, bytearray(b"x"), 1.0), ({"b": 1.0}, bytearray(b"y"), 0.0)] * 40
    df = spark.createDataFrame(rows, "bag map<string,double>, raw binary, label double").coalesce(1)
    model = WMSketchClassifier(budget="8KiB").fit(df)
    assert "raw=x" in {str(row.feature) for row in model.top()}
