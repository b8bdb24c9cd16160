"""Percentiles of files and frames are those of all their rows, in any order; those of pipes say that they are not."""

import numpy as np
import pandas as pd
import pytest

from wmsketch.apps import Explainer
from wmsketch.apps.explain import percentiles


def prices(order: str) -> pd.DataFrame:
    draw = np.random.default_rng(5)
    frame = pd.DataFrame({"price": np.round(draw.exponential(3000, 30_000)), "cut": draw.choice(list("abc"), 30_000)})
    if order == "sorted":
        return frame.sort_values("price", ignore_index=True)
    if order == "reversed":
        return frame.sort_values("price", ascending=False, ignore_index=True)
    return frame


@pytest.mark.parametrize("order", ["given", "sorted", "reversed"])
@pytest.mark.parametrize("operator", [">", ">=", "<"])
def test_a_frame_has_its_own_percentile(order, operator):
    frame = prices(order)
    limit = frame.price.quantile(0.9)
    explainer = Explainer(f"price{operator}p90")
    explainer.learn_many(frame)
    assert explainer.thresholds == {f"price{operator}p90": limit}
    assert explainer.outliers == int(frame.eval(f"price {operator} @limit").sum())
    assert not explainer.percentiles_moved and "every count is exact" in explainer.held.line()


@pytest.mark.parametrize("budget", ["16KiB", "16MiB"])
def test_a_sorted_file_has_its_own_percentile_in_any_budget(tmp_path, budget):
    frame = prices("sorted")
    frame.to_csv(tmp_path / "sorted.csv", index=False)
    explainer = Explainer("price>p90", budget=budget)
    explainer.learn_file(tmp_path / "sorted.csv")
    assert explainer.outliers == int((frame.price > frame.price.quantile(0.9)).sum())


def test_percentiles_are_of_the_rows_that_where_selects(tmp_path):
    frame = prices("sorted")
    frame.to_csv(tmp_path / "sorted.csv", index=False)
    explainer = Explainer("price>p50", where="cut == a and price > p20")
    explainer.learn_file(tmp_path / "sorted.csv")
    kept = frame[(frame.cut == "a") & (frame.price > frame.price.quantile(0.2))]
    assert explainer.examples == len(kept)
    assert explainer.outliers == int((kept.price > kept.price.quantile(0.5)).sum())


def test_ranks_are_found_in_few_bytes(monkeypatch):
    draw = np.random.default_rng(1)
    numbers = np.concatenate([np.zeros(5000), -draw.exponential(1, 3000), draw.normal(1e6, 1e3, 5000), [1e300, -1e300]])
    draw.shuffle(numbers)

    class Stream:
        def percentile_numbers(self, block, of_where, observing):
            return [block, block]

    monkeypatch.setattr(percentiles, "_LEAST_VALUES", 64)
    found = percentiles.percentiles_of(lambda: np.array_split(numbers, 7), Stream(), False, [12.5, 99.0], 1)
    assert found == pytest.approx([np.quantile(numbers, 0.125), np.quantile(numbers, 0.99)], rel=1e-12)


def test_later_frames_move_the_percentile_and_say_so():
    frame = prices("sorted")
    explainer = Explainer("price>p90")
    explainer.learn_many(frame[:15_000])
    assert not explainer.percentiles_moved
    explainer.learn_many(frame[15_000:])
    assert explainer.percentiles_moved and "exact" not in explainer.held.line()
    assert explainer.thresholds["price>p90"] == pytest.approx(frame.price.quantile(0.9), rel=0.05)


def test_chosen_percentiles_are_saved_and_can_be_merged():
    frame = prices("sorted")
    first = Explainer("price>p90").choose_percentiles(frame)
    whole, parts = first.copy(), [first.copy(), first.copy()]
    for part, rows in zip(parts, (frame[::2], frame[1::2]), strict=True):
        with part.open(rows) as blocks:
            for block in blocks:
                part.learn_block(block)
    merged = parts[0].merge(parts[1])
    with whole.open(frame) as blocks:
        for block in blocks:
            whole.learn_block(block)
    assert merged.outliers == whole.outliers == int((frame.price > frame.price.quantile(0.9)).sum())
