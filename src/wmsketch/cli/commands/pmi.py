"""Find pairs that occur together."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, get_args

import click

from wmsketch.cli.parts.errors import Stopped
from wmsketch.cli.parts.help_screen import HelpScreen
from wmsketch.cli.parts.reader_options import (
    files_argument,
    names_in,
    no_rows,
    note_rejects,
    rejects_record,
    take_reject_options,
)
from wmsketch.cli.parts.result_files import counting_options, last_options, require_result_files, save_counts
from wmsketch.formats import format_names
from wmsketch.learners.protocols.options import Schedule

if TYPE_CHECKING:
    from wmsketch.apps.pmi.pmi import PMI
    from wmsketch.readers import BadInput
    from wmsketch.readers.rejects import Rejects

EXAMPLES = """\b
Examples:
  wmsketch pmi corpus.txt.xz --min-count 100
  wmsketch pmi notes.txt --within paragraph --undirected --report notes.html
  wmsketch pmi news.tsv --text body --token '[a-z]{3,}'
  wmsketch pmi events.csv --items code --group host --time at --window-seconds 30
  tail -f app.log | wmsketch pmi - --templates --window 10 --every 10s
"""
_PARAMETERS = (
    "budget", "window", "window_seconds", "token", "within", "groups", "subsample", "negatives", "reservoir", "width",
    "active_set_size", "eta0", "l2", "schedule", "seed", "exact", "half_life",
)  # fmt: skip


@click.command(cls=HelpScreen, epilog=EXAMPLES)
@files_argument
@click.option(
    "--window",
    type=click.IntRange(1, 1024),
    default=5,
    show_default=True,
    help="Pair an item with this many items before it.",
)
@click.option(
    "--window-seconds", metavar="S", type=float, help="... and at most this many seconds before it; needs --time."
)
@click.option("--undirected", is_flag=True, help="Count (u, v) and (v, u) together.")
@click.option("--token", default="words", show_default=True, help="words, whitespace, lines, or a regular expression.")
@click.option("--templates", is_flag=True, help="Templates of log lines, or of the values of --items, are items: "
              "times, numbers and addresses are replaced by their kind.")  # fmt: skip
@click.option(
    "--within",
    type=click.Choice(["line", "paragraph", "file"]),
    help="Unit that windows do not cross.  [default: line; file for lines and --templates]",
)
@click.option("--keep-case", is_flag=True, help="Do not fold the case of text.")
@click.option("--items", metavar="COLUMN", help="Column with the item of each row.")
@click.option("--text", metavar="COLUMN", help="Or a column with running text.")
@click.option("--group", metavar="COLUMN", help="Use a separate window for each value of this column.")
@click.option(
    "--groups", type=click.IntRange(1), help="Maximum number of groups; the least recent is dropped.  [default: 1024]"
)
@click.option("--time", metavar="COLUMN", help="Time of each row: seconds, or like 2024-05-17 08:30:00.")
@click.option(
    "--min-count",
    type=click.IntRange(0),
    help="Minimum count of a pair.  [default: up to 5, if --top pairs remain]",
)
@click.option(
    "--sort",
    type=click.Choice(["low", "pmi", "count", "-pmi", "weight"]),
    default="low",
    show_default=True,
    help="Sort order; low: by the lower end of the range, -pmi: lowest PMI first, weight: that of the classifier.",
)
@counting_options("Pairs", "32MiB", "level == error")
@click.option(
    "--subsample", type=float, default=0.0, show_default=True, help="Subsample items more frequent than this."
)
@click.option("--exact", is_flag=True, help="Also count exactly, without a memory limit, and show both.")
@click.option("--half-life", metavar="ITEMS", type=click.IntRange(1), help="Counts are halved after this many items.")
@click.option("--width", type=click.IntRange(1), help="Cells of the sketch.  [default: from the budget, up to 65536]")
@click.option(
    "--active-set-size", type=click.IntRange(1), help="Pairs in the active set.  [default: from the budget, up to 8192]"
)
@click.option("--reservoir", type=click.IntRange(1), help="Items sampled for random pairs.  [default: up to 4000]")
@click.option(
    "--negatives",
    type=click.IntRange(0, 1000),
    help="Random pairs for each real pair, for the classifier.  [default: 5 with --sort weight, otherwise 0: none]",
)
@click.option("--eta0", type=float, default=0.5, show_default=True, help="Step size.")
@click.option(
    "--l2", type=float, default=1e-9, show_default=True, help="L2 regularisation; larger values drop rare pairs."
)
@click.option(
    "--schedule",
    type=click.Choice(get_args(Schedule)),
    default="optimal",
    show_default=True,
    help="Step-size schedule.",
)
@click.option(
    "--format",
    type=click.Choice(format_names("columns", "words")),
    help="Format of the input.  [default: from the file name]",
)
@last_options
def command(files: tuple[str, ...], **options: Any) -> None:
    """Find the pairs of words, codes or lines of FILES that occur together more often than chance.

    Pairs are measured by pointwise mutual information: +2.3 means ten times as often as if the two were independent.
    It takes a fixed number of bytes, however many distinct pairs there are; files with more pairs than fit are read
    again. The last line gives the number of pairs held, the number of exact counts, and the --budget that would hold
    all.
    """
    from wmsketch.apps.pmi.inputs import Columns
    from wmsketch.apps.pmi.pmi import PMI
    from wmsketch.cli.parts.pmi_output import document_of, rows_of, table_of, write_files
    from wmsketch.learners.sizes.durations import parse_seconds
    from wmsketch.readers import BadInput
    from wmsketch.readers.rejects import Rejects
    from wmsketch.results.live import LiveTable

    columns = Columns(items=options["items"], text=options["text"], group=options["group"], time=options["time"])
    if options["window_seconds"] is not None and not options["time"]:
        raise click.UsageError("--window-seconds needs --time COLUMN")
    if options["templates"]:
        if options["text"] or options["token"] != "words":
            raise click.UsageError(f"--templates and {'--text' if options['text'] else '--token'} cannot be combined")
        options["token"] = "templates"
    every = parse_seconds(options["every"]) if options["every"] else None
    require_result_files(options, files)
    if options["save"] and options["exact"]:
        raise click.UsageError("--save and --exact cannot be combined: exact counts have no limit, and are not saved")
    options["groups"] = options["groups"] or (1024 if options["group"] else 1)
    if options["negatives"] is None:  # nothing but the weight depends on the classifier, and it takes most of the time
        options["negatives"] = 5 if options["sort"] == "weight" else 0
    by_pmi = options["sort"] in ("low", "pmi")
    rare = (options["min_count"] or 0) > 1 and by_pmi and not options["save"]  # saved counts are for any question
    parameters = {name: options[name] for name in _PARAMETERS}
    name_bytes = None if options["token"] in ("lines", "templates") or not options["items"] else 48
    pmi = PMI(
        directed=not options["undirected"],
        lowercase=not options["keep_case"],
        name_bytes=name_bytes,
        at_least=options["min_count"] if rare else None,
        **parameters,
    )
    live = LiveTable(None if options["as_json"] else every, lambda: table_of(pmi, options))
    began = time.perf_counter()
    ended: Stopped | BadInput | None = None
    rejects = Rejects()
    with live:
        try:
            rejects = _learn(pmi, files, columns, options, live, every)
        except (Stopped, BadInput) as problem:
            if pmi.tokens == 0 and not isinstance(problem, Stopped):
                raise
            ended = problem
        if pmi.tokens == 0 and ended is None:
            raise no_rows(files, rejects, "items")
        seconds = time.perf_counter() - began
        if not options["as_json"]:
            live.finish()
    rows = rows_of(pmi, options)
    if options["as_json"]:
        from wmsketch.cli.parts.output import print_json

        print_json({**document_of(pmi, rows, options, seconds), **rejects_record(rejects)})
    if options["plot"] or options["report"]:
        write_files(pmi, rows, files, options)
    save_counts(pmi, files, options, "items")
    note_rejects(rejects, options["quiet"])
    if isinstance(ended, Stopped):
        raise Stopped(ended.signal_number, f"stopped after {pmi.tokens:,} items")
    if ended is not None:
        ended.add_note(f"the result covers the first {pmi.tokens:,} items")
        raise ended


def _learn(pmi: PMI, files: tuple[str, ...], columns: Any, options: dict[str, Any], live: Any, every: Any) -> Rejects:
    from wmsketch.apps.pmi.inputs import Inputs
    from wmsketch.cli.parts.interrupts import Interrupts
    from wmsketch.cli.parts.progress import ProgressLine

    reader: dict[str, Any] = {}
    if options["delimiter"]:
        reader["delimiter"] = options["delimiter"]
    if options["columns"]:
        reader["columns"] = names_in(options["columns"])
    if options["where"]:
        reader["where"] = options["where"]
    reader |= take_reject_options(options)
    once = every is not None or options["sort"] not in ("low", "pmi")  # more passes find pairs of high PMI
    inputs = Inputs(pmi, files, columns, options["format"], once=once, **reader)
    # the live table and the progress line would overwrite each other
    with Interrupts() as interrupts, ProgressLine(options["quiet"] or every is not None) as progress:
        for _ in inputs.learn():
            with interrupts.whole():
                progress.show(inputs, pmi.tokens, nbytes=pmi.nbytes)  # type: ignore[arg-type]
                live.tick()
    return inputs.rejects
