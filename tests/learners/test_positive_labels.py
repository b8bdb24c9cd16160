"""Successive inputs, and models to be merged, must have the same positive label."""

from __future__ import annotations

import pyarrow as pa
import pytest

from wmsketch import AWMSketch, merge_models


def table(label: object, n: int = 20) -> pa.Table:
    return pa.table({"n": [float(i % 3) for i in range(n)], "label": [label] * n})


def test_a_second_positive_label_is_refused_and_nothing_is_learned() -> None:
    model = AWMSketch("4KiB").learn_file(table(1), label="label")
    before = model.to_bytes()
    with pytest.raises(ValueError, match="the labels 1 and 2 are both positive"):
        model.learn_file(table(2), label="label")
    assert model.to_bytes() == before


def test_models_of_different_positive_labels_are_not_merged() -> None:
    parts = [AWMSketch("4KiB").learn_file(table(label), label="label") for label in (1, 2)]
    with pytest.raises(ValueError, match="the labels 1 and 2 are both positive"):
        merge_models(parts)


def test_one_label_may_be_written_in_several_ways() -> None:
    model = AWMSketch("4KiB")
    for label in (1, 1.0, True, "+1"):
        model.learn_file(table(label), label="label")
    assert model.n_seen_ == 80
