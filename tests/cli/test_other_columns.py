"""Files to predict that have other columns than those that were learned."""

import json

import numpy as np
import pandas as pd


def _visits(n=3000):
    draw = np.random.default_rng(5)
    frame = pd.DataFrame({"product": draw.integers(0, 2000, n).astype(str), "minutes": draw.normal(20, 5, n)})
    return frame, (frame.minutes + draw.normal(0, 5, n) > 20).astype(int)


def test_predict_leaves_out_and_names_columns_that_were_never_learned(run, tmp_path):
    frame, labels = _visits()
    frame.assign(bought=labels).to_csv(tmp_path / "visits.csv", index=False)
    model = tmp_path / "model.wms"
    assert (
        run("train", tmp_path / "visits.csv", "--label", "bought", "--budget", "2KiB", "--save", model).exit_code == 0
    )
    expected = run("predict", tmp_path / "visits.csv", "--model", model).stdout
    frame.assign(bought=labels, income=50000.0, note="n").to_csv(tmp_path / "more.csv", index=False)
    with (tmp_path / "more.jsonl").open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in frame.assign(income=50000.0, note="n").to_dict("records"))
    for name in ("more.csv", "more.jsonl"):
        result = run("predict", tmp_path / name, "--model", model)
        assert result.stdout == expected
        assert "note: columns that were not in the training are ignored: 'income', 'note'" in result.stderr


def test_predict_refuses_a_file_that_has_no_column_of_the_model(run, tmp_path):
    frame, labels = _visits(200)
    frame.assign(bought=labels).to_csv(tmp_path / "visits.csv", index=False)
    frame.to_csv(tmp_path / "headless.csv", index=False, header=False)
    model = tmp_path / "model.wms"
    assert run("train", tmp_path / "visits.csv", "--label", "bought", "--save", model).exit_code == 0
    result = run("predict", tmp_path / "headless.csv", "--model", model)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "none of the columns of the training ('product', 'minutes')" in result.stderr
    named = run("predict", tmp_path / "headless.csv", "--model", model, "--columns", "product,minutes")
    assert len(named.stdout.splitlines()) == 200
