"""Show the answer of saved counts again."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from wmsketch.cli.parts.common_options import json_option
from wmsketch.cli.parts.errors import Failed
from wmsketch.cli.parts.help_screen import HelpScreen
from wmsketch.cli.parts.model_files import open_mergeable, open_note

EXAMPLES = """\b
Examples:
  wmsketch explain monday.csv --outlier 'ms>100' --save monday.wms
  wmsketch show monday.wms
  wmsketch merge monday.wms tuesday.wms --output both.wms && wmsketch show both.wms --json
"""


@click.command(cls=HelpScreen, epilog=EXAMPLES)
@click.argument("file", metavar="FILE", type=click.Path())
@click.option("--top", type=click.IntRange(0), default=20, show_default=True, help="Rows to show.")
@click.option("--all", "show_all", is_flag=True, help="Also show rows that may be chance.")
@json_option
def command(file: str, top: int, show_all: bool, as_json: bool) -> None:
    """Print the answer of explain, diff or pmi whose counts are in FILE, as that command did.

    FILE was written with --save, by merge, or from Python.
    """
    from wmsketch.apps import PMI, Diff, Explainer
    from wmsketch.results.live import LiveTable

    counts = open_mergeable(file)
    names, unit = _inputs(open_note(file), file)
    changed = {"top": top, "show_all": show_all, "within_noise": show_all, "as_json": as_json, "quiet": True}
    if isinstance(counts, Explainer):
        from wmsketch.cli.parts.explain_output import Output

        output = Output(counts, tuple(names), _defaults("explain") | changed)
        output.write(LiveTable(None, output.table))
    elif isinstance(counts, Diff):
        _show_diff(counts, [*names, "A", "B"][:2] if len(names) == 2 else ["A", "B"], unit, changed)
    elif isinstance(counts, PMI):
        _show_pairs(counts, changed)
    else:
        held = type(counts).__name__
        raise Failed(f"{file}: the file holds a {held}, not counts; type: wmsketch top {file}, or inspect {file}")


def _defaults(command: str) -> dict[str, Any]:
    """Return the options of a command as they are if none is given."""
    asked: click.Command = import_module(f"wmsketch.cli.commands.{command}").command
    return dict(asked.make_context(command, [], resilient_parsing=True).params)


def _inputs(note: dict[str, Any], file: str) -> tuple[list[str], str]:
    """Return the names of the inputs and the unit of their rows; a file may hold anything as its note."""
    inputs = note.get("inputs")
    if not isinstance(inputs, dict):
        return [file], "rows"
    names, unit = inputs.get("names"), inputs.get("unit")
    known = isinstance(names, list) and names and all(isinstance(name, str) for name in names)
    return list(names) if known and names else [file], unit if isinstance(unit, str) else "rows"


def _show_diff(counts: Any, names: list[str], unit: str, changed: dict[str, Any]) -> None:
    from wmsketch.cli.parts.diff_output import Streams, document_of, table_of
    from wmsketch.cli.parts.output import print_json
    from wmsketch.results.live import LiveTable

    options, streams = _defaults("diff") | changed, Streams(names, unit)
    options |= {"budget": counts.budget, "half_life": counts.half_life}
    rows = counts.top(options["top"], min_count=options["min_count"], within_noise=options["within_noise"])
    if options["as_json"]:
        print_json(document_of(counts, rows, streams, options, 0.0))
    else:
        LiveTable(None, lambda: table_of(counts, rows, streams)).finish()


def _show_pairs(counts: Any, changed: dict[str, Any]) -> None:
    from wmsketch.cli.parts.output import print_json
    from wmsketch.cli.parts.pmi_output import document_of, rows_of, table_of
    from wmsketch.results.live import LiveTable

    options = _defaults("pmi") | changed | {"half_life": counts.half_life}
    if options["as_json"]:
        print_json(document_of(counts, rows_of(counts, options), options, 0.0))
    else:
        LiveTable(None, lambda: table_of(counts, options)).finish()
