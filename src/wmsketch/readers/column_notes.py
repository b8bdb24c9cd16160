"""Notes on columns that are hardly what they are read as. Each has a code and fields; its words are made here."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from wmsketch.errors import Say, marks_in, say_in_python, with_marks
from wmsketch.readers.schema import Schema

_AS_CATEGORIES = "which are read as categories"

# What is told of a column, and the ways out. A mark {rule} is a rule for this column, {option=value} any other setting.
_NOTES: dict[str, tuple[str, tuple[str, ...]]] = {
    "text": ("looks like running text", ("{text} takes its words",)),
    "thousands": (f"looks like numbers with a comma, {_AS_CATEGORIES}", ("{thousands=,} reads such numbers in csv",)),
    "decimal": (f"looks like numbers with a comma, {_AS_CATEGORIES}", ("{decimal=,} reads such numbers in csv",)),
    "numbers": (f"holds numbers as text, {_AS_CATEGORIES}", ("{numeric} reads them",)),
    "signs": (f"looks like numbers with a sign, {_AS_CATEGORIES}", ("remove the sign first",)),
    "growing": ("grows with every row, so later rows lie outside what was learned", ("{ignore} leaves it out",)),
    "unique": ("has another value in nearly every row, so nothing is learned from it", ("{ignore} leaves it out",)),
    "late_numbers": (
        "is in none of the first rows, so its numbers are taken as they are and may drown the others",
        ("{numeric} scales them too",),
    ),
    "nearly_numbers": (
        "is read as text: of its first {n_values} values, {n_others}, like {first}",
        (
            "{na} takes it for missing",
            "{numeric} with {bad_rows=skip} passes over such rows",
            "{categorical} if it is right",
        ),
    ),
}
_RULES = frozenset(each.name for each in fields(Schema))


def say_in_schema(parameter: str, *value: object) -> str:
    """A setting as Python has it; a rule for columns is one of the schema.

    >>> say_in_schema("text", ["review"]), say_in_schema("decimal", ",")
    ("schema=Schema(text=['review'])", "decimal=','")
    """
    said = say_in_python(parameter, *value)
    return f"schema=Schema({said})" if parameter in _RULES else said


@dataclass(frozen=True)
class ColumnNote:
    """What should be told of a column.

    >>> note = ColumnNote("text", "review")
    >>> print(note)
    the column 'review' looks like running text (schema=Schema(text=['review']) takes its words)
    >>> print(ColumnNote("nearly_numbers", "age", {"numbers": 99, "others": 1, "first": "-"}).told(known=()))
    the column 'age' is read as text: of its first 100 values, 1 is no number, like '-'
    """

    code: str
    column: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def told(self, say: Say = say_in_schema, known: Container[str] | None = None) -> str:
        """The note, with settings as the caller writes them. A way out by a setting that is not known is left out."""
        what, ways = _NOTES[self.code]
        said = [
            with_marks(way, self._say(say)) for way in ways if known is None or all(m in known for m in marks_in(way))
        ]
        out = f" ({', '.join(said)})" if said else ""
        return f"the column {self.column!r} {what.format_map(self._shown())}{out}"

    def __str__(self) -> str:
        return self.told()

    def _say(self, say: Say) -> Say:
        def about_column(parameter: str, *value: object) -> str:
            return say(parameter, *value or [[self.fields["first"] if parameter == "na" else self.column]])

        return about_column

    def _shown(self) -> dict[str, str]:
        if self.code != "nearly_numbers":
            return {}
        n, others = self.fields["numbers"], self.fields["others"]
        words = "is no number" if others == 1 else "are no numbers"
        return {"n_values": f"{n + others:,}", "n_others": f"{others:,} {words}", "first": repr(self.fields["first"])}
