"""What a model has learned of the columns of its rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from wmsketch.late import dataclass
from wmsketch.readers import Schema


@dataclass(frozen=True)
class SchemaColumn:
    """One column of a table. ``mean`` and ``deviation`` are those of its numbers, None where it is not scaled."""

    name: str
    # number, boolean, text, mixed, sparse (numbers of an array, many of them 0), time (time_mdy: 5/17/2024), or unknown
    kind: str
    count: float = 0.0
    mean: float | None = None
    deviation: float | None = None

    def unit(self) -> tuple[float, float]:
        """Return offset and scale: the offset is learned as 0, and offset + scale as 1.

        >>> SchemaColumn("age", "number", 4.0, 30.0, 10.0).unit()
        (30.0, 10.0)
        """
        if self.mean is None or self.deviation is None or (self.mean == 1 and self.deviation == 0):
            return 0.0, 1.0  # a column that was always 1 stays 1
        if self.kind == "sparse":
            return 0.0, math.hypot(self.mean, self.deviation)
        return self.mean, self.deviation


class LearnedSchema:
    """The rules that were given, and the columns that were learned: those of a table, else none.

    ``table`` is True where rows are a table, False where they have an open vocabulary, and None where the model has
    learned nothing, or features with numbers that are taken as they are. The columns of an array are named by numbers.
    """

    def __init__(self, rules: Schema, columns: list[SchemaColumn], table: bool | None, nbytes: int) -> None:
        self.rules = rules
        self.columns = columns
        self.table = table
        self.nbytes = nbytes

    def __iter__(self) -> Iterator[SchemaColumn]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, name: str) -> SchemaColumn:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def kinds(self) -> dict[str, str]:
        """Return what each column holds, where that is known."""
        return {column.name: column.kind for column in self.columns if column.kind != "unknown"}

    def compare(self, names: list[str], *, may_have_more: bool) -> tuple[list[str], list[str]]:
        """Return the columns that only the frame has, and those with values that only the table has.

        ``may_have_more`` says that rows had columns that the schema does not keep, so no column counts as new.

        >>> columns = [SchemaColumn("age", "number"), SchemaColumn("city", "text")]
        >>> schema = LearnedSchema(Schema(ignore=["id"]), columns, True, 0)
        >>> schema.compare(["id", "age", "height"], may_have_more=False)
        (['height'], ['city'])
        """
        if not self.table:
            return [], []

        def inside(inner: str, outer: str) -> bool:
            return inner == outer or inner.startswith(f"{outer}.")

        rules, known = self.rules, [column.name for column in self.columns]
        aside = {rules.label, rules.weight, rules.time, *rules.ignore, *known}  # sets, for tables of many columns
        unseen = [
            name
            for name in ([] if may_have_more or rules.features else names)
            if name not in aside and not any(inside(each, name) or inside(name, each) for each in known)
        ]
        given = set(names)
        missing = [each for each in self.kinds() if each not in given and not any(inside(each, name) for name in names)]
        return unseen, missing

    def as_record(self) -> dict[str, Any]:
        """Return the schema as JSON has it."""
        return {
            "table": self.table,
            "rules": {
                name: list(rule) if isinstance(rule, tuple) else rule for name, rule in self.rules.given().items()
            },
            "columns": [
                {"name": column.name, "kind": column.kind, "mean": column.mean, "deviation": column.deviation}
                for column in self.columns
            ],
            "nbytes": self.nbytes,
        }

    def __repr__(self) -> str:
        if not self.table:
            what = {None: "no named columns", False: "rows with an open vocabulary, taken as they are"}[self.table]
            return f"{self.rules!r}: {what}"
        lines = [f"{self.rules!r}: a table of {len(self.columns)} columns"]
        width = max(len(column.name) for column in self.columns)
        for column in self.columns:
            scale = (
                "" if column.mean is None else f"  mean {column.mean:.6g}, standard deviation {column.deviation:.6g}"
            )
            lines.append(f"  {column.name:<{width}}  {column.kind:<7}{scale}".rstrip())
        return "\n".join(lines)


def column_of(name: str, kind: str, scale: tuple[float, float, float] | None) -> SchemaColumn:
    """Return a column as the core describes it.

    >>> column_of("age", "number", (4.0, 30.0, 400.0))
    SchemaColumn(name='age', kind='number', count=4.0, mean=30.0, deviation=10.0)
    """
    if scale is None:
        return SchemaColumn(name, kind)
    count, mean, squares = scale
    return SchemaColumn(name, kind, count, mean, math.sqrt(squares / count) if count else 0.0)
