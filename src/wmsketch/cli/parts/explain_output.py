"""The output of explain: table, JSON document, plot and HTML report."""

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
    from rich.console import RenderableType

    from wmsketch.apps.explain.explainer import Explainer
    from wmsketch.apps.explain.rows import Explanation
    from wmsketch.results.live import LiveTable

LEGEND = {
    "ratio": "how many times as likely a row with the attributes is an outlier as a row without",
    "95 %": "range of the true ratio: chance for this number of rows, and everything that may have been missed",
    "support": "share of all outliers that have the attributes",
    "outliers, inliers": "rows that have them, or their weights; ~: not all were counted, which the range includes",
    "weight": "log odds of being an outlier, relative to those of all rows",
    "folded": "conjunctions under this row that explain no more than it does",
    "=": "attributes of exactly the same rows",
}


class Output:
    """The answer of the command, computed at each call."""

    def __init__(self, explainer: Explainer, files: tuple[str, ...], options: dict[str, Any]) -> None:
        self._explainer = explainer
        self._files = files
        self._options = options
        self.seconds = 0.0
        self.rejects = Rejects()

    def rows(self) -> list[Explanation]:
        """Return the rows selected by the options."""
        options = self._options
        return self._explainer.top(
            options["top"],
            sort=options["sort"],
            min_support=options["min_support"],
            min_ratio=options["min_ratio"],
            certain=not options["show_all"],
            folded=not options["show_all"],
        )

    def table(self) -> RenderableType:
        """Print the rows and a summary."""
        rows = self.rows()
        if not rows:
            return with_lines(None, self._lines(rows))
        headers = self._headers(rows)
        cells = [_cells(row)[: len(headers)] for row in rows]
        least = [name for name in ("folded", "weight", headers[5], headers[4], "support", "95 %") if name in headers]
        return with_lines(AnswerTable(headers, cells, least=least), self._lines(rows))

    def write(self, live: LiveTable) -> None:
        """Print the final answer, and write the requested files."""
        if self._options["as_json"]:
            print_json(self._document())
        else:
            live.finish()
        if self._options["plot"] or self._options["report"]:
            self._draw()

    def _document(self) -> dict[str, Any]:
        from wmsketch.cli.parts.explain_notes import coverage_line, notes

        explainer = self._explainer
        return {
            "rows": [row.as_record() for row in self.rows()],
            "examples": explainer.examples,
            "outliers": explainer.outliers,
            "skipped": explainer.skipped,
            "outlier": self._what,
            "where": explainer.where,
            "where_left_out": explainer.where_left_out,
            "thresholds": explainer.thresholds,
            "thresholds_so_far": explainer.percentiles_moved,
            "half_life": explainer.half_life,
            "attribute_values": explainer.held.as_record(),
            "held": coverage_line(explainer),
            "columns_not_used": explainer.columns_not_used,
            "columns_left_out": explainer.columns_left_out,
            "values_left_out": explainer.values_left_out,
            "uneven_bins": {
                name: {"bin": fullest, "share": share} for name, (fullest, share) in explainer.uneven_bins.items()
            },
            **rejects_record(self.rejects),
            "notes": notes(explainer),
            "nbytes": explainer.nbytes,
            "budget_bytes": explainer.budget_bytes,
            "seconds": self.seconds,
        }

    @property
    def _what(self) -> str:
        explainer = self._explainer
        if explainer.positive is None:
            return explainer.outlier or f"{explainer.label} is true or above 0"
        return f"{explainer.label}=={explainer.positive}"

    @property
    def _memory(self) -> str:
        explainer = self._explainer
        used = explainer.slots_used
        bins = " (bins of numbers need none)" if explainer.held.held and not used else ""
        return memory_text(used, explainer.sizes.capacity, explainer.budget_bytes) + bins

    def _headers(self, rows: list[Explanation]) -> list[str]:
        counted = f" ({self._explainer.weight})" if self._explainer.weight else ""
        headers = ["attributes", "ratio", "95 %", "support", f"outliers{counted}", f"inliers{counted}", "weight"]
        return [*headers, "folded"] if any(row.folded for row in rows) else headers

    def _lines(self, rows: list[Explanation]) -> list[str]:
        from wmsketch.cli.parts.explain_notes import coverage_line, notes

        explainer = self._explainer
        lines = []
        if not rows and explainer.problem is None:
            lines.append(
                "no attribute is significantly more common among outliers"
                " (--all, --min-ratio 0 or --min-support 0 show more)"
            )
        so_far = " so far" if explainer.percentiles_moved else ""
        limits = ", ".join(f"{name} is {value:.6g}{so_far}" for name, value in explainer.thresholds.items())
        lines.append(
            f"{so_many(explainer.examples, 'rows')}, {so_many(explainer.outliers, 'outliers')}"
            f"{'; ' + limits if limits else ''}; {self._memory}"
        )
        return [*lines, *(f"note: {note}" for note in notes(explainer)), coverage_line(explainer)]

    def _draw(self) -> None:
        from wmsketch.results.plots import intervals

        rows = self.rows()
        title = f"What do the rows of {input_names(self._files)} with {self._what} have in common?"
        bars = [(row.full_label, _log(row.risk_ratio), _log(row.ratio_low), _log(row.ratio_high)) for row in rows]
        known = [bar for bar in bars if not math.isnan(bar[1])]
        axis = "risk ratio, and its 95 % range"
        svg = intervals(self._options["plot"], known, title, axis, ratios=True)
        if self._options["report"]:
            self._write_page(rows, title, svg if known else None)
        note_result_files(self._options)

    def _write_page(self, rows: list[Explanation], title: str, svg: str | None) -> None:
        from wmsketch.cli.parts.explain_notes import coverage_line, notes
        from wmsketch.results.report import Shown, write_report

        explainer = self._explainer
        summary = {
            "rows": f"{explainer.examples:,}",
            "outliers": f"{explainer.outliers:,} ({explainer.outliers / max(1, explainer.examples):.2%})",
            **{name: f"{value:.6g}" for name, value in explainer.thresholds.items()},
            **({"where": explainer.where} if explainer.where else {}),
            "memory": self._memory,
            "held": coverage_line(explainer),
            **{f"note {number}": note for number, note in enumerate(notes(explainer), start=1)},
        }
        headers = self._headers(rows)
        lines = [
            [
                row.full_label,
                *(Shown(text, value) for text, value in zip(_cells(row)[1:], _values(row), strict=True)),
            ][: len(headers)]
            for row in rows
        ]
        legend = {name: text for name, text in LEGEND.items() if name not in ("folded",) or "folded" in headers}
        write_report(
            self._options["report"], title, summary, headers, lines, svg, legend=legend, command=command_text()
        )


def _cells(row: Explanation) -> list[str]:
    about = "" if row.exact else "~"
    return [
        row.full_label,
        ratio_text(row.risk_ratio),
        f"{ratio_text(row.ratio_low)} to {ratio_text(row.ratio_high)}",
        f"{about}{row.support:.2%}",
        f"{about}{row.outliers:,.0f}",
        f"{about}{row.inliers:,.0f}",
        f"{row.weight:+.2f}",
        str(len(row.folded) or ""),
    ]


def _values(row: Explanation) -> list[float]:
    return [row.risk_ratio, row.ratio_low, row.support, row.outliers, row.inliers, row.weight, len(row.folded)]


def ratio_text(ratio: float) -> str:
    """Format a ratio with three digits or two decimals; ∞ if every outlier has the attributes.

    >>> ratio_text(2.8561), ratio_text(1234.5), ratio_text(float("inf")), ratio_text(0.004)
    ('2.86', '1,234', '∞', '0.00')
    """
    if math.isinf(ratio):
        return "∞"
    return "?" if math.isnan(ratio) else f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2f}"


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf if value == 0 else math.nan
