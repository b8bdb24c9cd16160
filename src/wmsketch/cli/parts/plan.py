"""What a training reads, how often and in which order."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Any

import click

from wmsketch.cli.parts.holdout import ShareHoldout, make_holdout
from wmsketch.late import dataclass
from wmsketch.readers import expand_paths
from wmsketch.readers.sources.address import Address


@dataclass
class Plan:
    """The inputs, passes and held-out rows: everything that must be equal to resume a run."""

    inputs: list[dict[str, Any]]
    reader: dict[str, Any]
    passes: int = 1
    holdout: str | None = None
    shuffle: int | None = None
    ship: str | None = None  # the size of the model in the last pass
    files: list[str] = field(default_factory=list)  # the inputs to open: an address has its secrets here

    @classmethod
    def of(
        cls,
        files: tuple[str, ...],
        reader: dict[str, Any],
        passes: int,
        *,
        holdout: str | None = None,
        shuffle: int | None = None,
        ship: str | None = None,
    ) -> Plan:
        """Check the files, and raise an error for what cannot work."""
        paths = expand_paths(list(files))
        rereads = passes + (ship is not None) > 1 or isinstance(make_holdout(holdout), ShareHoldout)
        if rereads and not all(_can_reread(path) for path in paths):
            plain = [path for path in paths if path != "-" and not isinstance(path, Address)]
            if missing := [path for path in plain if not Path(path).exists()]:
                raise FileNotFoundError(2, "no such file", missing[0])
            whys = [path.source.why_not for path in paths if isinstance(path, Address)]
            why = next(filter(None, whys), "give files, not a pipe")
            raise click.UsageError(f"--passes, --ship and --holdout with a share read their input twice: {why}")
        passes += ship is not None  # the smaller model learns all rows again
        return cls([_input(path) for path in paths], reader, passes, holdout, shuffle, ship, paths)

    def as_note(self) -> dict[str, Any]:
        """Return the plan as stored in a model file."""
        ship = {"ship": self.ship} if self.ship else {}
        return {"inputs": self.inputs, "passes": self.passes, "holdout": self.holdout, "shuffle": self.shuffle, **ship}

    @classmethod
    def of_note(cls, note: dict[str, Any], reader: dict[str, Any], files: list[str]) -> Plan:
        """Return the plan that a model file stores."""
        return cls(
            note["inputs"], reader, note["passes"], note["holdout"], note.get("shuffle"), note.get("ship"), files
        )

    def can_reread(self) -> bool:
        """Return whether all inputs can be read again."""
        return all(_can_reread(path) for path in self.files)


def differences(now: list[dict[str, Any]], then: list[dict[str, Any]]) -> list[str]:
    """Return in what the inputs differ from those of an earlier run."""
    if len(now) != len(then):
        return [f"{len(now)} files were given, it had {len(then)}"]
    found = []
    for entry, before in zip(now, then, strict=True):
        if entry["name"] != before["name"]:
            found.append(f"{entry['name']} was given, it had {before['name']}")
        elif entry["bytes"] != before["bytes"]:
            found.append(f"{entry['name']} has {entry['bytes']} bytes, it had {before['bytes']}")
    return found


def _input(path: str) -> dict[str, Any]:
    """Describe an input as it is now; for an endless one, the part to read."""
    if not isinstance(path, Address):
        file = Path(path)
        return {"name": path, "bytes": file.stat().st_size if path != "-" and file.is_file() else None}
    path.extent = path.extent or path.source.awaited_extent()
    extent = {"extent": path.extent} if path.extent else {}
    return {"name": str(path), "bytes": path.source.size(), **extent}


def _can_reread(path: str) -> bool:
    return path.source.can_seek if isinstance(path, Address) else Path(path).is_file()
