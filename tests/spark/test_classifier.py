"""WMSketchClassifier: the same answers as in Python, the conventions of Spark, errors that name the Param."""

from __future__ import annotations

import pickle
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import BinaryClassificationEvaluator, MulticlassClassificationEvaluator
from pyspark.ml.feature import SQLTransformer
from pyspark.ml.linalg import Vectors
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import functions as F

import wmsketch
from tests.spark.visits import COLUMNS, bags, visits
from wmsketch import AWMSketch, MulticlassAWMSketch, Schema, merge_models
from wmsketch.learners.shards.partitions import emptied
from wmsketch.learners.sizes.resize import narrowed, widened
from wmsketch.spark import WMSketchClassifier, WMSketchModel, relearning
from wmsketch.spark.answers import Answers
from wmsketch.spark.classifier import learn_columns
from wmsketch.spark.relearning import learn_table_again, sample_of


@pytest.fixture(scope="module")
def df(spark: Any) -> Any:
    """Visits in one partition after the other, in a fixed order."""
    return spark.createDataFrame(spark.sparkContext.parallelize(visits(1500), 3), COLUMNS).cache()


@pytest.fixture(scope="module")
def model(df: Any) -> Any:
    return WMSketchClassifier(labelCol="bought", budget="8KiB").fit(df)


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    names = [part.split()[0] for part in COLUMNS.split(", ")]
    return pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows])


def probabilities(answers: Any) -> np.ndarray:
    return np.asarray([row.probability.toArray() for row in answers.select("probability").collect()])


def test_one_partition_is_the_model_of_python(df: Any) -> None:
    model = WMSketchClassifier(labelCol="bought", budget="8KiB").fit(df.coalesce(1))
    again = AWMSketch("8KiB").learn_file(table_of(visits(1500)), label="bought")
    assert model.sketch.to_bytes() == again.to_bytes()


def wide_part(model: Any, rows: Any) -> Any:
    """The model that an executor learns from a partition."""
    return widened(emptied(model)).learn_file(rows)


def learned_again(found: Any, merged: Any, rows: Any) -> Any:
    """The merged model, after it has learned all rows again as the driver does."""
    learn_table_again(merged, partial(learn_columns, found.columns), rows)
    return merged


def test_partitions_are_merged_in_their_order(model: Any) -> None:
    table = table_of(visits(1500))
    one = AWMSketch("8KiB").learn_file(table.slice(0, 500), label="bought")
    parts = [wide_part(one, table.slice(start, 500)) for start in (0, 500, 1000)]
    assert model.sketch.to_bytes() == learned_again(model, narrowed(merge_models(parts), one), table).to_bytes()
    assert model.sketch.n_seen_ == 1500
    assert model.nbytes == one.nbytes <= 8192 < parts[0].nbytes


def test_many_partitions_are_merged_in_a_tree_on_the_executors(spark: Any) -> None:
    rows = visits(600)
    df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 6), COLUMNS)
    found = WMSketchClassifier(labelCol="bought", budget="8KiB").fit(df)
    one = AWMSketch("8KiB").learn_file(table_of(rows).slice(0, 100), label="bought")
    parts = [wide_part(one, table_of(rows).slice(start, 100)) for start in range(0, 600, 100)]
    merged = merge_models([merge_models(parts[:3]), merge_models(parts[3:])])
    again = learned_again(found, narrowed(merged, one), table_of(rows))
    assert found.sketch.to_bytes() == again.to_bytes()


