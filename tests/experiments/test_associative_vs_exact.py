"""The experiment runs from a cached table to a results file that names its sources."""

import json
import sys

from benchmarks.generated_rows import zipf_blocks
from experiments import associative_vs_exact, csr_cache
from experiments.datasets import DATASETS


def test_a_small_table_gives_one_result_per_setting(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WMSKETCH_CACHE", str(tmp_path))
    (block,) = zipf_blocks(1, rows=300, per_row=30, n_features=2000)
    table = csr_cache.Table(block.X, block.y, [str(j) for j in range(2000)])
    csr_cache.save(table, tmp_path / f"imdb-v{DATASETS['imdb'].version}.npz")
    out = tmp_path / "results.json"
    monkeypatch.setattr(sys, "argv", ["associative_vs_exact", "--data", "imdb", "--seeds", "2", "--out", str(out)])
    associative_vs_exact.main()
    written = json.loads(out.read_text())
    assert {"command", "commit", "machine", "seeds", "rows"} <= set(written)
    assert len(written["rows"]) == 3 * 3 * 2 and all(len(row["error_rates"]) == 2 for row in written["rows"])
    assert all(0 < row["error_rate"] < 0.6 and row["rel_err"]["128"] >= 1 for row in written["rows"])
    assert "imdb           2" in capsys.readouterr().out
