"""A result as one self-contained HTML page: no external scripts, fonts or images."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from html import escape as html_escape
from pathlib import Path
from string import Template
from typing import NamedTuple

from wmsketch.terminal import safe_text


def escape(text: str) -> str:
    """Return a text for a page: without markup and control characters."""
    return html_escape(safe_text(text))


class Shown(NamedTuple):
    """A cell with a text, and the number by which it is sorted."""

    text: str
    value: float | None


_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 1rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .6rem; margin: 0 0 1.5rem; }
dl div { background: #8881; border-radius: .5rem; padding: .5rem .8rem; }
dt { font-size: .8rem; opacity: .7; }
dd { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere; }
figure { margin: 0 0 1.5rem; background: white; border-radius: .5rem; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; display: block; margin: auto; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .7rem; border-bottom: 1px solid #8883; }
th { cursor: pointer; white-space: nowrap; position: sticky; top: 0; background: Canvas; }
th[aria-sort=ascending]::after { content: " ▲"; } th[aria-sort=descending]::after { content: " ▼"; }
th.number { text-align: right; } td.number { text-align: right; white-space: nowrap; }
tr:hover td { background: #8881; }
td.name { overflow-wrap: anywhere; min-width: 12rem; }
.legend { display: block; margin-top: 1.5rem; opacity: .85; } .legend div { background: none; padding: .1rem 0; }
.legend dt, .legend dd { display: inline; font-size: .9rem; } .legend dt { font-weight: 600; opacity: 1; }
footer { margin-top: 1.5rem; font-size: .85rem; opacity: .75; } footer code { overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>$title</h1>
<dl>
$summary
</dl>
$figure
<div class="table"><table>
<thead><tr>$header</tr></thead>
<tbody>
$body
</tbody>
</table></div>
$legend$footer
<script>
document.querySelectorAll("th").forEach((head, column) => head.addEventListener("click", () => {
  const up = head.getAttribute("aria-sort") === "descending";
  document.querySelectorAll("th").forEach(other => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const body = document.querySelector("tbody");
  const key = row => row.children[column].dataset.value ?? row.children[column].textContent;
  const rows = [...body.rows].sort((a, b) => {
    const x = key(a), y = key(b), numbers = x !== "" && y !== "" && !isNaN(x) && !isNaN(y);
    return (numbers ? x - y : x.localeCompare(y)) * (up ? 1 : -1);
  });
  body.append(...rows);
}));
</script>
</body>
</html>
""")


def write_report(
    path: str | Path,
    title: str,
    summary: Mapping[str, str],
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    svg: str | None = None,
    *,
    legend: Mapping[str, str] | None = None,
    command: str | None = None,
) -> None:
    """Write a page with the facts of `summary`, the plot, and a table that is sorted by a click on a column.

    Cells may be text or numbers. Numbers are shown rounded and sorted by their full value; a `Shown` has both.
    `legend` explains the columns. `command`, which made the page, is shown below it with the date. All text is escaped.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = Path(folder, "late.html")
    ...     write_report(page, "Late flights", {"rows": "336,776"}, ["attributes", "weight"], [("carrier=EV", 0.25)])
    ...     page.read_text().count("carrier=EV")
    1
    """
    facts = "\n".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in summary.items())
    cells = list(rows)
    lines = [_row(row, columns) for row in cells]
    page = _PAGE.substitute(
        title=escape(title),
        summary=facts,
        figure=f"<figure>{svg}</figure>" if svg else "",
        header="".join(_head(column, [row[i] for row in cells]) for i, column in enumerate(columns)),
        legend=_legend(legend) if legend else "",
        footer=_footer(command) if command else "",
        body="\n".join(lines) or f'<tr><td colspan="{len(columns)}">nothing to show</td></tr>',
    )
    Path(path).write_text(page, encoding="utf-8")


def _legend(legend: Mapping[str, str]) -> str:
    lines = (f"<div><dt>{escape(name)}</dt>: <dd>{escape(text)}</dd></div>" for name, text in legend.items())
    return f'<dl class="legend">\n{"".join(lines)}\n</dl>\n'


def _footer(command: str) -> str:
    made = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S %z")
    return f"<footer>{made}: <code>{escape(command)}</code></footer>\n"


def _row(row: Sequence[object], columns: Sequence[str]) -> str:
    if len(row) != len(columns):
        raise ValueError(f"a row must have {len(columns)} cells ({', '.join(columns)}), got {len(row)}")
    return f"<tr>{''.join(map(_cell, row))}</tr>"


def _head(column: str, cells: Sequence[object]) -> str:
    """Return a header cell; it is right-aligned above numbers."""
    numbers = any(isinstance(cell, (Shown, int, float)) and not isinstance(cell, bool) for cell in cells)
    return f'<th scope="col"{" class=number" * numbers}>{escape(column)}</th>'


def _cell(value: object) -> str:
    if isinstance(value, Shown):
        sorts_by = "" if value.value is None or math.isnan(value.value) else repr(value.value)
        return f'<td class="number" data-value="{sorts_by}">{escape(value.text)}</td>'
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return '<td class="number" data-value="">?</td>'
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f'<td class="name">{escape(str(value))}</td>'
    shown = f"{value:,}" if isinstance(value, int) else "∞" if math.isinf(value) else f"{value:,.4g}"
    return f'<td class="number" data-value="{value!r}">{escape(shown)}</td>'
