"""`explain --metric`: reads the rows of one input, or of two, and answers why the metric changed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.parts.errors import Stopped
from wmsketch.cli.parts.reader_options import names_in, no_rows, note_lacked, note_rejects

if TYPE_CHECKING:
    from wmsketch.apps.explain.metric_explainer import MetricExplainer
    from wmsketch.readers.rejects import Rejects

_LISTS = ("attributes", "ignore", "include", "categorical", "numeric", "templates")
_PLAIN = ("metric", "test", "control", "after", "scale", "where", "order", "bins", "time", "budget", "seed")
_OTHERS = ("outlier", "label", "positive", "weight", "half_life", "every")  # of explain without --metric


def explain_metric(files: tuple[str, ...], options: dict[str, Any], reader: dict[str, Any]) -> None:
    """Run the command."""
    from wmsketch.apps.explain.metric_explainer import MetricExplainer
    from wmsketch.cli.parts.metric_output import MetricOutput

    for name in _OTHERS:
        if options[name] is not None:
            raise click.UsageError(f"--metric cannot be combined with --{name.replace('_', '-')}")
    given: dict[str, Any] = {name: options[name] for name in _PLAIN} | {
        name: names_in(options[name]) for name in _LISTS
    }
    given["scale"] = _scale(options["scale"])
    if options["against"] and (options["test"] or options["after"]):
        raise click.UsageError("--against FILE is the other side: give no --test, --control or --after with it")
    explainer = MetricExplainer(**given)
    sources: list[list[str]] = [list(files), *([[options["against"]]] if options["against"] else [])]
    output = MetricOutput(explainer, files, options)
    stopped: Stopped | None = None
    began = time.perf_counter()
    try:
        output.rejects = _learn(explainer, sources, options, reader)
    except Stopped as signalled:
        stopped = signalled
    explainer.finish_warm_up()
    if explainer.examples + explainer.skipped + explainer.where_left_out == 0 and stopped is None:
        raise no_rows(files, output.rejects, "rows")
    output.find_rows(sources, reader, stopped is None)
    output.seconds = time.perf_counter() - began
    output.write()
    note_rejects(output.rejects, options["quiet"])
    if stopped is not None:
        raise Stopped(stopped.signal_number, f"stopped after {explainer.examples:,} rows")


def _scale(text: str | None) -> float | str | None:
    if text is None or text == "rows":
        return text
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"--scale must be a number or rows, got {text}") from None


def _learn(
    explainer: MetricExplainer, sources: list[list[str]], options: dict[str, Any], reader: dict[str, Any]
) -> Rejects:
    from wmsketch.cli.parts.interrupts import Interrupts
    from wmsketch.cli.parts.progress import ProgressLine
    from wmsketch.readers import BadInput, Examples

    latest: list[Examples] = []
    with Interrupts() as interrupts, ProgressLine(options["quiet"]) as progress:

        def watched(examples: Examples) -> Iterator[Any]:
            latest[:] = [examples]
            for block in examples:
                with interrupts.whole():
                    yield block
                    progress.show(examples, examples.position.rows, nbytes=explainer.nbytes)

        try:
            explainer.learn_sources(*sources, watched=watched, **reader)
        except BadInput as problem:
            raise explainer.in_own_words(problem) from problem
    note_lacked(latest[-1].lacked, options["quiet"])
    return latest[-1].rejects
