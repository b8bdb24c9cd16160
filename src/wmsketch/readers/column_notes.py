"""Notes on columns whose kind is doubtful. Each has a code and fields; the message is made here."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from wmsketch.errors import Say, marks_in, say_in_python, with_marks
from wmsketch.readers.schema import Schema

_AS_CATEGORIES = "which are read as categories"

# The message about a column, and what to do. A mark {rule} is a rule for this column, {option=value} any other setting.
_NOTES: dict[str, tuple[str, tuple[str, ...]]] = {
    "text": ("looks like running text", ("{text} reads it word by word",)),
    "thousands": (
        f"looks like numbers with a comma, {_AS_CATEGORIES}",
        ("{thousands=,} reads them as numbers in csv",),
    ),
    "decimal": (f"looks like numbers with a comma, {_AS_CATEGORIES}", ("{decimal=,} reads them as numbers in csv",)),
    "numbers": (f"holds numbers as text, {_AS_CATEGORIES}", ("{numeric} reads them as numbers",)),
    "signs": (f"looks like numbers with a symbol, {_AS_CATEGORIES}", ("remove the symbol first",)),
    "codes": ("is read as numbers", ("{categorical} if they are codes", "{numeric} if not")),
    "tiny": ("has numbers below 1e-150, which are too small to be distinguished", ("multiply them first",)),
    "growing": ("grows with every row, so later rows are outside its range", ("{ignore} leaves it out",)),
    "unique": ("has a different value in nearly every row, so it teaches nothing", ("{ignore} leaves it out",)),
    "late_numbers": (
        "is missing in the first rows, so its numbers are not scaled and may outweigh the others",
        ("{numeric} scales them too",),
    ),
    "nearly_numbers": (
        "is read as text: of its first {n_values} values, {n_others}, like {first}",
        ("{na} reads it as missing", "{numeric} with {bad_rows=skip} skips such rows", "{categorical} confirms it"),
    ),
    "codes_as_text": (
        "is read as text: it has codes like {first}",
        ("{numeric} reads numbers", "{categorical} confirms it"),
    ),
    "codes_as_numbers": ("is read as numbers, as in the data learned from: it has codes like {first}", ()),
    "lost_codes": ("was text in the data learned from and has numbers here: 7 is read as '7'", ()),
}
_RULES = frozenset(each.name for each in fields(Schema))


def say_in_schema(parameter: str, *value: object) -> str:
    """Format a setting as in Python; a rule for columns belongs to the schema.

    >>> say_in_schema("text", ["review"]), say_in_schema("decimal", ",")
    ("schema=Schema(text=['review'])", "decimal=','")
    """
    said = say_in_python(parameter, *value)
    return f"schema=Schema({said})" if parameter in _RULES else said


@dataclass(frozen=True)
class ColumnNote:
    """A note on a column.

    >>> note = ColumnNote("text", "review")
    >>> print(note)
    the column 'review' looks like running text (schema=Schema(text=['review']) reads it word by word)
    >>> print(ColumnNote("nearly_numbers", "age", {"numbers": 99, "others": 1, "first": "-"}).told(known=()))
    the column 'age' is read as text: of its first 100 values, 1 is not a number, like '-'
    """

    code: str
    column: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def told(self, say: Say = say_in_schema, known: Container[str] | None = None) -> str:
        """Return the note, with settings as the caller writes them. Advice with an unknown setting is left out."""
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
        shown = {"first": repr(self.fields.get("first"))}
        if self.code == "nearly_numbers":
            n, others = self.fields["numbers"], self.fields["others"]
            words = "is not a number" if others == 1 else "are not numbers"
            shown |= {"n_values": f"{n + others:,}", "n_others": f"{others:,} {words}"}
        return shown
