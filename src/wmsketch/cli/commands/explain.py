"""Find what outliers have in common."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.parts.common_options import csv_options, json_option, quiet_option
from wmsketch.cli.parts.errors import Failed, Stopped
from wmsketch.cli.parts.help_screen import HelpScreen
from wmsketch.cli.parts.reader_options import (
    columns_of,
    files_argument,
    missing_label_option,
    names_in,
    no_rows,
    note_lacked,
    note_rejects,
    number_style_options,
    reject_options,
    require_positive,
    take_reject_options,
)
from wmsketch.cli.parts.result_files import counting_options, require_result_files, save_counts
from wmsketch.formats import COLUMNAR

if TYPE_CHECKING:
    from wmsketch.apps.explain.explainer import Explainer
    from wmsketch.readers import Examples
    from wmsketch.readers.rejects import Rejects

EXAMPLES = """\b
Examples:
  wmsketch explain requests.csv --outlier 'status>=500' --order 2
  wmsketch explain flights.parquet --outlier 'dep_delay>p80' --ignore arr_delay
  wmsketch explain logins.jsonl --outlier 'user is missing or status in (401, 403)' --where 'env == prod'
  wmsketch explain payments.csv.xz --label fraud --weight amount
  wmsketch explain orders.csv --metric 'sum(revenue)' --test 'day==2024-05-17' --control 'day==2024-05-10'
  wmsketch explain today.parquet --against yesterday.parquet --metric 'sum(errors)/sum(requests)' --order 2
  tail -f access.jsonl | wmsketch explain - --outlier 'ms>p99' --every 10s
  wmsketch explain events.csv --outlier 'ms>p95' --report slow.html
  wmsketch explain monday.csv --outlier 'ms>100' --save monday.wms
