"""Rows whose order misleads: sorted by label, or scattered over partitions of a few rows."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from pyspark.ml.evaluation import BinaryClassificationEvaluator, MulticlassClassificationEvaluator

from tests.spark.visits import COLUMNS, visits
from wmsketch.spark import WMSketchClassifier

ROWS = visits(2000)


def frame(spark: Any, rows: list[Any], partitions: int) -> Any:
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, partitions), COLUMNS)


def quality(model: Any, df: Any) -> tuple[float, float]:
    answers = model.transform(df)
    loss = MulticlassClassificationEvaluator(labelCol="bought", metricName="logLoss").evaluate(answers)
    return loss, BinaryClassificationEvaluator(labelCol="bought").evaluate(answers)


@pytest.fixture(scope="module")
def mixed(spark: Any) -> tuple[float, float]:
    df = frame(spark, ROWS, 4)
    return quality(WMSketchClassifier(labelCol="bought", budget="8KiB").fit(df), df)


@pytest.mark.parametrize("how", ["union", "one partition", "one row each"])
def test_a_misleading_order_is_mended_and_said(spark: Any, mixed: tuple[float, float], how: str) -> None:
    df = frame(spark, ROWS, 4)
    if how == "one row each":
        misled, words = frame(spark, ROWS[:60], 60), "The 60 rows are in 60 partitions, too few"
    else:
        misled, words = df.where("bought = 1").union(df.where("bought = 0")), "The rows are sorted by label: 2000 rows"
        misled = misled.coalesce(1) if how == "one partition" else misled
    estimator = WMSketchClassifier(labelCol="bought", budget="8KiB")
    with pytest.warns(UserWarning, match=words):
        model = estimator.fit(misled)
    assert model.sketch.n_seen_ == misled.count()
    loss, area = quality(model, df)
    if how != "one row each":
        assert loss < mixed[0] + 0.03 and area > mixed[1] - 0.03
    else:
        assert area > 0.7  # of sixty rows
    with warnings.catch_warnings(action="error", category=UserWarning):
        again = estimator.copy({estimator.shuffle: True}).fit(misled)
    assert again.sketch.to_bytes() == model.sketch.to_bytes()


def test_an_order_that_is_meant_is_kept(spark: Any) -> None:
    misled = frame(spark, sorted(ROWS[:400], key=lambda row: row[4]), 2)
    with warnings.catch_warnings(action="error", category=UserWarning):
        model = WMSketchClassifier(labelCol="bought", budget="8KiB", shuffle=False).fit(misled)
    assert model.sketch.n_seen_ == 400


def test_the_input_is_evaluated_once(spark: Any) -> None:
    from pyspark.sql import functions as F

    evaluated = spark.sparkContext.accumulator(0)

    def counted(value):  # type: ignore[no-untyped-def]
        evaluated.add(1)
        return value

    df = frame(spark, ROWS[:200], 2).withColumn("minutes", F.udf(counted, "double")("minutes"))
    WMSketchClassifier(labelCol="bought", budget="8KiB", rounds=3).fit(df)
    assert evaluated.value == 200
