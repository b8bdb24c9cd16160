"""The output of commands: one JSON document, or readable tables. Notes go to stderr."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from wmsketch.records import ChangedFeature, ClassFeature, HeavyFeature, plain
from wmsketch.terminal import drawing_on

if TYPE_CHECKING:
    from wmsketch.results.occurrences import Occurrences

_BAR_WIDTH = 32
_IN_BARS = frozenset(" │├─●┤")  # each is one column wide


def print_json(document: Any) -> None:
    """Print one JSON document on stdout; NaN and infinity become null."""
    import json

    click.echo(json.dumps(plain(document), indent=2, allow_nan=False))


def printable(text: str) -> str:
    r"""Escape control characters, because names come from data.

    >>> print(printable("city=Köln\x1b[31m\n"))
    city=Köln\x1b[31m\n
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def print_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: Sequence[str] = (),
    names: str = "",
    least: Sequence[str] = (),
) -> None:
    """Print a table with numbers right-aligned and the `left` columns left-aligned.

    On a terminal that is too narrow, drop the columns `least`, then wrap `names`.
    """
    columns = list(zip(headers, *rows, strict=True))
    widths = [max(_width(cell) for cell in column) for column in columns]
    if names and sys.stdout.isatty() and sum(widths) + 2 * len(widths) > _columns_of_terminal():
        from rich.console import Console

        from wmsketch.cli.parts.answer_table import AnswerTable

        Console(file=drawing_on(sys.stdout)).print(AnswerTable(headers, rows, least, left, list(headers).index(names)))
        return
    for row in (headers, *rows):
        cells = []
        for header, cell, width in zip(headers, row, widths, strict=True):
            space = " " * (width - _width(cell))
            cells.append(cell + space if header in left else space + cell)
        click.echo("  ".join(cells).rstrip())


def _columns_of_terminal() -> int:
    import shutil  # loads all kinds of compression

    return shutil.get_terminal_size().columns


def _width(cell: str) -> int:
    """Return the width of a text on a terminal."""
    if cell.isascii() or _IN_BARS.issuperset(cell):
        return len(cell)
    from rich.cells import cell_len

    return cell_len(cell)


def print_facts(facts: dict[str, str]) -> None:
    """Print names and values, one per line."""
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        click.echo(f"{name:<{width}}  {value}")


def print_heavy_features(rows: Sequence[HeavyFeature], counts: Occurrences | None = None) -> None:
    """Print the heaviest features with their error bars, and the number of rows that have them if counted."""
    if not rows:
        click.echo("no feature has a weight yet")
        return
    ends = [end for row in rows for end in (row.low, row.high, row.weight) if math.isfinite(end)]
    low, high = min(0.0, *ends), max(0.0, *ends)
    lines = [
        [
            *_label(row),
            printable(str(row.feature)),
            number_text(row.weight, "+"),
            *_bounds(row),
            *counted,
            error_bar(row, low, high),
        ]
        for row, counted in zip(rows, _counted(rows, counts), strict=True)
    ]
    counted_headers = ["rows", "positive"][: 1 + counts.labelled] if counts else []
    headers = ["feature", "weight", "low", "high", *counted_headers, "95 %"]
    print_table(
        ["label"] * len(_label(rows[0])) + headers,
        lines,
        left=("label", "feature", "95 %"),
        names="feature",
        least=("95 %",),
    )
    if ends_known := [row for row in rows if math.isfinite(row.low)]:
        by_rows = all(math.isfinite(row.rows_error) for row in ends_known)
        covered = "hash collisions and the number of rows" if by_rows else "hash collisions only"
        click.echo(f"low to high: 95 % range, covers {covered}")
        if may_be_zero := sum(row.may_be_zero for row in ends_known):
            click.echo(f"{may_be_zero} of these {len(rows)} may be zero; top --sort low puts these last")


def _counted(rows: Sequence[HeavyFeature], counts: Occurrences | None) -> list[list[str]]:
    """For each feature, return its rows and, if they have labels, the share of positive ones."""
    if counts is None:
        return [[] for _ in rows]
    numbers = zip(counts.rows, counts.positives, strict=True)
    return [
        [f"{n:,}", *([f"{positives / n:.1%}" if n else "-"] if counts.labelled else [])] for n, positives in numbers
    ]


def _label(row: HeavyFeature) -> list[str]:
    return [printable(label_text(row.label))] if isinstance(row, ClassFeature) else []


def label_text(label: Any) -> str:
    """Return a label as files write it.

    >>> label_text("sport"), label_text(3), label_text(True)
    ('sport', '3', 'true')
    """
    return str(label).lower() if isinstance(label, bool) else str(label)


def print_changes(rows: Sequence[ChangedFeature]) -> None:
    """Print the features that changed most, with the error bars of the change."""
    if not rows:
        click.echo("no feature has a weight yet")
        return
    headers = ["feature", "before", "after", "change", "low", "high"]
    lines = [
        (
            printable(str(row.feature)),
            *(number_text(value, "+") for value in (row.before, row.after, row.change)),
            *_bounds(row),
        )
        for row in rows
    ]
    print_table(headers, lines, left=("feature",), names="feature", least=("before", "after"))


def _bounds(row: HeavyFeature | ChangedFeature) -> tuple[str, str]:
    return tuple(number_text(end, "+") if math.isfinite(end) else "?" for end in (row.low, row.high))  # type: ignore[return-value]


def error_bar(row: HeavyFeature, low: float, high: float, width: int = _BAR_WIDTH) -> str:
    """Draw the weight and its bounds on the line from low to high, with a mark at zero.

    >>> error_bar(HeavyFeature("a", 1.0, 0.5, 1.5), -2.0, 2.0, width=9)
    '    │├●┤'
    """
    span = (high - low) or 1.0

    def place(value: float) -> int:
        return min(width - 1, max(0, round((value - low) / span * (width - 1))))

    cells = [" "] * width
    cells[place(0.0)] = "│"
    if math.isfinite(row.low) and math.isfinite(row.high):
        first, last = place(row.low), place(row.high)
        cells[first : last + 1] = "─" * (last + 1 - first)
        if last > first:
            cells[first], cells[last] = "├", "┤"
    cells[place(row.weight)] = "●"
    return "".join(cells).rstrip()


def number_text(value: float, sign: str = "") -> str:
    """Format a number with four decimals, or in scientific notation if that would be too long.

    >>> number_text(0.58571), number_text(-2.5, "+"), number_text(3.78e35), number_text(2e-7)
    ('0.5857', '-2.5000', '3.7800e+35', '2.0000e-07')
    """
    return f"{value:{sign}.4{'f' if value == 0 or 1e-3 <= abs(value) < 1e6 else 'e'}}"


def bytes_text(count: float) -> str:
    """Format a number of bytes.

    >>> bytes_text(8192), bytes_text(8100), bytes_text(512)
    ('8 KiB', '7.91 KiB', '512 B')
    """
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{f'{count / size:.2f}'.rstrip('0').rstrip('.')} {unit}"
    return f"{count:.0f} B"


def memory_text(used: int, slots: int, budget: int) -> str:
    """Say how much of the memory that was allowed is in use.

    >>> memory_text(8, 184_000, 16 << 20)
    '8 of 184,000 slots of 16 MiB used'
    """
    return f"{used:,} of {slots:,} slots of {bytes_text(budget)} used"
