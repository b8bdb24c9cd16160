"""What readers learn about their input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wmsketch._core import CsvParser, LibsvmParser, LineParser, RowEncoder, VwParser
from wmsketch.readers.column_notes import ColumnNote


class LabelNames(NamedTuple):
    """The two labels as written in the input, None until one has occurred.

    With one label against all others there may be several negative ones, of which `negative` is the first.
    """

    negative: str | None = None
    positive: str | None = None
    several_negatives: bool = False

    def after(self, before: LabelNames) -> LabelNames:
        """Combine with another input; earlier names are kept.

        >>> LabelNames("no", "yes").after(LabelNames("maybe", None))
        LabelNames(negative='maybe', positive='yes', several_negatives=True)
        """
        negatives = {self.negative, before.negative} - {None}
        return LabelNames(
            before.negative or self.negative,
            before.positive or self.positive,
            self.several_negatives or before.several_negatives or len(negatives) > 1,
        )

    def shown(self) -> tuple[str, str]:
        """Return names for both classes, negative first. A class without a single name is called "not" the other.

        >>> LabelNames("0", "1").shown(), LabelNames("no", "yes", several_negatives=True).shown()
        (('0', '1'), ('not yes', 'yes'))
        >>> LabelNames("0", None).shown(), LabelNames().shown()
        (('0', 'not 0'), ('-1', '1'))
        """
        if self.positive is None:
            return ("-1", "1") if self.negative is None else (self.negative, f"not {self.negative}")
        one = self.negative is not None and not self.several_negatives
        return (str(self.negative) if one else f"not {self.positive}", self.positive)


class LackedColumns:
    """Notes which files lack columns that the first one has.

    >>> columns = LackedColumns(ignore=["id"])
    >>> columns.see(["id", "price", "city"], "a.csv")
    >>> columns.see(["city"], "b.csv")
    >>> columns.notes
    ["b.csv has no column 'price', which the first file has"]
    """

    def __init__(self, features: Sequence[str] = (), ignore: Sequence[str] = ()) -> None:
        self.notes: list[str] = []
        self._features, self._ignore = features, ignore
        self._first: list[str] | None = None

    def see(self, columns: Sequence[str], file: str) -> None:
        """Compare the columns of a file with those of the first."""
        if self._first is None:
            wanted, ignored = set(self._features or columns), set(self._ignore)
            self._first = [name for name in columns if name in wanted and name not in ignored]
            return
        here = set(columns)
        if lacked := [name for name in self._first if name not in here]:
            words = ", ".join(map(repr, lacked[:5])) + ", ..." * (len(lacked) > 5)
            self.notes.append(f"{file} has no column {words}, which the first file has")


class Findings(NamedTuple):
    """What is known at a position of the input."""

    labels: LabelNames = LabelNames()
    unseen_names: tuple[str, ...] = ()  # names in options that no column has had
    columns: Callable[[], list[str]] = list  # found so far
    unknown_columns: Callable[[], list[str]] = list  # those of them unknown to the model
    numbers: Callable[[], list[str]] = list  # those of them that have had numbers
    doubts: tuple[ColumnNote, ...] = ()
    codes: tuple[ColumnNote, ...] = ()
    times: tuple[ColumnNote, ...] = ()  # columns whose hour, weekday and month are features
    lacked: tuple[str, ...] = ()  # notes on files that lack a column
    only_negatives: tuple[str, ...] = ()  # the first labels, if a positive one was given and has not occurred
    variable_words: tuple[str, ...] = ()  # templates with <word>, given or found


def _code_note(column: str, first: str, as_numbers: bool) -> ColumnNote:
    """A note on a column with codes like 02139; without a first one, the column lost them."""
    if not first:
        return ColumnNote("lost_codes", column)
    return ColumnNote("codes_as_numbers" if as_numbers else "codes_as_text", column, {"first": first})


def _odd_note(found: dict[str, Any]) -> ColumnNote:
    """A note on values that do not fit their column."""
    code = "mostly_text" if found["mostly_from"] else "odd_missing" if found["is_missing"] else "odd_values"
    return ColumnNote(code, found["column"], found)


def notes_of_text(parser: LineParser) -> list[ColumnNote]:
    """Return what was assumed about a text, and about the cells of a table."""
    n_bytes, line = parser.repaired
    notes = [ColumnNote("repaired", fields={"count": n_bytes, "line": line})] if n_bytes else []
    if isinstance(parser, CsvParser):
        notes += [ColumnNote("quoted_numbers", name) for name in parser.quoted_numbers]
        notes += [ColumnNote("amounts", name, {"first": first}) for name, first in parser.amounts]
        notes += [ColumnNote("mixed", name, {"first": first}) for name, first in parser.mixed]
        notes += [ColumnNote("unclear_dates", name, {"first": first}) for name, first in parser.unclear_dates]
        notes += [ColumnNote("renamed", now, {"first": name}) for name, now in parser.renamed]
        n_short, line = parser.short_rows
        notes += [ColumnNote("short_rows", fields={"count": n_short, "line": line})] if n_short else []
    return notes


def findings_of(source: RowEncoder | LibsvmParser | VwParser, positive: str | None) -> Findings:
    """Return what the encoder or parser knows; a given positive label has a name before it occurs."""
    negative, met, several = source.labels
    labels = LabelNames(negative, met if met is not None else positive, several)
    negatives: tuple[str, ...] = ()
    if positive is not None and met is None and negative is not None:
        negatives = tuple(source.negatives) or (negative,)
    if isinstance(source, RowEncoder):
        unseen = tuple(source.unseen_names)
        return Findings(
            labels,
            unseen,
            lambda: source.column_names,
            lambda: source.unknown_names,
            lambda: source.number_names,
            doubts=tuple(map(_odd_note, source.odd_values)),
            codes=tuple(_code_note(*each) for each in source.codes),
            times=tuple(ColumnNote("times", name, {"first": first}) for name, first in source.times),
            only_negatives=negatives,
        )
    return Findings(labels, only_negatives=negatives)
