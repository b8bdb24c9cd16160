"""What users of scikit-learn and River do with a model, beyond their own checks."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn import datasets
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import wmsketch
from tests.learners.learners_under_test import EVERY_LEARNER, state
from wmsketch import AWMSketch, MulticlassAWMSketch, compare


def table(n: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(seed).normal(size=(n, 5))
    return X, (X[:, 1] - X[:, 3] > 0).astype(int)


# --- parameters ---


def test_grids_of_numpy_numbers_and_strings() -> None:
    X, y = table()
    grid = {
        "budget": np.array([2048, 4096]),
        "eta0": np.logspace(-1, 0, 2),
        "passes": np.arange(1, 3),
        "step": np.array(["plain", "adaptive"]),
        "fit_intercept": np.array([True, False]),
    }
    search = GridSearchCV(AWMSketch(), grid, cv=2).fit(X, y)
    assert search.best_score_ > 0.8
    assert AWMSketch.from_bytes(search.best_estimator_.to_bytes()).predict(X).tolist() == search.predict(X).tolist()


def test_random_state_is_the_seed_if_given() -> None:
    X, y = table()
    fitted = {
        name: AWMSketch("1KiB", **parameters).fit(X, y)._started_as["seed"]
        for name, parameters in {
            "seed": {"seed": 7},
            "random_state": {"random_state": 7},
            "both": {"seed": 3, "random_state": np.int64(7)},
        }.items()
    }
    assert set(fitted.values()) == {7}
    drawn = AWMSketch("1KiB", random_state=np.random.RandomState(0)).fit(X, y)
    again = AWMSketch("1KiB", random_state=np.random.RandomState(0)).fit(X, y)
    assert state(drawn) == state(again)
    assert AWMSketch.from_bytes(drawn.to_bytes()).random_state == drawn._started_as["seed"]
    with pytest.raises(TypeError, match="random_state must be an integer, got 'x'"):
        AWMSketch(random_state="x").fit(X, y)
    bagged = BaggingClassifier(AWMSketch("1KiB"), n_estimators=3, random_state=1).fit(X, y)
    assert len({model._started_as["seed"] for model in bagged.estimators_}) == 3


def test_set_params_on_a_fitted_model_warns_that_it_applies_later() -> None:
    X, y = table()
    model = AWMSketch("1KiB").fit(X, y)
    with pytest.warns(UserWarning, match="eta0, l2 will take effect with the next fit"):
        model.set_params(eta0=0.5, l2=1e-3, loss="logistic")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(passes=3, max_iter=2)
        assert model.fit(X, y)._started_as["eta0"] == 0.5
        assert model.n_iter_ == model.max_iter == 2 and model.n_seen_ == 2 * len(X)
    with pytest.raises(ValueError, match="Invalid parameter 'eta'"):
        model.set_params(l2=0.0, eta=1)
    assert model.l2 == 1e-3


@pytest.mark.parametrize("make", [AWMSketch, MulticlassAWMSketch])
def test_classes_can_be_given_to_the_constructor(make: Any) -> None:
    model = make("4KiB", classes=["spam", "ham"])
    model.learn_one({"money": 1.0}, "spam")
    for _ in range(20):
        model.learn_one({"money": 1.0}, "spam")
        model.learn_one({"meeting": 1.0}, "ham")
    assert sorted(model.classes_) == ["ham", "spam"]
    assert model.predict_one({"money": 1.0}) == "spam" and type(model.predict_one({"money": 1.0})) is str
    assert set(model.predict_proba_one({"money": 1.0})) == {"ham", "spam"}
    again = make.from_bytes(model.to_bytes())
    assert again.classes == ("spam", "ham")
    assert again.predict_one({"meeting": 1.0}) == "ham"
    assert "classes=" in repr(clone(model))


def test_classes_of_two_labels_refuse_a_third() -> None:
    model = AWMSketch("4KiB", classes=["spam", "ham"])
    with pytest.raises(ValueError, match="the label must be 'ham' or 'spam', got 'eggs'"):
        model.learn_one({"a": 1.0}, "eggs")
    assert not model._started
    with pytest.raises(ValueError, match="classes must hold two different labels, got \\['spam'\\]"):
        AWMSketch(classes=["spam"]).learn_one({"a": 1.0}, "spam")
    with pytest.raises(TypeError, match="classes must be two labels, got True"):
        AWMSketch(classes=True).learn_one({"a": 1.0}, "spam")
    model.fit([[1.0], [1.0]], ["ham", "ham"])  # one of the two labels is enough, because both are known
    assert model.predict([[1.0]]).tolist() == ["ham"]


# --- routing, order, times ---


def test_sample_weights_are_routed_through_a_pipeline() -> None:
    X, y = table()
    weights = np.where(y == 1, 1.0, 0.0) + 1e-3
    with sklearn.config_context(enable_metadata_routing=True):
        model = AWMSketch("2KiB").set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(make_pipeline(clone(model)), {"awmsketch__eta0": [0.1]}, cv=2)
        search.fit(X, y, sample_weight=weights)
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
            make_pipeline(AWMSketch("2KiB")).fit(X, y, sample_weight=weights)
    assert search.best_estimator_.predict(X).mean() > 0.7 > y.mean() + 0.1  # the other half has almost no weight
    with pytest.raises(RuntimeError, match="enable_metadata_routing"):
        AWMSketch().set_fit_request(sample_weight=True)


@pytest.mark.parametrize("kind", ["array", "csr", "pandas", "polars", "arrow", "dicts"])
def test_shuffle_learns_all_rows_in_another_order(kind: str) -> None:
    import polars as pl
    import pyarrow as pa
    import scipy.sparse as sp

    X, y = table(300)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(300)[::-1])
    rows = {
        "array": X,
        "csr": sp.csr_matrix(X),
        "pandas": frame,
        "polars": pl.DataFrame(X, schema=list("abcde")),
        "arrow": pa.table({name: X[:, i] for i, name in enumerate("abcde")}),
        "dicts": frame.to_dict("records"),
    }[kind]
    for meant in ({"half_life": 1000}, {"follow": True}, {"step": "plain"}):
        with pytest.warns(UserWarning, match="The 300 labels come in 2 runs"):
            AWMSketch("2KiB", **meant).fit(rows, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        in_order = AWMSketch("2KiB", shuffle=False).fit(rows, y)
        shuffled = AWMSketch("2KiB", passes=1, shuffle=True).fit(rows, y)
        twice = AWMSketch("2KiB", passes=1).fit(rows, y)
        usual = AWMSketch("2KiB").fit(rows, y)
    assert state(in_order) != state(shuffled) == state(twice)
    assert in_order.n_seen_ == shuffled.n_seen_ == 300
    assert (usual.n_iter_, usual.n_seen_) == (10, 3000)
    assert shuffled.score(rows, y) > 0.9


@pytest.mark.parametrize("data", ["iris", "wine", "digits", "breast_cancer"])
def test_fit_of_sorted_labels_is_near_logistic_regression(data: str) -> None:
    X, y = getattr(datasets, f"load_{data}")(return_X_y=True)
    train, test = np.arange(len(y)) % 3 > 0, np.arange(len(y)) % 3 == 0
    order = np.argsort(y[train], kind="stable")
    rows, labels = X[train][order], y[train][order]
    batch = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(rows, labels)
    ours = (AWMSketch if len(set(y)) == 2 else MulticlassAWMSketch)().fit(rows, labels)
    assert ours.score(X[test], y[test]) > batch.score(X[test], y[test]) - 0.03


def test_times_in_fit() -> None:
    X, y = table(100)
    times = pd.date_range("2024-01-01", periods=100, freq="min")
    model = AWMSketch("2KiB", half_life="10min").fit(X, y, times=times)
    assert model._learner().state()["time"][0] == times[-1].timestamp()
    with pytest.raises(ValueError, match="shuffle must not be True where rows have times"):
        model.set_params(shuffle=True).fit(X, y, times=times)
    with pytest.raises(ValueError, match="give time or times"):
        AWMSketch("2KiB", half_life="10min").fit(X, y)


# --- weights as scikit-learn has them ---


@pytest.mark.parametrize("name", [name for name in EVERY_LEARNER if not name.startswith("Multiclass")])
def test_coefficients_are_the_weights_of_the_columns(name: str) -> None:
    X, y = table()
    model = EVERY_LEARNER[name]().set_params(schema={"numbers": "raw"}).fit(X, y)
    assert model.coef_.tolist() == [[model.weight(column) for column in range(5)]]
    framed = EVERY_LEARNER[name]().fit(pd.DataFrame(X, columns=list("abcde")), y)
    deviations = [framed.schema_[column].deviation for column in "abcde"]
    weights = [framed.weight(column) / deviation for column, deviation in zip("abcde", deviations, strict=True)]
    assert framed.coef_[0] == pytest.approx(weights)


def test_coefficients_of_many_classes() -> None:
    X, y = table()
    two, three = (MulticlassAWMSketch("4KiB").fit(X, labels) for labels in (y, y + (X[:, 0] > 0)))
    assert two.coef_.shape == (1, 5) and three.coef_.shape == (3, 5)
    difference = two.weight(1, 1) - two.weight(1, 0)
    assert two.coef_[0, 1] == pytest.approx(difference / two.schema_["1"].deviation)


def test_models_of_dicts_have_no_coefficients() -> None:
    model = AWMSketch("2KiB")
    model.learn_one({"a": 1.0}, True)
    assert not hasattr(model, "coef_")


def test_features_are_selected_from_a_model() -> None:
    X, y = table()
    selected = SelectFromModel(AWMSketch("2KiB"), max_features=2, threshold=-np.inf).fit(X, y)
    assert selected.get_support(indices=True).tolist() == [1, 3]
    names = SelectFromModel(AWMSketch("2KiB"), max_features=2, threshold=-np.inf).fit(
        pd.DataFrame(X, columns=list("abcde")), y
    )
    assert names.get_feature_names_out().tolist() == ["b", "d"]


def test_top_names_the_columns_of_a_vectorizer() -> None:
    texts, y = ["free money now", "meeting at noon", "free money", "the meeting"] * 20, [1, 0, 1, 0] * 20
    vectorizer = TfidfVectorizer()
    model = AWMSketch("4KiB").fit(vectorizer.fit_transform(texts), y)
    names = vectorizer.get_feature_names_out()
    assert {row.feature for row in model.top(3, feature_names=names)} <= {"free", "money", "meeting"}
    assert isinstance(model.top(1)[0].feature, int)
    with pytest.raises(ValueError, match="feature_names must name all columns, got 1 names"):
        model.top(3, feature_names=["only"])
    dicts = DictVectorizer()
    many = MulticlassAWMSketch("4KiB").fit(dicts.fit_transform([{"word": text.split()[0]} for text in texts]), y)
    assert many.top(1, feature_names=dicts.get_feature_names_out())[0].feature.startswith("word=")


# --- River ---


def test_models_made_before_river_is_imported_work_with_it() -> None:
    program = """