def test_a_sample_of_all_partitions_is_bounded_and_reproducible(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    df = spark.range(0, 4000, numPartitions=8)
    assert sample_of(df, 4000, seed=0).num_rows == 4000
    monkeypatch.setattr(relearning, "MOST_ROWS", 400)
    found, again = (sample_of(df, 4000, seed=1)["id"].to_pylist() for _ in range(2))
    assert found == again and 200 < len(found) <= 800
    assert len({number // 500 for number in found}) == 8


def test_answers_are_small_beside_the_model(model: Any) -> None:
    """Executors get one model with the function that predicts."""
    answers = Answers(model.sketch, text_labels=False)
    assert len(pickle.dumps(answers)) < 500 < len(model.sketch.to_bytes())


def test_a_row_has_the_probability_of_python_to_the_last_bit(df: Any, model: Any, tmp_path: Path) -> None:
    found = probabilities(model.transform(df))
    table = table_of(visits(1500))
    sketch = model.sketch
    assert (found == sketch.predict_proba(table.drop(["bought"]))).all()
    names = table.column_names[:-1]
    assert [row[1] for row in found[:50]] == [
        sketch.predict_proba_one({name: row[name] for name in names})[1] for row in table.slice(0, 50).to_pylist()
    ]


def test_answers_have_the_columns_of_spark(df: Any, model: Any) -> None:
    answers = model.transform(df)
    assert answers.columns == [*df.columns, "rawPrediction", "probability", "prediction"]
    row = answers.first()
    assert row.rawPrediction[0] == -row.rawPrediction[1]
    assert row.prediction == float(row.probability[1] >= 0.5)
    assert BinaryClassificationEvaluator(labelCol="bought").evaluate(answers) > 0.75
    renamed = model.copy().setPredictionCol("will_buy").setProbabilityCol("").setRawPredictionCol("")
    assert renamed.transform(df).columns == [*df.columns, "will_buy"]
    with pytest.raises(ValueError, match="rawPredictionCol: there already is a column 'rawPrediction'"):
        model.transform(answers)


def test_a_frame_to_predict_may_have_other_columns_and_another_order(df: Any, model: Any) -> None:
    other = df.select(F.lit(7).alias("id"), "member", "device", "pages", "minutes")
    assert (probabilities(model.transform(other)) == probabilities(model.transform(df))).all()
    with pytest.raises(ValueError, match="featureCols: there is no column 'pages'"):
        model.transform(df.drop("pages"))


def test_vectors_dense_and_sparse_are_the_same(spark: Any) -> None:
    rows = [(row[0] or 0.0, float(row[1] or 0), row[4]) for row in visits(300)]
    dense = [(Vectors.dense([minutes, 0.0, pages]), label) for minutes, pages, label in rows]
    sparse = [(Vectors.sparse(3, {0: minutes, 2: pages}), label) for minutes, pages, label in rows]
    fit = WMSketchClassifier(featuresCol="v", budget="4KiB", schema={"numbers": "raw"}).fit
    models = [
        fit(spark.createDataFrame(spark.sparkContext.parallelize(each, 1), ["v", "label"]))
        for each in (dense, sparse, [pair for two in zip(dense[::2], sparse[1::2], strict=True) for pair in two])
    ]
    assert len({model.sketch.to_bytes() for model in models}) == 1
    again = AWMSketch("4KiB", schema={"numbers": "raw"})
    matrix = np.asarray([[minutes, 0.0, pages] for minutes, pages, _ in rows])
    again.learn_many(matrix, [label for *_, label in rows])
    frame = spark.createDataFrame(dense, ["v", "label"])
    assert (probabilities(models[0].transform(frame)) == again.predict_proba_many(matrix)).all()


def test_bad_vectors_are_refused(spark: Any) -> None:
    fit = WMSketchClassifier(featuresCol="v").fit
    good = (Vectors.dense([1.0, 2.0]), 1.0)
    for bad, words in (
        (Vectors.dense([1.0, float("nan")]), 'row 2: expected finite numbers in column "v", found nan'),
        (Vectors.dense([1.0]), 'row 2: expected a vector of size 2 in column "v", found size 1'),
    ):
        with pytest.raises(ValueError, match=words):
            fit(spark.createDataFrame([good, (bad, 0.0)], ["v", "label"]).coalesce(1))


def test_maps_are_bags_of_features(spark: Any) -> None:
    df = spark.createDataFrame(spark.sparkContext.parallelize(bags(400), 1), "bag map<string,double>, label double")
    model = WMSketchClassifier(featuresCol="bag", budget="8KiB").fit(df)
    again, table = AWMSketch("8KiB"), df.toArrow()
    rows = table["bag"].to_pylist(maps_as_pydicts="strict")  # Spark has sorted the words of each bag
    again.learn_many(rows, table["label"].to_pylist())
    assert [row.feature for row in model.top(5)] == [row.feature for row in again.top(5)]
    assert (probabilities(model.transform(df)) == again.predict_proba_many(rows)).all()


def test_a_map_beside_other_columns_has_dotted_names(spark: Any) -> None:
    rows = [({"a": 1.0}, 2.0, "yes"), ({"b": 1.0}, 1.0, "no"), (None, 1.5, "no")] * 40
    df = spark.createDataFrame(rows, "bag map<string,double>, n double, label string").coalesce(1)
    model = WMSketchClassifier(positive="yes", budget="8KiB").fit(df)
    assert {row.feature for row in model.top()} == {"bag.a", "bag.b", "n"}
    row = {"bag": {"a": 1.0}, "n": 2.0}
    assert probabilities(model.transform(df))[0, 1] == model.sketch.predict_proba_one(row)["yes"]


def test_many_labels_stand_in_the_order_of_spark(df: Any) -> None:
    labelled = df.withColumn("label", (F.col("minutes") / 4).cast("int").cast("double")).na.drop().where("label < 4")
    model = WMSketchClassifier(featureCols=["minutes", "device"], budget="8KiB").fit(labelled.coalesce(1))
    assert isinstance(model.sketch, MulticlassAWMSketch)
    assert model.labels == [0.0, 1.0, 2.0, 3.0]
    answers = model.transform(labelled)
    again = model.sketch.predict_proba(labelled.select("minutes", "device").toArrow())
    order = np.argsort(model.sketch.classes_)
    assert (probabilities(answers) == again[:, order]).all()
    assert all(row.prediction == np.argmax(row.probability) for row in answers.take(100))
    assert MulticlassClassificationEvaluator(metricName="logLoss").evaluate(answers) < 1.3


def test_labels_of_text_are_predicted_as_text(df: Any) -> None:
    model = WMSketchClassifier(labelCol="device", budget="8KiB").fit(df.na.drop())
    assert model.labels == ["laptop", "phone", "tablet"]
    assert model.transform(df).select("prediction").first().prediction in model.labels


def test_weights_count(df: Any) -> None:
    twice = df.withColumn("w", F.when(F.col("bought") == 1, 3.0).otherwise(1.0))
    fit = WMSketchClassifier(labelCol="bought", weightCol="w", budget="8KiB").fit
    assert (
        fit(twice).sketch.intercept_
        > WMSketchClassifier(labelCol="bought", budget="8KiB").fit(df).sketch.intercept_ + 0.3
    )
    with pytest.raises(ValueError, match=r'partition 1: row 1: .*"w"'):
        fit(twice.withColumn("w", F.when(F.spark_partition_id() == 1, -1.0).otherwise(1.0)))


def test_the_schema_is_the_same_in_all_shards(spark: Any) -> None:
    # `late` is missing in the first rows of one partition, and everywhere in the other
    rows = [(float(i % 7), "x" if i < 40 and i > 20 else None, float(i % 2)) for i in range(80)]
    df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 2), "n double, late string, label double")
    model = WMSketchClassifier(budget="4KiB").fit(df)
    assert [(column.name, column.kind) for column in model.sketch.schema_] == [("n", "number"), ("late", "text")]
    assert model.sketch.n_seen_ == 80


def test_a_schema_is_taken_from_the_params(df: Any) -> None:
    rules = Schema(categorical=["pages"], ignore=["member"], missing="count")
    model = WMSketchClassifier(labelCol="bought", budget="16KiB", schema=rules).fit(df)
    names = {str(row.feature) for row in model.top(100)}
    assert {"pages=3", "device=(missing)"} < names
    assert not any(name.startswith("member") for name in names)
    with pytest.raises(ValueError, match="schema must not contain 'label': set the Param labelCol"):
        WMSketchClassifier(schema={"label": "bought"}).fit(df)


def test_more_rounds_read_the_rows_again(df: Any) -> None:
    models = [WMSketchClassifier(labelCol="bought", budget="8KiB", rounds=rounds).fit(df) for rounds in (1, 3)]
    evaluate = MulticlassClassificationEvaluator(labelCol="bought", metricName="logLoss").evaluate
    losses = [evaluate(model.transform(df)) for model in models]
    assert losses[1] < losses[0]
    assert [model.sketch.n_seen_ for model in models] == [1500, 4500]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Spark leaves its pool of threads open
def test_the_estimator_lives_in_pipelines_and_searches(df: Any, tmp_path: Path) -> None:
    sql = SQLTransformer(statement="SELECT *, minutes * pages AS both FROM __THIS__")
    learner = WMSketchClassifier(labelCol="bought", budget="4KiB")
    evaluator = MulticlassClassificationEvaluator(labelCol="bought", metricName="logLoss")
    grid = ParamGridBuilder().addGrid(learner.stepSize, [0.1, 1e-6]).build()
    pipeline = Pipeline(stages=[sql, learner])
    # Without a seed Spark draws the folds from the hash of a string, which differs from process to process.
    search = CrossValidator(estimator=pipeline, estimatorParamMaps=grid, evaluator=evaluator, numFolds=2, seed=1)
    found = search.fit(df.limit(400).coalesce(1))
    learned, unlearned = found.avgMetrics
    assert 0 < learned < 0.9 * unlearned
    found.bestModel.save(str(tmp_path / "pipeline"))
    again = PipelineModel.load(str(tmp_path / "pipeline"))
    assert (probabilities(again.transform(df)) == probabilities(found.bestModel.transform(df))).all()


def test_models_and_estimators_are_saved(df: Any, model: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    model.save(path)
    again = WMSketchModel.load(path)
    assert (again.uid, again.extractParamMap()) == (model.uid, model.extractParamMap())
    assert (probabilities(again.transform(df)) == probabilities(model.transform(df))).all()
    assert wmsketch.load(tmp_path / "model" / "model.wms").to_bytes() == model.sketch.to_bytes()
    with pytest.raises(Exception, match="already exists"):
        model.save(path)
    model.write().overwrite().save(path)
    estimator = WMSketchClassifier(labelCol="bought", schema=Schema(ignore=["pages"]), options={"step": "plain"})
    estimator.save(str(tmp_path / "estimator"))
    same = WMSketchClassifier.load(str(tmp_path / "estimator"))
    assert same.extractParamMap() == estimator.extractParamMap()
    assert same.fit(df).sketch.step == "plain"


def test_odd_values_are_read_and_a_missing_label_names_its_column(df: Any, model: Any) -> None:
    infinite = df.withColumn("minutes", F.when(F.spark_partition_id() == 1, float("inf")).otherwise(F.col("minutes")))
    # an infinite number or a word among numbers is a category of its own: it costs no row
    assert len(WMSketchClassifier(labelCol="bought").fit(infinite).transform(df).collect()) == df.count()
    for odd in (infinite, df.withColumn("minutes", F.lit("long"))):
        assert len(model.transform(odd).collect()) == df.count()
    with pytest.raises(ValueError, match='column "bought"'):
        WMSketchClassifier(labelCol="bought").fit(df.withColumn("bought", F.lit(None).cast("double")))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"labelCol": "sold"}, "labelCol: there is no column 'sold'"),
        ({"weightCol": "w"}, "weightCol: there is no column 'w'"),
        ({"featureCols": ["pages", "hours"]}, "featureCols: there is no column 'hours'"),
        ({"featureCols": ["bought"]}, "featureCols: 'bought' is the label"),
        ({"featureCols": ["pages"], "featuresCol": "pages"}, "featuresCol and featureCols cannot be combined"),
        ({"budget": "8 apples"}, "budget must be a number of bytes"),
        ({"budget": 10}, "budget"),
        ({"family": "gamma"}, "family must be one of auto, binomial, multinomial, got 'gamma'"),
        ({"rounds": 0}, "rounds must be at least 1, got 0"),
        ({"stepSize": -1.0}, "stepSize must be above 0, got -1.0"),
        ({"regParam": -1.0}, "regParam must be at least 0, got -1.0"),
        ({"elasticNetParam": 2.0}, "elasticNetParam must be from 0 to 1, got 2.0"),
        ({"schema": {"colour": 1}}, "schema has no rule 'colour'"),
        ({"options": {"eta0": 1}}, "options must not contain 'eta0': set the Param stepSize"),
        ({"options": {"colour": 1}}, "options: .*'colour'"),
        ({"labelCol": "device", "family": "binomial"}, "positive must be set, because labelCol 'device' holds text"),
        ({"family": "multinomial", "positive": 1.0}, "positive must not be set"),
        ({"labelCol": "pages", "family": "binomial"}, "both above 0"),
        ({"positive": 30}, "labelCol 'bought' must hold two numbers, found more than 1 and 30"),
    ],
)
def test_wrong_params_are_named(df: Any, params: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        WMSketchClassifier(**{"labelCol": "bought", **params}).fit(df.coalesce(1))


def test_labels_that_differ_between_partitions_are_classes(spark: Any) -> None:
    for one, other, labels in ((1.0, 2.0, [0.0, 1.0, 2.0]), (0.0, -1.0, [-1.0, 0.0])):
        rows = [(float(i), label) for label in (one, other) for i in range(200)]
        df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 2), "n double, label double")
        assert WMSketchClassifier(budget="4KiB", shuffle=True).fit(df).labels == labels


def test_one_label_alone_is_refused(df: Any) -> None:
    with pytest.raises(ValueError, match="labelCol 'bought' must hold two numbers, found only 1"):
        WMSketchClassifier(labelCol="bought").fit(df.where("bought = 1"))


def test_a_frame_without_rows_is_refused(df: Any) -> None:
    with pytest.raises(ValueError, match="no rows to learn from"):
        WMSketchClassifier(labelCol="bought").fit(df.limit(0))


def test_empty_partitions_are_passed_over(spark: Any) -> None:
    df = spark.createDataFrame(spark.sparkContext.parallelize(visits(4), 8), COLUMNS)
    with pytest.warns(UserWarning, match="The 4 rows are in 4 partitions"):
        sketch = WMSketchClassifier(labelCol="bought", budget="4KiB").fit(df).sketch
    assert sketch.n_seen_ == 4
