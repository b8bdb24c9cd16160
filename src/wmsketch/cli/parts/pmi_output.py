"""The output of pmi: table, HTML report, plot and JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmsketch.apps.held import so_many
from wmsketch.cli.parts.answer_table import AnswerTable, with_lines
from wmsketch.cli.parts.errors import BUDGET_OPTION, input_names
from wmsketch.cli.parts.output import memory_text
from wmsketch.cli.parts.result_files import command_text, note_result_files
from wmsketch.learners.sizes.budget import parse_bytes

if TYPE_CHECKING:
    from rich.console import RenderableType

    from wmsketch.apps.pmi.pmi import PMI
    from wmsketch.apps.pmi.rows import Pair

_LEGEND = {
    "at least": "the lower end of the range of the PMI",
    "pmi": "log(p(u, v) / (p(u) p(v))): +2.3 means ten times as often as if the two were independent",
    "95 %": "range of the true PMI: chance for this number of occurrences, and everything that may have been missed",
    "count": "how often the two occurred together; if not exact, minimum and maximum",
}


_OFTEN = 5  # of two words that occur only once or twice, any pair has a high PMI

# the number that rows are sorted by, which is shown first
_SORTED_BY = {"weight": "weight", "low": "at least", "count": "count"}


def _memory(pmi: PMI) -> str:
    return memory_text(pmi.held.held, pmi.n_slots, parse_bytes(pmi.budget))


def rows_of(pmi: PMI, options: dict[str, Any]) -> list[Pair]:
    """Return the pairs to show."""
    return _rows_and_least(pmi, options)[0]


def _rows_and_least(pmi: PMI, options: dict[str, Any]) -> tuple[list[Pair], int]:
    """Return the pairs to show and their least count: unless one is given, the largest that leaves enough pairs."""
    k, sort, given = options["top"], options["sort"], options["min_count"]
    for least in range(_OFTEN, 0, -1) if given is None else [given]:
        rows = pmi.top(k, min_count=least, sort=sort)
        if len(rows) == k:
            break
    return rows, least


def notes_of(pmi: PMI, rows: list[Pair], options: dict[str, Any]) -> list[str]:
    """Return the reason if there is nothing to show."""
    if pmi.problem is not None:
        return [pmi.problem]
    k, sort, given = options["top"], options["sort"], options["min_count"]
    if given is not None:
        return [f"no pair held occurred {given:,} times or more"] if not rows and k else []
    if [row.pair for row in rows] == [row.pair for row in pmi.top(k, sort=sort)]:
        return []
    least = _rows_and_least(pmi, options)[1]
    return [f"pairs that occur fewer than {least} times are left out (--min-count 1 shows them)"]


def table_of(pmi: PMI, options: dict[str, Any]) -> RenderableType:
    """Print the table, and below it how much was read and how many pairs were held."""
    rows = rows_of(pmi, options)
    headers = ["pair", *_headers(options), *(("exact pmi", "exact count") if options["exact"] else ())]
    cells = [("  ".join(row.pair), *_numbers(row, options), *_exact(pmi, row, options)) for row in rows]
    read = f"{so_many(pmi.tokens, 'items')}, {so_many(pmi.pairs, 'pairs')}"
    summary = f"{read}; {_memory(pmi)}"
    notes = [f"note: {note}" for note in notes_of(pmi, rows, options)]
    below = (summary, *notes, pmi.held.line("distinct pairs", BUDGET_OPTION))
    return with_lines(AnswerTable(headers, cells, least=("95 %",)) if rows else None, below)


def _headers(options: dict[str, Any]) -> list[str]:
    first = _SORTED_BY.get(options["sort"], "pmi")
    return list(dict.fromkeys([first, "pmi", "95 %", "count"]))


def _numbers(row: Pair, options: dict[str, Any]) -> list[str]:
    shown = {"weight": f"{row.weight:+.3f}", "at least": f"{row.low:+.3f}", "pmi": f"{row.pmi:+.3f}"}
    shown |= {"95 %": range_text(row), "count": count_text(row)}
    return [shown[name] for name in _headers(options)]


def _values(row: Pair, options: dict[str, Any]) -> list[float]:
    values = {"weight": row.weight, "at least": row.low, "pmi": row.pmi, "95 %": row.low, "count": row.count}
    return [values[name] for name in _headers(options)]


def _exact(pmi: PMI, row: Pair, options: dict[str, Any]) -> tuple[str, ...]:
    if not options["exact"]:
        return ()
    counted = pmi.exact_row(*row.pair)
    return f"{counted.pmi:+.3f}", f"{counted.count:,}"


def range_text(row: Pair) -> str:
    """Format the range of the PMI."""
    return f"from {row.low:+.2f}" if row.high == float("inf") else f"{row.low:+.2f} to {row.high:+.2f}"


def count_text(row: Pair) -> str:
    """Format a count; if it is not exact, its minimum and maximum."""
    return f"{row.count:,}" if row.exact else f"{row.count:,} to {row.count_high:,}"


def document_of(pmi: PMI, rows: list[Pair], options: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Return the JSON document."""
    records = [row.as_record() for row in rows]
    if options["exact"]:
        for record, row in zip(records, rows, strict=True):
            exact = pmi.exact_row(*row.pair)
            record |= {"exact_pmi": exact.pmi, "exact_count": exact.count}
    sizes = {"tokens": pmi.tokens, "pairs": pmi.pairs, "nbytes": pmi.nbytes, "seconds": seconds}
    held = {"different_pairs": pmi.held.as_record(), "half_life": options["half_life"]}
    return {"rows": records, **sizes, **held, "notes": notes_of(pmi, rows, options)}


def write_files(pmi: PMI, rows: list[Pair], files: tuple[str, ...], options: dict[str, Any]) -> None:
    """Write the plot and the report, if requested."""
    from wmsketch.results.plots import intervals
    from wmsketch.results.report import Shown, write_report

    title = f"Which pairs of {input_names(files)} occur together more often than by chance?"
    bars = [("  ".join(row.pair), row.pmi, row.low, row.high) for row in rows]
    svg = intervals(options["plot"], bars, title, "pmi, and its 95 % range")
    if options["report"]:
        facts = {"items": f"{pmi.tokens:,}", "pairs": f"{pmi.pairs:,}", "memory": _memory(pmi)}
        facts |= {"held": pmi.held.line("distinct pairs", BUDGET_OPTION)}
        facts |= {f"note {number}": note for number, note in enumerate(notes_of(pmi, rows, options), start=1)}
        cells = [
            (*row.pair, *(Shown(*each) for each in zip(_numbers(row, options), _values(row, options), strict=True)))
            for row in rows
        ]
        columns = ["first", "second", *_headers(options)]
        write_report(options["report"], title, facts, columns, cells, svg, legend=_LEGEND, command=command_text())
    note_result_files(options)
