"""The tables of experiments.beyond_the_paper, in Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from experiments.beyond_the_paper import BUDGETS, KIB, RECALL, VW_DEFAULT, half_as_many_again

Results = dict[tuple[str, str, int, int], dict[str, Any]]
TEXT = ("imdb", "imdb_bigrams", "reuters", "newsgroups", "urls", "urls_both")
BEFORE = "before"


def values(results: Results, data: str, method: str, budget: int, key: str) -> list[float]:
    """Return the results of all seeds."""
    found = [
        row for row in results.values() if (row["data"], row["method"], row["budget_bytes"]) == (data, method, budget)
    ]
    return [row[key] for row in found if key in row]


def median(numbers: Iterable[float]) -> float:
    found = list(numbers)
    return float(np.median(found)) if found else float("nan")


def with_range(numbers: list[float]) -> str:
    if not numbers:
        return "-"
    return f"{np.median(numbers):.4f} ({min(numbers):.4f} to {max(numbers):.4f})"


def print_tables(results: Results, names: list[str]) -> None:
    """Print tables of cells, errors and recovery, and how often each claim holds."""
    cells = f"data KiB **default** {BEFORE},_1.5x shared_cells default_/_shared log_loss adaptive_hashing ns_a_feature"
    errors = "data KiB **default** paper,_1x 2x 4x 8x hashing adaptive_hashing VW VW,_4_MiB"
    recovery = "data KiB RelErr(128),_default shared paper,_1x bars_that_hold,_default shared"
    for columns, line in ((cells, _cells), (errors, _errors), (recovery, _recovery)):
        print_table(columns, [line(results, name, budget) for name in names for budget in BUDGETS])
    recall = "data KiB recall@128,_default shared sign_errors,_default shared"
    print_table(recall, [_recall(results, name, budget) for name in names if name in RECALL for budget in BUDGETS])
    print()
    for claim, held in (claims(results, names) | must_show(results, names)).items():
        broken = ", ".join(cell for cell, holds in held.items() if not holds)
        print(f"- {claim}: {sum(held.values())} of {len(held)}" + (f"; not: {broken}" if broken else ""))


def print_table(columns: str, lines: list[str]) -> None:
    titles = [title.replace("_", " ") for title in columns.split()]
    print("\n| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|", *lines, sep="\n")


def ratio(results: Results, name: str, budget: int, key: str) -> float:
    """Return the ratio of the default to shared cells, by medians."""
    return median(values(results, name, "default", budget, key)) / median(values(results, name, "shared", budget, key))


def time_ratio(results: Results, name: str, budget: int) -> float:
    """Return the median ratio of times; runs of the same seed are compared, because they ran one after the other."""
    pairs = zip(
        values(results, name, "default", budget, "ns_per_feature"),
        values(results, name, "shared", budget, "ns_per_feature"),
        strict=False,
    )
    return median(default / shared for default, shared in pairs)


def _cells(results: Results, name: str, budget: int) -> str:
    def error(method: str, n_bytes: int) -> float:
        return median(values(results, name, method, n_bytes, "error_rate"))

    cells = [
        with_range(values(results, name, "default", budget, "error_rate")),
        f"{error(BEFORE, half_as_many_again(budget)):.4f}",
        with_range(values(results, name, "shared", budget, "error_rate")),
        f"{ratio(results, name, budget, 'error_rate'):.3f}",
        f"{ratio(results, name, budget, 'log_loss'):.3f}",
        f"{error('adaptive hashing', budget):.4f}",
        f"{time_ratio(results, name, budget):.2f}",
    ]
    return f"| {name} | {budget // KIB} | " + " | ".join(cells) + " |"


def _errors(results: Results, name: str, budget: int) -> str:
    def error(method: str, n_bytes: int) -> str:
        return f"{median(values(results, name, method, n_bytes, 'error_rate')):.4f}"

    others = [
        *(error("paper", budget * factor // 2) for factor in (1, 2, 4, 8)),
        *(error(method, budget) for method in ("hashing", "adaptive hashing", "vw")),
        error("vw", VW_DEFAULT),
    ]
    ours = with_range(values(results, name, "default", budget, "error_rate"))
    return f"| {name} | {budget // KIB} | {ours} | " + " | ".join(others) + " |"


def _recovery(results: Results, name: str, budget: int) -> str:
    places = (("default", budget), ("shared", budget), ("paper", budget // 2))
    errors = [with_range(values(results, name, *place, "rel_err")) for place in places]
    shares = [values(results, name, *place, "bars") for place in places[:2]]
    bars = [f"{median(found):.1%}" if found else "-" for found in shares]
    return f"| {name} | {budget // KIB} | " + " | ".join([*errors, *bars]) + " |"


def _recall(results: Results, name: str, budget: int) -> str:
    cells = [
        f"{median(values(results, name, method, budget, key)):.{digits}f}"
        for key, digits in (("recall", 2), ("sign_errors", 3))
        for method in ("default", "shared")
    ]
    return f"| {name} | {budget // KIB} | " + " | ".join(cells) + " |"


def claims(results: Results, names: list[str]) -> dict[str, dict[str, bool]]:
    """Return where each claim about the default holds, by comparing medians."""

    def error(name: str, method: str, budget: int) -> float:
        return median(values(results, name, method, budget, "error_rate"))

    def excess(name: str, method: str, budget: int) -> float:
        return median(values(results, name, method, budget, "rel_err")) - 1

    cells = {f"{name} {budget // KIB} KiB": (name, budget) for name in names for budget in BUDGETS}
    beats = {
        "error at most the paper's with twice the bytes": lambda n, b: error(n, "paper", b),
        "error at most the paper's with four times the bytes": lambda n, b: error(n, "paper", 2 * b),
        "error at most the paper's with eight times the bytes": lambda n, b: error(n, "paper", 4 * b),
        "error at most that of feature hashing": lambda n, b: error(n, "hashing", b),
        "error below VW's in the same bytes": lambda n, b: error(n, "vw", b),
    }
    held = {
        claim: {cell: error(n, "default", b) <= other(n, b) for cell, (n, b) in cells.items()}
        for claim, other in beats.items()
    }
    held["error in 128 KiB at most VW's in 4 MiB"] = {
        name: error(name, "default", 128 * KIB) <= error(name, "vw", VW_DEFAULT) for name in names
    }
    known = {cell: place for cell, place in cells.items() if values(results, *(place[0], "paper", place[1], "rel_err"))}
    for claim, share in (
        ("excess of RelErr(128) at most the paper's in the same bytes", 2),
        ("... at most the paper's in twice the bytes", 1),
    ):
        held[claim] = {
            cell: excess(n, "default", b) <= excess(n, "paper", b // share) for cell, (n, b) in known.items()
        }
    return held


def must_show(results: Results, names: list[str]) -> dict[str, dict[str, bool]]:
    """Return where the targets of the default hold."""
    best = best_of_vowpal_wabbit()

    def error(name: str, method: str, budget: int) -> float:
        return median(values(results, name, method, budget, "error_rate"))

    def log_loss(name: str, method: str, budget: int) -> float:
        return median(values(results, name, method, budget, "log_loss"))

    def where(chosen: list[str], budgets: list[int], holds: Callable[[str, int], bool]) -> dict[str, bool]:
        return {f"{name} {budget // KIB} KiB": holds(name, budget) for name in chosen for budget in budgets}

    text = [name for name in names if name in TEXT]
    return {
        f"error at most that of the version {BEFORE} in 1.5 times the bytes": where(
            text, BUDGETS[:3], lambda n, b: error(n, "default", b) <= error(n, BEFORE, half_as_many_again(b))
        ),
        f"error at most .3 % above that of the version {BEFORE}": where(
            names, BUDGETS, lambda n, b: error(n, "default", b) <= 1.003 * error(n, BEFORE, b)
        ),
        "error at most that of adaptive hashing": where(
            names, BUDGETS, lambda n, b: error(n, "default", b) <= error(n, "adaptive hashing", b)
        ),
        "error in 128 KiB at most that of VW with 2^18 cells and its best step size": where(
            names, BUDGETS[3:], lambda n, b: error(n, "default", b) <= best[n]
        ),
        f"log loss at 8 KiB at most .5 % above that of the version {BEFORE}": where(
            names, BUDGETS[1:2], lambda n, b: log_loss(n, "default", b) <= 1.005 * log_loss(n, BEFORE, b)
        ),
        f"log loss at 8 KiB below that of the version {BEFORE}": where(
            text, BUDGETS[1:2], lambda n, b: log_loss(n, "default", b) < log_loss(n, BEFORE, b)
        ),
        "error at most .3 % above that of shared cells": where(
            names, BUDGETS, lambda n, b: ratio(results, n, b, "error_rate") <= 1.003
        ),
        "log loss at 8 KiB at most .5 % above that of shared cells": where(
            names, BUDGETS[1:2], lambda n, b: ratio(results, n, b, "log_loss") <= 1.005
        ),
        "log loss at 8 KiB below that of shared cells": where(
            text, BUDGETS[1:2], lambda n, b: ratio(results, n, b, "log_loss") < 1
        ),
        "at most 1.1 times the time of shared cells": where(
            names, BUDGETS, lambda n, b: time_ratio(results, n, b) <= 1.1
        ),
    }


def best_of_vowpal_wabbit() -> dict[str, float]:
    """Return the error of Vowpal Wabbit with 2^18 cells and the best of four step sizes, by data set."""
    rows = json.loads((Path(__file__).parent / "results" / "vowpal_wabbit.json").read_text())["rows"]
    return {
        name: min(error for setting, error in row.items() if setting.startswith("2^18 ")) for name, row in rows.items()
    }
