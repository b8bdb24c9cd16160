"""What is different between two streams?"""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.errors import Failed, Stopped
from wmsketch.cli.reader_options import (
    names_in,
    note_rejects,
    reject_options,
    rejects_record,
    take_reject_options,
)
from wmsketch.cli.result_files import note_result_files, require_result_files

if TYPE_CHECKING:
    from rich.console import Group

    from wmsketch.apps.deltoids import Deltoids
    from wmsketch.apps.deltoids_input import Side
    from wmsketch.apps.deltoids_rows import Difference
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
FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow", "text", "pcap")
_LISTS = ("items", "pairs", "columns")
_ITEMS = ("format", "items", "pairs", "lines", "tokens", "weight", "ngrams", "lowercase", "delimiter", "columns")


@click.command(epilog=EXAMPLES)
@click.argument("streams", nargs=-1, required=True, metavar="A B", type=click.Path(allow_dash=True))
@click.option("--items", metavar="X,Y", help="Columns whose values are items; of packets: src, dst, src_net, dst_net, "
              "sport, dport, proto.")  # fmt: skip
@click.option("--lines", is_flag=True, help="Whole lines are items (the default for text).")
@click.option("--tokens", is_flag=True, help="Words are items.")
@click.option("--pairs", metavar="X:Y", help="Pairs of columns whose values count together too.")
@click.option("--split", metavar="COLUMN", help="Compare rows of one input by this column's value: --a and --b.")
@click.option("--a", "value_a", metavar="VALUE", help="With --split: the value of stream A.")
@click.option("--b", "value_b", metavar="VALUE", help="With --split: the value of stream B.")
@click.option("--weight", metavar="COLUMN", help="Column with the amount of each row; for packets: bytes.")
@click.option("--method", type=click.Choice(["awm", "paired-count-min", "lr"]), default="awm", show_default=True,
              help="AWM-Sketch, the paper's baseline, or all items without a limit.")  # fmt: skip
