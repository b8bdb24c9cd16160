"""Predict the labels of files."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.parts.common_options import quiet_option
from wmsketch.cli.parts.earlier_lines import EarlierLines
from wmsketch.cli.parts.errors import Failed
from wmsketch.cli.parts.help_screen import HelpScreen
from wmsketch.cli.parts.model_files import open_model, open_note
from wmsketch.cli.parts.number_report import errors_text, number_lines
from wmsketch.cli.parts.output import label_text, number_text
from wmsketch.cli.parts.reader_options import (
    files_argument,
    no_rows,
    note_rejects,
    noted_reader,
    open_input,
    reader_options,
    require_other_file,
    require_same_rules,
    require_two_files,
    take_reader_options,
)
from wmsketch.learners.models.introspection import (
    answers_of_block,
    has_learned,
    is_multiclass,
    label_names_of,
    margins_of_block,
    predicts_numbers,
    probabilities_of,
    reading_of,
    scored_labels,
)

if TYPE_CHECKING:
    from wmsketch._core import RowBlock
    from wmsketch.learners.models.base import OnlineClassifier

EXAMPLES = """\b
Examples:
  wmsketch predict new.svm --model clicks.wms > labels.tsv
  wmsketch predict new.csv --model clicks.wms --proba --output scores.txt
  wmsketch predict new.csv --model clicks.wms --why 5 --json | jq -c .why
  wmsketch predict big.csv --model clicks.wms --output scores.txt --resume
"""


@click.command(cls=HelpScreen, epilog=EXAMPLES)
@files_argument
@click.option(
    "--model", "model_path", metavar="MODEL", type=click.Path(), help="The model file, unless it is one of FILES."
)
@click.option("--proba", is_flag=True, help="Print only the probability.")
@click.option("--label-only", is_flag=True, help="Print only the label.")
@click.option(
    "--why", metavar="K", type=click.IntRange(0), default=0, help="Add the K largest contributions to each row."
)
@click.option("--output", type=click.Path(dir_okay=False), default="-", help="Write to this file instead of stdout.")
@click.option("--resume", is_flag=True, help="Keep the lines that --output has, and add those of the rows after them.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON lines: label, probability, margin, why; or prediction, why."
)
@reader_options
@quiet_option
def command(model_path: str | None, output: str, quiet: bool, **options: Any) -> None:
    """Predict the label of each example of FILES, in order.

    Prints one line for each: the label as written in the training file, a TAB, and the probability of the positive
    label. For a multiclass model: the most probable label and its probability; for a regression, the number.
    If one label was learned against several others ("yes" against "no" and "maybe"), these are printed as "not yes".
    The model stores how columns are read. Labels may be missing; if there are labels, the error is printed on stderr.
    """
    from wmsketch.cli.parts.progress import ProgressLine
    from wmsketch.results.number_score import score_for

    if options["proba"] and options["label_only"]:
        raise click.UsageError("--proba and --label-only cannot be combined")
    model_path, options["files"] = _model_and_rows(model_path, options["files"])
    require_other_file(output, options["files"])
    require_two_files(output=output, rejects=options["rejects"])
    for path in filter(None, (output, options["rejects"])):
        require_other_file(path, [model_path], "is the model")
    if options["resume"] and output == "-":
        raise click.UsageError("--resume needs --output FILE, which has the lines of the first run")
    model = open_model(model_path)
    note = open_note(model_path)
    if numbers := predicts_numbers(model):
        _refuse_classes(model_path, options)
    given = take_reader_options(options)
    require_same_rules(model_path, model.schema_.rules, given)
    reader = {
        **noted_reader(note),
        **given,
        **reading_of(model, to_learn=False),
        "require_labels": False,
    }
    names = _label_names(model)
    score, rows = score_for(model), 0
    encoding = None if output == "-" else "utf-8"
    earlier = EarlierLines(output, options["resume"])
    with (
        open_input(options["files"], reader) as examples,
        _naming(output),
        click.open_file(output, "a" if options["resume"] else "w", encoding) as file,
        ProgressLine(quiet) as progress,
    ):
        for block in examples:
            rows += len(block)
            if earlier.passes(len(block)):
                continue
            margins = _margins(model, block, options["files"])
            file.writelines(earlier.rest(_lines(model, block, margins, names, options), file))
            if len(block.labels) or len(block.classes) or len(block.targets):
                known = _labelled(block)
                score.add(model.calibrated(margins[known]), answers_of_block(model, block)[known])
            progress.show(examples, rows, None if numbers or not score.examples else score.error_rate, model.nbytes)
    if not rows:
        raise no_rows(options["files"], examples.rejects)
    earlier.require_rows(rows)
    if earlier.count and not quiet:
        click.echo(f"note: {earlier.count:,} of {rows:,} rows were predicted before", err=True)
    for problem in [] if quiet else examples.unseen:
        click.echo(f"note: {problem}", err=True)
    note_rejects(examples.rejects, quiet)
    if score.examples and not quiet:
        told = f"{rows:,} row{'s' * (rows != 1)}"
        if score.examples != rows:
            told += f", {score.examples:,} with a label"
        fared = f"error {score.error_rate:.2%}, log loss {number_text(score.log_loss)}" if not numbers else ""
        click.echo(f"{told}: {fared or errors_text(score.as_record())}", err=True)


def _model_and_rows(model_path: str | None, files: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Return the model, which may stand among the files, and the files with rows."""
    from wmsketch.learners.saving.model_file import is_model_file

    if model_path is not None:
        return model_path, files
    models = [file for file in files if isinstance(file, str) and Path(file).is_file() and is_model_file(file)]
    rows = tuple(file for file in files if file not in models)
    if len(models) != 1:
        raise click.UsageError(
            "give the model's file by --model" if not models else "give one model, and files with rows"
        )
    if not rows:
        raise click.UsageError("give FILES with rows to predict, or - to read them from stdin")
    return models[0], rows


