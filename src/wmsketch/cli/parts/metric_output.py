"""The output of `explain --metric`: table, JSON document, plot and HTML report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from wmsketch.apps.held import so_many
from wmsketch.cli.parts.answer_table import AnswerTable, with_lines
from wmsketch.cli.parts.errors import input_names
from wmsketch.cli.parts.output import memory_text, print_json
from wmsketch.cli.parts.reader_options import rejects_record
from wmsketch.cli.parts.result_files import command_text, note_result_files
from wmsketch.readers.rejects import Rejects

if TYPE_CHECKING:
    from wmsketch.apps.explain.drivers import Driver
    from wmsketch.apps.explain.metric_explainer import MetricExplainer

LEGEND = {
    "control, test": "the metric of the rows with the attributes, on both sides",
    "contribution": "their part of the change of all rows; within a column the parts add up to the change",
    "95 %": "range of the contribution: chance for these rows, and everything that may have been missed",
    "share": "the contribution as a share of the change",
    "mix, rate": "of a ratio: because they are more or fewer of the rows, and because their own ratio changed",
    "folded": "rows that add nothing to this one",
    "=": "attributes of exactly the same rows",
}
LEGEND_OF_REST = {
    "rest, these rows": "the metric of all other rows, and of the rows with the attributes",
    "contribution": "what these rows add to the metric of all rows",
    **{name: LEGEND[name] for name in ("95 %", "folded", "=")},
}


class MetricOutput:
    """The answer of the command."""

    def __init__(self, explainer: MetricExplainer, files: tuple[str, ...], options: dict[str, Any]) -> None:
        self._explainer = explainer
        self._files = files
        self._options = options
        self._rows: list[Driver] = []
        self._n_beyond = 0
        self._n_redundant = 0
        self._small = False
        self.seconds = 0.0
        self.rejects = Rejects()

    def find_rows(self, sources: list[list[str]], reader: dict[str, Any], complete: bool) -> None:
        """Choose the rows: the few that account for the change if the input can be read again, or all with --all."""
        from wmsketch.apps.explain.percentiles import can_be_read_again

        explainer, options = self._explainer, self._options
        support, everything = options["min_support"], options["show_all"]
        found = explainer.top(None, min_support=support, certain=not everything, folded=not everything)
        self._n_beyond = len(found)
        if (
            not everything
            and complete
            and (found or explainer.has_sides)
            and all(can_be_read_again(each) for each in sources)
        ):
            beyond = {row.label for row in found}
            found = explainer.small_set(*sources, min_support=support, **reader)
            self._n_beyond += sum(row.label not in beyond for row in found)  # negations, and rows that another one hid
            self._n_redundant = sum(row.label in beyond for chosen in found for row in chosen.folded)
            self._small = True
        self._rows = found[: options["top"]]

    def write(self) -> None:
        """Print the answer, and write the requested files."""
        if self._options["as_json"]:
            print_json(self._document())
        else:
            self._print()
        if self._options["plot"] or self._options["report"]:
            self._draw()

    def _document(self) -> dict[str, Any]:
        from wmsketch.cli.parts.explain_notes import coverage_line

        explainer = self._explainer
        sides = {"control": explainer.control_value, "change": explainer.change} if explainer.has_sides else {}
        return {
            "metric": explainer.metric,
            "test": explainer.test_value,
            **sides,
            "percentiles": explainer.percentiles,
            "control_factor": explainer.control_factor,
            "rows": [row.as_record() for row in self._rows],
            "rows_beyond_noise": self._n_beyond,
            "small_set": self._small,
            "redundant": self._n_redundant,
            "examples": explainer.examples,
            "test_rows": explainer.outliers,
            "control_rows": explainer.examples - explainer.outliers,
            "skipped": explainer.skipped,
            "where_left_out": explainer.where_left_out,
            "attribute_values": explainer.held.as_record(),
            "held": coverage_line(explainer),
            "columns_not_used": explainer.columns_not_used,
            **rejects_record(self.rejects),
            "notes": self._notes(),
            "nbytes": explainer.nbytes,
            "budget_bytes": explainer.budget_bytes,
            "seconds": self.seconds,
        }

    # --- the table ---

    def _headers(self) -> list[str]:
        explainer = self._explainer
        sides = ["control", "test"] if explainer.has_sides else ["rest", "these rows"]
        headers = ["attributes", *sides, "contribution", "95 %"]
        if explainer.has_sides:
            headers += ["share", *(["mix", "rate"] if self._is_ratio else [])]
        return [*headers, "folded"] if any(row.folded for row in self._rows) else headers

    @property
    def _is_ratio(self) -> bool:
        return any(row.mix is not None for row in self._rows)

    def _cells(self, row: Driver) -> list[str]:
        about = "" if row.exact else "~"
        cells = [
            row.full_label,
            about + number(row.control),
            about + number(row.test),
            about + signed(row.contribution, 4),
            f"{signed(row.low, 3)} to {signed(row.high, 3)}",
        ]
        if self._explainer.has_sides:
            cells.append("" if math.isnan(row.share) else f"{about}{row.share:.1%}")
            if self._is_ratio:
                cells += [signed(row.mix or 0.0, 3), signed(row.rate or 0.0, 3)]
        return [*cells, str(len(row.folded) or "")]

    def _print(self) -> None:
        from wmsketch.results.live import LiveTable

        headers, table = self._headers(), None
        if self._rows:
            cells = [self._cells(row)[: len(headers)] for row in self._rows]
            least = [name for name in ("folded", "mix", "rate", "share", "95 %") if name in headers]
            table = AnswerTable(headers, cells, least=least)
        with LiveTable(None, lambda: with_lines(table, self._lines())) as drawn:
            drawn.finish()

    def _lines(self) -> list[str]:
        from wmsketch.cli.parts.explain_notes import coverage_line

        explainer = self._explainer
        lines = [self._headline()] if explainer.problem is None else []
        if not self._rows and explainer.problem is None:
            lines.append("no attribute changed otherwise than the rest beyond noise (--all shows more)")
        if self._small and len(self._rows) < self._n_beyond:
            lines.append(self._others())
        memory = memory_text(explainer.slots_used, explainer.sizes.capacity, explainer.budget_bytes)
        sides = f", {explainer.outliers:,} test, {explainer.examples - explainer.outliers:,} control"
        lines.append(f"{so_many(explainer.examples, 'rows')}{sides if explainer.has_sides else ''}; {memory}")
        return [*lines, *(f"note: {note}" for note in self._notes()), coverage_line(explainer)]

    def _others(self) -> str:
        """Say what became of the rows beyond noise that are not shown."""
        less = self._n_beyond - len(self._rows) - self._n_redundant
        told = []
        if self._n_redundant:
            differ = "differs" if self._n_redundant == 1 else "differ"
            told.append(f"{self._n_redundant} {differ} no longer without the rows of these")
        if less:
            told.append(f"{less} contribute{'s' * (less == 1)} little")
        return f"{self._n_beyond} attributes differ beyond noise: {len(self._rows)} shown, {', '.join(told)} (--all)"

    def _headline(self) -> str:
        explainer = self._explainer
        if explainer.percentiles is not None and explainer.has_sides:
            before, after = explainer.percentiles
            shares = f"{explainer.control_value:.2%} to {explainer.test_value:.2%}"
            return (
                f"{explainer.metric}: {number(before)} to {number(after)}; rows above {number(before)}: {shares}, "
                "which is what contributions add up to"
            )
        if not explainer.has_sides:
            return f"{explainer.metric}: {number(explainer.test_value)} of all rows"
        control, test = explainer.control_value, explainer.test_value
        relative = f" ({explainer.change / abs(control):+.1%})" if control else ""
        return f"{explainer.metric}: {number(control)} to {number(test)}, {signed(explainer.change)}{relative}"

    def _notes(self) -> list[str]:
        from wmsketch.cli.parts.explain_notes import notes

        explainer = self._explainer
        found = notes(explainer)
        n_odd, first = explainer.odd_values
        if n_odd:
            found.append(
                f"{so_many(n_odd, 'values')} of the metric are no numbers (the first: {first!r}); they count as missing"
            )
        if explainer.control_factor != 1:
            to = ", to as many rows as the test side has" if explainer.scale in (None, "rows") else ""
            found.append(f"the control is multiplied by {explainer.control_factor:.6g} (--scale){to}")
        elif explainer.scale is None and explainer.is_total and self._sizes_differ and explainer.problem is None:
            found.append("the sides differ in size, so that totals differ everywhere: --scale rows makes them equal")
        if not explainer.has_sides and not explainer.percentiles and explainer.metric_shown != explainer.metric:
            found.append(
                f"without sides (--test, --against, --after) {explainer.metric} is compared by row: "
                f"{explainer.metric_shown}"
            )
        if explainer.threshold_of_first_rows is not None:
            found.append(
                f"contributions are to the share of rows above {number(explainer.threshold_of_first_rows)}, "
                f"the percentile of the first rows; a file gives that of the control"
            )
        return found

    @property
    def _sizes_differ(self) -> bool:
        test, control = self._explainer.outliers, self._explainer.examples - self._explainer.outliers
        return self._explainer.has_sides and not 0.5 <= test / max(control, 1) <= 2

    # --- files ---

    def _draw(self) -> None:
        from wmsketch.results.plots import intervals
        from wmsketch.results.report import Shown, write_report

        explainer = self._explainer
        title = f"Why did {explainer.metric} of {input_names(self._files)} change?"
        bars = [(row.full_label, row.contribution, row.low, row.high) for row in self._rows]
        svg = intervals(self._options["plot"], bars, title, "contribution, and its 95 % range", ratios=False)
        if self._options["report"]:
            headers = self._headers()
            lines = [
                [
                    row.full_label,
                    *(
                        Shown(text, value)
                        for text, value in zip(self._cells(row)[1:], _values(row, headers), strict=False)
                    ),
                ]
                for row in self._rows
            ]
            summary = {f"line {n}": line for n, line in enumerate(self._lines(), start=1)}
            legend = LEGEND if explainer.has_sides else LEGEND_OF_REST
            write_report(
                self._options["report"],
                title,
                summary,
                headers,
                lines,
                svg if bars else None,
                legend=legend,
                command=command_text(),
            )
        note_result_files(self._options)


def _values(row: Driver, headers: list[str]) -> list[float]:
    known = {
        "contribution": row.contribution,
        "95 %": row.low,
        "share": row.share,
        "mix": row.mix or 0.0,
        "rate": row.rate or 0.0,
        "folded": float(len(row.folded)),
    }
    return [known.get(name, row.control if place == 0 else row.test) for place, name in enumerate(headers[1:])]


def number(value: float, digits: int = 5) -> str:
    """Format a value of a metric with this many digits; a whole number with all of its digits.

    >>> number(1234567.8), number(12.3456), number(0.00123456), number(3.0), number(float("nan"))
    ('1,234,568', '12.346', '0.0012346', '3', '-')
    """
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) >= 1000 or (value == int(value)):
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def signed(value: float, digits: int = 5) -> str:
    """Format a change.

    >>> signed(-1234.5), signed(2.0), signed(0.0), signed(-0.123456, 3)
    ('-1,234', '+2', '0', '-0.123')
    """
    return f"+{number(value, digits)}" if value > 0 else number(value, digits)
