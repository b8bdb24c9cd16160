"""The questions: each asks a command about a table, and checks its answer."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from click.testing import CliRunner

from experiments.first_try.batch import error_of_batch, error_on_own_rows, split
from experiments.first_try.tables import Table
from wmsketch.cli.main import main as wmsketch


class Verdict(NamedTuple):
    """What became of a question: right, wrong, refused, or not asked (None); why; and figures beside it."""

    question: str
    verdict: str | None
    why: str = ""
    figures: dict[str, Any] = {}  # noqa: RUF012


class Refused(Exception):
    """The command ended with an error."""


class Wrong(Exception):
    """An answer differs from the truth."""

    def __init__(self, message: str, figures: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.figures = figures or {}


def ask(*arguments: str | Path) -> tuple[str, str]:
    """Run a command; return its output and its notes."""
    done = CliRunner().invoke(wmsketch, [str(each) for each in arguments])
    if done.exit_code != 0:
        raise Refused(done.stderr.strip() or repr(done.exception))
    return done.stdout, done.stderr


def judge(question: str, answer: Callable[[], dict[str, Any] | None]) -> Verdict:
    """Return the verdict on an answer; a function that returns None did not ask."""
    try:
        figures = answer()
    except Refused as problem:
        return Verdict(question, "refused", str(problem)[:300])
    except Wrong as problem:
        return Verdict(question, "wrong", str(problem)[:300], problem.figures)
    except Exception as problem:
        return Verdict(question, "wrong", f"check failed: {type(problem).__name__}: {problem}"[:300])
    return Verdict(question, None) if figures is None else Verdict(question, "right", "", figures)


def verdicts(table: Table, only: tuple[str, ...]) -> list[Verdict]:
    """Ask all questions about a table."""
    from experiments.first_try import from_python  # which uses the checks below

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        answers: dict[str, Callable[[], dict[str, Any] | None]] = {
            "train": lambda: train(table, table.label(), folder),
            "predict": lambda: predict(table, table.label(), folder),
            "classes": lambda: train(table, table.many(), folder),
            "later rows": lambda: later_rows(table, folder),
            "explain": lambda: explain(table),
            "diff": lambda: diff(table, folder),
            "fit": lambda: from_python.fit(table),
            "Explainer": lambda: from_python.explain(table),
            "Diff": lambda: from_python.diff(table),
        }
        return [judge(question, answer) for question, answer in answers.items() if not only or question in only]


def in_order(values: list[str]) -> list[str]:
    """Return labels as scikit-learn orders them: numbers by their value, others by their text."""
    try:
        return sorted(values, key=float)
    except ValueError:
        return sorted(values)


def train(table: Table, label: str | None, folder: Path) -> dict[str, Any] | None:
    """Ask `train FILE --label L`: all rows with a label are learned, and the model is no worse than the base rate."""
    if label is None:
        return None
    out, _ = ask("train", table.path, "--label", label, "--save", folder / "m.wms", "--json")
    told = json.loads(out)
    counts = table.words[label].value_counts()
    require("rows", told["examples"], int(counts.sum()))
    if len(counts) == 2:
        negative, positive = in_order(list(counts.index))
        require("positive", str(told.get("positive")).lower(), positive.lower())
        require("rows of the classes", (told["negatives"], told["positives"]), (counts[negative], counts[positive]))
    else:
        require("classes", told.get("classes"), len(counts))
    predicted, _ = ask("predict", table.path, "--model", folder / "m.wms", "--label-only", "--quiet")
    error = errors(predicted, table.words[label])
    return require_no_worse_than_base(table, label, error)


def require_no_worse_than_base(table: Table, label: str, error: float) -> dict[str, Any]:
    """Raise Wrong if a finished model errs on its own rows more often than the commonest label, and than batch."""
    counts = table.words[label].value_counts()
    base = 1 - counts.iloc[0] / counts.sum()
    if error > base + np.sqrt(base * (1 - base) / counts.sum()) and error > 1.1 * error_on_own_rows(table, label):
        raise Wrong(f"the finished model errs on {error:.2%} of its own rows, the commonest label on {base:.2%}")
    return {"own_error": error, "base": base, "above_base": bool(error > base)}


def errors(predicted: str, labels: pd.Series[Any]) -> float:
    """Return the share of wrong labels."""
    lines = predicted.splitlines()
    require("predicted rows", len(lines), len(labels))
    pairs = [(line, word) for line, word in zip(lines, labels, strict=True) if word is not None]
    return sum(not same(line, word) for line, word in pairs) / len(pairs)


def same(line: str, word: str) -> bool:
    """Whether a predicted label is this word; 1 and 1.0 are."""
    try:
        return float(line) == float(word)
    except ValueError:
        return line.lower() == " ".join(word.split()).lower() or line.lower() == word.strip().lower()


def predict(table: Table, label: str | None, folder: Path) -> dict[str, Any] | None:
    """Ask `predict FILE --model M`: a line for each row, and the error that it reports is that of its lines."""
    if label is None:
        return None
    if not (folder / "m.wms").exists():
        ask("train", table.path, "--label", label, "--save", folder / "m.wms", "--json")
    out, notes = ask("predict", table.path, "--model", folder / "m.wms")
    words, chances = zip(*(line.rsplit("\t", 1) for line in out.splitlines()), strict=True)
    positive = in_order(list(table.words[label].dropna().unique()))[-1]
    error = errors("\n".join(words), table.words[label])
    for word, chance in zip(words, map(float, chances), strict=True):
        if same(word, positive) != (chance >= 0.5) and abs(chance - 0.5) > 1e-6:
            raise Wrong(f"the label {word} has the probability {chance}")
    reported = re.search(r"error ([\d.]+)%", notes)
    require("reported error", reported and float(reported[1]), round(100 * error, 2), 0.011)
    return {"error": error}


def later_rows(table: Table, folder: Path) -> dict[str, Any] | None:
    """Train on a random half and predict the rest: right unless significantly worse than 1.1 times batch's error."""
    label = table.label()
    if label is None or table.words[label].notna().sum() < 100:
        return None
    learned, held = split(table, label)
    learned.to_csv(folder / "learn.csv", index=False)
    held.to_csv(folder / "held.csv", index=False)
    if learned[label].nunique() < 2:
        return None
    ask("train", folder / "learn.csv", "--label", label, "--save", folder / "half.wms", "--json")
    out, _ = ask("predict", folder / "held.csv", "--model", folder / "half.wms", "--label-only", "--quiet")
    ours, n = errors(out, held[label]), len(held)
    theirs = error_of_batch(learned, held, label)
    figures = {"error": ours, "batch_error": theirs, "ratio": (ours * n + 0.5) / (theirs * n + 0.5)}
    limit = 1.1 * theirs
    if ours > limit + 1.64 * np.sqrt(max(limit * (1 - limit), 1 / n) / n):
        raise Wrong(f"error {ours:.2%}, batch {theirs:.2%} ({figures['ratio']:.2f} x, {n} rows)", figures)
    return figures


