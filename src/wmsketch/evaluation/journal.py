"""Stored runs, each in a small file, so that an interruption loses at most the current one."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import wmsketch
from wmsketch.evaluation.streams import Library

MEASURE_VERSION = 1  # increased when the measurement changes


class Run(Protocol):
    """A run that can be stored: a frozen dataclass that describes itself."""

    @property
    def kind(self) -> str: ...
    @property
    def stream(self) -> str: ...
    @property
    def title(self) -> str: ...
    def measure(self, library: Library) -> dict[str, Any]: ...


@cache
def code_version() -> str:
    """Return the package's version and a digest of its native code: different code has different runs."""
    from wmsketch import _core

    assert _core.__file__ is not None
    digest = hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()
    return f"{wmsketch.__version__}-{digest[:10]}-m{MEASURE_VERSION}"


class Journal:
    """The results of runs under one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def key(self, run: Run) -> dict[str, Any]:
        """Return everything that determines a run's numbers."""
        return {"kind": run.kind, "code": code_version(), **json.loads(json.dumps(asdict(run)))}  # type: ignore[call-overload]

    def path(self, run: Run) -> Path:
        digest = hashlib.sha256(json.dumps(self.key(run), sort_keys=True).encode()).hexdigest()
        return self._folder / run.stream / f"{run.kind}-{digest[:20]}.json"

    def get(self, run: Run) -> dict[str, Any] | None:
        """Return the stored result of a run; a damaged file, or one of another run, counts as absent."""
        try:
            kept = json.loads(self.path(run).read_text())
        except (OSError, ValueError):
            return None
        result: dict[str, Any] | None = kept.get("result") if isinstance(kept, dict) else None
        return result if result is not None and kept.get("run") == self.key(run) else None

    def put(self, run: Run, result: dict[str, Any]) -> None:
        """Store a result atomically."""
        path = self.path(run)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}.tmp")
        unfinished.write_text(json.dumps({"run": self.key(run), "result": result}) + "\n")
        unfinished.replace(path)
