"""Show the heaviest features of a model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.model_files import model_argument, open_model
from wmsketch.cli.output import label_text

if TYPE_CHECKING:
    from wmsketch.learners.base import OnlineClassifier

EXAMPLES = """\b
Examples:
  wmsketch top clicks.wms -k 50
  wmsketch top clicks.wms --sort low      surely heavy ones first
  wmsketch top clicks.wms --json | jq '.[0].feature'
  wmsketch top news.wms --label sport
"""


@click.command(epilog=EXAMPLES)
@model_argument
@click.option("-k", type=click.IntRange(0), default=20, show_default=True, help="How many.")
@click.option(
    "--sort",
    type=click.Choice(["abs", "weight", "low"]),
    default="abs",
    show_default=True,
    help="By |weight|, by weight, or by the end of the error bar that is nearer to zero.",
)
@click.option("--label", help="Only those of this label, for a model of many classes.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(model: str, k: int, sort: str, label: str | None, as_json: bool) -> None:
    """Print the heaviest features of MODEL, with 95 % error bars."""
    from wmsketch.cli.output import print_heavy_features, print_json
    from wmsketch.results.heavy_features import as_records, heavy_features

    learned = open_model(model)
    rows = heavy_features(learned, k, sort, None if label is None else _label(learned, label))
    if as_json:
        print_json(as_records(rows))
        return
    print_heavy_features(rows)
    missed = learned.largest_missed(k) if rows and label is None else math.nan
    if math.isfinite(missed):
        click.echo(f"\nno other feature should weigh more than ±{missed:.4f} (95 %)")


def _label(model: OnlineClassifier, written: str) -> Any:
    """The label of the model that is written so."""
    if not model._multiclass:
        raise click.UsageError("--label has no meaning for a model of two classes")
    labels = model.classes_.tolist() if model._started else []
    for label in labels:
        if label_text(label) == written:
            return label
    raise click.BadParameter(
        f"must be one of {', '.join(map(label_text, labels))}, got {written!r}", param_hint="--label"
    )
