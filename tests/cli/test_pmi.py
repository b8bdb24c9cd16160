"""`wmsketch pmi`: real pairs on top, the JSON that other programs rely on, and inputs with nothing to say."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Words at random, and one pair that goes together."""
    draw = random.Random(7)
    words = [f"w{i}" for i in range(40)]
    lines = []
    for _ in range(4000):
        line = draw.choices(words, k=8)
        if draw.random() < 0.2:
            at = draw.randrange(7)
            line[at : at + 2] = ["los", "angeles"]
        lines.append(" ".join(line))
    path = tmp_path_factory.mktemp("pmi") / "corpus.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_pair_that_goes_together_is_first(run, corpus: Path) -> None:
    result = run("pmi", corpus, "--json")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert {"rows", "tokens", "pairs", "nbytes"} <= set(document)
    assert set(document["rows"][0]) >= {"pair", "pmi", "low", "high", "count"}
    assert set(document["rows"][0]["pair"]) == {"los", "angeles"}
    assert document["rows"][0]["pmi"] > 1
    assert document["tokens"] == 32_000


def test_the_estimate_is_near_the_exact_pmi(run, corpus: Path) -> None:
    first = json.loads(run("pmi", corpus, "--exact", "--json").stdout)["rows"][0]
    assert first["pmi"] == pytest.approx(first["exact_pmi"], abs=0.3)
    assert first["low"] < first["exact_pmi"] < first["high"]
    assert first["count"] <= first["exact_count"]


def test_the_same_seed_gives_the_same_answer(run, corpus: Path) -> None:
    answers = [json.loads(run("pmi", corpus, "--json").stdout)["rows"] for _ in range(2)]
    assert answers[0] == answers[1]


def test_the_table_is_readable(run, corpus: Path) -> None:
    result = run("pmi", corpus)
    assert result.exit_code == 0, result.stderr
    assert "angeles" in result.stdout


@pytest.mark.parametrize("text", ["", "word word word word\n" * 50])
def test_nothing_to_say_is_said(run, tmp_path: Path, text: str) -> None:
    path = tmp_path / "poor.txt"
    path.write_text(text)
    result = run("pmi", path, "--json")
    assert "Traceback" not in result.stderr
    assert result.exit_code == 1 or json.loads(result.stdout)["rows"] == []
