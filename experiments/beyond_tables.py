"""The tables of experiments.beyond_the_paper, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from experiments.beyond_the_paper import BUDGETS, KIB, VW_DEFAULT

Results = dict[tuple[str, str, int, int], dict[str, Any]]


def values(results: Results, data: str, method: str, budget: int, key: str) -> list[float]:
    """What the runs of all seeds gave."""
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
    """Errors, then recovery and time, then how often each claim holds."""
    errors = "data KiB **default** paper,_1x 2x 4x 8x hashing adaptive_hashing VW VW,_4_MiB"
    recovery = "data KiB RelErr(128),_default paper,_1x 2x ns_a_feature,_default paper,_1x hashing"
    for columns, line in ((errors, _errors), (recovery, _recovery)):
        titles = [title.replace("_", " ") for title in columns.split()]
        print("\n| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|")
        for name in names:
            for budget in BUDGETS:
                print(line(results, name, budget))
    print()
    for claim, held in claims(results, names).items():
        print(
            f"- {claim}: {sum(held.values())} of {len(held)}; not: {', '.join(k for k, ok in held.items() if not ok)}"
        )


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
    places = (("default", budget), ("paper", budget // 2), ("paper", budget))
    errors = [with_range(values(results, name, *place, "rel_err")) for place in places]
    times = [
        f"{median(values(results, name, *place, 'ns_per_feature')):.1f}"
        for place in (("default", budget), ("paper", budget // 2), ("hashing", budget))
    ]
    return f"| {name} | {budget // KIB} | " + " | ".join([*errors, *times]) + " |"


def claims(results: Results, names: list[str]) -> dict[str, dict[str, bool]]:
    """For each claim, where it holds: medians are compared."""

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
        "error at most that of adaptive feature hashing": lambda n, b: error(n, "adaptive hashing", b),
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
    for claim, factor, share in (
        ("excess of RelErr(128) at most half of the paper's in the same bytes", 0.5, 2),
        ("... at most the paper's in the same bytes", 1.0, 2),
        ("... at most half of the paper's in twice the bytes", 0.5, 1),
        ("... at most the paper's in twice the bytes", 1.0, 1),
    ):
        held[claim] = {
            cell: excess(n, "default", b) <= factor * excess(n, "paper", b // share) for cell, (n, b) in known.items()
        }
    return held
