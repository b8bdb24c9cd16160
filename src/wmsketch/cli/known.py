"""What the rows that a model learned from said of themselves; it is noted in the model's file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from wmsketch._core import NumberScales, RowBlock
from wmsketch.cli.errors import Failed
from wmsketch.cli.number_scales import noted_scales
from wmsketch.readers import Examples, LabelNames


@dataclass
class Known:
    """Whether features come by name, what columns hold and how large it is, and how labels are written.

    Whoever reads more rows for the same model must agree with it: a column that was read as categories in one file
    and as numbers in the next would make other features of the same values, and nobody would notice.
    """

    named: bool | None = None  # not known before the first row
    column_kinds: dict[str, str] = field(default_factory=dict)  # chosen for all values of a column
    seen_kinds: dict[str, str] = field(default_factory=dict)  # of columns of JSON, where each value has its type
    labels: LabelNames = field(default_factory=LabelNames)
    scales: NumberScales | None = None  # of columns of numbers; None: they stay as they are

    @classmethod
    def of(cls, note: dict[str, Any]) -> Known:
        """Return what was noted beside a model."""
        chosen, seen = (dict(note.get(key, {})) for key in ("column_kinds", "seen_kinds"))
        return cls(note.get("named"), chosen, seen, LabelNames(**note.get("labels", {})), noted_scales(note))

    def as_note(self) -> dict[str, Any]:
        """Return the values of JSON to note."""
        scales = {} if self.scales is None else {"number_scales": self.scales.state()}
        return {"named": self.named, **self.kinds(), **scales, "labels": self.labels._asdict()}

    def kinds(self) -> dict[str, dict[str, str]]:
        """Return the options of readers that must agree."""
        return {"column_kinds": self.column_kinds, "seen_kinds": self.seen_kinds}

    def add(self, examples: Examples) -> None:
        """Remember what a reader has found so far."""
        self.column_kinds = {**self.column_kinds, **examples.column_kinds}
        self.seen_kinds = {**self.seen_kinds, **examples.seen_kinds}
        self.labels = examples.labels.after(self.labels)

    def measure(self, block: RowBlock) -> None:
        """Give the numbers of a block the size that the model knows them in."""
        if self.scales is not None:
            self.scales.apply(block)

    def join(self, other: Known, path: str) -> None:
        """Remember what another model's file says; columns must not be at odds."""
        for column, kind in other.column_kinds.items():
            before = self.column_kinds.setdefault(column, self.seen_kinds.get(column, kind))
            if before != kind:
                raise Failed(f"{path}: cannot merge: it read the column {column!r} as {kind}, those before as {before}")
        for column, kind in other.seen_kinds.items():
            before = self.column_kinds.get(column, kind)
            if before != kind:
                raise Failed(f"{path}: cannot merge: it read the column {column!r} as {kind}, those before as {before}")
            self.seen_kinds[column] = kind if self.seen_kinds.get(column, kind) == kind else "mixed"
        self._join_scales(other.scales, path)
        self.labels = other.labels.after(self.labels)
        self.named = other.named if self.named is None else self.named
        if other.named not in (None, self.named):
            raise Failed(f"{path}: cannot merge: its features come by {'name' if other.named else 'number'}")

    def _join_scales(self, other: NumberScales | None, path: str) -> None:
        before = None if self.scales is None else self.scales.state()
        more = None if other is None else other.state()
        if (before is None and more) or (more is None and before):
            ways = ("as they are", "scaled") if before else ("scaled", "as they are")
            raise Failed(f"{path}: cannot merge: it learned numbers {ways[0]}, those before {ways[1]}")
        if self.scales is None or more is None:
            self.scales = None  # one of them may have learned numbers as they are, the other has learned none
        else:
            self.scales.join(more)
