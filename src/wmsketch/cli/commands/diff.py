"""Find what differs between two streams."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.parts.errors import Failed, Stopped
from wmsketch.cli.parts.help_screen import HelpScreen
from wmsketch.cli.parts.reader_options import (
    Input,
    names_in,
    note_rejects,
    rejects_record,
    take_reject_options,
)
from wmsketch.cli.parts.result_files import counting_options, last_options, require_result_files, save_counts
from wmsketch.formats import COLUMNAR, format_names
from wmsketch.methods import COUNT_TABLE, DIFF_METHODS, diff_method

if TYPE_CHECKING:
    from wmsketch.apps.diff.diff import Diff
    from wmsketch.apps.diff.inputs import Side
    from wmsketch.apps.diff.moved_values import MovedValue
    from wmsketch.apps.diff.rows import Difference
    from wmsketch.cli.parts.diff_output import Streams
    from wmsketch.progress_bar import ProgressBar
    from wmsketch.readers.rejects import Rejects

EXAMPLES = """\b
Examples:
  wmsketch diff monday.log tuesday.log
  wmsketch diff before.pcap after.pcap --items src,dst_net,dport --weight bytes
  wmsketch diff 'day1-*.csv.gz' 'day2-*.csv.gz' --items country,browser --pairs country:browser
  wmsketch diff flights.csv --split origin --a JFK --b LGA --items carrier,dest
  wmsketch diff old.txt new.txt --tokens --lowercase --json
  tail -f access.log | wmsketch diff - yesterday.log --every 10s
"""
_LISTS = ("items", "pairs", "columns")
_ITEMS = (
    "all_ports", "format", "items", "pairs", "templates", "lines", "tokens", "weight", "ngrams", "lowercase",
    "delimiter", "columns", "where",
)  # fmt: skip


class _Method(click.Choice[str]):
    """The name of a method; the word of earlier versions stands for it too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(diff_method(value), param, ctx)


@click.command(cls=HelpScreen, epilog=EXAMPLES)
@click.argument("streams", nargs=-1, required=True, metavar="A B", type=Input())
@click.option("--items", metavar="X,Y", help="Columns whose values are items; for packets: src, dst, src_net, dst_net, "
              "sport, dport, proto.  [default for tables: all columns]")  # fmt: skip
@click.option("--templates", is_flag=True, help="Templates of log lines are items: times, numbers, addresses and "
              "quoted text are replaced by their kind (the default for logs).")  # fmt: skip
@click.option("--lines", is_flag=True, help="Whole lines are items (the default for other text).")
@click.option("--tokens", is_flag=True, help="Words are items.")
@click.option("--pairs", metavar="X:Y", help="Also count pairs of values of these columns.")
@click.option("--split", metavar="COLUMN", help="Split one input by the values --a and --b of this column.")
@click.option("--a", "value_a", metavar="VALUE", help="With --split: the value that selects stream A.")
@click.option("--b", "value_b", metavar="VALUE", help="With --split: the value that selects stream B.")
@click.option("--weight", metavar="COLUMN", help="Column with the amount of each row; for packets: bytes.")
@click.option("--method", type=_Method(DIFF_METHODS), default=COUNT_TABLE, show_default=True,
              help="As many counts as fit, the paper's baseline, or all items (no limit).")  # fmt: skip
@click.option("--names", metavar="X,Y", help="Names for the streams A and B.  [default: the file names]")
@click.option("--half-life", metavar="ROWS", type=click.FloatRange(0, min_open=True),
              help="A row counts half after this many rows of both streams.")  # fmt: skip
