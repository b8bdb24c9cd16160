"""Start the live service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wmsketch.cli.parts.errors import Failed

EXAMPLES = """\b
Examples:
  wmsketch serve jobs                          # the jobs in jobs/*.toml
  curl --data-binary @rows.jsonl localhost:8750/jobs/clicks/rows
  wmsketch serve jobs --host 0.0.0.0 --tokens tokens.txt
"""
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command(epilog=EXAMPLES)
@click.argument("folder", default="wmsketch-live", type=click.Path(file_okay=False, path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; others need --tokens.")
@click.option("--port", type=click.IntRange(0, 65535), default=8750, show_default=True, help="Port; 0 for any.")
@click.option("--memory", default="256MiB", show_default=True, help="Limit for the budgets and queues of all jobs.")
@click.option(
    "--tokens", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Lines of a role (read, write, admin) and a token. Requests then need Authorization: Bearer TOKEN.",
)  # fmt: skip
@click.option("--checkpoint", default="30s", show_default=True, help="Time between checkpoints.")
@click.option("--log/--no-log", default=True, show_default=True, help="Write a line to stderr for each request.")
def command(folder: Path, **options: Any) -> None:
    """Start the live service: learn from many senders over HTTP, and show what it learned.

    FOLDER has the jobs (*.toml) and what they learned. Rows are on disk before they are acknowledged: after a crash the
    service goes on as if nothing had happened. Open the printed address in a browser to see the jobs.
    """
    if options["host"] not in LOOPBACK and options["tokens"] is None:
        raise click.UsageError(f"listening on {options['host']} needs --tokens FILE: anybody could read and write")
    try:
        from wmsketch.serve.http.run import run
    except ImportError as problem:
        raise Failed(f"serve needs {problem.name}: pip install 'wmsketch[serve]'") from problem
    run(folder, **options)