"""
_LISTS = ("attributes", "ignore", "include", "categorical", "numeric", "templates")
_PLAIN = ("label", "positive", "where", "order", "weight", "bins", "time", "budget", "seed")
_LIVE_CHUNK_BYTES = 1 << 14  # for pipes: waiting for a megabyte of rows would delay the live table


@click.command(cls=HelpScreen, epilog=EXAMPLES)
@files_argument
@click.option("--outlier", metavar="CONDITION", help="Condition for outliers, like 'ms>p95 and not user is missing'.")
@click.option("--label", metavar="COLUMN", help="Or a column that marks outliers.")
@click.option(
    "--metric", metavar="METRIC", help="Or a number that changed: sum(x), avg(x), count(), sum(x)/sum(y), p99(x)."
)
@click.option("--test", metavar="CONDITION", help="With --metric: the rows after the change, like 'day==2024-05-17'.")
@click.option("--control", metavar="CONDITION", help="And those to compare them with.  [default: all others]")
@click.option("--against", metavar="FILE", help="Or another input to compare FILES with.")
@click.option("--after", metavar="TIME", help="Or the rows from this time on, by the column --time, with those before.")
@click.option("--scale", metavar="FACTOR|rows", help="Multiply totals of the control; rows: to as many rows.")
@click.option("--positive", metavar="VALUE", help="Label of outliers.  [default: the rarer of two]")
@click.option(
    "--attributes", metavar="A,B", help="Columns to explain with.  [default: all except those of the condition]"
)
@click.option("--ignore", metavar="A,B", help="Columns not to explain with.")
@click.option("--include", metavar="A,B", help="Columns to use although they hardly repeat or restate the condition.")
@click.option("--categorical", metavar="A,B", help="Numeric columns to read as categories.")
@click.option("--numeric", metavar="A,B", help="Columns to read as numbers, which are cut into bins.")
@click.option("--templates", metavar="A,B", help="Columns of log messages, to explain with their templates.")
@click.option(
    "--bins", type=click.IntRange(2, 1000), default=10, show_default=True, help="Bins for each numeric column."
)
@click.option(
    "--order",
    type=click.IntRange(1, 3),
    default=1,
    show_default=True,
    help="Maximum number of attributes in a conjunction.",
)
@click.option("--weight", metavar="COLUMN", help="Count the amount in this column (bytes, money) instead of rows.")
@click.option(
    "--half-life", metavar="ROWS|TIME", help="A row counts half after this many rows, or after a time like 10min."
)
@click.option("--time", metavar="COLUMN", help="Column with the time of each row, for a half-life in time or --after.")
@click.option(
    "--min-support",
    type=click.FloatRange(0, 1),
    default=0.001,
    show_default=True,
    help="Minimum share of the outliers.",
)
@click.option(
    "--min-ratio", type=click.FloatRange(0), default=1.0, show_default=True, help="Minimum risk ratio; 0 for any."
)
@click.option(
    "--sort",
    type=click.Choice(["evidence", "ratio", "weight", "support", "low"]),
    default="evidence",
    show_default=True,
    help="Sort order; evidence: strong causes of many outliers first; ratio: by the lower end of its range.",
)
@click.option(
    "--all", "show_all", is_flag=True, help="Also show rows that may be chance, and rows that a simpler row explains."
)
@counting_options("Rows", "16MiB", "country in (US, CA)")
@click.option(
    "--format", type=click.Choice(COLUMNAR), help="Format of the input.  [default: from the file name or first line]"
)
@csv_options
@number_style_options
@reject_options
@missing_label_option
@json_option
@quiet_option
def command(files: tuple[str, ...], **options: Any) -> None:
    """Find what the slow, failed or expensive rows of FILES have in common.

    Each row of the answer lists attributes, how many times as likely a row with them is an outlier (ratio, with its
    95 % range), and the share of all outliers that have them (support). A count with ~ does not cover all rows; its
    range in JSON and the range of its ratio include what it missed.

    With --metric: what a number's change comes from. Each row has the metric on both sides, its part of the change with
    the 95 % range, and for a ratio how much is mix and how much rate. The few rows that account for the change are
    shown; --all shows every row.

    Conditions: < <= > >= == !=, in (a, b), is missing, and, or, not, parentheses. A percentile like p95 is that of all
    rows of the files, and of a pipe that of the rows so far. Put names and values with blanks in quotes.
    """
    if options["metric"] is not None:
        from wmsketch.cli.parts.metric_command import explain_metric

        require_result_files(options, files)
        explain_metric(files, options, _reader(options, None))
        return
    for name in ("test", "control", "against", "after", "scale"):
        if options[name] is not None:
            raise click.UsageError(f"--{name} needs --metric, the number that changed")
    from wmsketch.apps.explain.explainer import Explainer
    from wmsketch.cli.parts.explain_output import Output
    from wmsketch.cli.parts.learner_options import parse_half_life
    from wmsketch.learners.rows.lazy_numpy import load_numpy_meanwhile
    from wmsketch.learners.sizes.durations import parse_seconds
    from wmsketch.readers import BadInput
    from wmsketch.results.live import LiveTable

    every = parse_seconds(options["every"]) if options["every"] else None
    require_result_files(options, files)
    given: dict[str, Any] = {name: options[name] for name in _PLAIN} | {
        name: names_in(options[name]) for name in _LISTS
    }
    half_life = parse_half_life(options["half_life"]) if options["half_life"] else None
    if (options["outlier"] is None) == (options["label"] is None):
        raise click.UsageError(
            "give either --outlier CONDITION or --label COLUMN to mark the outliers, or --metric and what changed"
            + columns_of(files, **_reader(options, None))
        )
    explainer = Explainer(options["outlier"], half_life=half_life, **given)
    load_numpy_meanwhile("statistics", "json" if options["as_json"] else "rich.console")
    output = Output(explainer, files, options)
    live = LiveTable(None if options["as_json"] else every, output.table)
    ended: Stopped | BadInput | None = None
    began = time.perf_counter()
    with live:
        try:
            output.rejects = _learn(explainer, files, options, live, every)
        except (Stopped, BadInput) as problem:
            if not isinstance(problem, Stopped) and not _can_answer(explainer):
                raise
            ended = problem
        _require_rows(explainer, files, ended, output.rejects)
        output.seconds = time.perf_counter() - began
        output.write(live)
    save_counts(explainer, files, options)
    note_rejects(output.rejects, options["quiet"])
    if isinstance(ended, Stopped):
        raise Stopped(ended.signal_number, f"stopped after {explainer.examples:,} rows")
    if ended is not None:
        ended.add_note(f"the result covers the first {explainer.examples:,} rows")
        raise ended


def _learn(
    explainer: Explainer, files: tuple[str, ...], options: dict[str, Any], live: Any, every: float | None
) -> Rejects:
    from wmsketch.apps.explain.opening import open_once
    from wmsketch.apps.explain.percentiles import can_be_read_again
    from wmsketch.cli.parts.interrupts import Interrupts
    from wmsketch.cli.parts.progress import ProgressLine
    from wmsketch.readers import BadInput

    # the live table and the progress line would overwrite each other
    quiet = options["quiet"] or every is not None
    reader = _reader(options, every)
    try:
        explainer.choose_positive(list(files), **reader)
        explainer.choose_percentiles(list(files), **reader)
        opened = open_once(explainer, list(files), **reader)
    except BadInput as problem:
        raise explainer.in_own_words(problem) from problem
    again = every is None and can_be_read_again(list(files))
    with Interrupts() as interrupts, ProgressLine(quiet) as progress:
        while True:
            with opened as examples:
                try:
                    for block in examples:
                        with interrupts.whole():
                            _require_columns(examples)
                            explainer.learn_block(block, files[0] if len(files) == 1 else None)
                            progress.show(examples, examples.position.rows, nbytes=explainer.nbytes)
                            live.tick()
                        if again and explainer.wants_candidates:
                            break
                    else:
                        require_positive(examples, files)
                        break
                    again = False
                    explainer.choose_candidates(list(files), **reader)
                    opened = explainer.open(list(files), **reader)
                except BadInput as problem:
                    raise explainer.in_own_words(problem) from problem
    note_lacked(examples.lacked, options["quiet"])
    return examples.rejects


def _reader(options: dict[str, Any], every: float | None) -> dict[str, Any]:
    reader: dict[str, Any] = {"format": options["format"]}
    if options["delimiter"]:
        reader["delimiter"] = options["delimiter"]
    if options["columns"]:
        reader["columns"] = names_in(options["columns"])
    reader |= {name: options[name] for name in ("decimal", "thousands") if options[name]}
    reader |= take_reject_options(options)
    if every is not None:
        reader["chunk_bytes"] = _LIVE_CHUNK_BYTES
    return reader


def _require_columns(examples: Examples) -> None:
    if examples.format not in COLUMNAR:
        raise Failed(f"explain needs columns ({', '.join(COLUMNAR)}), but the input is {examples.format}")


def _can_answer(explainer: Explainer) -> bool:
    """Return whether rows were counted before a bad one; the first rows may be refused together."""
    try:
        explainer.finish_warm_up()
    except ValueError:
        return False
    return explainer.examples > 0


def _require_rows(explainer: Explainer, files: tuple[str, ...], ended: BaseException | None, rejects: Rejects) -> None:
    explainer.finish_warm_up()
    if explainer.examples + explainer.skipped + explainer.where_left_out == 0 and ended is None:
        raise no_rows(files, rejects, "rows")
