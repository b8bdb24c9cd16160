"""The options that say how to read FILES, shared by every command that does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wmsketch.cli.errors import Failed

if TYPE_CHECKING:
    from wmsketch._core import RowBlock
    from wmsketch.readers import Examples, Position, Schema

Function = TypeVar("Function", bound=Callable[..., Any])

FORMATS = ("libsvm", "vw", "csv", "tsv", "jsonl", "parquet", "arrow", "text")
_LISTS = ("features", "ignore", "numeric", "categorical", "text", "columns")
_OPTIONS = (
    click.option("--format", type=click.Choice(FORMATS), help="Format of the input; guessed without it."),
    click.option("--label", metavar="COLUMN", help="Column of the label."),
    click.option("--positive", metavar="VALUE", help="Label of the positive class; without it, true or above 0."),
    click.option("--features", metavar="A,B", help="Use only these columns."),
    click.option("--ignore", metavar="A,B", help="Use all columns but these."),
    click.option("--numeric", metavar="A,B", help="Columns to read as numbers."),
    click.option("--categorical", metavar="A,B", help="Columns to read as categories."),
    click.option("--text", metavar="A,B", help="Columns to read as running text, one feature a word."),
    click.option(
        "--numbers",
        type=click.Choice(["automatic", "scaled", "raw"]),
        help="Measure numbers in standard deviations from the mean of their column, or take them as they are."
        "  [default: scaled where rows are a table]",
    ),
    click.option(
        "--missing", type=click.Choice(["skip", "count"]), help="Skip missing values, or count them.  [default: skip]"
    ),
    click.option("--interactions", metavar="A:B", multiple=True, help="Count pairs of values of two columns too."),
    click.option("--weight", metavar="COLUMN", help="Column with the weight of each example."),
    click.option(
        "--time",
        metavar="COLUMN|now",
        help="Column that says when each example was, in seconds or like 2024-05-17 08:30:00; now: when it is read.",
    ),
    click.option("--ngrams", type=click.IntRange(1), help="Longest n-gram of running text.  [default: 1]"),
    click.option("--lowercase", is_flag=True, default=None, help="Fold the case of running text."),
    click.option(
        "--word-values",
        type=click.Choice(["unit", "sublinear", "counts"]),
        help="Values of the words of a text: counts, scaled to length 1, of 1 + log(count), or as they are."
        "  [default: unit]",
    ),
    click.option("--delimiter", metavar="CHAR", help="What separates the columns of csv."),
    click.option(
        "--quoting/--no-quoting",
        default=None,
        help="Whether quotes enclose cells.  [default: csv yes, tsv only around whole cells]",
    ),
    click.option("--columns", metavar="A,B", help="Names of the columns, for csv without a header."),
)
_SINGLE = (
    "format",
    "label",
    "positive",
    "interactions",
    "weight",
    "time",
    "ngrams",
    "lowercase",
    "word_values",
    "numbers",
    "missing",
    "delimiter",
    "quoting",
)
NAMES = (*_SINGLE, *_LISTS)
ARRIVAL = "now"  # in place of a column of times

files_argument = click.argument("files", nargs=-1, required=True, metavar="FILES...", type=click.Path(allow_dash=True))


def reader_options(function: Function) -> Function:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def take_reader_options(options: dict[str, Any]) -> dict[str, Any]:
    """Take what was given for the reader out of a command's options.

    >>> take_reader_options({"label": "sold", "features": "a,b", "ngrams": None, "seed": 1})
    {'label': 'sold', 'features': ['a', 'b']}
    """
    given: dict[str, Any] = {}
    for name in NAMES:
        value = options.pop(name, None)
        if name in _LISTS and value is not None:
            given[name] = names_in(value)
        elif name == "interactions" and value:
            given[name] = [pair for entry in value for pair in names_in(entry)]
        elif value not in (None, ()):
            given[name] = value
    return given


def names_in(text: str | None) -> list[str]:
    """The names in a list with commas between.

    >>> names_in("city, browser"), names_in(None)
    (['city', 'browser'], [])
    """
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def schema_of(reader: dict[str, Any]) -> Schema:
    """The rules for columns among the options of a reader."""
    from dataclasses import fields

    from wmsketch.readers import Schema

    rules = {field.name: reader[field.name] for field in fields(Schema) if field.name in reader}
    if rules.get("time") == ARRIVAL:
        del rules["time"]
    return Schema(**rules)


def open_input(files: tuple[str, ...] | list[str], reader: dict[str, Any], resume: Position | None = None) -> Examples:
    """Open FILES as blocks of examples."""
    from wmsketch.readers import open_examples

    if reader.get("time") == ARRIVAL:
        reader = {name: value for name, value in reader.items() if name != "time"}
    return open_examples(list(files), resume=resume, **reader)


def require_time_for(half_life: Any, reader: dict[str, Any]) -> None:
    """Refuse a half-life in seconds of rows without times, and times that nothing would be done with."""
    if isinstance(half_life, str) and not reader.get("time"):
        raise click.UsageError(f"--half-life {half_life} needs --time COLUMN, or --time now for the time of reading")
    if reader.get("time") and not isinstance(half_life, str):
        raise click.UsageError("--time needs a --half-life that is a time, like 10min or 1h")


def require_other_file(path: str, files: Iterable[str]) -> None:
    """Refuse to write over an input, which may not be read to its end yet."""
    for file in files:
        if Path(file).exists() and Path(path).exists() and Path(file).samefile(path):
            raise click.UsageError(f"{path} is an input, and would be written over")


def require_labels(block: RowBlock, file: str) -> None:
    """Refuse rows that cannot be learned from, with the way out."""
    if not (block.has_labels or block.has_classes):
        raise Failed(f"{file}: no labels to learn from; --label COLUMN says which column they are in")
