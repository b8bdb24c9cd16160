"""The value of a word in a text column: its count, or a function of it, scaled so that each text has length 1."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from wmsketch import AWMSketch
from wmsketch.readers import open_examples

COUNTS = {"tea": 3, "and": 2, "milk": 1}
VALUES = {"counts": lambda count: count, "unit": lambda count: count, "sublinear": lambda count: 1 + math.log(count)}


@pytest.mark.parametrize("rule", VALUES)
def test_values_of_words(rule: str, tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("y,t\n1,tea and tea and milk tea\n0,milk\n")
    with open_examples(path, label="y", text=["t"], word_values=rule) as blocks:
        [block] = list(blocks)
    expected = {word: VALUES[rule](count) for word, count in COUNTS.items()}
    if rule != "counts":
        length = math.hypot(*expected.values())
        expected = {word: value / length for word, value in expected.items()}
    # with "counts", each occurrence of a word is a feature of its own
    found: dict[str, float] = {}
    for i in range(int(block.starts[1])):
        word = block.name(i).removeprefix("t=")
        found[word] = found.get(word, 0.0) + float(block.values[i])
    assert found == pytest.approx(expected, rel=1e-6)
    assert block.values[int(block.starts[1]) :].tolist() == [1.0]  # a text of one word has length 1 anyway


@pytest.mark.parametrize("rule", VALUES)
def test_a_model_reads_texts_by_its_rule(rule: str, tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    rows = [{"t": "tea tea tea milk"}, {"t": "milk and jam"}] * 30
    path.write_text("y,t\n" + "".join(f"{i % 2},{row['t']}\n" for i, row in enumerate(rows)))
    schema = {"text": ["t"], "word_values": rule}
    by_file, by_row = AWMSketch("8KiB", schema=schema), AWMSketch("8KiB", schema=schema)
    by_file.learn_file(path, label="y")
    by_row.learn_many(rows, [i % 2 for i in range(len(rows))])
    assert by_file.decision_function_one(rows[0]) == by_row.decision_function_one(rows[0]) < 0
