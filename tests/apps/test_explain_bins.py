"""Bins of numbers are exact and cover the whole stream, whatever its order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from wmsketch.apps import Explainer
from wmsketch.apps.merging import merge_apps

N = 40_000


def rows() -> pd.DataFrame:
    draw = np.random.default_rng(7)
    group = draw.integers(0, 8, N)
    return pd.DataFrame(
        {
            "late": draw.random(N) < 0.2,
            "group": [f"g{i}" for i in group],
            "amount": np.round(np.exp(draw.normal(group / 2, 1.0, N)), 2),
            "distance": 100 * group + draw.integers(0, 300, N),
            "balance": draw.normal(0, 1000, N),
        }
    )


ORDERS = {
    "given": lambda frame: frame,
    "sorted": lambda frame: frame.sort_values("amount"),
    "falling": lambda frame: frame.sort_values("distance", ascending=False),
    "grouped": lambda frame: frame.sort_values("group", kind="stable"),
}


def explained(frame: pd.DataFrame, **settings: object) -> Explainer:
    explainer = Explainer(label="late", budget="1MiB", **settings)  # type: ignore[arg-type]
    explainer.learn_many(frame)
    return explainer


def bins_of(explainer: Explainer, column: str) -> dict[str, tuple[float, float]]:
    found = explainer.top(None, certain=False, min_ratio=0, min_support=0, folded=False)
    assert all(row.exact for row in found)
    return {row.attributes[column]: (row.outliers, row.inliers) for row in found if column in row.attributes}


def check(frame: pd.DataFrame, explainer: Explainer, column: str) -> None:
    bins = bins_of(explainer, column)
    edges = dict(explainer._stream.edges)[column]
    assert 7 <= len(bins) == len(edges) + 1 <= 10
    cut = np.searchsorted(edges, frame[column].to_numpy(float), side="right")
    exact = {(float(o), float(n - o)) for o, n in ((frame.late[cut == i].sum(), (cut == i).sum()) for i in range(10))}
    assert set(bins.values()) <= exact
    shares = np.array([sum(each) for each in bins.values()]) / len(frame)
    assert shares.sum() == pytest.approx(1) and shares.min() > 0.02 and shares.max() < 0.22


@pytest.mark.parametrize("order", ORDERS)
def test_bins_cover_all_rows(order: str) -> None:
    frame = ORDERS[order](rows())
    explainer = explained(frame)
    for column in ("amount", "distance", "balance"):
        check(frame, explainer, column)
    assert explainer.nbytes <= 2**20 and explainer.uneven_bins == {}


def test_parts_with_other_numbers_merge() -> None:
    frame = ORDERS["sorted"](rows())
    parts = [explained(frame[i : i + 10_000]) for i in range(0, N, 10_000)]
    merged = merge_apps(parts)
    for column in ("amount", "distance", "balance"):
        check(frame, merged, column)
    other = merge_apps([merge_apps(parts[2:]), merge_apps(parts[:2])])
    assert sum(sum(each) for each in bins_of(other, "amount").values()) == N


def test_few_integers_that_appear_late_keep_their_own_bins() -> None:
    hours = np.repeat(np.arange(18), 2000)  # the first 10,000 rows have only five of them
    explainer = explained(pd.DataFrame({"late": hours == 17, "hour": hours}))
    assert bins_of(explainer, "hour") == {str(i): (2000.0 * (i == 17), 2000.0 * (i != 17)) for i in range(18)}
    many = np.repeat(np.arange(60), 600)
    assert len(bins_of(explained(pd.DataFrame({"late": many == 17, "hour": many})), "hour")) <= 10


def test_bins_are_saved_and_fade() -> None:
    frame = rows()
    explainer = explained(frame, half_life=1000)
    again = Explainer.from_bytes(explainer.to_bytes())
    assert again.to_bytes() == explainer.to_bytes()
    again.learn_many(frame[:500])
    explainer.learn_many(frame[:500])
    assert again.to_bytes() == explainer.to_bytes()
    kept = sum(
        row.outliers + row.inliers
        for row in again.top(None, certain=False, min_ratio=0, min_support=0, folded=False)
        if "balance" in row.attributes
    )
    assert kept == pytest.approx(again.totals.outliers + again.totals.inliers)
