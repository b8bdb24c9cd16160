"""Write a model as source code of another language."""

from __future__ import annotations

from pathlib import Path

import click

from wmsketch.cli.parts.model_files import model_argument, open_model

EXAMPLES = """\b
Examples:
  wmsketch export clicks.wms --c model.h
  wmsketch export clicks.wms --js model.mjs"""


@click.command(epilog=EXAMPLES)
@model_argument
@click.option("--c", "c_file", metavar="FILE", type=click.Path(dir_okay=False), help="Write a C99 header to this file.")
@click.option(
    "--js", "js_file", metavar="FILE", type=click.Path(dir_okay=False), help="Write an ES module to this file."
)
def command(model: str, c_file: str | None, js_file: str | None) -> None:
    """Write MODEL as source code that predicts, for devices and browsers.

    The C99 header allocates nothing and needs only the C standard library. The ES module has no dependencies. Both give
    the bits of `predict`. The model must be an AWMSketch of depth 1 for two classes, such as `train` makes by default,
    or an AWMRegressor (`train --loss squared`); rules for columns (text, interactions) are not exported.
    """
    from wmsketch.learners.saving.atomic_file import write_atomically
    from wmsketch.results.export import c_header, frozen, js_module

    if c_file is None and js_file is None:
        raise click.UsageError("nothing to write: give --c FILE or --js FILE")
    found = frozen(open_model(model))
    for path, write in ((c_file, c_header), (js_file, js_module)):
        if path is not None:
            data = write(found).encode()
            write_atomically(Path(path), data)
            click.echo(f"wrote {path}: {len(data):,} bytes of text, {found.nbytes:,} bytes of arrays")