import wmsketch
models = [wmsketch.AWMSketch("4KiB"), wmsketch.MulticlassAWMSketch("4KiB")]
from river import base, compose, evaluate, metrics, preprocessing, stream
import pickle, sys
for model in models:
    assert isinstance(model, base.Classifier) and isinstance(model, base.MiniBatchClassifier)
    assert not isinstance(model, base.Regressor) and type(model) is model.__class__
    rows = [({"a": float(i % 2), "b": 1.0}, bool(i % 2)) for i in range(200)]
    metric = metrics.Accuracy() + metrics.LogLoss()
    assert metric.works_with(model)
    score = evaluate.progressive_val_score(rows, preprocessing.StandardScaler() | model, metric, show_memory=True)
    assert score[0].get() > 0.9, score
    pickle.loads(pickle.dumps(model))
    assert sys.getsizeof(model) >= model.nbytes == model._raw_memory_usage
    pipeline = preprocessing.StandardScaler() | model
    assert pipeline._raw_memory_usage >= model.nbytes
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_public_classes_are_listed() -> None:
    assert all(hasattr(wmsketch, name) for name in wmsketch.__all__)
    everything: dict[str, Any] = {}
    exec("from wmsketch import *", everything)
    assert "AWMSketch" in everything and "LogisticRegression" not in everything  # scikit-learn has one too


