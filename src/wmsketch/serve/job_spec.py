"""What a job is: its name, its kind and its settings, from a TOML file or a request."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wmsketch.errors import ParameterError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LONGEST_FILE = 1 << 20


@dataclass(frozen=True)
class JobSpec:
    """A job as its owner describes it.

    >>> JobSpec.of("clicks", {"kind": "learn", "label": "bought", "budget": "8KiB"}).settings["budget"]
    '8KiB'
    """

    name: str
    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, name: Any, document: Any) -> JobSpec:
        """Return the job of a parsed document; the settings are checked by the class of its kind."""
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            rule = "must be 1 to 64 letters, digits, _ or -, the first a letter or digit"
            raise ParameterError("name", rule, name)
        if not isinstance(document, dict):
            raise ParameterError("job", "must be an object of settings", document)
        settings = {key: value for key, value in document.items() if key not in ("kind", "name")}
        kind = document.get("kind")
        if not isinstance(kind, str):
            raise ParameterError("kind", "must be given: learn, explain, diff or pmi", kind)
        return cls(name, kind, settings)

    def as_document(self) -> dict[str, Any]:
        """Return the document of this job."""
        return {"kind": self.kind, **self.settings}


def jobs_in(folder: Path) -> list[JobSpec]:
    """Return the jobs of `folder/*.toml`, and of `folder/*.json`, which requests made, by their names."""
    found: dict[str, JobSpec] = {}
    for path in sorted([*folder.glob("*.toml"), *folder.glob("*.json")]):
        if path.stem in found:
            raise ParameterError("name", f"is used twice: {path.stem}.toml and {path.stem}.json", path.stem)
        found[path.stem] = read_job(path)
    return list(found.values())


def read_job(path: Path) -> JobSpec:
    """Return the job in a file, whose name is the name of the job."""
    if path.stat().st_size > _LONGEST_FILE:
        raise ValueError(f"{path}: a job file has at most {_LONGEST_FILE:,} bytes")
    text = path.read_text("utf-8")
    try:
        document = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        return JobSpec.of(path.stem, document)
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}") from problem
