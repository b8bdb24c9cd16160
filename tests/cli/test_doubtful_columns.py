"""A column whose values hardly come twice is told of: running text, times, identifiers."""

import warnings

import pandas as pd
import pytest

from wmsketch import AWMSketch, Schema

REVIEWS = [f"the order number {i} came {'late and broken' if i % 2 else 'early and whole'}" for i in range(200)]


def test_train_tells_of_text(run, tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_text("review,bad\n" + "".join(f"{text},{i % 2}\n" for i, text in enumerate(REVIEWS)))
    result = run("train", path, "--label", "bad")
    assert result.exit_code == 0
    assert "note: the column 'review' looks like running text: --text review takes its words" in result.stderr
    result = run("train", path, "--label", "bad", "--text", "review", "--holdout", "50")
    assert "running text" not in result.stderr and "held out 50 rows: error 0.00%" in result.stdout


def test_a_frame_warns_of_text():
    frame, labels = pd.DataFrame({"review": REVIEWS}), [i % 2 for i in range(200)]
    with pytest.warns(UserWarning, match=r"'review' looks like running text: schema=Schema\(text=\['review'\]\)"):
        AWMSketch("8KiB").fit(frame, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = AWMSketch("8KiB", schema=Schema(text=["review"])).fit(frame, labels)
    assert model.score(frame, labels) == 1.0


def test_train_tells_of_times_and_identifiers(run, tmp_path):
    times = pd.date_range("2024-01-01", periods=300, freq="7min")
    frame = pd.DataFrame({"when": times, "order": [f"o-{i}" for i in range(300)], "shop": list("abc") * 100})
    labels = [i % 3 == 0 for i in range(300)]
    frame.assign(late=labels).to_csv(tmp_path / "orders.csv", index=False)
    result = run("train", tmp_path / "orders.csv", "--label", "late")
    assert "the column 'when' has another value in nearly every row" in result.stderr
    assert "--ignore order leaves it out" in result.stderr and "'shop'" not in result.stderr
    result = run("train", tmp_path / "orders.csv", "--label", "late", "--ignore", "when,order")
    assert "another value" not in result.stderr
    with pytest.warns(UserWarning, match="another value in nearly every row") as told:
        AWMSketch("8KiB").fit(frame, labels)
    assert len(told) == 2


def test_many_categories_are_no_identifiers(run, tmp_path):
    rows = "".join(f"user{i * 7919 % 400},{i % 2}\n" for i in range(2000))
    (tmp_path / "users.csv").write_text("user,late\n" + rows)
    assert "note: the column" not in run("train", tmp_path / "users.csv", "--label", "late").stderr
