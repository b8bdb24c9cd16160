"""What readers learn about their input while reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from wmsketch._core import LibsvmParser, RowEncoder, VwParser


class LabelNames(NamedTuple):
    """The two labels as the input writes them, None until one has come.

    With one label against all others there may be several negative ones, of which `negative` is the first.
    """

    negative: str | None = None
    positive: str | None = None
    several_negatives: bool = False

    def after(self, before: LabelNames) -> LabelNames:
        """What is known of both inputs; names that came before stay.

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
        """Names for both classes, negative first. A class without a single name is called "not" the other.

        >>> LabelNames("0", "1").shown(), LabelNames("no", "yes", several_negatives=True).shown()
        (('0', '1'), ('not yes', 'yes'))
        >>> LabelNames("0", None).shown(), LabelNames().shown()
        (('0', 'not 0'), ('-1', '1'))
        """
        if self.positive is None:
            return ("-1", "1") if self.negative is None else (self.negative, f"not {self.negative}")
        one = self.negative is not None and not self.several_negatives
        return (str(self.negative) if one else f"not {self.positive}", self.positive)


class NearlyNumbers(NamedTuple):
    """A column of CSV that is read as text because of a few of its first values: the others are numbers."""

    column: str
    numbers: int
    others: int
    first: str

    def __str__(self) -> str:
        return (
            f"column {self.column!r} is read as text: of its first {self.numbers + self.others:,} values, "
            f"{self.others:,} {'is no number' if self.others == 1 else 'are no numbers'}, like {self.first!r}"
        )


class Codes(NamedTuple):
    """A column with whole numbers that are codes: with zeros in front, or of more than 15 digits."""

    column: str
    first: str  # empty: they are numbers here, and were text in the data learned from
    as_numbers: bool  # it is read as numbers, because the model learned numbers

    def __str__(self) -> str:
        if not self.first:
            return f"column {self.column!r} was text in the data learned from and has numbers here: 7 is read as '7'"
        how = "numbers, as in the data learned from" if self.as_numbers else "text"
        return f"column {self.column!r} is read as {how}: it has codes like {self.first!r}"


class LackedColumns:
    """Tells which inputs lack columns that the first one has.

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
            self._first = [name for name in columns if name in (self._features or columns) and name not in self._ignore]
        if lacked := [name for name in self._first if name not in columns]:
            words = ", ".join(map(repr, lacked[:5])) + ", ..." * (len(lacked) > 5)
            self.notes.append(f"{file} has no column {words}, which the first file has")


class Findings(NamedTuple):
    """What is known at a place of the input."""

    labels: LabelNames = LabelNames()
    unseen_names: tuple[str, ...] = ()  # those in options that no column has had
    columns: Callable[[], list[str]] = list  # those met so far
    unknown_columns: Callable[[], list[str]] = list  # those of them that the model did not learn from
    numbers: Callable[[], list[str]] = list  # those of them that have had numbers
    doubts: tuple[NearlyNumbers, ...] = ()
    codes: tuple[Codes, ...] = ()
    lacked: tuple[str, ...] = ()  # what is to say of files that lack a column
    only_negatives: tuple[str, ...] = ()  # the first labels, where a positive one was given and has not come


def findings_of(source: RowEncoder | LibsvmParser | VwParser, positive: str | None) -> Findings:
    """What the encoder or parser knows; a positive label that was given has a name before it is met."""
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
            codes=tuple(Codes(*each) for each in source.codes),
            only_negatives=negatives,
        )
    return Findings(labels, only_negatives=negatives)
