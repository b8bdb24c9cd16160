"""The estimator checks of scikit-learn and River, for every class."""

from __future__ import annotations

import random
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import river.base
import river.checks
from sklearn.base import is_classifier
from sklearn.linear_model import SGDClassifier
from sklearn.utils.estimator_checks import check_estimator

import wmsketch

CLASSES = [
    "AWMSketch",
    "MulticlassAWMSketch",
    "WMSketch",
    "FeatureHashing",
    "LogisticRegression",
    "SimpleTruncation",
    "ProbabilisticTruncation",
    "SpaceSavingFrequent",
    "CountMinFrequent",
    "Mission",
    "Bear",
]
# Checks of scikit-learn that fail. They also fail for its SGDClassifier, for the same reason: a weight of 2 is one step
# of twice the size, not two steps.
SGD_FAILS = {"check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"}
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("AWMSketch", {"step": "plain"}),
    ("MulticlassAWMSketch", {"step": "plain", "fit_intercept": True}),
]


def failed_checks(model: Any) -> set[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks warn on purpose, and skip the array API unless it is enabled
        results = check_estimator(model, on_fail=None, on_skip=None)
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}
    kind = "check_class_weight_classifiers" if is_classifier(model) else "check_regressors_train"
    assert kind in {result["check_name"] for result in results}
    return {result["check_name"] for result in results if result["status"] == "failed"}


def test_expected_failures_also_fail_for_sgd_classifier() -> None:
    assert failed_checks(SGDClassifier(loss="log_loss")) == SGD_FAILS


def test_scikit_learn_regressor() -> None:
    assert failed_checks(wmsketch.AWMRegressor()) == SGD_FAILS


@pytest.mark.parametrize("number", range(len(list(river.checks.yield_checks(wmsketch.AWMRegressor())))))
def test_river_regressor(number: int) -> None:
    model = wmsketch.AWMRegressor()
    assert isinstance(model, river.base.MiniBatchRegressor)
    random.seed(0)
    list(river.checks.yield_checks(model))[number](model.clone())


@pytest.mark.parametrize(("name", "parameters"), [*((name, {}) for name in CLASSES), *VARIANTS])
def test_scikit_learn(name: str, parameters: dict[str, Any]) -> None:
    assert failed_checks(getattr(wmsketch, name)(**parameters)) == SGD_FAILS


def river_checks() -> list[Any]:
    return [
        pytest.param(name, number, id=f"{name}-{check.__name__}")
        for name in CLASSES
        for number, check in enumerate(river.checks.yield_checks(getattr(wmsketch, name)()))
    ]


@pytest.mark.parametrize(("name", "number"), river_checks())
def test_river(name: str, number: int) -> None:
    model = getattr(wmsketch, name)()
    assert isinstance(model, river.base.MiniBatchClassifier)
    assert not model._unit_test_skips()
    check = list(river.checks.yield_checks(model))[number]
    # River shuffles features by the global generator and allows 1e-6. Sums of 32-bit numbers meet it in all but about
    # one order of 150, so the order is fixed.
    random.seed(0)
    check(model.clone())


def test_the_interpreter_shuts_down_cleanly_after_rows_of_pairs() -> None:
    program = "from wmsketch import AWMSketch; AWMSketch('8KiB').learn_one([(1, 1.0), ('a', 2.0)], True)"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("name", CLASSES)
def test_a_frame_after_an_array_is_read_by_position(name: str) -> None:
    table = np.random.default_rng(0).normal(size=(200, 3))
    model = getattr(wmsketch, name)().fit(table, table[:, 0] > 0)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        answers = model.predict(pd.DataFrame(table, columns=["a", "b", "c"]))
    assert answers.tolist() == model.predict(table).tolist()
