"""An explanation as a table, a JSON document, a picture and a page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from wmsketch.cli.output import bytes_text, print_json
from wmsketch.cli.reader_options import rejects_record
from wmsketch.cli.result_files import note_result_files
from wmsketch.readers.rejects import Rejects

if TYPE_CHECKING:
    from rich.console import RenderableType

    from wmsketch.apps.explain import Explainer
    from wmsketch.apps.explain_rows import Explanation
    from wmsketch.results.live import LiveTable


class Output:
    """What the command shows, asked anew each time."""

    def __init__(self, explainer: Explainer, files: tuple[str, ...], options: dict[str, Any]) -> None:
        self._explainer = explainer
        self._files = files
        self._options = options
        self.seconds = 0.0
        self.rejects = Rejects()

    def rows(self) -> list[Explanation]:
        """The rows that the options ask for."""
        options = self._options
        return self._explainer.rows(
            options["top"],
            sort=options["sort"],
            min_support=options["min_support"],
            min_ratio=options["min_ratio"],
            certain=not options["show_all"],
            folded=not options["show_all"],
        )

    def table(self) -> RenderableType:
        """The rows and a line about all of them, for a person."""
        from rich.console import Group
        from rich.text import Text

        rows = self.rows()
        below = [Text(line) for line in self._lines(rows)]
        return Group(_table(rows, self._counted), *below) if rows else Group(*below)

    def write(self, live: LiveTable) -> None:
        """Show the final answer, and write the files that were asked for."""
        if self._options["as_json"]:
            print_json(self._document())
        else:
            live.finish()
        if self._options["plot"] or self._options["report"]:
            self._draw()

    def _document(self) -> dict[str, Any]:
        explainer = self._explainer
        return {
            "rows": [row.as_record() for row in self.rows()],
            "examples": explainer.examples,
            "outliers": explainer.outliers,
            "skipped": explainer.skipped,
            "outlier": explainer.outlier or f"{explainer.label}=={explainer.positive}",
            "thresholds": explainer.thresholds,
            **rejects_record(self.rejects),
            "notes": self._notes(),
            "nbytes": explainer.nbytes,
            "budget_bytes": explainer.budget_bytes,
            "seconds": self.seconds,
        }

    def _notes(self) -> list[str]:
        from wmsketch.apps.explain import drift_note

        explainer = self._explainer
        notes = [explainer.problem, drift_note(explainer)]
        if explainer.skipped:
            notes.append(f"{explainer.skipped:,} rows left out: no value in a column of the condition")
        if explainer.columns_left_out:
            notes.append(f"{explainer.columns_left_out:,} values left out: the budget has no room for their columns")
        return [note for note in notes if note]

    @property
    def _counted(self) -> str:
        return f" ({self._explainer.weight})" if self._explainer.weight else ""

    def _lines(self, rows: list[Explanation]) -> list[str]:
        explainer = self._explainer
        lines = []
        if not rows and explainer.problem is None:
            lines.append(
                "no attribute is surely more common among outliers (--all, --min-ratio 0 or --min-support 0 show more)"
            )
        limits = ", ".join(f"{name} is now {value:.6g}" for name, value in explainer.thresholds.items())
        lines.append(
            f"{explainer.examples:,} rows, {explainer.outliers:,} outliers{'; ' + limits if limits else ''}; "
            f"{explainer.nbytes:,} of {explainer.budget_bytes:,} bytes ({bytes_text(explainer.nbytes)})"
        )
        return lines + [f"note: {note}" for note in self._notes()]

    def _draw(self) -> None:
        from wmsketch.results.plots import intervals
        from wmsketch.results.report import write_report

        rows = self.rows()
        title = f"{', '.join(self._files)}: {self._explainer.outlier or self._explainer.label}"
        bars = [(row.label, _log2(row.risk_ratio), _log2(row.ratio_low), _log2(row.ratio_high)) for row in rows]
        finite = [bar for bar in bars if math.isfinite(bar[1])]
        svg = intervals(self._options["plot"], finite, title, "log2 of the risk ratio, and its 95 % range")
        if self._options["report"]:
            explainer = self._explainer
            summary = {
                "rows": f"{explainer.examples:,}",
                "outliers": f"{explainer.outliers:,} ({explainer.outliers / max(1, explainer.examples):.2%})",
                **{name: f"{value:.6g}" for name, value in explainer.thresholds.items()},
                "bytes": f"{explainer.nbytes:,} of {explainer.budget_bytes:,}",
                **{f"note {number}": note for number, note in enumerate(self._notes(), start=1)},
            }
            headers = [
                "attributes",
                "risk ratio",
                "from",
                "to",
                "support",
                "outliers",
                "inliers",
                "estimated",
                "weight",
            ]
            write_report(self._options["report"], title, summary, headers, [_cells(row) for row in rows], svg)
        note_result_files(self._options)


def _cells(row: Explanation) -> list[object]:
    return [row.label, row.risk_ratio, row.ratio_low, row.ratio_high, row.support, row.outliers, row.inliers,
            row.estimated, row.weight]  # fmt: skip


def _table(rows: list[Explanation], counted: str) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("attributes", overflow="fold")
    for header in ("ratio", "95 %", "support", f"outliers{counted}", f"inliers{counted}", "weight", "folded"):
        if header != "folded" or any(row.folded for row in rows):
            table.add_column(header, justify="right", no_wrap=True)
    for row in rows:
        # what a sketch counted before the attribute was tracked is an estimate
        about = "~" if row.estimated > 0.01 * (row.outliers + row.inliers) else ""
        cells = [
            f"{row.risk_ratio:.2f}",
            f"{row.ratio_low:.2f} to {row.ratio_high:.2f}",
            f"{row.support:.2%}",
            f"{about}{row.outliers:,.0f}",
            f"{about}{row.inliers:,.0f}",
            f"{row.weight:+.2f}",
        ]
        folded = [str(len(row.folded) or "")] if len(table.columns) == 8 else []
        table.add_row(Text(row.label), *cells, *folded)
    return table


def _log2(value: float) -> float:
    return math.log2(value) if value > 0 and math.isfinite(value) else math.nan
