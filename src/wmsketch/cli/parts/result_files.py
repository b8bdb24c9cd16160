"""The files for a result besides the terminal: a plot (--plot), an HTML report (--report), the counts (--save)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from wmsketch.cli.parts.common_options import Function, csv_options, json_option, quiet_option, together
from wmsketch.cli.parts.model_files import require_no_other_content, require_place
from wmsketch.cli.parts.reader_options import reject_options, require_other_file, require_two_files

PICTURES = (".png", ".svg", ".pdf")
_OPTIONS = ("plot", "report")
last_options = together(csv_options, reject_options, json_option, quiet_option)  # of diff and pmi


def counting_options(rows: str, budget: str, where: str) -> Callable[[Function], Function]:
    """Add the options that explain, diff and pmi share; their answer is a table of such rows."""
    file, seeds = click.Path(dir_okay=False), click.IntRange(0, 2**64 - 1)
    memory = "Memory for counts, names and sketches."
    return together(
        click.option("--where", metavar="CONDITION", help=f"Use only rows that satisfy it, like '{where}'."),
        click.option("--budget", metavar="BYTES", default=budget, show_default=True, help=memory),
        click.option("--seed", type=seeds, default=0, show_default=True, help="Seed of hashes and random numbers."),
        click.option("--top", type=click.IntRange(0), default=20, show_default=True, help=f"{rows} to show."),
        click.option("--every", metavar="TIME", help="Update the table at this interval, like 10s, while reading."),
        click.option("--plot", metavar="FILE", type=file, help="Plot the result (png, svg, pdf)."),
        click.option("--report", metavar="FILE", type=file, help="Write an HTML report with plot and table."),
        click.option("--save", metavar="FILE", type=file, help="Write the counts to this file, for show and merge."),
    )


def require_result_files(options: Mapping[str, Any], files: Iterable[str]) -> None:
    """Raise an error before the work if the plot or the report cannot be written."""
    plot = options.get("plot")
    if plot is not None and Path(plot).suffix.lower() not in PICTURES:
        raise click.UsageError(f"--plot must end in {', '.join(PICTURES)}, got {plot}")
    paths = [options[name] for name in _OPTIONS if options.get(name) is not None]
    for path in paths:
        require_place(path, "a result")
        require_other_file(path, files)
    require_two_files(**{name: options.get(name) for name in (*_OPTIONS, "save", "rejects")})
    if options.get("save") is not None:
        require_place(options["save"], "counts")
        require_other_file(options["save"], files)
        require_no_other_content(options["save"])
    if paths:
        from wmsketch.results.plots import new_figure

        new_figure(1, 1)  # raises an error with the install command if matplotlib is missing


def save_counts(counts: Any, names: Iterable[str], options: Mapping[str, Any], unit: str = "rows") -> None:
    """Write the counts, with the names of the inputs, if --save asks for it."""
    if not options["save"]:
        return
    from wmsketch.readers.sources.schemes import without_secrets

    counts.save(options["save"], {"inputs": {"names": [without_secrets(name) for name in names], "unit": unit}})
    if not options["quiet"]:
        click.echo(f"saved to {options['save']}", err=True)


def note_result_files(options: Mapping[str, Any]) -> None:
    """Report what was written, unless --quiet was given."""
    for name in _OPTIONS:
        if options[name] and not options["quiet"]:
            click.echo(f"written to {options[name]}", err=True)


def command_text() -> str:
    """Return the running command line, as typed."""
    import shlex

    context = click.get_current_context().find_root()
    from wmsketch.readers.sources.schemes import without_secrets

    return shlex.join(["wmsketch", *map(without_secrets, context.obj or ())])
