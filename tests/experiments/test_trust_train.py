"""The comparison of a finished model with batch logistic regression, on a small file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.trust.train import compare, labels_of, main


def test_every_order_has_a_row_and_the_model_is_close_to_batch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = np.random.default_rng(0)
    n = 4000
    shop, size = draw.choice(list("abcd"), n), draw.normal(size=n)
    margin = 1.5 * (shop == "a") - (shop == "b") + size
    table = pd.DataFrame({"at": np.arange(n), "shop": shop, "size": 100 * size, "note": None})
    table["bought"] = np.where(draw.random(n) < 1 / (1 + np.exp(-margin)), "yes", "no")
    table.to_csv(tmp_path / "rows.csv", index=False)
    rows = compare(str(tmp_path / "rows.csv"), "bought", positive="yes", time="at", ignore=("note",))
    assert [row["order"] for row in rows] == ["given", "grouped", "shuffled", "time"]
    for row in rows:
        assert row["rows"] == 3600 and row["held_out"] == 400 and row["features"] == 5
        assert row["error_ratio"] < 1.1 and row["log_loss_ratio"] < 1.05
        assert row["error"] < row["majority_error"]
    assert rows[0]["error"] == rows[3]["error"]  # the given order is the order of time
    main([str(tmp_path / "rows.csv"), "--label", "bought", "--positive", "yes", "--ignore", "note,at"])
    assert "log_loss_ratio" in capsys.readouterr().out
    with pytest.raises(ValueError, match="--positive must say"):
        labels_of(table["bought"], None)
