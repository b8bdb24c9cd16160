"""The options that say how to read FILES."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.parts.common_options import columns_option, delimiter_option, together
from wmsketch.cli.parts.errors import Failed, NoPositive, OptionNames, input_names
from wmsketch.formats import EXAMPLES
from wmsketch.late import pattern

if TYPE_CHECKING:
    from wmsketch._core import RowBlock
    from wmsketch.readers import Examples, Position, Schema
    from wmsketch.readers.column_notes import ColumnNote
    from wmsketch.readers.examples import Prepare
    from wmsketch.readers.rejects import Rejects

_LISTS = ("features", "ignore", "numeric", "categorical", "text", "columns", "na")
_WAYS = click.Choice(["stop", "skip"])
missing_label_option = click.option(
    "--missing-label", type=_WAYS, help="Stop at a row without a label, or skip and count it."
)
_REJECT_OPTIONS = (
    click.option(
        "--bad-rows",
        type=_WAYS,
        help="Stop at a row that cannot be read, or skip and count it.  [default: skip lines that are no rows of a "
        "table, stop at others]",
    ),
    click.option(
        "--rejects",
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="Write skipped rows to this file, with their position and the problem.",
    ),
    click.option("--encoding", metavar="NAME", help="Encoding of the text, if not UTF-8, like cp1252 or utf-16."),
    click.option("--na", metavar="A,B", multiple=True, help="More words that mean missing, like '-,?'."),
)
_NUMBER_STYLE = (
    click.option("--decimal", metavar="CHAR", help="Decimal separator of numbers in csv: . or ,  [default: .]"),
    click.option("--thousands", metavar="CHAR", help="Thousands separator of numbers in csv, like . in 1.234,50"),
)
_OPTIONS = (
    click.option(
        "--format",
        type=click.Choice(EXAMPLES),
        help="Format of the input.  [default: from the file name or first line]",
    ),
    click.option("--label", metavar="COLUMN", help="Column of the label."),
    click.option(
        "--positive", metavar="VALUE", help="Label of the positive class.  [default: the second of two, in order]"
    ),
    click.option("--features", metavar="A,B", multiple=True, help="Use only these columns."),
    click.option("--ignore", metavar="A,B", multiple=True, help="Use all columns except these."),
    click.option("--numeric", metavar="A,B", multiple=True, help="Columns to read as numbers."),
    click.option("--categorical", metavar="A,B", multiple=True, help="Columns to read as categories."),
    click.option(
        "--text", metavar="A,B", multiple=True, help="Columns to read as running text, one feature for each word."
    ),
    click.option(
        "--numbers",
        type=click.Choice(["automatic", "scaled", "raw"]),
        help="Standardise numbers by the mean and standard deviation of their column, or leave them unscaled."
        "  [default: scaled if the rows are a table]",
    ),
    click.option(
        "--missing",
        type=click.Choice(["skip", "count"]),
        help="Skip missing values, or make them features.  [default: skip]",
    ),
    click.option(
        "--interactions",
        metavar="A:B|auto",
        multiple=True,
        help="Add a feature for each pair of values of two columns; auto (for train): of pairs that pay.",
    ),
    click.option(
        "--where",
        metavar="CONDITION",
        help="Use only rows that satisfy it, like 'month<12 and not carrier in (AA, UA)'.",
    ),
    click.option("--weight", metavar="COLUMN", help="Column with the weight of each example."),
    click.option(
        "--time",
        metavar="COLUMN|now",
        help="Column with the time of each example, in seconds or like 2024-05-17 08:30:00; now: the time of reading.",
    ),
    click.option("--ngrams", type=click.IntRange(1), help="Longest n-gram of running text.  [default: 1]"),
    click.option(
        "--templates",
        is_flag=True,
        default=None,
        help="Running text is one category, its template, as of a "
        "log line: times, numbers and addresses are replaced by their kind.",
    ),
    click.option("--lowercase", is_flag=True, default=None, help="Convert running text to lower case."),
    click.option(
        "--word-values",
        type=click.Choice(["unit", "sublinear", "counts"]),
        help="Values of words: counts scaled to l2 norm 1, 1 + log(count) scaled to norm 1, or plain counts."
        "  [default: unit]",
    ),
    delimiter_option,
    click.option(
        "--quoting/--no-quoting",
        default=None,
        help="Whether quotes enclose cells.  [default: csv yes, tsv only around whole cells]",
    ),
    columns_option,
    *_NUMBER_STYLE,
)
REJECTS = ("bad_rows", "missing_label", "rejects", "encoding")
_WRITTEN = ("rejects",)  # files that are written: never taken from a model file
_FEW_NOTES = 2  # columns with the same note that are told of one by one
_MOST_SHOWN = 12  # columns in a message
_SKIPPED = ("bad_rows", "missing_label")
_OF_ONE_INPUT = (*REJECTS, "where")  # these apply to one input only
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
    "templates",
    "word_values",
    "numbers",
    "missing",
    "delimiter",
    "quoting",
    "decimal",
    "thousands",
)
NAMES = (*_SINGLE, *_LISTS)
_QUOTED = pattern(r'"(?:[^"]|"")*"', re.DOTALL)
_PART = pattern(r'(\s*"(?:[^"]|"")*"\s*|[^,]*),', re.DOTALL)
ARRIVAL = "now"  # instead of a column of times


class Input(click.Path):
    """A path or an address; the secrets of an address are never shown."""

    def __init__(self) -> None:
        super().__init__(allow_dash=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from wmsketch.readers.sources.schemes import address_of

        try:
            return address_of(value) or super().convert(value, param, ctx)
        except ValueError as problem:
            self.fail(str(problem), param, ctx)


files_argument = click.argument("files", nargs=-1, required=True, metavar="FILES...", type=Input())


number_style_options = together(*_NUMBER_STYLE)
reject_options = together(*_REJECT_OPTIONS)  # for bad rows, except that for missing labels
reader_options = together(*_OPTIONS, *_REJECT_OPTIONS, missing_label_option)


def take_reject_options(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options for bad rows from a command's options, and return those given.

    >>> take_reject_options({"bad_rows": "skip", "rejects": None, "na": "-,?", "seed": 1})
    {'bad_rows': 'skip', 'na': ['-', '?']}
    """
    given = {name: value for name in REJECTS if (value := options.pop(name, None)) is not None}
    na = options.pop("na", None)
    return {**given, "na": names_in(na)} if na else given


