"""A number instead of a class: any scale, any door, any order, and absurd targets."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from river import base as river_base
from sklearn.base import is_regressor
from sklearn.linear_model import Ridge

import wmsketch
from wmsketch import AWMRegressor, AWMSketch, merge_models
from wmsketch.errors import ParameterError

LOSSES = ["squared", "absolute", "poisson"]


def table(n: int = 3000, seed: int = 0, noise: float = 0.3) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(0, 20, n),
            "km": rng.integers(0, 200_000, n) / 7,
            "kind": rng.choice(["diesel", "petrol", "electric"], n),
        }
    )
    y = -0.3 * frame["age"] - 2e-5 * frame["km"] + (frame["kind"] == "electric") * 2 + rng.normal(size=n) * noise
    return frame, y.to_numpy()


def design(frame: pd.DataFrame) -> np.ndarray:
    return pd.get_dummies(frame, dtype=float).to_numpy()


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_one_pass_is_near_the_best_linear_model(loss: str) -> None:
    X, y = table(6000)
    model = AWMRegressor("16KiB", loss=loss).fit(X[:5000], y[:5000])
    best = Ridge().fit(design(X[:5000]), y[:5000]).score(design(X[5000:]), y[5000:])
    assert model.score(X[5000:], y[5000:]) > best - 0.02
    assert model.nbytes <= 16 * 1024


def test_many_numbers_at_once_do_not_diverge() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 200))
    y = X @ rng.normal(size=200) + rng.normal(size=6000)
    model = AWMRegressor("64KiB").fit(X[:5000], y[:5000])
    assert model.score(X[5000:], y[5000:]) > 0.95
    assert model.r2_ > 0.7  # from the first row on


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize(("factor", "constant"), [(1e-3, 0.0), (1e6, 0.0), (1.0, 1e6), (1e3, -5e7), (-2.0, 1.0)])
def test_scale_and_offset_of_the_target_do_not_matter(loss: str, factor: float, constant: float) -> None:
    X, y = table()
    plain = AWMRegressor("8KiB", loss=loss).fit(X, y)
    other = AWMRegressor("8KiB", loss=loss).fit(X, factor * y + constant)
    error = (other.predict(X) - constant) / factor - plain.predict(X)
    # adding a constant costs digits of the target, and absolute loss amplifies rounding: its slope has a sharp bend
    assert np.abs(error).max() < (0.02 if loss == "squared" else 0.15) * y.std()
    assert other.r2_ == pytest.approx(plain.r2_, abs=0.01)


def test_powers_of_two_change_no_bit() -> None:
    X, y = table()
    plain, other = (AWMRegressor("8KiB").fit(X, scale * y) for scale in (1.0, 1024.0))
    assert np.array_equal(1024.0 * plain.predict(X), other.predict(X))


def test_poisson_takes_any_factor_and_no_negative_number() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(8000, 2))
    y = rng.poisson(np.exp(0.5 + 0.8 * x[:, 0] - 0.4 * x[:, 1])).astype(float)
    model = AWMRegressor("8KiB", loss="poisson").fit(x[:7000], y[:7000])
    truth = np.exp(0.5 + 0.8 * x[7000:, 0] - 0.4 * x[7000:, 1])
    assert np.abs(np.log(model.predict(x[7000:]) / truth)).mean() < 0.12
    assert model.coef_ == pytest.approx([0.8, -0.4], abs=0.12)
    thousand = AWMRegressor("8KiB", loss="poisson").fit(x[:7000], 1000 * y[:7000])
    assert thousand.predict(x[7000:]) == pytest.approx(1000 * model.predict(x[7000:]), rel=1e-6)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="at least 0 for poisson loss, got -1"):
        model.partial_fit(x[:2], [1.0, -1.0])
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("place", [0, 1, 2, 50, 2000])
@pytest.mark.parametrize("absurd", [1e15, -1e9])
def test_one_absurd_target_costs_one_row(loss: str, place: int, absurd: float) -> None:
    X, y = table()
    damaged = y.copy()
    damaged[place] = absurd
    model = AWMRegressor("8KiB", loss=loss).fit(X, damaged)
    assert model.score(X, y) > AWMRegressor("8KiB", loss=loss).fit(X, y).score(X, y) - 0.03


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 12])
def test_few_rows_predict_sane_numbers(loss: str, n: int) -> None:
    X, y = table(50)
    y = y - y.min() + 100
    predicted = AWMRegressor("8KiB", loss=loss).fit(X[:n], y[:n]).predict(X)
    assert np.all(np.abs(predicted - y[:n].mean()) < 3 * np.ptp(y) + 1e-9)


def test_constant_target_is_predicted() -> None:
    X, _ = table(100)
    model = AWMRegressor("8KiB").fit(X, np.full(100, 0.1))
    assert model.predict(X) == pytest.approx(np.full(100, 0.1))


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e16])
def test_bad_targets_are_refused_and_change_nothing(bad: float) -> None:
    X, y = table(100)
    model = AWMRegressor("8KiB").fit(X, y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError):
        model.partial_fit(X, np.where(np.arange(100) == 40, bad, y))
    with pytest.raises(ValueError):
        model.learn_one({"age": 1, "km": 2.0, "kind": "petrol"}, bad)
    assert pickle.dumps(model) == before


def test_every_input_gives_the_same_bits(tmp_path: Path) -> None:
    X, y = table(500)
    rows = X.to_dict("records")
    by_frame = AWMRegressor("8KiB", shuffle=False).fit(X, y)
    by_dicts, one_by_one = AWMRegressor("8KiB"), AWMRegressor("8KiB")
    by_dicts.learn_many(rows, y)
    for row, target in zip(rows, y.tolist(), strict=True):
        one_by_one.learn_one(row, target)
    by_polars = AWMRegressor("8KiB", shuffle=False).fit(pl.from_pandas(X), y)
    path = tmp_path / "cars.csv"
    X.assign(price=y).to_csv(path, index=False)
    by_file = AWMRegressor("8KiB", shuffle=False).fit(path, label="price")
    wanted = by_frame.predict(X)
    for other in (by_dicts, one_by_one, by_polars, by_file):
        assert np.array_equal(other.predict_many(X), wanted), other
    assert one_by_one.predict_one(rows[3]) == wanted[3]


def test_arrays_and_sparse_matrices_agree() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4)) * [1, 1000, 1e-3, 1] + 5
    y = X[:, 0] + X[:, 1] / 1000
    dense, sparse = AWMRegressor("8KiB").fit(X, y), AWMRegressor("8KiB").fit(sp.csr_matrix(X), y)
    assert np.array_equal(dense.predict(X), sparse.predict(sp.csr_matrix(X)))
    assert X @ dense.coef_ + dense.intercept_ == pytest.approx(dense.predict(X), abs=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_files_and_copies(tmp_path: Path, loss: str) -> None:
    X, y = table(400)
    model = AWMRegressor("8KiB", loss=loss).fit(X, y - y.min())
    model.save(tmp_path / "m.wms")
    for twin in (wmsketch.load(tmp_path / "m.wms"), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(twin.predict(X), model.predict(X))
        assert (twin.mae_, twin.r2_, twin.target_) == (model.mae_, model.r2_, model.target_)
    waiting = AWMRegressor("8KiB")
    waiting.learn_one({"a": 1.0, "b": 2.0}, 3.0)  # a held row
    waiting.save(tmp_path / "w.wms")
    assert wmsketch.load(tmp_path / "w.wms").predict_one({"a": 1.0, "b": 2.0}) == 3.0


def test_merged_parts_are_as_good_as_one() -> None:
    X, y = table(6000)
    parts = [AWMRegressor("8KiB").fit(X[i:5000:4], 1000 * y[i:5000:4] + 7e4) for i in range(4)]
    merged = merge_models(parts)
    whole = AWMRegressor("8KiB").fit(X[:5000], 1000 * y[:5000] + 7e4)
    test = 1000 * y[5000:] + 7e4
    assert merged.score(X[5000:], test) > whole.score(X[5000:], test) - 0.01
    assert merged.target_["mean"] == pytest.approx(whole.target_["mean"])
    assert merged.n_seen_ == sum(part.n_seen_ for part in parts)
    low = AWMRegressor("8KiB").fit(X[y < np.median(y)], y[y < np.median(y)])
    high = AWMRegressor("8KiB").fit(X[y >= np.median(y)], y[y >= np.median(y)])
    assert low.merge(high).score(X, y) > 0.5  # sides whose means and units differ


def test_contributions_add_up_to_the_prediction() -> None:
    X, y = table()
    model = AWMRegressor("8KiB").fit(X, 1000 * y)
    row = X.to_dict("records")[7]
    explained = model.explain_one(row)
    assert explained.intercept + sum(each.contribution for each in explained) == pytest.approx(
        model.predict_one(row), rel=1e-4
    )
    assert model.top(1)[0].feature == "age"
    assert model.weight("age") == pytest.approx(-0.3 * 1000 * X["age"].std(), rel=0.1)


def test_errors_are_those_of_predictions_before_learning() -> None:
    X, y = table(300)
    rows, model, errors = X.to_dict("records"), AWMRegressor("8KiB", follow=True), []
    for row, target in zip(rows, y.tolist(), strict=True):
        if errors or model.__sklearn_is_fitted__():
            errors.append(abs(model.predict_one(row) - target))
        model.learn_one(row, target)
    assert model.mae_ == pytest.approx(np.mean(errors), rel=0.05)  # the first ten rows are learned together
    means = np.cumsum(y)[:-1] / np.arange(1, 300)
    assert model.baseline_mae_ == pytest.approx(np.abs(y[1:] - means).mean(), rel=0.01)


@pytest.mark.parametrize("draw", ["normal", "lognormal", "uniform"])
def test_the_median_is_near(draw: str) -> None:
    y: Any = getattr(np.random.default_rng(0), draw)(size=5000)
    model = AWMRegressor("8KiB", loss="absolute").fit(np.ones((5000, 1)), y)
    wanted = np.abs(y - np.median(y)).mean()
    assert np.abs(y - model.target_["median"]).mean() < 1.02 * wanted
    assert np.abs(y - model.predict([[1.0]])[0]).mean() < 1.02 * wanted


def test_drifting_target_is_followed_with_a_half_life() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(6000, 2))
    y = x[:, 0] + np.where(np.arange(6000) < 3000, 0, 50)
    model = AWMRegressor("8KiB", half_life=300).fit(x, y)
    assert np.abs(model.predict(x[5900:]) - y[5900:]).mean() < 1


def test_losses_belong_to_their_model() -> None:
    with pytest.raises(ParameterError, match="AWMRegressor predicts numbers"):
        AWMSketch(loss="squared").check_parameters()  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="loss must be one of 'squared', 'absolute', 'poisson', got 'logistic'"):
        AWMRegressor(loss="logistic").check_parameters()  # type: ignore[arg-type]


def test_it_is_a_regressor_for_both_worlds() -> None:
    model = AWMRegressor("8KiB")
    assert is_regressor(model)
    assert isinstance(model, river_base.Regressor)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "classes_")
    assert model.predict_one({"a": 1.0}) == 0.0


@pytest.mark.filterwarnings("ignore:The rows have a length")
@pytest.mark.parametrize("seed", range(60))
def test_no_parameters_make_it_diverge_unnoticed(seed: int, tmp_path: Path) -> None:
    draw = np.random.default_rng(seed)

    def one_of(*values: Any) -> Any:
        return values[draw.integers(len(values))]

    model = AWMRegressor(
        "4KiB",
        loss=one_of(*LOSSES),
        step=one_of("plain", "adaptive"),
        eta0=10 ** draw.uniform(-3, 3),
        l2=one_of(0.0, 1e-6),
        l1=one_of(0.0, 1e-3),
        half_life=one_of(None, 10, 1000),
        fit_intercept=one_of(True, False),
        active_set=one_of("associative", "exact"),
        schema=one_of(None, {"numbers": "raw"}),
    )
    for _ in range(3):
        X = draw.normal(size=(100, 5)) * 10 ** draw.uniform(-4, 4, 5)
        y = np.abs(X @ draw.normal(size=5) + 10 ** draw.uniform(-6, 6)) * 10 ** draw.uniform(-6, 6)
        weights = 10 ** draw.uniform(-3, 3, 100) if draw.random() < 0.5 else None
        before = model._native.state() if model._started else {}
        try:
            model.learn_many(X, y, sample_weight=weights)
        except ValueError as problem:
            assert str(problem).startswith("row ")
            after = model._native.state() if model._started else {}
            assert all(np.array_equal(before[name], after[name]) for name in after)
    if model._started:
        model.save(tmp_path / "m.wms")
        predicted = model.predict_many(X)
        assert np.all(np.isfinite(predicted))
        assert np.array_equal(wmsketch.load(tmp_path / "m.wms").predict_many(X), predicted)
