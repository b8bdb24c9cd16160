"""Labels of many classes keep their spelling in every format."""

import numpy as np
import pyarrow as pa
import pytest

from wmsketch import _core
from wmsketch.readers import open_examples


def labels_of(block: _core.RowBlock) -> list[str]:
    return [block.class_texts[code] for code in block.classes]


@pytest.mark.parametrize("make", [_core.LibsvmParser, _core.VwParser])
def test_numbers_are_classes_however_they_are_written(make):
    bar = "|" if make is _core.VwParser else ""
    text = "".join(f"{label} {bar} 1:1\n" for label in ("3", "+3", "3.0", "-1", "2.5", "0"))
    block = make(many_classes=True).feed(text.encode(), True)
    assert labels_of(block) == ["i3", "i3", "i3", "i-1", "s2.5", "i0"]
    assert len(block.labels) == 0
    block.drop_rows(4)
    assert labels_of(block) == ["s2.5", "i0"]


def test_columns_hold_words_numbers_and_truth():
    table = pa.table({"x": [1.0, 2.0, 3.0], "word": ["a", "b", "a"], "id": [7, 2**40, 7], "ok": [True, False, True]})
    for column, expected in (
        ("word", ["sa", "sb", "sa"]),
        ("id", ["i7", f"i{2**40}", "i7"]),
        ("ok", ["b1", "b0", "b1"]),
    ):
        ignore = [name for name in ("word", "id", "ok") if name != column]
        [block] = open_examples(table, label=column, ignore=ignore, many_classes=True)
        assert labels_of(block) == expected
        assert np.array_equal(block.values, [1.0, 2.0, 3.0])


def test_csv_and_json_lines(tmp_path):
    (tmp_path / "a.csv").write_text("kind,x\nred,1\n3,2\nred,3\n")
    (tmp_path / "a.jsonl").write_text('{"kind": "red", "x": 1}\n{"kind": 3, "x": 2}\n{"kind": true, "x": 3}\n')
    [block] = open_examples(tmp_path / "a.csv", label="kind", many_classes=True)
    assert labels_of(block) == ["sred", "i3", "sred"]
    [block] = open_examples(tmp_path / "a.jsonl", label="kind", many_classes=True)
    assert labels_of(block) == ["sred", "i3", "b1"]


def test_a_row_without_a_label_is_refused_and_a_positive_one_has_no_meaning(tmp_path):
    (tmp_path / "a.csv").write_text("kind,x\nred,1\n,2\n")
    with pytest.raises(ValueError, match='expected a label in column "kind", found none'):
        list(open_examples(tmp_path / "a.csv", label="kind", many_classes=True))
    with pytest.raises(ValueError, match="positive cannot be used"):
        open_examples(tmp_path / "a.csv", label="kind", many_classes=True, positive="red")