def explain(table: Table) -> dict[str, Any] | None:
    """Ask `explain FILE --outlier 'COL>p90'`: the percentile is that of the file, and exact counts are exact."""
    name = table.outlier()
    if name is None:
        return None
    out, _ = ask("explain", table.path, "--outlier", condition_on(name), "--json")
    told = json.loads(out)
    counts = [
        Counted(row["attributes"], row["outliers"], row["inliers"], row.get("exact", True)) for row in told["rows"]
    ]
    rows = told["examples"] + told["skipped"]
    return check_explained(table, name, next(iter(told["thresholds"].values())), rows, told["outliers"], counts)


def condition_on(name: str) -> str:
    """Return the condition that this column is above its 90th percentile."""
    return '"' + name.replace('"', '""') + '">p90'


class Counted(NamedTuple):
    """An answer's row: the values of columns, and how many rows of each side have them."""

    values: dict[str, Any]
    first: float
    second: float
    exact: bool


def check_explained(
    table: Table, name: str, threshold: float, rows: int, outliers: float, counts: list[Counted]
) -> dict[str, Any]:
    """Compare an explanation of `name>p90` with the table."""
    values = table.typed[name]
    known = values.dropna()
    low, high = (float(known.quantile(0.9, interpolation=way)) for way in ("lower", "higher"))
    if not low - 1e-9 * abs(low) <= threshold <= high + 1e-9 * abs(high):
        raise Wrong(f"{name}>p90 is {threshold}, of the file it is {low} to {high}")
    above, known_rows = values > threshold, values.notna()
    require("rows", rows, len(table))
    require("outliers", outliers, int(above.sum()))
    return check_counts(table, counts, [above, ~above & known_rows])


def check_counts(table: Table, counts: list[Counted], sides: list[pd.Series[bool]]) -> dict[str, Any]:
    """Compare the exact counts of columns of words with those of pandas."""
    checked = 0
    for row in counts:
        if not row.exact or any(name not in table.words or table.is_number(name) for name in row.values):
            continue
        here = pd.Series(True, index=table.words.index)
        for name, value in row.values.items():
            here &= table.words[name].map(lambda word, value=str(value): alike(word, value)).astype(bool)
        if here.any():
            found = tuple(int((here & side).sum()) for side in sides)
            require(f"counts of {row.values}", (row.first, row.second), found)
            checked += 1
    return {"rows": len(counts), "checked": checked}


def diff(table: Table, folder: Path) -> dict[str, Any] | None:
    """Ask `diff A B` about the two halves: every count marked exact is that of pandas."""
    half = len(table) // 2
    for side, part in (("a", table.words.iloc[:half]), ("b", table.words.iloc[half:])):
        part.to_csv(folder / f"{side}.csv", index=False)
    out, _ = ask("diff", folder / "a.csv", folder / "b.csv", "--json")
    told = json.loads(out)
    rows = [(row["feature"], row["count_a"], row["count_b"], row["exact"], row["shortened"]) for row in told["rows"]]
    return check_diff(table, (told["total_a"], told["total_b"]), rows)


def check_diff(
    table: Table, totals: tuple[float, float], rows: list[tuple[str, float, float, bool, bool]]
) -> dict[str, Any]:
    """Compare the differences between the two halves with the table."""
    half = len(table) // 2
    require("rows", totals, (half, len(table) - half))
    counts = []
    for feature, first, second, exact, shortened in rows:
        column, _, value = feature.partition("=")
        counts.append(Counted({column: value}, first, second, exact and not shortened))
    in_a = pd.Series(np.arange(len(table)) < half, index=table.words.index)
    return check_counts(table, counts, [in_a, ~in_a])


def alike(word: str | None, value: str) -> bool:
    """Whether a cell has this value; blanks at its ends do not count, and true is TRUE."""
    if word is None:
        return False
    return word.strip() == value.strip() or (value in ("true", "false") and word.strip().lower() == value)


def require(what: str, found: Any, expected: Any, tolerance: float = 0.0) -> None:
    """Raise Wrong if an answer differs from the truth."""
    equal = found == expected if not tolerance else found is not None and abs(found - expected) <= tolerance
    if not equal:
        raise Wrong(f"{what}: found {found}, expected {expected}")
