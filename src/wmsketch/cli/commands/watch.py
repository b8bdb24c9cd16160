"""Watch one stream in the terminal."""

from __future__ import annotations

from typing import Any

import click

from wmsketch.cli.parts.common_options import json_option
from wmsketch.cli.parts.reader_options import names_in

EXAMPLES = """\b
Examples:
  tail -f access.jsonl | wmsketch watch - --measure ms --outlier 'ms>=500'
  wmsketch watch redis://localhost/requests --measure ms --outlier 'ms>=500' --every 5s
  tail -f events.jsonl | wmsketch watch - --last 10min --before 1h
"""


@click.command(epilog=EXAMPLES)
@click.argument("source")
@click.option("--measure", metavar="COLUMN", help="Column by which rows are told apart, like a time.")
@click.option(
    "--outlier", metavar="CONDITION", help="Bound of the measure, like 'ms>=500': explain the rows beyond it."
)
@click.option("--last", metavar="TIME", help="Compare this time, like 10min, with --before or --ago.")
@click.option("--before", metavar="TIME", help="Compare with this time before it.")
@click.option("--ago", metavar="TIME", help="Compare with the same time earlier, like 24h.")
@click.option("--time", metavar="COLUMN", help="Column with the time of a row.  [default: when it arrives]")
@click.option("--ignore", metavar="A,B", help="Columns to leave out.")
@click.option("--every", default="2s", show_default=True, help="Time between two tables.")
@click.option("--top", type=click.IntRange(1, 500), default=15, show_default=True, help="Rows to show.")
@click.option("--budget", default="16MiB", show_default=True, help="Memory for all counts and names.")
@json_option
def command(source: str, **options: Any) -> None:
    """Show what is different now in SOURCE: JSON lines from a file, - (stdin) or an address.

    With --outlier, the rows beyond a bound against all others of the last ten minutes; else the last ten minutes
    against the rest of the hour; with --last, one time against another. Every row counts, in a fixed number of bytes.
    """
    from wmsketch.cli.parts.interrupts import Interrupts
    from wmsketch.cli.parts.output import print_json
    from wmsketch.learners.sizes.durations import parse_seconds
    from wmsketch.results.live import LiveTable
    from wmsketch.serve.tasks.windows import DiffTask, ExplainTask, spans_of
    from wmsketch.serve.watch import Watch

    given = {name: options[name] for name in ("measure", "outlier", "time", "budget") if options[name]}
    settings = {**given, "ignore": names_in(options["ignore"])}
    task = ExplainTask(settings) if options["measure"] else DiffTask(settings)
    watch = Watch(task)

    def asked() -> dict[str, Any]:
        return spans_of(task, options["last"], options["before"], options["ago"])

    every = None if options["as_json"] else parse_seconds(options["every"])
    with LiveTable(every, lambda: watch.table(options["top"], asked())) as live:
        asked()  # a mistake in the options is told before the first row
        with Interrupts() as interrupts:

            def tick() -> None:
                with interrupts.whole():
                    live.tick()

            watch.read(source, tick)
        if options["as_json"]:
            print_json(task.compare({**asked(), "k": options["top"]}))
        else:
            live.finish()
