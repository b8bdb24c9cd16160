"""Notes on what a reader assumed, mostly on kinds of columns. Each has a code and fields; the message is made here."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import field, fields
from typing import Any

from wmsketch.errors import Say, marks_in, say_in_python, with_marks
from wmsketch.late import dataclass
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
    "numbering": ("grows with every row, so later rows are outside its range", ("{ignore} leaves it out",)),
    "growing_left_out": ("numbers the rows, so it is left out", ("{numeric} uses it",)),
    "unique_left_out": ("has a different value in nearly every row, so it is left out", ("{categorical} uses it",)),
    "unique": ("has a different value in nearly every row, so it teaches nothing", ("{ignore} leaves it out",)),
    "late_numbers": (
        "is missing in the first rows, so the scale of its numbers v is not known: they are taken as v / (1 + |v|)",
        ("{numeric} scales them too",),
    ),
    "odd_values": (
        "has {n_odd}, like {first} in row {row}; each is a category of its own",
        ("{na} reads it as missing", "{categorical} reads the column as text"),
    ),
    "odd_missing": ("has {n_odd}, like {first} in row {row}, which are read as missing", ()),
    "mostly_text": (
        "is mostly text from row {mostly_from} on, like {first}: texts are categories, numbers stay numbers",
        ("{categorical} reads all of it as text",),
    ),
    "number_style": ("has numbers with a comma, like {first}", ("{categorical} reads the column as text",)),
    "times": (
        "has times like {first}: their hour, weekday and month are features",
        ("{categorical} reads them as words",),
    ),
    "one_part_left_out": ("has the same value in all rows, so it is left out", ("{categorical} uses it",)),
    "unclear_dates": (
        "has dates like {first}, which are read as words: none shows which number is the month",
        ("write them like 2024-05-17",),
    ),
    "amounts": ("has amounts like {first}, which are read as numbers", ("{categorical} reads the column as text",)),
    "mixed": (
        "is read as text: it has numbers, and texts like {first}",
        ("{numeric} reads the numbers, and the texts as missing",),
    ),
    "quoted_numbers": (
        "is read as text: its numbers are in quotes, those of other columns are not",
        ("{numeric} reads numbers",),
    ),
    "preamble": ("{file}: {n_lines} before the header", ()),
    "encoding": ("{file} is not UTF-8 but read as {encoding}", ("{encoding=NAME} reads another encoding",)),
    "repaired": (
        "{n_bytes} UTF-8 and read as cp1252, Windows text, the first in line {line}",
        ("{encoding=NAME} reads another encoding",),
    ),
    "budget": (
        "the table has {columns} columns, so the budget is {chosen}, not {default}",
        ("{budget=BYTES} sets it",),
    ),
    "renamed": ("is a later column with the name {first}", ()),
    "short_rows": (
        "{n_rows} than columns, the first in line {line}; the cells that they lack are missing",
        ("{bad_rows=skip} skips them",),
    ),
    "codes_as_text": (
        "is read as text: it has codes like {first}",
        ("{numeric} reads numbers", "{categorical} confirms it"),
    ),
    "codes_as_numbers": (
        "is read as numbers, but has codes like {first}, which is read as a number too",
        ("{categorical} reads the column as text",),
    ),
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
    """A note on a column, on several (in the field `columns`), or on a file.

    >>> note = ColumnNote("text", "review")
    >>> print(note)
    the column 'review' looks like running text (schema=Schema(text=['review']) reads it word by word)
    >>> print(ColumnNote("odd_values", "age", {"count": 1, "first": "-", "row": 7}).told(known=()))
    the column 'age' has 1 value that is not a number, like '-' in row 7; each is a category of its own
    """

    code: str
    column: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)

    def told(self, say: Say = say_in_schema, known: Container[str] | None = None) -> str:
        """Return the note, with settings as the caller writes them. Advice with an unknown setting is left out."""
        what, ways = _NOTES[self.code]
        said = [
            with_marks(way, self._say(say)) for way in ways if known is None or all(m in known for m in marks_in(way))
        ]
        out = f" ({', '.join(said)})" if said else ""
        return f"{self._about()}{what.format_map(self._shown())}{out}"

    def _about(self) -> str:
        return f"the column {self.column!r} " if self.column else ""

    def __str__(self) -> str:
        return self.told()

    def _say(self, say: Say) -> Say:
        def about_column(parameter: str, *value: object) -> str:
            return say(parameter, *value or [[self.fields["first"] if parameter == "na" else self.column]])

        return about_column

    def _shown(self) -> dict[str, str]:
        shown = {name: f"{value:,}" if isinstance(value, int) else str(value) for name, value in self.fields.items()}
        count = self.fields.get("count", 0)
        one = count == 1
        kind = "a number" if one else "numbers"
        if self.fields.get("is_boolean"):
            kind = "true or false"
        elif self.fields.get("is_time"):
            kind = "a time" if one else "times"
        return {
            **shown,
            "first": repr(self.fields.get("first")),
            "n_odd": f"{count:,} {'value that is' if one else 'values that are'} not {kind}",
            "n_rows": f"{count:,} {'row has' if one else 'rows have'} fewer cells",
            "n_lines": f"{count:,} {'line is' if one else 'lines are'} left out",
            "n_bytes": f"{count:,} {'byte is' if one else 'bytes are'} not",
        }