def test_fit_of_a_file_takes_two_words_as_two_classes(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text("price,state\n" + "1,good\n2,bad\n" * 20)
    for source in (path, pd.read_csv(path)):
        model = AWMSketch("8KiB").fit(source, label="state")
        assert list(model.classes_) == ["bad", "good"] and model.predict_one({"price": 2}) == "bad"
        other = path.with_name("other.csv")
        other.write_text("price,kind\n" + "1,old\n2,new\n" * 20)
        assert list(model.fit(other, label="kind").classes_) == ["new", "old"]
    path.write_text("price,state\n" + "1,good\n2,bad\n3,ugly\n" * 20)
    with pytest.raises(ValueError, match="say which value is positive: positive=VALUE; MulticlassAWMSketch"):
        AWMSketch("8KiB").fit(path, label="state")


def test_fit_leaves_out_rows_without_a_label(tmp_path: Path) -> None:
    frame = pd.DataFrame({"price": [1, 2, 3] * 20, "state": ["good", "bad", None] * 20})
    frame.to_csv(tmp_path / "orders.csv", index=False)
    for source in (frame, tmp_path / "orders.csv"):
        with pytest.warns(UserWarning, match="20 rows without a label left out"):
            model = AWMSketch("8KiB").fit(source, label="state")
        assert model.n_seen_ == 40 * model.n_iter_ and list(model.classes_) == ["bad", "good"]
    with pytest.raises(ValueError, match=r"Input y contains NaN or None\. Leave out the rows without a label first"):
        AWMSketch("8KiB").fit(frame[["price"]], frame.state)


def test_fit_of_a_file_may_be_told_which_label_is_positive(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text("price,state\n" + "1,good\n2,bad\n" * 20)
    model = AWMSketch("8KiB").fit(path, label="state", positive="bad")
    assert list(model.classes_) == ["good", "bad"] and model.predict_one({"price": 2}) == "bad"
    with pytest.raises(ValueError, match="positive needs label"):
        AWMSketch("8KiB").fit([[1.0], [2.0]], [0, 1], positive=1)


@pytest.mark.parametrize("learn", ["fit", "partial_fit", "learn_many"])
def test_labels_with_another_index_order_give_a_warning(learn: str) -> None:
    """Rows and labels are paired by position, so a shuffled frame with unshuffled labels would learn noise."""
    frame = pd.DataFrame({"a": ["x", "y"] * 50})
    labels = pd.Series([True, False] * 50)
    shuffled = frame.sample(frac=1, random_state=0)
    with pytest.warns(UserWarning, match="same index in different orders"):
        getattr(AWMSketch("8KiB"), learn)(shuffled, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for paired in (labels.loc[shuffled.index], labels.loc[shuffled.index].to_numpy()):
            getattr(AWMSketch("8KiB"), learn)(shuffled, paired)


def test_completion_shows_no_internal_names():
    names = dir(AWMSketch())
    assert {"fit", "learn_one", "top", "predict_proba", "nbytes"} <= set(names)
    public = [name for name in names if not name.startswith("_")]
    assert not [name for name in public if "block" in name or name in ("mutate", "reading", "hash")]
    assert len(set(public) - set(AWMSketch().get_params())) <= 55  # what scikit-learn and River ask for are 30 of them


def test_top_is_a_frame_and_a_plot():
    model = AWMSketch("8KiB")
    model.learn_many([{"free": 1.0, "$5": 1.0}, {"meeting": 1.0}] * 50, [True, False] * 50)
    top = model.top(3)
    assert list(top.to_frame()["feature"]) == [row.feature for row in top]
    axes = top.plot()
    assert axes.get_yticklabels()[0].get_text() == top[0].feature.replace("$", r"\$")
    assert axes.get_xlabel() == "weight"
    assert top.plot(ax=axes) is axes


def test_compare_from_python():
    rows, labels = [{"free": 1.0, "the": 1.0}, {"meeting": 1.0, "the": 1.0}] * 100, [True, False] * 100
    table = compare(rows, labels, methods=["awm", "hash", "lr"], budgets=["1KiB", "2KiB"], seeds=1)
    assert [(row.method, row.budget) for row in table[:3]] == [("awm", 1024), ("hash", 1024), ("awm", 2048)]
    assert all(row.error < 0.1 and (row.budget is None or row.nbytes <= row.budget) for row in table)
    frame = pd.DataFrame({"word": ["a", "b"] * 100, "label": labels})
    assert len(compare(frame, label="label", methods=["awm"], seeds=1)) == 3
    with pytest.raises(ValueError, match="methods must be among"):
        compare(rows, labels, methods=["best"])
    with pytest.raises(ValueError, match="give y, or label"):
        compare(rows)
