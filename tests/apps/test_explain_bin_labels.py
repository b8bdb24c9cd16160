"""The bins of numbers hold exactly the rows that their labels say."""

import random

import pandas as pd
import pytest

from wmsketch.apps.explain.explainer import Explainer

_MANY = 4000


def _columns() -> dict[str, list[float]]:
    draw = random.Random(5)
    return {
        "cents": [round(draw.uniform(0, 1e6), 2) for _ in range(_MANY)],
        "seconds": [1_700_000_000 + 7 * i for i in range(_MANY)],
        "milliseconds": [1_700_000_000_017 + 61 * draw.randrange(_MANY) for _ in range(_MANY)],
        "accounts": [draw.choice([20_000_001, 20_000_002, 20_000_003]) for _ in range(_MANY)],
        "near": [100 + draw.randrange(10_000) * 1e-9 for _ in range(_MANY)],
        "small": [draw.gauss(0, 1e-7) for _ in range(_MANY)],
        "signed": [draw.gauss(0, 1) * 10 ** draw.randrange(-3, 6) for _ in range(_MANY)],
    }


def _inside(values: pd.Series, label: str) -> pd.Series:
    if label.startswith("below "):
        return values < float(label.removeprefix("below "))
    if label.startswith("from "):
        return values >= float(label.removeprefix("from "))
    low, between, high = label.partition(" to ")
    return (values >= float(low)) & (values < float(high)) if between else values == float(label)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("sort", [False, True])
@pytest.mark.parametrize("name", list(_columns()))
def test_a_bin_has_the_rows_that_its_label_says(name: str, sort: bool, order: int) -> None:
    draw = random.Random(6)
    frame = pd.DataFrame({name: _columns()[name], "slow": [draw.randrange(2) for _ in range(_MANY)]})
    if sort:
        frame = frame.sort_values(name)
    explainer = Explainer("slow==1", order=order)
    explainer.learn(frame)
    rows = explainer.top(99, min_ratio=0, min_support=0, certain=False)
    assert rows
    for row in rows:
        inside = _inside(frame[name], row.attributes[name])
        counts = int((inside & (frame.slow == 1)).sum()), int((inside & (frame.slow == 0)).sum())
        assert (row.outliers, row.inliers) == counts, row.attributes