def noted_reader(note: dict[str, Any]) -> dict[str, Any]:
    """Return how a model's rows were read, without the options that apply to one input only."""
    return {name: value for name, value in note.get("reader", {}).items() if name not in _OF_ONE_INPUT}


def reader_to_note(reader: dict[str, Any]) -> dict[str, Any]:
    """Return how rows are read, for a model file. The files that are written are no part of it.

    >>> reader_to_note({"label": "sold", "rejects": "bad.txt"})
    {'label': 'sold'}
    """
    return {name: value for name, value in reader.items() if name not in _WRITTEN}


def resumed_reader(noted: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return how to read on: as noted, but a bad row may be skipped from now on. Files to write must be given again.

    >>> resumed_reader({"label": "sold", "rejects": "old.txt"}, {"bad_rows": "skip", "rejects": "bad.txt"})
    {'label': 'sold', 'bad_rows': 'skip', 'rejects': 'bad.txt'}
    """
    changed = {name: value for name, value in given.items() if name in _WRITTEN or may_change(name, value)}
    return {**reader_to_note(noted), **changed}


def may_change(name: str, value: Any) -> bool:
    """Return whether an option may have another value when a training is resumed: it does not change what was learned.

    >>> may_change("bad_rows", "skip"), may_change("bad_rows", "stop"), may_change("label", "sold")
    (True, False, False)
    """
    return name in _WRITTEN or (name in _SKIPPED and value == "skip")


def note_rejects(rejects: Rejects, quiet: bool) -> None:
    """Report on stderr which rows were skipped or left out, and what was assumed about the others."""
    for note in [] if quiet else rejects.notes():
        click.echo(f"note: {note}", err=True)
    note_columns(rejects.assumed, quiet)


def note_columns(notes: Iterable[ColumnNote], quiet: bool) -> None:
    """Report on stderr the columns whose kind is doubtful, and the options of this command that help."""
    for note in [] if quiet else notes_told(notes):
        click.echo(f"note: {note}", err=True)


def notes_told(notes: Iterable[ColumnNote]) -> list[str]:
    """Return the notes, with the options of this command that help; one for many columns of which it says the same."""
    say = OptionNames.of(click.get_current_context().command)
    alike: dict[object, list[ColumnNote]] = {}
    for note in notes:
        alike.setdefault(note.code if note.column else id(note), []).append(note)
    return [told for same in alike.values() for told in _told_together(same, say)]


def _told_together(notes: list[ColumnNote], say: OptionNames) -> list[str]:
    if len(notes) <= _FEW_NOTES:
        return [note.told(say, known=say) for note in notes]
    others = ", ".join(repr(note.column) for note in notes[1 : _MOST_SHOWN + 1])
    if len(notes) > _MOST_SHOWN + 1:
        others += f" and {len(notes) - _MOST_SHOWN - 1:,} more columns"
    return [f"{notes[0].told(say, known=say)}; the same holds for {others}"]


def note_lacked(lacked: Iterable[str], quiet: bool) -> None:
    """Say on stderr which files lack a column that the first one has."""
    for note in [] if quiet else lacked:
        click.echo(f"note: {note}", err=True)


def rejects_record(rejects: Rejects) -> dict[str, Any]:
    """Return the JSON keys of skipped rows (their number, and the first if there is one), and of what was assumed."""
    notes = rejects.notes()
    left_out = {"left_out_rows": rejects.left_out} if rejects.left_out else {}
    assumed = {"assumed": notes_told(rejects.assumed)} if rejects.assumed else {}
    return {"rejected_rows": rejects.rows, **left_out, **({"rejected": notes} if notes else {}), **assumed}


def no_rows(files: Iterable[str], rejects: Rejects, what: str = "examples") -> Failed:
    """Return the error for an input without rows, with the reason why rows were skipped."""
    return Failed("; ".join([f"{input_names(files)}: no {what} found", *rejects.notes()]))


def require_positive(examples: Examples, files: Iterable[str]) -> None:
    """Raise an error if the positive label never occurred, with the labels that did."""
    if examples.only_negatives:
        wanted, met = examples.labels.positive, ", ".join(map(repr, examples.only_negatives))
        raise NoPositive(f"{input_names(files)}: no row has the label {wanted!r} of --positive; the labels are {met}")


def take_reader_options(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the reader's options from a command's options, and return those given.

    >>> take_reader_options({"label": "sold", "features": "a,b", "ngrams": None, "seed": 1})
    {'label': 'sold', 'features': ['a', 'b']}
    """
    given: dict[str, Any] = {}
    for name in NAMES:
        value = options.pop(name, None)
        if name in _LISTS and value not in (None, ()):
            given[name] = names_in(value)
        elif name == "interactions" and value:
            given[name] = [pair for entry in value for pair in names_in(entry)]
        elif value not in (None, ()):
            given[name] = value
    return given


def names_in(text: str | Iterable[str] | None) -> list[str]:
    """Split a comma-separated list, or several. A name with commas, or blanks at its ends, is quoted as in CSV.

    >>> names_in("city, browser"), names_in(None), names_in('"a, b"," c"'), names_in(("a", "b,c"))
    (['city', 'browser'], [], ['a, b', ' c'], ['a', 'b', 'c'])
    """
    if not isinstance(text, str):
        return [name for each in text or () for name in names_in(each)]
    names = [part[1:-1].replace('""', '"') if _QUOTED.fullmatch(part) else part for part in _parts(text)]
    return [name for name in names if name]


def _parts(text: str) -> Iterable[str]:
    """Split at commas outside of quotes, and strip blanks; those of a single name belong to it."""
    if "," not in text and text.strip():
        return (text if not _QUOTED.fullmatch(text.strip()) else text.strip(),)
    return (match[1].strip() for match in _PART.finditer(text + ","))


def schema_of(reader: dict[str, Any]) -> Schema:
    """Return the schema rules among the options of a reader."""
    from dataclasses import fields

    from wmsketch.readers import Schema

    rules = {field.name: reader[field.name] for field in fields(Schema) if field.name in reader}
    if rules.get("time") == ARRIVAL:
        del rules["time"]
    return Schema(**rules)


def require_same_rules(path: str, schema: Schema, reader: dict[str, Any]) -> None:
    """Raise an error for options that contradict the model's schema."""
    rules, numbers = schema_of(reader), reader.get("numbers")
    if numbers not in (None, schema.numbers):
        raise click.UsageError(f"--numbers is {schema.numbers} in {path}; got {numbers}")
    for name, given in rules.given().items():
        has = getattr(schema, name)
        same = has == given or (name == "positive" and schema.positive_text() == given)
        same = same or (name == "ignore" and set(given) <= set(has))  # training left out more by itself
        if name in schema.given() and not same:
            words = [", ".join(value) if isinstance(value, tuple) else value for value in (has, given)]
            raise click.UsageError(f"--{name.replace('_', '-')} is {words[0]} in {path}; got {words[1]}")


def open_input(
    files: Sequence[str], reader: dict[str, Any], resume: Position | None = None, prepare: Prepare | None = None
) -> Examples:
    """Open FILES as blocks of examples."""
    from wmsketch.readers import open_examples

    if reader.get("time") == ARRIVAL:
        reader = {name: value for name, value in reader.items() if name != "time"}
    return open_examples(list(files), resume=resume, prepare=prepare, **reader)


def require_time_for(half_life: Any, reader: dict[str, Any]) -> None:
    """Raise an error for a half-life in time without --time, and for --time without such a half-life."""
    if isinstance(half_life, str) and not reader.get("time"):
        raise click.UsageError(f"--half-life {half_life} needs --time COLUMN, or --time now for the time of reading")
    if reader.get("time") and not isinstance(half_life, str):
        raise click.UsageError("--time needs a --half-life that is a time, like 10min or 1h")


def require_other_file(path: str, files: Iterable[str], which: str = "is an input") -> None:
    """Raise an error if an output would overwrite an input."""
    from wmsketch.readers import expand_paths
    from wmsketch.readers.sources.schemes import address_of

    for file in expand_paths(list(files)) if Path(path).exists() else []:
        if not address_of(file) and Path(file).exists() and Path(file).samefile(path):
            raise click.UsageError(f"{path} {which} and would be overwritten")


def require_two_files(**written: str | None) -> None:
    """Refuse two options that would write to one file."""
    places = {name: Path(path) for name, path in written.items() if path not in (None, "-")}
    for (one, here), (other, there) in combinations(places.items(), 2):
        same = here.samefile(there) if here.exists() and there.exists() else here.resolve() == there.resolve()
        if same and (here.is_file() or not here.exists()):  # several may go to /dev/null
            raise click.UsageError(f"--{one} and --{other} must be two files, got {there} for both")


def require_labels(block: RowBlock, file: str) -> None:
    """Raise an error for rows without labels."""
    if not (block.has_labels or block.has_classes or block.has_targets):
        raise Failed(f"{file}: no labels to learn from; --label COLUMN names their column{columns_in(block)}")


def columns_in(block: RowBlock) -> str:
    """The end of a message that lists the columns of the first rows."""
    names = [block.name(i).partition("=")[0] for i in range(block.first_starts(2)[-1])]
    known = ", ".join(dict.fromkeys(filter(None, names[:_MOST_SHOWN])))
    return f"; the columns are {known}{', ...' if len(names) > _MOST_SHOWN else ''}" if known else ""


def columns_of(files: tuple[str, ...], **reader: Any) -> str:
    """The same of files. It is empty for stdin, which cannot be read twice, and for files that cannot be read."""
    from wmsketch.readers import open_examples
    from wmsketch.readers.survey import can_read_twice

    if not can_read_twice(files):
        return ""
    try:
        with open_examples(list(files), depth=0, require_labels=False, **reader | {"rejects": None}) as examples:
            return next((columns_in(block) for block in examples), "")
    except (OSError, ValueError):
        return ""
