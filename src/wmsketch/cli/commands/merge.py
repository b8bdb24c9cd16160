"""Merge models trained on parts of the data."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.parts.common_options import json_option
from wmsketch.cli.parts.errors import Failed
from wmsketch.cli.parts.help_screen import HelpScreen
from wmsketch.cli.parts.model_files import open_mergeable, open_note, require_no_other_content, require_place
from wmsketch.cli.parts.reader_options import Input, noted_reader, reader_to_note, require_other_file

if TYPE_CHECKING:
    from wmsketch.learners.shards.relearning import Again

EXAMPLES = """\b
Example:
  wmsketch train part-1.svm --save 1.wms --budget 8KiB
  wmsketch train part-2.svm --save 2.wms --budget 8KiB
  wmsketch merge 1.wms 2.wms --output both.wms
  wmsketch merge 512KiB-*.wms --budget 32KiB --output small.wms
  wmsketch merge 1.wms 2.wms --relearn 'part-*.svm' --output both.wms
"""


@click.command(cls=HelpScreen, epilog=EXAMPLES)
@click.argument("models", nargs=-1, required=True, metavar="MODELS...", type=click.Path())
@click.option("--output", required=True, metavar="FILE", type=click.Path(dir_okay=False), help="Write the model here.")
@click.option(
    "--budget",
    metavar="BYTES",
    help="Size of the merged model, like 32KiB. Merging larger AWM-Sketches loses less.",
)
@click.option(
    "--relearn",
    metavar="FILES",
    multiple=True,
    type=Input(),
    help="Learn a sample of these rows again with the merged model. It then loses less by the merge.",
)
@json_option
@click.option("--quiet", is_flag=True, help="No notes on stderr.")
def command(
    models: tuple[str, ...], output: str, budget: str | None, relearn: tuple[str, ...], as_json: bool, quiet: bool
) -> None:
    """Merge MODELS of equal method, shape and seed into one.

    Each feature is averaged by how much each model knows about it; a feature seen by one model keeps its weight. The
    result is close to one long run over all the data, but not equal. Each Explainer, Diff and PMI saved from Python
    can be merged too: their counts add up.
    """
    from wmsketch.apps.merging import merge_apps
    from wmsketch.cli.parts.output import print_json
    from wmsketch.learners.models.base import OnlineClassifier
    from wmsketch.learners.shards.merging import merge_models
    from wmsketch.learners.shards.relearning import learn_again
    from wmsketch.results.description import memory, progress

    require_place(output)
    require_no_other_content(output)
    if relearn:
        require_other_file(output, relearn)
    opened = [open_mergeable(path) for path in models]
    _require_different(models)
    note = _note(models)
    learned = isinstance(opened[0], OnlineClassifier)
    try:
        if budget is not None and not learned:
            raise ValueError("--budget is for classifiers only: counters keep their size")
        if relearn and not learned:
            raise ValueError("--relearn is for classifiers only: counters lose nothing by a merge")
        merged = merge_models(opened, budget=budget) if learned else merge_apps(opened)
    except (TypeError, ValueError) as problem:
        raise Failed(f"{', '.join(models)}: {problem}") from problem
    again = learn_again(merged, list(relearn), **noted_reader(note)) if relearn else None
    if again is not None and not again.rows:
        raise Failed(f"{', '.join(relearn)}: there are no rows to learn again")
    merged.save(output, note=note)
    if as_json:
        facts = {**progress(merged), **memory(merged)} if learned else {"nbytes": merged.nbytes}
        more = {} if again is None else {"relearned": again._asdict()}
        print_json({"models": len(models), **facts, **more})
    elif not quiet:
        seen = f" of {merged.n_seen_:,} examples" if learned else ""
        if again is not None:
            click.echo(_told(again), err=True)
        click.echo(f"{len(models)} models{seen} saved to {output}", err=True)


def _told(again: Again) -> str:
    """Say what learning rows again has done."""
    rows = f"{again.rows:,} row{'s' * (again.rows != 1)}"
    if not again.passes:
        return f"learning {rows} again did not help, so the model is as merged"
    return f"{rows} learned again, {again.passes} time{'s' * (again.passes != 1)}"


def _require_different(paths: tuple[str, ...]) -> None:
    """Refuse a model that is given twice, under whatever name: its rows would count twice."""
    seen: dict[bytes, str] = {}
    for path in paths:
        with Path(path).open("rb") as file:
            content = hashlib.file_digest(file, "sha256").digest()
        if content in seen:
            again = "is given twice" if path == seen[content] else f"has the same bytes as {seen[content]}"
            raise Failed(f"{path}: this model {again}, so that its rows would count twice")
        seen[content] = path


def _note(paths: tuple[str, ...]) -> dict[str, Any]:
    """Return how the inputs were read, and what the two sides of a comparison are called, if all models agree on it."""
    notes = [open_note(path) for path in paths]
    for note in notes:
        if "reader" in note:
            note["reader"] = reader_to_note(note["reader"])
    first, *others = notes
    agreed: dict[str, Any] = {
        name: first[name]
        for name in ("reader", "inputs")
        if name in first and all(note.get(name) == first[name] for note in others)
    }
    return {"merged": list(paths), **agreed}
