"""Run the paper's evaluation."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.parts.common_options import json_option
from wmsketch.cli.parts.help_screen import HelpScreen

if TYPE_CHECKING:
    from wmsketch.progress_bar import ProgressBar

EXAMPLES = """\b
Examples:
  wmsketch reproduce --quick
  wmsketch reproduce recovery online-error --dataset reuters --seeds 3
  wmsketch reproduce --download rcv1 --data paper-data
"""


@click.command(cls=HelpScreen, epilog=EXAMPLES)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--data",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder with the data sets.  [default: $WMSKETCH_CACHE, or wmsketch-data]",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    default="reproduced",
    show_default=True,
    help="Folder for the runs, tables and figures.",
)
@click.option("--quick", is_flag=True, help="Few seeds, budgets and data sets: minutes instead of hours.")
@click.option("--dataset", "datasets", multiple=True, metavar="NAME", help="Only this data set; may be repeated.")
@click.option("--seeds", type=click.IntRange(1, 100), help="Seeds for each setting.  [default: 10; 3 with --quick]")
@click.option(
    "--download", multiple=True, metavar="NAME", help="First download the paper's rcv1, url or kdda into --data."
)
@click.option("--tables-only", is_flag=True, help="Run nothing; write the tables of the stored runs.")
@json_option
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def command(names: tuple[str, ...], as_json: bool, quiet: bool, **options: Any) -> None:
    """Answer the questions of the paper's evaluation: all of them, or those named by NAME.

    recovery, budgets, online-error, regularisation, shapes, run-time, theory, hash-families, memory, claims.
    Each run is stored in its own file, so the same command continues after an interruption. Without data sets in
    --data a generated stream is used. Needs scipy and matplotlib.
    """
    try:  # before the work, not after it
        import matplotlib  # noqa: F401
        import scipy  # noqa: F401
    except ImportError as problem:
        raise ImportError("reproduce needs it: pip install 'wmsketch[reproduce]'", name=problem.name) from problem

    from wmsketch.cli.parts.output import print_json, print_table
    from wmsketch.evaluation.plan import make_plan
    from wmsketch.evaluation.questions import QUESTIONS
    from wmsketch.evaluation.report import table_of
    from wmsketch.evaluation.reproduction import reproduce
    from wmsketch.evaluation.streams import Library
    from wmsketch.progress_bar import ProgressBar

    for name in names:
        if name not in QUESTIONS:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(QUESTIONS)}", param_hint="NAME")
    data = options["data"] or Path(os.environ.get("WMSKETCH_CACHE") or "wmsketch-data")
    with ProgressBar(quiet) as bar:
        if options["download"]:
            _download(options["download"], data, bar)
        library = Library(data)
        plan = make_plan(library, options["datasets"], quick=options["quick"], seeds=options["seeds"])
        chosen = [QUESTIONS[name] for name in names or QUESTIONS]
        answers = reproduce(chosen, plan, library, options["out"], _show_in(bar), tables_only=options["tables_only"])
    if as_json:
        print_json({question.name: rows for question, rows in answers})
        return
    for question, rows in answers:
        click.echo(f"{question.title} ({question.paper})")
        headers, lines = table_of(question, rows)
        print_table(headers, lines, left=("data", "method", "claim", "order", "hash family", "shape"))
        click.echo()
    click.echo(f"tables and figures: {options['out']}")


def _show_in(bar: ProgressBar) -> Callable[[str, int, int], None]:
    return lambda what, done, total: bar.update(f"{done:,}/{total:,}  {what}", done, total)


def _download(names: tuple[str, ...], folder: Path, bar: ProgressBar) -> None:
    from wmsketch.evaluation.paper_data import download

    download(names, folder, lambda done, total: _show_in(bar)(f"downloading {', '.join(names)}", done, total))
