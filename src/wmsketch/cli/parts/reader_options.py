"""The options that say how to read FILES, shared by every command that does."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wmsketch.cli.parts.errors import Failed, NoPositive, in_list, input_names
from wmsketch.formats import EXAMPLES

if TYPE_CHECKING:
    from wmsketch._core import RowBlock
    from wmsketch.readers import Examples, Position, Schema
    from wmsketch.readers.findings import Codes, NearlyNumbers
    from wmsketch.readers.rejects import Rejects

Function = TypeVar("Function", bound=Callable[..., Any])

_LISTS = ("features", "ignore", "numeric", "categorical", "text", "columns", "na")
_WAYS = click.Choice(["stop", "skip"])
missing_label_option = click.option(
    "--missing-label", type=_WAYS, help="What to do with a row without a label.  [default: stop]"
)
_REJECT_OPTIONS = (
    click.option(
        "--bad-rows",
        type=_WAYS,
        help="What to do with a row that cannot be read: stop, or pass over it and count it.  [default: stop]",
    ),
    click.option(
        "--rejects",
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="Write rows that were passed over to this file, with their place and the problem.",
    ),
    click.option("--encoding", metavar="NAME", help="Encoding of the text, if not UTF-8, like cp1252 or utf-16."),
    click.option("--na", metavar="A,B", help="More words that mean missing, like '-,?'."),
)
_NUMBER_STYLE = (
    click.option("--decimal", metavar="CHAR", help="Decimal sign of numbers in csv: . or ,  [default: .]"),
    click.option("--thousands", metavar="CHAR", help="What groups the digits of numbers in csv, like . in 1.234,50"),
)
_OPTIONS = (
    click.option("--format", type=click.Choice(EXAMPLES), help="Format of the input; guessed without it."),
    click.option("--label", metavar="COLUMN", help="Column of the label."),
    click.option("--positive", metavar="VALUE", help="Label of the positive class; without it, true or above 0."),
    click.option("--features", metavar="A,B", help="Use only these columns."),
    click.option("--ignore", metavar="A,B", help="Use all columns except these."),
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
    click.option(
        "--interactions", metavar="A:B", multiple=True, help="Add a feature for each pair of values of two columns."
    ),
    click.option(
        "--where",
        metavar="CONDITION",
        help="Leave out rows that do not fulfil it, like 'month<12 and not carrier in (AA, UA)'.",
    ),
    click.option("--weight", metavar="COLUMN", help="Column with the weight of each example."),
    click.option(
        "--time",
        metavar="COLUMN|now",
        help="Column with the time of each example, in seconds or like 2024-05-17 08:30:00; now: time of reading.",
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
    *_NUMBER_STYLE,
)
REJECTS = ("bad_rows", "missing_label", "rejects", "encoding")
_OF_ONE_INPUT = (*REJECTS, "where")  # not noted for other ones
_SINGLE = (
    *REJECTS,
    "format",
    "label",
    "positive",
    "interactions",
    "where",
    "weight",
    "time",
    "ngrams",
    "lowercase",
    "word_values",
    "numbers",
    "missing",
    "delimiter",
    "quoting",
    "decimal",
    "thousands",
)
NAMES = (*_SINGLE, *_LISTS)
_QUOTED = re.compile(r'"(?:[^"]|"")*"', re.DOTALL)
_PART = re.compile(r'(\s*"(?:[^"]|"")*"\s*|[^,]*),', re.DOTALL)
ARRIVAL = "now"  # in place of a column of times


class Input(click.Path):
    """A path, or an address, which is never shown with its secrets from here on."""

    def __init__(self) -> None:
        super().__init__(allow_dash=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from wmsketch.readers.sources.schemes import address_of

        try:
            return address_of(value) or super().convert(value, param, ctx)
        except ValueError as problem:
            self.fail(str(problem), param, ctx)


files_argument = click.argument("files", nargs=-1, required=True, metavar="FILES...", type=Input())


def reader_options(function: Function) -> Function:
    """Add the options to a command."""
    for option in reversed((*_OPTIONS, *_REJECT_OPTIONS, missing_label_option)):
        function = option(function)
    return function


def number_style_options(function: Function) -> Function:
    """Add those of them that say how csv writes numbers."""
    for option in reversed(_NUMBER_STYLE):
        function = option(function)
    return function


def reject_options(function: Function) -> Function:
    """Add those of them that are about dirty data, but for labels."""
    for option in reversed(_REJECT_OPTIONS):
        function = option(function)
    return function


def take_reject_options(options: dict[str, Any]) -> dict[str, Any]:
    """Take what was given for dirty data out of a command's options.

    >>> take_reject_options({"bad_rows": "skip", "rejects": None, "na": "-,?", "seed": 1})
    {'bad_rows': 'skip', 'na': ['-', '?']}
    """
    given = {name: value for name in REJECTS if (value := options.pop(name, None)) is not None}
    na = options.pop("na", None)
    return {**given, "na": names_in(na)} if na else given


def noted_reader(note: dict[str, Any]) -> dict[str, Any]:
    """How a model's rows were read, without the options that concern the faults or the rows of one file."""
    return {name: value for name, value in note.get("reader", {}).items() if name not in _OF_ONE_INPUT}


def note_rejects(rejects: Rejects, quiet: bool) -> None:
    """Say on stderr which rows were passed over or left out."""
    for note in [] if quiet else rejects.notes():
        click.echo(f"note: {note}", err=True)