@click.option("--all-ports", is_flag=True, help="For packets: count each ephemeral port (32768 and above) separately.")
@counting_options("Items", "16MiB", "country in (US, CA)")
@click.option(
    "--min-count", type=click.FloatRange(0), default=0, help="Leave out items with a smaller count in both streams."
)
@click.option("--all", "within_noise", is_flag=True, help="Also report items that differ only by chance.")
@click.option(
    "--format",
    type=click.Choice(format_names("columns", "words", "packets")),
    help="Format of the input.  [default: from the file name or first line]",
)
@click.option("--ngrams", type=click.IntRange(1), help="With --tokens: the longest n-gram.")
@click.option("--lowercase", is_flag=True, help="With --tokens: fold the case.")
@last_options
def command(**options: Any) -> None:
    """Find what differs most between the streams A and B, by rate.

    A and B are files, globs (in quotes), pipes, or - (stdin, for one of them). An item is shown if its rate surely
    differs: the range of its ratio excludes 1, whatever the order of the rows. The last line gives the number of items
    held, says whether the counts are exact, and names the --budget that would make them so.
    """
    from wmsketch.apps.diff.diff import Diff
    from wmsketch.cli.parts.diff_output import Streams, table_of
    from wmsketch.cli.parts.interrupts import Interrupts
    from wmsketch.learners.rows.lazy_numpy import load_numpy_meanwhile
    from wmsketch.learners.sizes.durations import parse_seconds
    from wmsketch.progress_bar import ProgressBar
    from wmsketch.readers import BadInput, expand_paths
    from wmsketch.readers.rejects import Rejects
    from wmsketch.results.live import LiveTable

    began = time.perf_counter()
    _check(options)
    every = parse_seconds(options["every"]) if options["every"] else None
    streams = Streams(_names(options), _unit(options))
    diff = Diff(
        options["budget"],
        method=options["method"],
        weighted=options["weight"] not in (None, "packets"),
        per_item=options["tokens"],
        half_life=options["half_life"],
        name_bytes=_name_bytes(options),
        seed=options["seed"],
    )
    load_numpy_meanwhile("json" if options["as_json"] else "rich.console")
    problem: BaseException | None = None
    encoding = options["encoding"]
    dirty = take_reject_options(options)
    options["encoding"] = encoding  # to find examples
    rejects = dirty["rejects"] = Rejects(dirty.get("rejects"), inputs=expand_paths(list(options["streams"])))
    with ExitStack() as stack:
        interrupts = stack.enter_context(Interrupts())
        shown = LiveTable(
            None if options["as_json"] else every,
            lambda: table_of(diff, _rows(diff, options), streams, _moved(diff, options)),
        )
        live = stack.enter_context(shown)
        progress = stack.enter_context(ProgressBar(options["quiet"] or every is not None))

        def tick(a: Side, b: Side) -> None:
            with interrupts.whole():
                live.tick()
                _show(progress, a, b, diff)

        try:
            _read(diff, options, tick, dirty)
        except (BadInput, Stopped) as stopped:
            problem = stopped
            if diff.total_a == 0 or diff.total_b == 0:
                raise
        progress.close()
        rejects.close()
        _require_both(diff, streams, rejects)
        options["finished"] = True
        if not options["as_json"]:
            live.finish()
    _report(diff, streams, options, time.perf_counter() - began, rejects)
    save_counts(diff, streams.names, options, streams.unit)
    note_rejects(rejects, options["quiet"])
    if problem is not None:
        rows = f"{diff.total_a:,.0f} and {diff.total_b:,.0f}"
        problem.add_note(f"the result covers the first {rows} {streams.unit}")
        raise problem


def _check(options: dict[str, Any]) -> None:
    n_streams = len(options["streams"])
    if options["split"]:
        if n_streams != 1 or options["value_a"] is None or options["value_b"] is None:
            raise click.UsageError("--split takes one input and the two values: --split COLUMN --a VALUE --b VALUE")
    elif n_streams != 2 or options["value_a"] is not None or options["value_b"] is not None:
        raise click.UsageError(
            f"expected two streams A and B (globs in quotes), or one and --split; got {n_streams}"
            if n_streams != 2
            else "--a and --b need --split COLUMN"
        )
    if options["ngrams"] and not options["tokens"]:
        raise click.UsageError("--ngrams needs --tokens")
    require_result_files(options, options["streams"])
    if options["save"] and options["method"] != COUNT_TABLE:
        raise click.UsageError(f"--save needs --method {COUNT_TABLE}, got {options['method']}")


def _name_bytes(options: dict[str, Any]) -> int:
    """Return the bytes for each name: whole lines and pairs are long, words are short."""
    if options["tokens"]:
        return 16 * (options["ngrams"] or 1)
    if options["pairs"]:
        return 48
    return 32 if options["items"] or (not options["lines"] and _is_table(options)) else 160


