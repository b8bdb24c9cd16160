"""Does `explain --metric` find the cause of an incident? 200 generated ones, with known causes.

    python -m experiments.incidents [--incidents 200] [--first 0] [--save FILE]

Each incident is a table of two days with five attributes of 3 to 30 values, some of which depend on others. A third of
the incidents has one cause that is a single attribute value, a third one that is a pair of values, and a third two
causes. The measure is a total (revenue of each order), a ratio (errors of requests) or an average (response time). A
cause multiplies the measure of its rows by a factor, or the number of its rows. All values also move by a random factor
of a few per cent each, on both days, and the second day has more or fewer rows.

Recall is the share of planted causes that are among the rows shown; precision is the share of the rows shown that are
planted causes. The plain ranking is judged by as many of its first rows as the small set has (`same length`), by its
first five, and whole. The rules of the small set were chosen with the incidents 0 to 199; `--first 1000` generates
others. A cause that no method could find (fewer than 30 rows on each side, or a part of the change below
2 %) is drawn again.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wmsketch.apps import MetricExplainer

COLUMNS = {"country": 12, "device": 4, "browser": 6, "release": 5, "path": 30}
METRICS = ("sum(revenue)", "sum(errors)/sum(requests)", "avg(ms)")
SHAPES = ("one value", "one pair", "two causes")


@dataclass(frozen=True)
class Incident:
    """A table of two days, the metric, and what was planted."""

    frame: pd.DataFrame
    metric: str
    shape: str
    causes: list[dict[str, str]]


def incident(seed: int) -> Incident:
    """Generate an incident."""
    draw = np.random.default_rng(seed)
    shape, metric = SHAPES[seed % 3], METRICS[seed // 3 % 3]
    while True:
        frame = _rows(draw)
        causes = [_cause(draw, frame, n) for n in _sizes(draw, shape)]
        masks = [_mask(frame, cause) for cause in causes]
        if len(masks) == 2 and (masks[0] & masks[1]).any():
            continue
        frame, parts = _with_measures(draw, frame, metric, masks)
        if min(int(mask.sum()) for mask in masks) >= 60 and min(parts) >= 0.02:
            return Incident(frame, metric, shape, causes)


def _sizes(draw: np.random.Generator, shape: str) -> list[int]:
    if shape == "two causes":
        return [int(draw.integers(1, 3)), int(draw.integers(1, 3))]
    return [1 if shape == "one value" else 2]


def _rows(draw: np.random.Generator) -> pd.DataFrame:
    n = int(draw.integers(20_000, 60_000))
    values = {}
    for name, size in COLUMNS.items():
        shares = draw.dirichlet(np.full(size, 1.5))
        values[name] = draw.choice(size, n, p=shares)
    # a browser is one of the few of its device, and every country has a favourite release
    values["browser"] = np.where(draw.random(n) < 0.8, values["device"] % 6, values["browser"])
    values["release"] = np.where(draw.random(n) < 0.3, values["country"] % 5, values["release"])
    frame = pd.DataFrame(
        {name: pd.Series(codes).map(lambda code, name=name: f"{name[0]}{code}") for name, codes in values.items()}
    )
    return frame.assign(day=np.where(draw.random(n) < draw.uniform(0.4, 0.6), "tue", "mon"))


def _cause(draw: np.random.Generator, frame: pd.DataFrame, size: int) -> dict[str, str]:
    row = frame.iloc[int(draw.integers(len(frame)))]
    names = draw.choice(list(COLUMNS), size, replace=False)
    return {str(name): str(row[name]) for name in names}


def _mask(frame: pd.DataFrame, cause: dict[str, str]) -> Any:
    found = np.ones(len(frame), dtype=bool)
    for name, value in cause.items():
        found &= (frame[name] == value).to_numpy()
    return found


def _with_measures(
    draw: np.random.Generator, frame: pd.DataFrame, metric: str, masks: list[Any]
) -> tuple[pd.DataFrame, list[float]]:
    n, after = len(frame), (frame.day == "tue").to_numpy()
    level = np.ones(n)
    for name in COLUMNS:  # attributes differ, on both days alike
        by_value = {value: draw.lognormal(0, 0.2) for value in sorted(frame[name].unique())}
        level *= frame[name].map(by_value).to_numpy(float)
    factor = np.ones(n)
    for mask in masks:
        factor[mask & after] *= draw.uniform(1.8, 4.0) if draw.random() < 0.5 or metric != "sum(revenue)" else 0.3
    if metric == "sum(revenue)":
        revenue = np.round(20 * level * draw.lognormal(0, 0.7, n) * factor, 2)
        frame = frame.assign(revenue=revenue)
        change, whole = revenue - revenue / factor, revenue.sum()
    elif metric == "avg(ms)":
        ms = np.round(100 * level * draw.lognormal(0, 0.5, n) * factor, 1)
        frame = frame.assign(ms=ms)
        change, whole = ms - ms / factor, ms.sum()
    else:
        requests = draw.poisson(20, n) + 1
        rate = np.minimum(0.5, 0.01 * level * factor)
        errors = draw.binomial(requests, rate)
        frame = frame.assign(requests=requests, errors=errors)
        change, whole = errors - errors / factor, errors.sum()
    return frame, [abs(float(change[mask & after].sum())) / float(whole) for mask in masks]


def answers(given: Incident) -> dict[str, list[dict[str, str]]]:
    """Return the attributes of the rows of each method, in order."""
    explainer = MetricExplainer(given.metric, test="day==tue", control="day==mon", order=2, scale="rows")
    explainer.learn_many(given.frame)
    small = [{"": row.label} if row.negated else row.attributes for row in explainer.small_set(given.frame)]
    plain = [row.attributes for row in explainer.top(None)]
    return {"small set": small, "same length": plain[: len(small)], "first five": plain[:5], "all rows": plain}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--incidents", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first incident")
    parser.add_argument("--save", type=Path)
    given = parser.parse_args(arguments)
    records = []
    for seed in range(given.first, given.first + given.incidents):
        one = incident(seed)
        for method, rows in answers(one).items():
            hits = sum(cause in rows for cause in one.causes)
            records.append(
                {
                    "shape": one.shape,
                    "metric": one.metric,
                    "method": method,
                    "causes": len(one.causes),
                    "found": hits,
                    "rows": len(rows),
                    "seed": seed,
                }
            )
    found = pd.DataFrame(records)
    for by in (["method"], ["shape", "method"], ["metric", "method"]):
        sums = found.groupby(by, sort=False)[["causes", "found", "rows"]].sum()
        table = sums.assign(recall=(sums.found / sums.causes).round(3), precision=(sums.found / sums["rows"]).round(3))
        print(table.to_string(), end="\n\n")
    if given.save:
        given.save.write_text(json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    main()