def note_doubts(doubts: Iterable[NearlyNumbers], quiet: bool) -> None:
    """Say on stderr which columns are text only because of a few values, and the ways out."""
    for doubt in [] if quiet else doubts:
        na, name = shlex.quote(in_list(doubt.first)), shlex.quote(in_list(doubt.column))
        ways = f"--na {na} takes it for missing, --numeric {name} --bad-rows skip passes over such rows"
        click.echo(f"note: {doubt} ({ways}; --categorical {name} if it is right)", err=True)


def note_codes(codes: Iterable[Codes], quiet: bool) -> None:
    """Say on stderr which columns have whole numbers that are names, and how to read them otherwise."""
    for code in [] if quiet else codes:
        name = shlex.quote(in_list(code.column))
        way = f" (--numeric {name} reads numbers; --categorical {name} if it is right)"
        told = f"{code}" if code.as_numbers or not code.first else f"{code}{way}"
        click.echo(f"note: {told}", err=True)


def note_lacked(lacked: Iterable[str], quiet: bool) -> None:
    """Say on stderr which files lack a column that the first one has."""
    for note in [] if quiet else lacked:
        click.echo(f"note: {note}", err=True)


def rejects_record(rejects: Rejects) -> dict[str, Any]:
    """Return what JSON says of rows that were passed over: their number, and the first where there is one."""
    notes = rejects.notes()
    left_out = {"left_out_rows": rejects.left_out} if rejects.left_out else {}
    return {"rejected_rows": rejects.rows, **left_out, **({"rejected": notes} if notes else {})}


def no_rows(files: Iterable[str], rejects: Rejects, what: str = "examples") -> Failed:
    """The error of an input without rows to learn or predict, with the reason why they were passed over."""
    return Failed("; ".join([f"{input_names(files)}: no {what} found", *rejects.notes()]))


def require_positive(examples: Examples, files: Iterable[str]) -> None:
    """Refuse a positive label that never came, and say which ones did."""
    if examples.only_negatives:
        wanted, met = examples.labels.positive, ", ".join(map(repr, examples.only_negatives))
        raise NoPositive(f"{input_names(files)}: no row has the label {wanted!r} of --positive; there are {met}")


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
    """The names in a list with commas between. A name with commas or blanks at its ends stands in quotes, as in CSV.

    >>> names_in("city, browser"), names_in(None), names_in('"a, b"," c"')
    (['city', 'browser'], [], ['a, b', ' c'])
    """
    names = [part[1:-1].replace('""', '"') if _QUOTED.fullmatch(part) else part for part in _parts(text or "")]
    return [name for name in names if name]


def _parts(text: str) -> Iterable[str]:
    """The text between commas outside of quotes, without blanks around."""
    return (match[1].strip() for match in _PART.finditer(text + ","))


def schema_of(reader: dict[str, Any]) -> Schema:
    """The rules for columns among the options of a reader."""
    from dataclasses import fields

    from wmsketch.readers import Schema

    rules = {field.name: reader[field.name] for field in fields(Schema) if field.name in reader}
    if rules.get("time") == ARRIVAL:
        del rules["time"]
    return Schema(**rules)


def require_same_rules(path: str, schema: Schema, reader: dict[str, Any]) -> None:
    """Refuse options that a model's own rules would overrule."""
    rules, numbers = schema_of(reader), reader.get("numbers")
    if numbers not in (None, schema.numbers):
        raise click.UsageError(f"--numbers is {schema.numbers} in {path}; got {numbers}")
    for name, given in rules.given().items():
        has = getattr(schema, name)
        same = has == given or (name == "positive" and schema.positive_text() == given)
        if name in schema.given() and not same:
            words = [", ".join(value) if isinstance(value, tuple) else value for value in (has, given)]
            raise click.UsageError(f"--{name.replace('_', '-')} is {words[0]} in {path}; got {words[1]}")


def open_input(files: tuple[str, ...] | list[str], reader: dict[str, Any], resume: Position | None = None) -> Examples:
    """Open FILES as blocks of examples."""
    from wmsketch.readers import open_examples

    if reader.get("time") == ARRIVAL:
        reader = {name: value for name, value in reader.items() if name != "time"}
    return open_examples(list(files), resume=resume, **reader)


def require_time_for(half_life: Any, reader: dict[str, Any]) -> None:
    """Raise an error for a half-life in seconds without times, and for times without such a half-life."""
    if isinstance(half_life, str) and not reader.get("time"):
        raise click.UsageError(f"--half-life {half_life} needs --time COLUMN, or --time now for the time of reading")
    if reader.get("time") and not isinstance(half_life, str):
        raise click.UsageError("--time needs a --half-life that is a time, like 10min or 1h")


def require_other_file(path: str, files: Iterable[str], which: str = "is an input") -> None:
    """Refuse to write over an input, which may not be read to its end yet."""
    from wmsketch.readers import expand_paths
    from wmsketch.readers.sources.schemes import address_of

    for file in expand_paths(list(files)) if Path(path).exists() else []:
        if not address_of(file) and Path(file).exists() and Path(file).samefile(path):
            raise click.UsageError(f"{path} {which}, and would be written over")


def require_labels(block: RowBlock, file: str) -> None:
    """Refuse rows that cannot be learned from, with the way out."""
    if not (block.has_labels or block.has_classes):
        raise Failed(f"{file}: no labels to learn from; --label COLUMN says which column they are in")