def _refuse_classes(path: str, options: dict[str, Any]) -> None:
    for name in ("proba", "label_only"):
        if options[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} is for labels, but {path} predicts a number")


@contextmanager
def _naming(output: str) -> Iterator[None]:
    """Add the file name to a write error: the error of a full disk has none."""
    try:
        yield
    except OSError as problem:
        if problem.filename is None and problem.errno != errno.EPIPE:
            problem.filename = "stdout" if output == "-" else output
        raise


def _margins(model: OnlineClassifier, block: RowBlock, files: tuple[str, ...]) -> Any:
    """Return the margins of the rows of a block; an error names the file."""
    from wmsketch.readers import expand_paths

    try:
        return margins_of_block(model, block)
    except ValueError as problem:
        raise Failed(f"{expand_paths(files)[block.position.file]}: {problem}") from problem


def _labelled(block: RowBlock) -> Any:
    """Return which rows have a label."""
    import numpy as np

    if len(block.targets):
        return ~np.isnan(block.targets)
    if len(block.labels):
        return block.labels != 0
    return np.asarray([bool(text) for text in block.class_texts])[block.classes]


def _label_names(model: OnlineClassifier) -> tuple[str, ...]:
    """Return the names of the labels: those of the training file, or of the model."""
    if is_multiclass(model):
        return tuple(label_text(label) for label in scored_labels(model)) if has_learned(model) else ()
    if predicts_numbers(model):
        return ()
    if not has_learned(model):
        return "-1", "1"
    names = label_names_of(model)
    return tuple(map(str, model.classes_.tolist())) if names is None else names.shown()


def _lines(
    model: OnlineClassifier, block: RowBlock, margins: Any, names: tuple[str, ...], options: dict[str, Any]
) -> Iterator[str]:
    from wmsketch.cli.parts.output import printable
    from wmsketch.learners.rows.labels import typed_labels
    from wmsketch.results.contributions import contributions

    if predicts_numbers(model):
        yield from number_lines(model, block, margins, options)
        return
    shown = list(typed_labels(names)) if options["as_json"] else [printable(name) for name in names]
    chances = probabilities_of(model, margins)[:, -1]  # of the positive label
    places = (margins >= 0).astype(int)
    of_labels = None  # binary: contributions to the only margin
    if is_multiclass(model):
        places = margins.argmax(axis=1)
        rows = range(len(places))
        chances, margins = probabilities_of(model, margins)[rows, places], margins[rows, places]
        scored = scored_labels(model)
        of_labels = [scored[place] for place in places.tolist()]
    labels = [shown[place] for place in places]
    whys = contributions(model, block, options["why"], of_labels) if options["why"] else [[]] * len(block)
    for label, chance, margin, why in zip(labels, chances.tolist(), margins.tolist(), whys, strict=True):
        if options["as_json"]:
            record: dict[str, Any] = {"label": label, "probability": chance, "margin": margin}
            if options["why"]:
                record["why"] = [each.as_record() for each in why]
            yield json.dumps(record) + "\n"
            continue
        parts = [] if options["proba"] else [label]
        parts += [] if options["label_only"] else [f"{chance:.6g}"]
        yield "\t".join([*parts, *(f"{printable(str(each.feature))}:{each.contribution:+.4g}" for each in why)]) + "\n"
