"""Recall of relative deltoids at equal bytes: the paper's figure "Recall of IP addresses" (section Network Monitoring).

    python -m experiments.diff [--packets 18600000] [--seeds 3] [--held-out]

The paper's trace (CAIDA) is not freely available. It is replaced by a generated trace of its size, the packets of
nDPI's test captures (few addresses, so smaller budgets), and payments of UK public bodies by supplier in two years.
Each method retrieves the 2048 items of the stream with the largest |estimated log ratio|. They are compared with the
items whose exact ratio (n_a + 1) / (n_b + 1), or its inverse, balanced by the totals, reaches a threshold. The settings
of `diff` were chosen on these data. --held-out repeats the measurement on other seeds of the generated traces, other
hashes, and other years of the payments.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from lzma import open as open_xz
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.datasets import data_folder
from wmsketch import AWMSketch, LogisticRegression, PairedCountMin, _core
from wmsketch.apps import Diff
from wmsketch.evaluation.provenance import provenance
from wmsketch.learners.sizes.budget import parse_bytes

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "experiments" / "results" / "diff.json"
HELD_OUT = ROOT / "experiments" / "results" / "diff_held_out.json"
FIRST_HELD_OUT_SEED = 10  # first seed of the hashes
FIGURE = ROOT / "docs" / "diff_recall.png"
THRESHOLDS = [2, 4, 8, 16, 32, 64, 128, 256]
BATCH = 1 << 18
Estimates = NDArray[np.float64]


@dataclass
class Trace:
    """Two streams of items, as indices into `keys`."""

    name: str
    keys: NDArray[np.uint32]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    budget: str = "32KiB"
    top: int = 2048

    def log_ratios(self) -> Estimates:
        counts = [np.bincount(side, minlength=len(self.keys)) + 1.0 for side in (self.a, self.b)]
        return np.log(counts[0] / counts[1]) - np.log(len(self.a) / len(self.b))

    def parts(self) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint32]]]:
        n_parts = max(1, (len(self.a) + len(self.b)) // BATCH)
        for a, b in zip(np.array_split(self.a, n_parts), np.array_split(self.b, n_parts), strict=True):
            yield self.keys[a], self.keys[b]


def generated(packets: int, zipf: float, sigma: float, seed: int = 1, addresses: int = 126_000) -> Trace:
    """Generate a trace: popularity is 1 / rank^zipf; the odds of an address in the streams are exp(N(0, sigma))."""
    draw = np.random.default_rng(seed)
    keys = draw.choice(2**32, addresses, replace=False).astype(np.uint32)
    popularity = 1.0 / np.arange(1, addresses + 1) ** zipf
    share_a = 1.0 / (1.0 + np.exp(-draw.normal(0.0, sigma, addresses)))
    streams = [popularity * share_a, popularity * (1.0 - share_a)]
    a, b = (draw.choice(addresses, packets // 2, p=rates / rates.sum()) for rates in streams)
    return Trace(f"generated: Zipf {zipf}, log-normal {sigma}{'' if seed == 1 else f', seed {seed}'}", keys, a, b)


def of_items(name: str, a: list[str], b: list[str], **more: object) -> Trace:
    items, numbers = np.unique(np.array(a + b), return_inverse=True)
    keys = np.array([_core.key_of(str(item)) for item in items], dtype=np.uint32)
    return Trace(name, keys, numbers[: len(a)], numbers[len(a) :], **more)  # type: ignore[arg-type]


def captures() -> Trace:
    with open_xz(data_folder() / "ndpi_packets.csv.xz", "rt", newline="") as file:
        rows = [(row["src"], row["dst"]) for row in csv.DictReader(file)]
    a, b = [src for src, _ in rows], [dst for _, dst in rows]
    return of_items("captures: source against destination addresses", a, b, budget="2KiB", top=128)


def supplier_names(years: tuple[str, str]) -> list[list[str]]:
    """Return the supplier of each payment in both years."""
    sides: dict[str, list[str]] = {year: [] for year in years}
    with open_xz(data_folder() / "uk_spending.csv.xz", "rt", newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        date, supplier = header.index("date"), header.index("supplier")
        for row in rows:
            side = sides.get(row[date][:4])
            if side is not None and row[supplier]:
                side.append(row[supplier])
    return list(sides.values())


def suppliers(years: tuple[str, str] = ("2014", "2015")) -> Trace:
    return of_items(f"suppliers of UK public bodies: {years[0]} against {years[1]}", *supplier_names(years))


def by_diff(trace: Trace, **options: object) -> tuple[Estimates, int]:
    diff = Diff(**options)  # type: ignore[arg-type]
    for a, b in trace.parts():
        diff.update(a, b)
    return diff.weights(trace.keys), diff.nbytes


def by_learner(trace: Trace, model: AWMSketch | LogisticRegression) -> tuple[Estimates, int]:
    """Rank items by a plain learner over evenly mixed streams, without the additions of `diff`."""
    native = _core.Diff.linear(_core.Config(**model._config(named=False)), False, False)
    for a, b in trace.parts():
        native.mix(_core.item_rows(a), 0, _core.item_rows(b), 0, len(a) / (len(a) + len(b)))
    return np.asarray(native.weights(trace.keys)), native.nbytes


def by_pair(trace: Trace, budget: int, seed: int, depth: int) -> tuple[Estimates, int]:
    """Rank items by a pair of Count-Min sketches that uses all bytes for cells; the list of items is given."""
    pair = PairedCountMin(budget, depth=depth, top_size=0, seed=seed)
    for a, b in trace.parts():
        pair.update_many(a, a=1)
        pair.update_many(b, b=1)
    offset = np.log(pair.total_a / pair.total_b)
    return np.array([pair.log_ratio(int(key)) - offset for key in trace.keys]), pair.nbytes


def methods(trace: Trace, seed: int) -> dict[str, Callable[[], tuple[Estimates, int]]]:
    budget = parse_bytes(trace.budget)
    paper: dict[str, Any] = {"fit_intercept": False}
    runs: dict[str, Callable[[], tuple[Estimates, int]]] = {
        "count table": lambda: by_diff(trace, budget=budget, seed=seed),
        "AWM, the paper's rule": lambda: by_learner(trace, AWMSketch.paper(budget, seed=seed, **paper)),
    }
    for times in (1, 8):
        for depth in (1, 2, 4):
            name = f"paired Count-Min{' x8' if times == 8 else ''}, depth {depth}"
            runs[name] = lambda size=times * budget, depth=depth: by_pair(trace, size, seed, depth)  # type: ignore[misc]
    if seed == 0:  # these do not hash, so one seed is enough
        runs["LR"] = lambda: by_diff(trace, method="lr")
        runs["LR, the paper's rule"] = lambda: by_learner(trace, LogisticRegression(step="plain", **paper))
    return runs


def recalls(estimates: Estimates, truth: Estimates, top: int) -> dict[int, float]:
    retrieved = np.zeros(len(truth), bool)
    retrieved[np.argsort(-np.abs(estimates), kind="stable")[:top]] = True
    above = {t: np.abs(truth) >= np.log(t) for t in THRESHOLDS}
    return {t: float(retrieved[items].mean()) for t, items in above.items() if items.any()}


def run(trace: Trace, seeds: range) -> dict[str, object]:
    truth = trace.log_ratios()
    above = {t: int(np.sum(np.abs(truth) >= np.log(t))) for t in THRESHOLDS}
    found: dict[str, dict[str, object]] = {"exact counts": {"recall": [recalls(truth, truth, trace.top)]}}
    for seed in seeds:
        for name, estimate in methods(trace, seed).items():
            began = time.perf_counter()
            estimates, nbytes = estimate()
            entry = found.setdefault(name, {"nbytes": nbytes, "recall": [], "seconds": []})
            entry["recall"].append(recalls(estimates, truth, trace.top))  # type: ignore[attr-defined]
            entry["seconds"].append(round(time.perf_counter() - began, 2))  # type: ignore[attr-defined]
            print(f"{trace.name}, seed {seed}, {name}: {entry['recall'][-1]}", flush=True)  # type: ignore[index]
    return {
        "name": trace.name,
        "items": len(trace.keys),
        "rows_a": len(trace.a),
        "rows_b": len(trace.b),
        "budget": trace.budget,
        "top": trace.top,
        "items_above": {t: n for t, n in above.items() if n},
        "methods": found,
    }


def median(entry: dict[str, object]) -> dict[int, float]:
    rows = entry["recall"]
    assert isinstance(rows, list)
    return {t: float(np.median([row[t] for row in rows])) for t in rows[0]}


def best(results: dict[str, object], prefix: str) -> dict[int, float]:
    """Return the best depth at each threshold, which a user of Count-Min sketches could not know."""
    found = results["methods"]
    assert isinstance(found, dict)
    all_depths = [median(entry) for name, entry in found.items() if name.startswith(prefix)]
    return {t: max(row[t] for row in all_depths) for t in all_depths[0]}


def summary(results: dict[str, object]) -> dict[str, dict[int, float]]:
    found = results["methods"]
    assert isinstance(found, dict)
    alone = ("exact counts", "LR", "LR, the paper's rule", "count table", "AWM, the paper's rule")
    rows = {name: median(found[name]) for name in alone if name in found}
    rows["paired Count-Min"] = best(results, "paired Count-Min, ")
    rows["paired Count-Min, 8 times the bytes"] = best(results, "paired Count-Min x8, ")
    return rows


def draw(all_results: list[dict[str, object]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.6 * len(all_results), 3.6), layout="constrained")
    styles = {"LR": "k:", "count table": "C3-o", "AWM, the paper's rule": "C1--", "paired Count-Min": "C0-s",
              "paired Count-Min, 8 times the bytes": "C0--^"}  # fmt: skip
    for axes, results in zip(figure.subplots(1, len(all_results), squeeze=False)[0], all_results, strict=True):
        for name, recall in summary(results).items():
            if name in styles:
                axes.plot(list(recall), list(recall.values()), styles[name], label=name, markersize=4)
        axes.set(xscale="log", xlabel="ratio at least", ylabel="recall", ylim=(0, 1.03))
        axes.set_xticks(THRESHOLDS, [str(t) for t in THRESHOLDS], minor=False)
        axes.set_xticks([], minor=True)
        axes.set_title(f"{results['name']}\n{results['budget']}, top {results['top']}", fontsize=8)
        axes.grid(linewidth=0.3)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)


def table(results: dict[str, object]) -> str:
    rows = summary(results)
    thresholds = list(rows["count table"])
    above = results["items_above"]
    assert isinstance(above, dict)
    lines = [
        "| ratio at least | " + " | ".join(str(t) for t in thresholds) + " |",
        "|---" * (len(thresholds) + 1) + "|",
    ]
    lines.append("| items | " + " | ".join(f"{above.get(t, above.get(str(t))):,}" for t in thresholds) + " |")
    for name, recall in rows.items():
        lines.append(f"| {name} | " + " | ".join(f"{value:.3f}" for value in recall.values()) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packets", type=int, default=18_600_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--held-out", action="store_true", help="data and hashes that no setting was chosen on")
    options = parser.parse_args()
    traces: list[Callable[[], Trace]] = [
        lambda: generated(options.packets, 1.0, 1.5, seed=2 if options.held_out else 1),
        lambda: generated(options.packets, 1.1, 2.0, seed=3 if options.held_out else 1),
    ]
    if options.held_out:
        traces += [lambda: suppliers(("2012", "2013")), lambda: suppliers(("2016", "2017"))]
    else:
        traces += [captures, suppliers]
    first = FIRST_HELD_OUT_SEED if options.held_out else 0
    seeds = range(first, first + options.seeds)
    all_results = [run(make(), seeds) for make in traces]
    for results in all_results:
        print(f"\n{results['name']}, {results['budget']}\n{table(results)}")
    document = {**provenance(), "seeds": list(seeds), "traces": all_results}
    (HELD_OUT if options.held_out else RESULTS).write_text(json.dumps(document, indent=1) + "\n")
    if not options.held_out:
        FIGURE.parent.mkdir(exist_ok=True)
        draw(all_results, FIGURE)


if __name__ == "__main__":
    main()
