"""What readers learn about their input while reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from wmsketch._core import LibsvmParser, RowEncoder, VwParser
from wmsketch.readers.column_notes import ColumnNote


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


class Findings(NamedTuple):
    """What is known at a place of the input."""

    labels: LabelNames = LabelNames()
    unseen_names: tuple[str, ...] = ()  # those in options that no column has had
    columns: Callable[[], list[str]] = list  # those met so far
    unknown_columns: Callable[[], list[str]] = list  # those of them that the model did not learn from
    numbers: Callable[[], list[str]] = list  # those of them that have had numbers
    doubts: tuple[ColumnNote, ...] = ()
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
            only_negatives=negatives,
        )
    return Findings(labels, only_negatives=negatives)
