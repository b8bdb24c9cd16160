"""The Params of the estimator and of its model, with Spark's own names if Spark has one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Self

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasAggregationDepth,
    HasElasticNetParam,
    HasFitIntercept,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasRegParam,
    HasSeed,
    HasStepSize,
    HasWeightCol,
)

from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.saving.saveable import plain
from wmsketch.learners.sizes.budget import DEFAULT_BUDGET, parse_bytes
from wmsketch.readers import Schema

FAMILIES = ("auto", "binomial", "multinomial")
# Learner parameters that have their own Param, so that `options` must not contain them.
OWN_PARAMS = {
    "budget": "budget",
    "classes": "family",
    "eta0": "stepSize",
    "fit_intercept": "fitIntercept",
    "l1": "elasticNetParam",
    "l2": "regParam",
    "passes": "rounds",
    "random_state": "seed",
    "schema": "schema",
    "seed": "seed",
    "shuffle": "shuffle",
}


def param(name: str, doc: str, convert: Callable[[Any], Any]) -> Any:
    """Return a Param without an owner, for a declaration in a class body."""
    return Param(Params._dummy(), name, doc, typeConverter=convert)


def _budget(value: Any) -> Any:
    parse_bytes(value)
    return value


def _rounds(value: Any) -> int:
    return require_integer("rounds", value, 1)


def _family(value: Any) -> str:
    if value not in FAMILIES:
        raise ValueError(f"family must be one of {', '.join(FAMILIES)}, got {value!r}")
    return str(value)


def _positive(value: Any) -> Any:
    if isinstance(value, (str, bool, int, float)):
        return value
    raise TypeError(f"positive must be a value of the label column, got {value!r}")


def _share(value: Any) -> float:
    number = float(TypeConverters.toFloat(value))
    if not 0 <= number <= 1:
        raise ValueError(f"threshold must be from 0 to 1, got {value}")
    return number


def _shares(value: Any) -> list[float]:
    numbers = list(map(float, TypeConverters.toListFloat(value)))
    if min(numbers, default=-1.0) < 0 or numbers.count(0.0) > 1 or sum(numbers) <= 0:
        raise ValueError(f"thresholds must be numbers of at least 0, at most one of them 0, got {value}")
    return numbers


def _schema(value: Any) -> dict[str, Any]:
    rules = Schema.of(value).given()
    return {name: list(rule) if isinstance(rule, tuple) else rule for name, rule in rules.items()}


def _options(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"options must be a mapping from name to value, got {value!r}")
    for name, setting in value.items():
        if name in OWN_PARAMS:
            raise ValueError(f"options must not contain {name!r}: set the Param {OWN_PARAMS[name]}")
        plain(f"options[{name!r}]", setting)  # otherwise it could not be saved
    return json.loads(json.dumps(dict(value)))  # type: ignore[no-any-return]


class ColumnParams(HasLabelCol, HasWeightCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol):
    """The columns to read and to write. An output column named "" is not written."""

    featuresCol = param("featuresCol", "one column of vectors or maps to learn from", TypeConverters.toString)
    featureCols = param("featureCols", "columns to learn from, by name", TypeConverters.toListString)
    threshold = param("threshold", "predict the positive label above this probability", _share)
    thresholds = param("thresholds", "for each label: the largest probability over its threshold wins", _shares)

    def chosen_thresholds(self) -> list[float] | None:
        """Return a threshold for each label, None if none was set."""
        alone, many = (self.getOrDefault(name) if self.isSet(name) else None for name in ("threshold", "thresholds"))
        if alone is not None and many is not None:
            raise ValueError("threshold and thresholds cannot be combined: set one of them")
        return many if alone is None else [1 - alone, alone]

    def setThreshold(self, value: float) -> Self:
        """Set the probability above which the positive label is predicted."""
        self.clear(self.thresholds)
        return self._set(threshold=value)  # type: ignore[no-any-return]

    def setThresholds(self, value: list[float]) -> Self:
        """Set the threshold of each label."""
        self.clear(self.threshold)
        return self._set(thresholds=value)  # type: ignore[no-any-return]

    def getFeaturesCol(self) -> str | None:
        """Return the column of vectors or maps, None if none was set."""
        return self.getOrDefault(self.featuresCol) if self.isSet(self.featuresCol) else None

    def getFeatureCols(self) -> list[str] | None:
        """Return the columns to learn from; for an estimator, None means all columns without another role."""
        return self.getOrDefault(self.featureCols) if self.isSet(self.featureCols) else None

    def setFeaturesCol(self, value: str) -> Self:
        """Set the one column of vectors or maps."""
        return self._set(featuresCol=value)  # type: ignore[no-any-return]

    def setFeatureCols(self, value: list[str]) -> Self:
        """Set the columns to learn from."""
        return self._set(featureCols=value)  # type: ignore[no-any-return]

    def setPredictionCol(self, value: str) -> Self:
        """Set the column of predicted labels."""
        return self._set(predictionCol=value)  # type: ignore[no-any-return]

    def setProbabilityCol(self, value: str) -> Self:
        """Set the column of probabilities, one for each label."""
        return self._set(probabilityCol=value)  # type: ignore[no-any-return]

    def setRawPredictionCol(self, value: str) -> Self:
        """Set the column of margins."""
        return self._set(rawPredictionCol=value)  # type: ignore[no-any-return]


class LearnerParams(
    ColumnParams, HasAggregationDepth, HasElasticNetParam, HasFitIntercept, HasRegParam, HasSeed, HasStepSize
):
    """How to learn. `regParam` and `elasticNetParam` are l2 and l1; `stepSize` is eta0."""

    budget = param("budget", "true bytes of the model, like 32768 or '32KiB'", _budget)
    family = param("family", f"of the labels: {', '.join(FAMILIES)}", _family)
    positive = param("positive", "the positive label; all others are negative", _positive)
    rounds = param("rounds", "how often the rows are read; each round starts from the merged model", _rounds)
    schema = param("schema", "rules by which columns become features, as in wmsketch.Schema", _schema)
    shuffle = param(
        "shuffle", "whether rows are shuffled; by default if their order needs it", TypeConverters.toBoolean
    )
    options = param("options", "further parameters of AWMSketch or MulticlassAWMSketch", _options)

    def _set_defaults(self) -> None:
        self._setDefault(
            aggregationDepth=2,
            budget=DEFAULT_BUDGET,
            elasticNetParam=0.0,
            family="auto",
            options={},
            regParam=1e-6,
            rounds=1,
            schema={},
            seed=0,
            stepSize=0.1,
        )

    def learner_parameters(self) -> dict[str, Any]:
        """Return the parameters under the names of the learner."""
        strength, share = self.getOrDefault("regParam"), self.getOrDefault("elasticNetParam")
        step = self.getOrDefault("stepSize")
        for name, value, fine in (
            ("regParam", strength, 0 <= strength < float("inf")),
            ("elasticNetParam", share, 0 <= share <= 1),
            ("stepSize", step, 0 < step < float("inf")),
        ):
            if not fine:
                rule = {"regParam": "at least 0", "elasticNetParam": "from 0 to 1", "stepSize": "above 0"}[name]
                raise ValueError(f"{name} must be {rule}, got {value}")
        intercept = {"fit_intercept": self.getOrDefault("fitIntercept")} if self.isSet("fitIntercept") else {}
        return {
            **self.getOrDefault("options"),
            **intercept,
            "budget": self.getOrDefault("budget"),
            "eta0": step,
            "l1": strength * share,
            "l2": strength * (1 - share),
            "seed": self.getOrDefault("seed"),
        }
