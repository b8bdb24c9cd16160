"""`python -m experiments.trust FILE.csv` compares explain, diff, pmi and train with exact counts on any table."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.trust.__main__ import main


@pytest.mark.slow
def test_every_part_is_compared_with_exact_counts(tmp_path: Path) -> None:
    draw = np.random.default_rng(3)
    n = 600
    host = draw.choice(list("abcd"), n)
    table = pd.DataFrame({"host": host, "disk": draw.choice([f"d{i}" for i in range(30)], n)})
    table["ms"] = np.round(draw.gamma(2, 50, n) * np.where(host == "b", 3, 1), 3)
    table["at"] = pd.date_range("2024-03-01", periods=n, freq="h").strftime("%Y-%m-%dT00:00:00Z")
    table.sort_values("host").to_csv(tmp_path / "rows.csv", index=False)
    main([str(tmp_path / "rows.csv"), "--save", str(tmp_path / "found.json")])
    found = json.loads((tmp_path / "found.json").read_text())["rows.csv"]
    assert list(found) == ["explain", "metric", "diff", "pmi", "train"]
    for record in found["explain"]:
        assert record["ratio in range"] == record["counts in range"] == 1.0 and record["wrongly"] == 0
        assert record["budget"] != "default" or record["top 20"] == record["top 50"] == 1.0
    for record in found["diff"]:
        assert record["hold_the_truth"] == 1.0
        assert record["budget"] == "32KiB" or record["recall_20"] == record["recall_50"] == 1.0
    for record in found["pmi"]:
        assert record["hold_the_truth_by_weight"] >= 0.93
        assert record["budget"] == "32KiB" or record["recall_20"] == 1.0
    assert [record["order"] for record in found["train"]] == ["given", "grouped", "shuffled"]
