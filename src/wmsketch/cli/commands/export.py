"""Write a model as source code of another language."""

from __future__ import annotations

from pathlib import Path

import click

from wmsketch.cli.parts.model_files import model_argument, open_model
from wmsketch.cli.parts.reader_options import require_other_file, require_two_files

EXAMPLES = """\b
Examples:
  wmsketch export clicks.wms --c model.h
  wmsketch export clicks.wms --js model.mjs
  wmsketch export clicks.wms --js-reader wmsketch.mjs"""


_FILE = click.Path(dir_okay=False)


@click.command(epilog=EXAMPLES)
@model_argument
@click.option("--c", "c_file", metavar="FILE", type=_FILE, help="Write a C99 header to this file.")
@click.option("--js", "js_file", metavar="FILE", type=_FILE, help="Write an ES module with the model to this file.")
@click.option(
    "--js-reader",
    "reader_file",
    metavar="FILE",
    type=_FILE,
    help="Write an ES module that reads model files, such as MODEL, to this file.",
)
def command(model: str, c_file: str | None, js_file: str | None, reader_file: str | None) -> None:
    """Write MODEL as source code that predicts, for devices and browsers.

    The C99 header allocates nothing and needs only the C standard library. The ES modules have no dependencies. All
    give the bits of `predict`. The model must be an AWMSketch of depth 1 for two classes, such as `train` makes by
    default, or an AWMRegressor (`train --loss squared`); rules for columns (text, interactions) are not exported.
    """
    from wmsketch.learners.saving.atomic_file import write_atomically
    from wmsketch.results.export import c_header, frozen, js_module, js_reader

    if c_file is None and js_file is None and reader_file is None:
        raise click.UsageError("nothing to write: give --c FILE, --js FILE or --js-reader FILE")
    files = {"c": c_file, "js": js_file, "js-reader": reader_file}
    require_two_files(**files)
    for path in filter(None, files.values()):
        require_other_file(path, [model])
    opened = open_model(model)
    found = frozen(opened)
    texts = {}
    if c_file is not None:
        texts[c_file] = c_header(found), f"{found.nbytes:,} bytes of arrays"
    if js_file is not None:
        texts[js_file] = js_module(opened), "with the model"
    if reader_file is not None:
        texts[reader_file] = js_reader(), "reads model files"
    for path, (text, remark) in texts.items():
        data = text.encode()
        write_atomically(Path(path), data)
        click.echo(f"wrote {path}: {len(data):,} bytes of text, {remark}")
