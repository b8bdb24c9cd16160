"""The rows of explain, diff and pmi are the same however the input is divided."""

import numpy as np
import pandas as pd
import pytest

from wmsketch.apps import PMI, Diff, Explainer
from wmsketch.apps.merging import merge_apps


def words(n: int, seed: int, tilt: float) -> list[str]:
    draw = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 2001)
    weights[::7] *= tilt
    return [f"w{i}" for i in draw.choice(2000, n, p=weights / weights.sum())]


@pytest.mark.parametrize("shards", [2, 8, 32, 64])
def test_diff_finds_the_same_items_in_the_same_order(shards):
    a, b = words(40_000, 1, 1.0), words(40_000, 2, 4.0)
    whole = Diff("1MiB")
    whole.learn_many(a, b)
    parts = []
    for i in range(shards):
        part = Diff("1MiB")
        part.learn_many(a[i::shards], b[i::shards])
        parts.append(part)
    merged = merge_apps(parts)
    wanted = [(row.feature, row.count_a, row.count_b) for row in whole.top(1000)]
    assert len(wanted) > 5 and [(row.feature, row.count_a, row.count_b) for row in merged.top(1000)] == wanted
    assert merged.statement() == whole.statement()


@pytest.mark.parametrize("shards", [2, 8, 32])
def test_pmi_finds_the_same_pairs_in_the_same_order(shards):
    draw = np.random.default_rng(3)
    lines = [" ".join(f"t{x}" for x in draw.zipf(1.4, 12) if x < 3000) for _ in range(3000)]
    lines += ["salt pepper"] * 40 + ["new york"] * 60
    draw.shuffle(lines)

    def learned(some):
        pmi = PMI(budget="8MiB", window=3)
        for line in some:
            pmi.learn_text(line)
        return pmi

    whole = learned(lines)
    merged = merge_apps([learned(lines[i::shards]) for i in range(shards)])
    assert [(row.pair, row.count) for row in merged.top(100)] == [(row.pair, row.count) for row in whole.top(100)]
    lows = [row.low for row in whole.top(100)]
    assert lows == sorted(lows, reverse=True)


@pytest.mark.parametrize("shards", [2, 8, 32])
@pytest.mark.parametrize("order", [1, 2])
def test_explain_finds_the_same_rows_in_the_same_order(shards, order):
    draw = np.random.default_rng(4)
    n = 20_000
    frame = pd.DataFrame({name: draw.choice(list("abcdefgh"), n) for name in ("x", "y", "z")})
    frame["bad"] = (draw.random(n) < 0.05) | ((frame.x == "a") & (frame.y == "b") & (draw.random(n) < 0.5))

    def learned(some):
        explainer = Explainer("bad==true", order=order)
        explainer.learn_many(some)
        return explainer

    whole = learned(frame)
    merged = merge_apps([learned(frame[i::shards]) for i in range(shards)])
    assert [row.as_record() for row in merged.top(None)] == [row.as_record() for row in whole.top(None)]
