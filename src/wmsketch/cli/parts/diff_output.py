"""The output of diff: table, HTML report, plot and JSON document."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wmsketch.apps.held import so_many
from wmsketch.cli.parts.answer_table import AnswerTable, with_lines
from wmsketch.cli.parts.errors import BUDGET_OPTION
from wmsketch.cli.parts.output import memory_text
from wmsketch.cli.parts.result_files import command_text, note_result_files
from wmsketch.learners.sizes.budget import parse_bytes

if TYPE_CHECKING:
    from rich.console import Group

    from wmsketch.apps.diff.diff import Diff
    from wmsketch.apps.diff.moved_values import MovedValue
    from wmsketch.apps.diff.rows import Difference

_LONGEST_NAME = 16  # of a stream name in a column header


def _is_pipe(name: str) -> bool:
    return name.startswith(("/dev/fd/", "/proc/self/fd/"))


class Streams:
    """The names of the two streams, and the unit of their rows.

    >>> Streams(["logs/monday.log", "logs/tuesday.log"], "lines").short
    ('monday.log', 'tuesday.log')
    """

    def __init__(self, names: list[str], unit: str) -> None:
        given = ["stdin" if name == "-" else name for name in names]
        ends = [name if _is_pipe(name) else name.rsplit("/", 1)[-1] for name in given]
        self.names = ends if ends[0] != ends[1] else given
        self.unit = unit

    @property
    def short(self) -> tuple[str, str]:
        """Names for columns: A and B if the names are long, equal, or numbers of pipes, as of <(zcat a.gz)."""
        first, second = self.names
        plain = max(map(len, self.names)) <= _LONGEST_NAME and first != second
        return (first, second) if plain and not any(map(_is_pipe, self.names)) else ("A", "B")

    def sizes(self, diff: Diff) -> str:
        """Return both streams and their sizes."""
        parts = []
        for short, name, total in zip(self.short, self.names, (diff.total_a, diff.total_b), strict=True):
            shown = name if short == name else f"{short} ({name})"
            parts.append(f"{shown}: {so_many(total, self.unit)}")
        return ", ".join(parts)


def table_of(diff: Diff, rows: list[Difference], streams: Streams, moved: Sequence[MovedValue] = ()) -> Group:
    """Print the table, and below it the findings, the stream sizes and how many items were held."""
    below = [row.told(*streams.short) for row in moved]
    below += [diff.statement(*streams.short), f"{streams.sizes(diff)}; {_memory(diff)}"]
    below += [f"note: {note}" for note in notes_of(diff)]
    below.append(diff.held.line(say=BUDGET_OPTION))
    if not rows:
        return with_lines(None, below)
    headers = headers_of(streams)
    cells = [(str(row.feature), more_often_in(row, streams), *_numbers(row)) for row in rows]
    examples = [None if row.example is None else f"e.g. {row.example}" for row in rows]
    table = AnswerTable(headers, cells, least=(headers[3], headers[1]), left=(headers[1],), under=examples)
    return with_lines(table, below)


def _memory(diff: Diff) -> str:
    if diff.n_slots is None:
        return f"{diff.nbytes:,} bytes"
    return memory_text(diff.held.held, diff.n_slots, parse_bytes(diff.budget))


def notes_of(diff: Diff) -> list[str]:
    """Return the notes for the reader of the answer."""
    if diff.by_template:
        return ["lines are compared by their templates; --lines compares whole lines"]
    messages, columns = diff.columns_by_template, diff.columns_left_out
    notes = [
        f"{name} is compared by its templates (--items {shlex.quote(name)} compares its values)" for name in messages
    ]
    if not columns:
        return notes
    own = "has its own value" if len(columns) == 1 else "have their own values"
    names, option = ", ".join(columns), shlex.quote(columns[0])
    return [*notes, f"not compared: {names} {own} in nearly every row (--items {option} compares it)"]


def headers_of(streams: Streams) -> tuple[str, ...]:
    """Return the columns of the table and of the report."""
    return ("item", "more often in", "times", "95 %", *(f"in {name}" for name in streams.short))


def more_often_in(row: Difference, streams: Streams) -> str:
    """Return the name of the stream with the higher rate."""
    return "?" if row.log_ratio is None else streams.short[0 if row.log_ratio >= 0 else 1]


def _numbers(row: Difference) -> tuple[str, ...]:
    return (
        times_text(row),
        range_text(row),
        count_text(row.count_a, row.count_a_low, row.count_a_high),
        count_text(row.count_b, row.count_b_low, row.count_b_high),
    )


def times_text(row: Difference) -> str:
    """Return how many times as high the rate is in that stream; "only" if the other has none."""
    if row.log_ratio is None:
        return "?"
    return "only" if row.only_in else number_text(math.exp(abs(row.log_ratio)))


def range_text(row: Difference) -> str:
    """Return the range of this ratio."""
    if row.log_ratio is None:
        return "?"
    low, high = (row.low, row.high) if row.log_ratio >= 0 else (-row.high, -row.low)
    if row.only_in:
        return f"from {number_text(math.exp(low))}"
    return f"{number_text(math.exp(low))} to {number_text(math.exp(high))}"


def number_text(number: float) -> str:
    """Format a ratio with three digits.

    >>> number_text(3.14159), number_text(16), number_text(1234.5), number_text(0.0123)
    ('3.14', '16.0', '1,234', '0.0123')
    """
    return f"{number:,.0f}" if number >= 99.95 else f"{number:#.3g}"


def count_text(count: float | None, low: float | None, high: float | None) -> str:
    """Format a count; if it is not exact, its minimum and maximum.

    >>> count_text(5, 5, 5), count_text(5, 5, 1200), count_text(2.5, 2.5, 2.5)
    ('5', '5 to 1,200', '2.50')
    """
    if count is None or low is None or high is None:
        return "?"
    return _amount(count) if low == high else f"{_amount(low)} to {_amount(high)}"


def _amount(amount: float) -> str:
    return f"{amount:,}" if isinstance(amount, int) else f"{amount:,.0f}" if amount >= 1000 else f"{amount:,.2f}"


def document_of(
    diff: Diff,
    rows: list[Difference],
    streams: Streams,
    options: dict[str, Any],
    seconds: float,
    moved: Sequence[MovedValue] = (),
) -> dict[str, Any]:
    """Return the JSON document."""
    return {
        "rows": [row.as_record() for row in rows],
        **({"moved": [row.as_record() for row in moved]} if diff.by_template else {}),
        "names": dict(zip("ab", streams.names, strict=True)),
        "total_a": _whole(diff.total_a),
        "total_b": _whole(diff.total_b),
        "items": diff.held.as_record(),
        "nbytes": diff.nbytes,
        "budget_bytes": parse_bytes(options["budget"]) if options["method"] != "lr" else None,
        "method": options["method"],
        "half_life": options["half_life"],
        "notes": notes_of(diff),
        "statement": diff.statement(*streams.short),
        "seconds": seconds,
    }


def _whole(total: float) -> float | int:
    return int(total) if float(total).is_integer() else total


def write_files(diff: Diff, rows: list[Difference], streams: Streams, options: dict[str, Any]) -> None:
    """Write the plot and the report, if requested."""
    from wmsketch.results.plots import intervals
    from wmsketch.results.report import Shown, write_report

    first, second = streams.short
    title = f"What differs between {streams.names[0]} and {streams.names[1]}?"
    bars = [_bar(row) for row in rows]
    axis = f"times as often in {second} (left) or in {first} (right), and the 95 % range"
    picture = intervals(options["plot"], bars, title, axis, times=True) if bars or options["plot"] else None
    if options["report"]:
        summary = {
            f"{short}: {name}" if short != name else name: so_many(total, streams.unit)
            for short, name, total in zip(streams.short, streams.names, (diff.total_a, diff.total_b), strict=True)
        }
        summary |= {"result": diff.statement(*streams.short), "held": diff.held.line(say=BUDGET_OPTION)}
        summary |= {"method": f"{options['method']}, {_memory(diff)}"}
        cells = [
            (
                str(row.feature),
                more_often_in(row, streams),
                *(Shown(text, value) for text, value in zip(_numbers(row), _values(row), strict=True)),
            )
            for row in rows
        ]
        write_report(
            options["report"], title, summary, headers_of(streams), cells, picture if bars else None,
            legend=legend_of(streams), command=command_text(),
        )  # fmt: skip
    note_result_files(options)


def _bar(row: Difference) -> tuple[str, float, float, float]:
    """Return the bars of the plot; an item that only one stream has is unbounded, as in the table."""
    if row.only_in == "a":
        return str(row.feature), math.inf, row.low, math.inf
    if row.only_in == "b":
        return str(row.feature), -math.inf, -math.inf, row.high
    return str(row.feature), row.log_ratio or 0.0, row.low, row.high


def _values(row: Difference) -> tuple[float | None, ...]:
    times = None if row.log_ratio is None else math.exp(abs(row.log_ratio))
    return times, row.sure_log_ratio, row.count_a, row.count_b


def legend_of(streams: Streams) -> dict[str, str]:
    """Explain the columns."""
    first, second = streams.short
    return {
        "times": "how many times as high the item's rate is in that stream; “only”: the other stream has none",
        "95 %": "range of the true ratio: chance for this number of rows, and everything that may have been missed",
        f"in {first}, in {second}": "count in each stream; if not exact, minimum and maximum",
    }