@click.option("--budget", metavar="BYTES", default="32KiB", show_default=True, help="All the bytes that stay.")
@click.option("--top", type=click.IntRange(0), default=20, show_default=True, help="Items to report.")
@click.option("--min-count", type=click.FloatRange(0), default=0, help="Leave out items seen less often in both.")
@click.option("--all", "within_noise", is_flag=True, help="Report items within the noise too.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, help="Seed of the hashes.")
@click.option("--format", type=click.Choice(FORMATS), help="Format of the input; guessed without it.")
@click.option("--ngrams", type=click.IntRange(1), help="With --tokens: the longest n-gram.")
@click.option("--lowercase", is_flag=True, help="With --tokens: fold the case.")
@click.option("--delimiter", metavar="CHAR", help="What separates the columns of csv.")
@click.option("--columns", metavar="X,Y", help="Names of the columns, for csv without a header.")
@reject_options
@click.option("--every", metavar="TIME", help="Show the table again and again while reading, like 10s.")
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw the result into this file (png, svg, pdf).")
@click.option("--report", type=click.Path(dir_okay=False), help="Write a page of HTML that needs nothing else.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--quiet", is_flag=True, help="No progress and no notes on stderr.")
def command(**options: Any) -> None:
    """Find what differs most between the streams A and B, by rate.

    A and B are files, globs (in quotes), pipes, or - (stdin, one of them). They are read side by side and balanced by
    their sizes, so that the weight of an item estimates log(rate in A / rate in B): +0.69 is twice as often in A. Items
    whose difference may be chance are left out, and the last line says so.
    """
    from wmsketch.apps.deltoids import Deltoids
    from wmsketch.cli.interrupts import Interrupts
    from wmsketch.readers import BadInput
    from wmsketch.readers.rejects import Rejects
    from wmsketch.results.live import LiveTable, parse_seconds

    began = time.perf_counter()
    _check(options)
    every = parse_seconds(options["every"]) if options["every"] else None
    deltoids = Deltoids(
        options["budget"],
        method=options["method"],
        weighted=options["weight"] not in (None, "packets"),
        per_item=options["tokens"],
        name_bytes=_name_bytes(options),
        seed=options["seed"],
    )
    problem: Exception | None = None
    dirty = take_reject_options(options)
    rejects = dirty["rejects"] = Rejects(dirty.get("rejects"))
    with ExitStack() as stack:
        interrupts = stack.enter_context(Interrupts())
        live = stack.enter_context(LiveTable(None if options["as_json"] else every, lambda: _table(deltoids, options)))
        progress = stack.enter_context(_Progress(options["quiet"] or every is not None))

        def tick(a: Side, b: Side) -> None:
            with interrupts.whole():
                live.tick()
                progress.show(a, b, deltoids)

        try:
            _read(deltoids, options, tick, dirty)
        except (BadInput, Stopped) as stopped:
            problem = stopped
            if deltoids.total_a == 0 or deltoids.total_b == 0:
                raise
        progress.close()
        rejects.close()
        _require_both(deltoids, options)
        if not options["as_json"]:
            live.finish()
    _report(deltoids, options, time.perf_counter() - began, rejects)
    note_rejects(rejects, options["quiet"])
    if problem is not None:
        rows = f"{deltoids.total_a:,.0f} and {deltoids.total_b:,.0f}"
        problem.add_note(f"the result is of the {rows} {_unit(options)} that came before")
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
    require_result_files(options)


def _name_bytes(options: dict[str, Any]) -> int:
    """Bytes for each name: whole lines and pairs are long, words are short."""
    if options["tokens"]:
        return 16 * (options["ngrams"] or 1)
    if options["pairs"]:
        return 48
    return 32 if options["items"] else 64


def _read(deltoids: Deltoids, options: dict[str, Any], tick: Any, dirty: dict[str, Any]) -> None:
    given = {name: options[name] for name in _ITEMS if options[name]} | dirty
    for name in _LISTS:
        if name in given:
            given[name] = names_in(given[name])
    if options["split"]:
        values = options["value_a"], options["value_b"]
        deltoids.read_split(options["streams"][0], options["split"], *values, tick=tick, **given)
    else:
        deltoids.read(*options["streams"], tick=tick, live=bool(options["every"]), **given)


def _require_both(deltoids: Deltoids, options: dict[str, Any]) -> None:
    """Nothing can be said about one stream without the other."""
    names = options["streams"]
    if options["split"]:
        names = [f"{names[0]}: {options['split']}={value}" for value in (options["value_a"], options["value_b"])]
    empty = [name for name, total in zip(names, (deltoids.total_a, deltoids.total_b), strict=True) if total == 0]
    if empty:
        raise Failed(f"{' and '.join(empty)}: no {_unit(options)} found, so there is nothing to compare")


def _unit(options: dict[str, Any]) -> str:
    if options["weight"] not in (None, "packets"):
        return str(options["weight"])
    from wmsketch.apps.deltoids_input import is_capture_name

    if options["format"] == "pcap" or is_capture_name(options["streams"][0]):
        return "packets"
    return "words" if options["tokens"] else "lines" if options["lines"] else "rows"


def _rows(deltoids: Deltoids, options: dict[str, Any]) -> list[Difference]:
    return deltoids.top(options["top"], min_count=options["min_count"], within_noise=options["within_noise"])


def _table(deltoids: Deltoids, options: dict[str, Any]) -> Group:
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    unit = _unit(options)
    sizes = f"A: {deltoids.total_a:,.0f} {unit}, B: {deltoids.total_b:,.0f} {unit}; {deltoids.nbytes:,} bytes"
    words = Text(f"{deltoids.statement()}\n{sizes}")
    rows = _rows(deltoids, options)
    if not rows:
        return Group(words)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("item", overflow="fold")
    for name in ("times as often in A", "log ratio", "weight", "low", "high", "count A", "count B"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        numbers = (_signed(row.log_ratio), _signed(row.weight), _signed(row.low), _signed(row.high))
        table.add_row(Text(str(row.feature)), _times(row.log_ratio), *numbers, _count(row.count_a), _count(row.count_b))
    return Group(table, words)


def _signed(number: float | None) -> str:
    return "?" if number is None or not math.isfinite(number) else f"{number:+.2f}"


def _times(log_ratio: float | None) -> str:
    """Return how many times as often in A; as a part of one where that is more often in B."""
    if log_ratio is None:
        return "?"
    times = math.exp(abs(log_ratio))
    number = f"{times:,.0f}" if times >= 100 else f"{times:.3g}"
    return number if log_ratio >= 0 else f"1/{number}"


def _count(count: float | None) -> str:
    return "?" if count is None else f"{count:,}" if isinstance(count, int) else f"{count:,.2f}"


def _report(deltoids: Deltoids, options: dict[str, Any], seconds: float, rejects: Rejects) -> None:
    rows = _rows(deltoids, options)
    if options["plot"] or options["report"]:
        _draw(deltoids, rows, options)
    if options["as_json"]:
        from wmsketch.cli.output import print_json
        from wmsketch.learners.budget import parse_bytes

        limited = options["method"] != "lr"
        print_json(
            {
                "rows": [row.as_record() for row in rows],
                "total_a": _whole(deltoids.total_a),
                "total_b": _whole(deltoids.total_b),
                "nbytes": deltoids.nbytes,
                "budget_bytes": parse_bytes(options["budget"]) if limited else None,
                "method": options["method"],
                "statement": deltoids.statement(),
                **rejects_record(rejects),
                "seconds": seconds,
            }
        )


def _draw(deltoids: Deltoids, rows: list[Difference], options: dict[str, Any]) -> None:
    from wmsketch.results.plots import intervals
    from wmsketch.results.report import write_report

    title = "What differs between A and B"
    bars = [(str(row.feature), row.weight, row.low, row.high) for row in rows]
    picture = intervals(options["plot"], bars, title, "log(rate in A / rate in B)") if bars or options["plot"] else None
    if options["report"]:
        names = options["streams"]
        if options["split"]:
            names = [f"{options['split']}={value}" for value in (options["value_a"], options["value_b"])]
        summary = {
            f"A: {names[0]}": f"{deltoids.total_a:,.0f} {_unit(options)}",
            f"B: {names[1]}": f"{deltoids.total_b:,.0f} {_unit(options)}",
            "result": deltoids.statement(),
            "method": f"{options['method']}, {deltoids.nbytes:,} bytes",
        }
        columns = ("item", "times as often in A", "log ratio", "weight", "low", "high", "count A", "count B")
        cells = [
            (str(row.feature), None if row.log_ratio is None else math.exp(row.log_ratio), row.log_ratio, row.weight,
             row.low, row.high, row.count_a, row.count_b)
            for row in rows
        ]  # fmt: skip
        write_report(options["report"], title, summary, columns, cells, picture if bars else None)
    note_result_files(options)


def _whole(total: float) -> float | int:
    return int(total) if float(total).is_integer() else total


class _Progress:
    """How far both streams are, on stderr where that is a terminal."""

    def __init__(self, quiet: bool) -> None:
        import sys

        self._shown = not quiet and sys.stderr.isatty()
        self._began = time.perf_counter()
        self._status: Any = None

    def __enter__(self) -> _Progress:
        if self._shown:
            from rich.console import Console

            self._status = Console(stderr=True).status("reading")
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None

    def show(self, a: Side, b: Side, deltoids: Deltoids) -> None:
        if self._status is None:
            return
        rows, seconds = deltoids.total_a + deltoids.total_b, max(1e-9, time.perf_counter() - self._began)
        read = "  ".join(
            f"{name} {side.bytes_read / side.bytes_total:.0%}" if side.bytes_total else f"{name} {side.bytes_read:,} B"
            for name, side in (("A", a), ("B", b))
        )
        self._status.update(f"{read}  {rows:,.0f} rows, {rows / seconds:,.0f} rows/s, {deltoids.nbytes:,} B")
