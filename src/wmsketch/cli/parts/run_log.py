"""Log lines of a long run on stderr: its progress once a minute, and what sources have to say."""

from __future__ import annotations

import json
import logging
import time
from datetime import UTC, datetime
from typing import Any

import click


class RunLog(logging.Handler):
    """Writes one line for each event, as text or as a JSON object."""

    def __init__(self, form: str = "text", quiet: bool = False) -> None:
        super().__init__()
        self._json = form == "json"
        self._quiet = quiet
        self._last = (time.monotonic(), 0)

    def __enter__(self) -> RunLog:
        logger = logging.getLogger("wmsketch")
        logger.addHandler(self)
        self._propagated, logger.propagate = logger.propagate, False
        return self

    def __exit__(self, *error: object) -> None:
        logger = logging.getLogger("wmsketch")
        logger.removeHandler(self)
        logger.propagate = self._propagated

    def emit(self, record: logging.LogRecord) -> None:
        """Write what a source says."""
        self._write(record.levelname.lower(), {"message": record.getMessage()}, f"note: {record.getMessage()}")

    def progress(self, rows: int, error_rate: float | None, lag: int | None) -> None:
        """Write the rows of this run, the rows per second since the last line, the online error and the lag."""
        now, (then, before) = time.monotonic(), self._last
        self._last = now, rows
        rate = (rows - before) / max(1e-9, now - then)
        facts = {"rows": rows, "rows_per_second": round(rate, 1), "error_rate": error_rate, "lag": lag}
        parts = [f"{rows:,} rows", f"{rate:,.1f} rows/s"]
        parts += [] if error_rate is None else [f"error {error_rate:.2%}"]
        parts += [] if lag is None else [f"{lag:,} rows wait"]
        self._write("info", {"message": "progress", **facts}, ", ".join(parts))

    def _write(self, level: str, record: dict[str, Any], text: str) -> None:
        if self._quiet:
            return
        at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        click.echo(json.dumps({"time": at, "level": level, **record}) if self._json else f"{at} {text}", err=True)
