"""A column of running text that is read as categories is told of, and read as words where asked for."""

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
