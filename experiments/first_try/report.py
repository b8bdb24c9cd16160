"""The verdicts as tables, and as a part of a document."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

from experiments.first_try.asked import Record

QUESTIONS = {
    "train": "`train FILE --label L`, a column of two values",
    "predict": "`predict FILE --model M`",
    "classes": "`train FILE --label L`, a column of 3 to 20 words",
    "later rows": "`train` on a random half, `predict` the rest",
    "explain": "`explain FILE --outlier 'COL>p90'`",
    "diff": "`diff A B`, the two halves",
    "fit": "`AWMSketch().fit(frame, label=L).predict(frame)`",
    "Explainer": '`Explainer("COL>p90").learn_many(frame)`',
    "Diff": "`Diff().learn_many(a, b)`, the two halves",
}
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
_LONGEST = 160  # characters of a reason


def counts_of(records: list[Record]) -> dict[str, Any]:
    """Return how many answers to each question are right, wrong and refused."""
    found = {}
    for question in QUESTIONS:
        ways = Counter(
            record["verdicts"][question].partition(":")[0] for record in records if question in record["verdicts"]
        )
        if n := ways.total():
            numbers = {way: ways[way] for way in ("right", "wrong", "refused")}
            found[question] = {"n": n, **numbers, "share_right": round(ways["right"] / n, 4)}
    return found


def summary(records: list[Record], names: dict[str, str] | None = None) -> str:
    """Return the table of verdicts for each question."""
    packages = len({record["package"] for record in records})
    lines = [f"{len(records)} tables of {packages} folders", "", "| question | n | right | wrong | refused | share |"]
    lines.append("|---|---|---|---|---|---|")
    for question, each in counts_of(records).items():
        numbers = [each[name] for name in ("n", "right", "wrong", "refused")]
        name = (names or {}).get(question, question)
        lines.append(f"| {name} | {' | '.join(map(str, numbers))} | {each['share_right']:.1%} |")
    return "\n".join(lines)


def write_into(page: Path, records: list[Record]) -> None:
    """Replace the results on a page, which stand between two marks."""
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(before + BEGIN + "\n" + as_markdown(records) + "\n" + END + after)


def as_markdown(records: list[Record]) -> str:
    """Return the table of verdicts, figures beside it, and what is not right."""
    packages = sorted({record["package"] for record in records}, key=str.lower)
    ratios = [record["ratio"] for record in records if "ratio" in record]
    above = sum(record.get("above_base", False) for record in records)
    models = sum("train" in record["verdicts"] for record in records)
    table = summary(records, QUESTIONS).partition("\n\n")[2]
    not_right = [
        f"| {record['file']} | {question} | {verdict[:_LONGEST].replace('|', ' ')} |"
        for record in records
        for question, verdict in record["verdicts"].items()
        if verdict != "right"
    ]
    parts = [f"{len(records)} tables out of {len(packages)} packages ({', '.join(packages)}):", table]
    if ratios:
        most = sum(ratio > 1.1 for ratio in ratios)
        parts.append(
            f"On later rows, the median of our error over that of batch is {median(ratios):.2f} ({len(ratios)} tables, "
            f"{most} above 1.1). Of the {models} models of two classes, {above} err more often on their own rows than "
            "the commonest label does, within the tolerance above."
        )
    if not_right:
        parts.append("\n".join(["What is not right:", "", "| file | question | reason |", "|---|---|---|", *not_right]))
    return "\n\n".join(parts)
