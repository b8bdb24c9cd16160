"""WMSketchClassifier and its model: an Estimator and a Transformer of pyspark.ml."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable, MLReadable, MLWritable
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, NumericType, StringType

from wmsketch.learners.models.awm import AWMSketch
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.introspection import is_multiclass, label_counts_of, label_names_of
from wmsketch.learners.models.multiclass import MulticlassAWMSketch
from wmsketch.learners.shards.merging import merge_models
from wmsketch.learners.sizes.resize import narrowed, widened
from wmsketch.readers import BadInput, LabelNames, Schema
from wmsketch.records import HeavyFeature, RowList
from wmsketch.spark.answers import Answers
from wmsketch.spark.base import FIRST_ROWS, base_of
from wmsketch.spark.batches import learn_batches, margins_of
from wmsketch.spark.columns import Columns, column, columns_of, require
from wmsketch.spark.executors import for_executors
from wmsketch.spark.params import ColumnParams, LearnerParams
from wmsketch.spark.relearning import learn_table_again, sample_of
from wmsketch.spark.saving import ModelReader, ModelWriter
from wmsketch.spark.shards import train
from wmsketch.spark.survey import Survey, kept, shuffled, survey_of


class WMSketchClassifier(Estimator, LearnerParams, DefaultParamsReadable, DefaultParamsWritable):
    """Learn a linear classifier in a fixed number of bytes from a DataFrame, partition by partition.

    Each partition is learned on its executor, and the models are merged. The driver lets the merged model learn a
    sample of the rows again, as long as that helps. Without ``featuresCol`` (one column of vectors or maps) and
    ``featureCols``, every column except the label and the weight is a feature, by the rules of the schema.

    >>> rows = [(20.0, "phone", 1.0), (1.0, "phone", 0.0), (30.0, "laptop", 1.0), (2.0, "tablet", 0.0)] * 50
    >>> visits = spark.createDataFrame(rows, ["minutes", "device", "bought"])
    >>> model = WMSketchClassifier(labelCol="bought", budget="8KiB").fit(visits)
    >>> model.top(1)[0].feature, model.nbytes <= 8192
    ('minutes', True)
    >>> model.transform(visits).select("prediction").first()
    Row(prediction=1.0)

    Parameters
    ----------
    labelCol, weightCol: booleans, numbers or text; numbers of at least 0.
    family: "binomial", "multinomial" (any number of labels), or "auto": multinomial if labels are text and no
        ``positive`` is given, if there are more than two labels, or if two have the same sign, like 1 and 2.
    shuffle: True shuffles the rows before they are learned, False never does. By default they are shuffled, with a
        warning, if they are sorted by label or if partitions have too few rows.
    threshold, thresholds: of the probability of the positive label, or one for each label, as in Spark.
    rounds: how often the rows are read. Each round after the first starts from the merged model.
    aggregationDepth: depth of the tree in which models are merged.
    regParam, elasticNetParam, stepSize, fitIntercept, seed: l2, l1, eta0, fit_intercept and seed of AWMSketch.
    options: other parameters of AWMSketch, by name.
    """

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str | None = None,
        featureCols: list[str] | None = None,
        labelCol: str = "label",
        weightCol: str | None = None,
        predictionCol: str = "prediction",
        probabilityCol: str = "probability",
        rawPredictionCol: str = "rawPrediction",
        budget: int | str | None = None,
        family: str = "auto",
        positive: str | float | bool | None = None,
        rounds: int = 1,
        schema: Schema | dict[str, Any] | None = None,
        options: dict[str, Any] | None = None,
        aggregationDepth: int = 2,
        regParam: float = 1e-6,
        elasticNetParam: float = 0.0,
        stepSize: float = 0.1,
        fitIntercept: bool | None = None,
        seed: int = 0,
        shuffle: bool | None = None,
        threshold: float | None = None,
        thresholds: list[float] | None = None,
    ) -> None:
        super().__init__()
        self._set_defaults()
        self.setParams(**self._input_kwargs)

    def setParams(self, **params: Any) -> WMSketchClassifier:
        """Set Params by name; None leaves a Param unchanged."""
        self._set(**{name: value for name, value in params.items() if value is not None})
        return self

    def _fit(self, dataset: DataFrame) -> WMSketchModel:
        self.chosen_thresholds()
        columns = self.columns(dataset)
        df = columns.select(dataset)
        with kept(df, dataset):
            survey = survey_of(df, columns.label)
            sketch = self.base(df, columns, survey)
            sketch = self.learned(df, columns, sketch, survey, self.getOrDefault("rounds"))
            if survey.partitions > 1 and sketch.half_life is None:
                rows = sample_of(df, survey.rows, self.getOrDefault("seed"))
                learn_table_again(sketch, partial(learn_columns, columns), rows)
        self._require_two_labels(sketch, text=columns.text_labels)
        return self._copyValues(WMSketchModel(sketch, columns))  # type: ignore[no-any-return]

    def learned(
        self, df: DataFrame, columns: Columns, model: OnlineClassifier, survey: Survey, rounds: int = 1
    ) -> OnlineClassifier:
        """Return the model after it has also learned these rows.

        Several partitions learn in more bytes than the model has; a single partition needs no merge.
        """
        partitions = survey.partitions
        if self._shuffles(survey):
            partitions = survey.partitions_shuffled
            df = shuffled(df, partitions, self.getOrDefault("seed"))
        base = widened(model) if partitions > 1 else model
        for _ in range(rounds):
            depth = self.getOrDefault("aggregationDepth")
            merged = train(df, base, partial(learn_columns, columns), merged_models, depth)
            if merged is None:  # there are no rows
                return model
            base = merged
        return narrowed(base, model)

    def _shuffles(self, survey: Survey) -> bool:
        if self.isSet("shuffle"):
            return bool(self.getOrDefault("shuffle"))
        if survey.problem:
            warnings.warn(
                f"{survey.problem}. They were shuffled. Set shuffle=True to do so without this warning, or "
                "shuffle=False to learn the partitions as they are.",
                stacklevel=5,
            )
        return bool(survey.problem)

    def _rules(self, df: DataFrame) -> Schema:
        """Return the rules of the schema, with the columns named by Params, as the frame spells them."""
        given = self.getOrDefault("schema")
        named = {
            "label": ("labelCol", [self.getLabelCol()]),
            "weight": ("weightCol", [self.getOrDefault("weightCol")] if self.isDefined("weightCol") else None),
            "features": ("featureCols", self.getFeatureCols()),
        }
        own: dict[str, Any] = {"positive": self.getOrDefault("positive") if self.isSet("positive") else None}
        for rule, (param, names) in named.items():
            if rule in given and names is not None:
                raise ValueError(f"schema must not contain {rule!r}: set the Param {param}")
            spelled = None if names is None else require(df.schema, param, names)
            own[rule] = spelled if rule == "features" or spelled is None else spelled[0]
        if "positive" in given and own["positive"] is not None:
            raise ValueError("schema must not contain 'positive': set the Param positive")
        return Schema.of(given).with_rules(**{name: value for name, value in own.items() if value is not None})

    def columns(self, df: DataFrame) -> Columns:
        """Return the columns to read; an error names the Param."""
        rules = self._rules(df)
        return columns_of(
            df.schema,
            rules,
            label=rules.label,
            weight=rules.weight,
            features_col=self.getFeaturesCol(),
            feature_cols=self.getFeatureCols(),
        )

    def base(self, df: DataFrame, columns: Columns, survey: Survey) -> OnlineClassifier:
        """Return an empty model with the shape and the schema for the first rows."""
        first = df.limit(FIRST_ROWS).toArrow()
        if first.num_rows == 0:
            raise ValueError("the DataFrame has no rows to learn from")
        parameters = self.learner_parameters()
        kind = MulticlassAWMSketch if self._is_multinomial(df, columns, survey) else AWMSketch
        try:
            model = kind(**parameters, schema=self._rules(df))
        except TypeError as problem:
            raise ValueError(f"options: {problem}") from problem
        try:
            return base_of(model.check_parameters(), columns, first)
        except BadInput as problem:
            raise ValueError(f"the first rows: {problem.message}") from problem

    def _is_multinomial(self, df: DataFrame, columns: Columns, survey: Survey) -> bool:
        kind, family = df.schema[columns.label].dataType, self.getOrDefault("family")
        if not isinstance(kind, (BooleanType, NumericType, StringType)):
            raise ValueError(f"labelCol must be a column of numbers, booleans or text, got {kind.simpleString()}")
        if family == "multinomial" and self.isSet("positive"):
            raise ValueError("positive must not be set if family is multinomial")
        if family == "binomial" and isinstance(kind, StringType) and not self.isSet("positive"):
            raise ValueError(f"positive must be set, because labelCol {columns.label!r} holds text")
        if family != "auto":
            return bool(family == "multinomial")
        if self.isSet("positive"):
            return False
        if isinstance(kind, StringType) or len(survey.labels) > 2:
            return True
        return len(survey.labels) == 2 and len({label > 0 for label in survey.labels}) == 1  # like 1 and 2

    def _require_two_labels(self, model: OnlineClassifier, *, text: bool) -> None:
        if is_multiclass(model):
            return
        negative, positive, several = label_names_of(model) or LabelNames()
        rule = f"labelCol {self.getLabelCol()!r} must hold two {'labels' if text else 'numbers'}"
        if several and not (text and self.isSet("positive")):
            more = "set family='multinomial'" + (", or positive" if text else "")
            raise ValueError(f"{rule}, found more than {negative} and {positive}: {more}")
        if 0 in label_counts_of(model).values():
            found = [name for name, count in label_counts_of(model).items() if count]
            if not found:
                raise ValueError(
                    f"weightCol {self.getOrDefault('weightCol')!r} must hold a number above 0, found only 0"
                )
            raise ValueError(f"{rule}, found only {found[0]}")


def learn_columns(columns: Columns, model: OnlineClassifier, batches: Iterator[pa.RecordBatch]) -> None:
    """Learn the rows of a partition."""
    learn_batches(model, columns, batches)


def merged_models(base: OnlineClassifier, models: Sequence[OnlineClassifier]) -> OnlineClassifier:
    """Merge models that all started from ``base``."""
    return merge_models(models, base=base if base.n_seen_ else None)  # an empty base has no labels


class WMSketchModel(Model, ColumnParams, MLReadable, MLWritable):
    """The model of WMSketchClassifier. ``sketch`` is the Python model, which predicts the same.

    ``save`` writes a folder with Spark's metadata and the file ``model.wms``, which `wmsketch.load` reads too.
    """

    def __init__(self, sketch: OnlineClassifier, columns: Columns) -> None:
        super().__init__()
        self.sketch = sketch
        self.columns = columns

    @property
    def labels(self) -> list[Any]:
        """The labels, in the order of the probabilities."""
        return Answers(self.sketch, self.columns.text_labels).labels

    @property
    def numClasses(self) -> int:
        """The number of probabilities of a row."""
        return len(self.labels)

    @property
    def nbytes(self) -> int:
        """True bytes of the model."""
        return self.sketch.nbytes

    def top(self, k: int = 10, **questions: Any) -> RowList[HeavyFeature]:
        """Return the k heaviest features, like `AWMSketch.top`."""
        found = self.sketch.top(k, **questions)
        slots = [] if self.columns.is_table else self.columns.slots
        if not slots:
            return found
        return RowList(replace(row, feature=slots[int(row.feature)]) for row in found)

    def _transform(self, dataset: DataFrame) -> DataFrame:
        features = self.columns.features
        param_name = "featuresCol" if self.columns.kind in ("vectors", "maps") else "featureCols"
        spelled = require(dataset.schema, param_name, features)
        outputs = [
            (self.rawPredictionCol, "raw"),
            (self.probabilityCol, "probability"),
            (self.predictionCol, "prediction"),
        ]
        wanted = {self.getOrDefault(param): field for param, field in outputs if self.getOrDefault(param)}
        for param, _ in outputs:
            if (name := self.getOrDefault(param)) in dataset.columns:
                raise ValueError(f"{param.name}: there already is a column {name!r}")
        answers = Answers(self.sketch, self.columns.text_labels, self.chosen_thresholds())
        predict = _predicting(self.sketch, self.columns, answers)
        found = "__wmsketch__"
        values = (column(name).alias(known) for name, known in zip(spelled, features, strict=True))
        df = dataset.withColumn(found, predict(F.struct(*values)))
        for name, field in wanted.items():
            value = F.col(found)[field]
            df = df.withColumn(name, value if field == "prediction" else array_to_vector(value))
        return df.drop(found)

    def write(self) -> ModelWriter:
        """Return a Spark writer."""
        return ModelWriter(self)

    @classmethod
    def read(cls) -> ModelReader:
        """Return a Spark reader."""
        return ModelReader(cls)


def _predicting(sketch: OnlineClassifier, columns: Columns, answers: Answers) -> Any:
    """Return the Arrow UDF that predicts."""
    predict = for_executors(partial(_predicted, type(sketch), sketch.to_bytes(), columns, answers))
    predict.__annotations__ = {"rows": Iterator[pa.Array], "return": Iterator[pa.Array]}
    return F.arrow_udf(predict, answers.spark_type)


def _predicted(
    kind: type[OnlineClassifier], data: bytes, columns: Columns, answers: Answers, structs: Iterator[pa.Array]
) -> Iterator[pa.Array]:
    model = kind.from_bytes(data)
    for rows in structs:
        table = pa.Table.from_struct_array(rows)
        yield answers.of(model, margins_of(model, columns, table)) if len(rows) else answers.none(model)
