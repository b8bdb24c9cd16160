"""Show the heaviest features of a model, or those that changed most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.parts.common_options import json_option
from wmsketch.cli.parts.errors import Failed
from wmsketch.cli.parts.help_screen import HelpScreen
from wmsketch.cli.parts.model_files import model_argument, open_model, open_note
from wmsketch.cli.parts.output import label_text
from wmsketch.cli.parts.reader_options import noted_reader, open_input
from wmsketch.learners.models.introspection import has_learned, is_multiclass, label_names_of, reading_of

if TYPE_CHECKING:
    from wmsketch.learners.models.base import OnlineClassifier
    from wmsketch.records import ChangedFeature, HeavyFeature
    from wmsketch.results.occurrences import Occurrences

EXAMPLES = """\b
Examples:
  wmsketch top clicks.wms -k 50
  wmsketch top clicks.wms --sort low      certainly heavy features first
  wmsketch top clicks.wms --count clicks.csv
  wmsketch top today.wms --since yesterday.wms
  wmsketch top clicks.wms --json | jq '.[0].feature'
  wmsketch top news.wms --label sport
"""


@click.command(cls=HelpScreen, epilog=EXAMPLES)
@model_argument
@click.option("-k", "--top", "k", type=click.IntRange(0), default=20, show_default=True, help="How many.")
@click.option(
    "--sort",
    type=click.Choice(["abs", "weight", "low"]),
    help="By |weight|, by weight, or by the end of the error bar nearer to zero.  [default: abs]",
)
@click.option(
    "--since", metavar="MODEL", type=click.Path(), help="List the features that changed most since this model."
)
@click.option("--label", help="Only features of this label, for a multiclass model.")
@click.option(
    "--count",
    metavar="FILE",
    multiple=True,
    help="Count the rows of FILE that have each feature, and how many of them are positive. May be repeated.",
)
@json_option
def command(
    model: str, k: int, sort: str | None, since: str | None, label: str | None, count: tuple[str, ...], as_json: bool
) -> None:
    """Print the heaviest features of MODEL, with 95 % error bars.

    With --since, print the features whose weights differ most between the two models, largest change first.
    """
    from wmsketch.cli.parts.output import print_changes, print_heavy_features, print_json
    from wmsketch.results.heavy_features import as_records, heavy_features

    if since is None:
        learned = open_model(model)
        rows = heavy_features(learned, k, sort or "abs", None if label is None else _label(learned, label))
        counts = _counts(model, learned, rows, count) if count and rows else None
        if as_json:
            print_json(_with_counts(as_records(rows), counts))
        else:
            print_heavy_features(rows, counts)
        missed = learned.largest_missed(k) if rows and label is None and not as_json else math.nan
        if math.isfinite(missed):
            click.echo(f"\nno other feature should weigh more than ±{missed:.4f} (95 %)")
        return
    if label is not None or count:
        raise click.UsageError(f"{'--count' if count else '--label'} cannot be combined with --since")
    if sort is not None:
        raise click.UsageError("--sort cannot be combined with --since, which sorts by |change|")
    changes = _changes(model, since, k)
    print_json(as_records(changes)) if as_json else print_changes(changes)


def _counts(path: str, model: OnlineClassifier, rows: list[HeavyFeature], files: tuple[str, ...]) -> Occurrences:
    """Read the files as in training, and count."""
    from wmsketch.results.occurrences import Occurrences

    reader = {**noted_reader(open_note(path)), **reading_of(model, to_learn=False), "require_labels": False}
    counts = Occurrences(model, rows)
    with open_input(files, reader) as examples:
        for block in examples:
            counts.add(block)
    return counts


def _with_counts(records: list[dict[str, Any]], counts: Occurrences | None) -> list[dict[str, Any]]:
    if counts is not None:
        for record, rows, positives in zip(records, counts.rows, counts.positives, strict=True):
            record |= {"rows": rows, "positives": positives} if counts.labelled else {"rows": rows}
    return records


def _changes(model: str, since: str, k: int) -> list[ChangedFeature]:
    new, old = open_model(model), open_model(since)
    for path, opened in ((model, new), (since, old)):
        if not has_learned(opened):
            raise Failed(f"{path}: the model has not learned anything yet")
    is_now, was = (names.positive if names else None for names in (label_names_of(new), label_names_of(old)))
    if None not in (is_now, was) and is_now != was:
        raise Failed(f"cannot compare: the positive label is {is_now!r} in {model} and {was!r} in {since}")
    try:
        return new.changes_since(old, k)
    except ValueError as problem:
        raise Failed(f"{model}, {since}: {problem}") from problem


def _label(model: OnlineClassifier, written: str) -> Any:
    """Return the label of the model with this text."""
    if not is_multiclass(model):
        raise click.UsageError("--label is for multiclass models only")
    labels = model.classes_.tolist() if has_learned(model) else []
    for label in labels:
        if label_text(label) == written:
            return label
    raise click.BadParameter(
        f"must be one of {', '.join(map(label_text, labels))}, got {written!r}", param_hint="--label"
    )