def _is_table(options: dict[str, Any]) -> bool:
    from wmsketch.readers.recognise import format_of_name

    return any(format in COLUMNAR for format in (options["format"], *map(format_of_name, options["streams"])))


def _read(diff: Diff, options: dict[str, Any], tick: Any, dirty: dict[str, Any]) -> None:
    given = {name: options[name] for name in _ITEMS if options[name]} | dirty
    for name in _LISTS:
        if name in given:
            given[name] = names_in(given[name])
    if options["split"]:
        values = options["value_a"], options["value_b"]
        diff.read_split(options["streams"][0], options["split"], *values, tick=tick, **given)
    else:
        diff.read(*options["streams"], tick=tick, live=bool(options["every"]), **given)


def _require_both(diff: Diff, streams: Streams, rejects: Rejects) -> None:
    """Raise an error if one of the streams is empty, with the reason why rows were skipped."""
    totals = (diff.total_a, diff.total_b)
    empty = [name for name, total in zip(streams.names, totals, strict=True) if total == 0]
    if empty:
        problem = f"{' and '.join(empty)}: no {streams.unit} found, so there is nothing to compare"
        raise Failed("; ".join([problem, *rejects.notes()]))


def _names(options: dict[str, Any]) -> list[str]:
    if options["names"]:
        names = names_in(options["names"])
        if len(names) != 2:
            raise click.UsageError(f"--names must be two names like before,after, got {options['names']!r}")
        return list(names)
    if options["split"]:
        return [f"{options['split']}={value}" for value in (options["value_a"], options["value_b"])]
    return list(options["streams"])


def _unit(options: dict[str, Any]) -> str:
    if options["weight"] not in (None, "packets"):
        return str(options["weight"])
    from wmsketch.readers.recognise import format_of_name

    if "pcap" in (options["format"], format_of_name(options["streams"][0])):
        return "packets"
    return "words" if options["tokens"] else "lines" if options["lines"] else "rows"


def _rows(diff: Diff, options: dict[str, Any]) -> list[Difference]:
    rows = diff.top(options["top"], min_count=options["min_count"], within_noise=options["within_noise"])
    if not (diff.by_template and options.get("finished")):
        return rows
    from wmsketch.apps.diff.log_lines import with_examples

    words, encoding = diff.variable_words, options["encoding"]
    return with_examples(rows, *options["streams"], variable_words=words, encoding=encoding)


def _moved(diff: Diff, options: dict[str, Any]) -> list[MovedValue]:
    """Return the values that moved inside templates; the files are read again for them, once."""
    if not (diff.by_template and options.get("finished")):
        return []
    if "moved" not in options:
        from wmsketch.apps.diff.moved_values import moved_values

        first, second = options["streams"]
        options["moved"] = moved_values(diff, first, second, options["encoding"])
    return list(options["moved"])


def _report(diff: Diff, streams: Streams, options: dict[str, Any], seconds: float, rejects: Rejects) -> None:
    from wmsketch.cli.parts.diff_output import document_of, write_files

    rows = _rows(diff, options)
    if options["as_json"]:
        from wmsketch.cli.parts.output import print_json

        print_json(
            {
                **document_of(diff, rows, streams, options, seconds, _moved(diff, options)),
                **rejects_record(rejects),
            }
        )
    if options["plot"] or options["report"]:
        write_files(diff, rows, streams, options)


def _show(progress: ProgressBar, a: Side, b: Side, diff: Diff) -> None:
    """Show how much of both streams was read."""
    if not progress.shown:
        return
    rows, sides = diff.total_a + diff.total_b, (("A", a), ("B", b))
    read = "  ".join(
        f"{name} {side.bytes_read / side.bytes_total:.0%}" if side.bytes_total else f"{name} {side.bytes_read:,} B"
        for name, side in sides
    )
    total = a.bytes_total + b.bytes_total if a.bytes_total and b.bytes_total else None
    text = f"{read}  {rows:,.0f} rows  {rows / progress.seconds():,.0f} rows/s  {diff.nbytes:,} B"
    progress.update(text, a.bytes_read + b.bytes_read, total)
