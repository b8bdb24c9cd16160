"""Learn large, ship small: `fit(ship_budget=)` and `train --ship`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_matrix

from wmsketch import AWMSketch, WMSketch
from wmsketch.cli.main import main


@pytest.fixture(scope="module")
def words() -> tuple[csr_matrix, np.ndarray]:
    """Rows of 20 words out of 20,000 by Zipf's law; 300 of the most frequent 3,000 tell the label."""
    draw = np.random.default_rng(0)
    n, n_words = 20_000, 20_000
    shares = 1 / np.arange(1, n_words + 1)
    chosen = draw.choice(n_words, (n, 20), p=shares / shares.sum())
    weights = np.zeros(n_words)
    weights[draw.choice(3000, 300, replace=False)] = draw.normal(0, 2, 300)
    X = csr_matrix((np.ones(chosen.size, np.float32), chosen.ravel(), np.arange(0, chosen.size + 1, 20)), (n, n_words))
    X.sum_duplicates()
    X.data[:] = 1
    return X, X @ weights + draw.normal(0, 0.3, n) > 0


def test_a_shipped_model_has_fewer_errors_than_one_that_learned_in_its_size(
    words: tuple[csr_matrix, np.ndarray],
) -> None:
    X, y = words
    n = 16_000
    once, twice = (AWMSketch("2KiB", passes=passes).fit(X[:n], y[:n]) for passes in (1, 2))
    shipped = AWMSketch().fit(X[:n], y[:n], ship_budget="2KiB")
    errors = [float(np.mean(model.predict(X[n:]) != y[n:])) for model in (once, twice, shipped)]
    assert errors[2] < 0.9 * errors[0]
    assert errors[2] < errors[1]
    assert shipped.nbytes <= 2048
    assert shipped.budget == "2KiB"
    assert (
        AWMSketch.from_bytes(shipped.to_bytes()).decision_function(X[:9]).tolist()
        == shipped.decision_function(X[:9]).tolist()
    )


def test_what_cannot_be_shipped_changes_nothing(words: tuple[csr_matrix, np.ndarray]) -> None:
    X, y = words
    model = AWMSketch("8KiB").fit(X, y)
    before = model.to_bytes()
    for bad, match in (("1MiB", "ship_budget must be at most the budget"), ("10", "budget"), ("few", "budget")):
        with pytest.raises(ValueError, match=match):
            model.fit(X, y, ship_budget=bad)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, np.full(len(y), np.nan), ship_budget="1KiB")
    assert (model.budget, model.to_bytes()) == ("8KiB", before)
    with pytest.raises(ValueError, match="only an AWM-Sketch"):
        WMSketch("8KiB").fit(X, y, ship_budget="1KiB")


def test_train_ships_and_says_so(words: tuple[csr_matrix, np.ndarray], tmp_path: Path) -> None:
    X, y = words
    lines = (
        f"{1 if label else -1} " + " ".join(f"{word}:1" for word in sorted(X[row].indices))
        for row, label in enumerate(y[:2000])
    )
    path, saved = tmp_path / "rows.svm", tmp_path / "small.wms"
    path.write_text("\n".join(lines) + "\n")
    run = CliRunner().invoke
    answer = run(main, ["train", str(path), "--ship", "2KiB", "--save", str(saved), "--json"])
    assert answer.exit_code == 0, answer.stderr
    report = json.loads(answer.stdout)
    assert report["nbytes"] <= report["budget_bytes"] == 2048
    assert report["examples"] == 2000  # the online error is that of the first pass
    assert AWMSketch.load(saved).nbytes <= 2048
    again = run(
        main, ["train", str(path), "--ship", "2KiB", "--save", str(tmp_path / "b.wms"), "--checkpoint-every", "500"]
    )
    assert again.exit_code == 0
    assert (tmp_path / "b.wms").read_bytes() == saved.read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-", "--ship", "2KiB"], "read their input twice"),
        (["FILE", "--ship", "many"], "--ship"),
        (["FILE", "--ship", "2KiB", "--method", "wm"], "cannot change its size"),
        (["FILE", "--ship", "2KiB", "--jobs", "2"], "--jobs and --ship cannot be combined"),
    ],
)
def test_what_train_cannot_ship(tmp_path: Path, options: list[str], said: str) -> None:
    path = tmp_path / "rows.svm"
    path.write_text("1 1:1\n-1 2:1\n" * 20)
    arguments = [str(path) if each == "FILE" else each for each in options]
    answer = CliRunner().invoke(main, ["train", *arguments], input="1 1:1\n")
    assert answer.exit_code == 2
    assert said in answer.stderr
