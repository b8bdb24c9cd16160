"""The first rows of a table, which tell its columns, are parsed once, and nothing depends on it."""

import pytest

from wmsketch.apps import Diff, Explainer
from wmsketch.apps.diff import inputs, reading
from wmsketch.apps.explain.opening import open_once


def write(path, first, id_column):
    head, tail = ("id,", "{i},") if id_column else ("", "")
    rows = "".join(tail.format(i=f"r{i}") + f"h{(first + i) % 7},{i % 100}\n" for i in range(3000))
    path.write_text(f"{head}host,ms\n{rows}")
    return str(path)


@pytest.mark.parametrize("id_column", [False, True])
def test_explain_counts_the_same_rows(tmp_path, id_column):
    path = write(tmp_path / "a.csv", 0, id_column)
    once, twice = Explainer("ms>90"), Explainer("ms>90")
    with open_once(once, [path]) as examples:
        for block in examples:
            once.learn_block(block)
    with twice.choose_columns([path]).open([path]) as examples:
        for block in examples:
            twice.learn_block(block)
    assert once.examples == 3000
    assert once.columns_not_used == ({"id": "unique"} if id_column else {})
    assert once.finished().to_bytes() == twice.finished().to_bytes()


@pytest.mark.parametrize("id_column", [False, True])
def test_diff_counts_the_same_rows(tmp_path, monkeypatch, id_column):
    paths = [write(tmp_path / name, first, id_column) for name, first in (("a.csv", 0), ("b.csv", 3))]
    opened = []
    open_stream = inputs.open_stream
    monkeypatch.setattr(inputs, "open_stream", lambda path, *given: opened.append(path) or open_stream(path, *given))
    once = Diff("1MiB").learn_file(*paths)
    assert sorted(opened) == sorted([*paths, *paths] if id_column else paths)
    monkeypatch.setattr(reading.ReadsSides, "_trial_of", lambda self, a, b: None)
    assert once.to_bytes() == Diff("1MiB").learn_file(*paths).to_bytes()
    assert once.columns_left_out == (("id",) if id_column else ())
