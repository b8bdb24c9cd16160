"""A first pass over files that can be read twice: their labels, and columns that only number the rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from wmsketch._core import RowBlock
from wmsketch.formats import FORMATS
from wmsketch.late import dataclass
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.column_notes import ColumnNote
from wmsketch.readers.doubtful_columns import doubtful_columns
from wmsketch.readers.examples import Examples, open_examples
from wmsketch.readers.open_stream import Paths
from wmsketch.readers.sources.address import Address
from wmsketch.readers.times import TIME_PARTS

MOST_LABELS = 100  # more different labels are hardly classes
_NOT_NEEDED = ("positive", "weight", "time", "rejects", "many_classes", "require_labels", "missing_label")
_CHOSEN = ("features", "numeric", "categorical", "text")  # options that name columns to use
_LEFT_OUT = {"numbering": "growing_left_out", "unique": "unique_left_out"}


@dataclass
class Survey:
    """What a first pass found: the number of rows, and of those with each label, which is a text after its type."""

    rows: int = 0
    labels: dict[str, int] = field(default_factory=dict)
    features: int = 0  # of the rows of the first block
    first_rows: int = 0
    table: bool = False  # the rows have named columns
    numbering: tuple[ColumnNote, ...] = ()  # columns that number the rows, and parts of times that are always the same

    @property
    def words(self) -> list[str]:
        """The labels as written, in the order of scikit-learn: numbers by value, all others by their text.

        >>> Survey(labels={"i10": 5, "i9": 5}).words, Survey(labels={"syes": 5, "sno": 5}).words
        (['9', '10'], ['no', 'yes'])
        """
        words = [_word(text) for text in self.labels]
        numbers = {word: _number(word) for word in words}
        if any(number is None for number in numbers.values()):
            return sorted(words)
        return sorted(words, key=lambda word: numbers[word] or 0.0)

    def positive(self) -> str | None:
        """Return the positive one of two labels: the second. None where readers know it: true, or one number above 0.

        >>> Survey(labels={"i2": 5, "i1": 5}).positive(), Survey(labels={"i0": 5, "i1": 5}).positive()
        ('2', None)
        """
        if len(self.labels) != 2:
            return None
        words = self.words
        above = [number is not None and number > 0 for number in map(_number, words)]
        numbers = all(text[0] in "ib" or _number(text[1:]) is not None for text in self.labels)
        return None if numbers and above == [False, True] else words[1]

    def rarer(self) -> str | None:
        """Return the rarer one of two labels, where `positive` has to choose; of two as frequent, the second.

        >>> Survey(labels={"sfailed": 9, "sok": 90}).rarer(), Survey(labels={"i0": 90, "i1": 9}).rarer()
        ('failed', None)
        """
        second = self.positive()
        if second is None:
            return None
        n = {_word(text): count for text, count in self.labels.items()}
        return min(reversed(self.words), key=lambda word: n[word])

    @property
    def numeric(self) -> bool:
        """Whether all labels are numbers.

        >>> Survey(labels={"i10": 5, "s2.5": 5}).numeric, Survey(labels={"i1": 5, "sno": 5}).numeric
        (True, False)
        """
        return all(text[0] != "b" and _number(text[1:]) is not None for text in self.labels)

    @property
    def only_word(self) -> str | None:
        """The label of all rows, if it is a word, which does not say whether it is the positive one.

        >>> Survey(labels={"syes": 5}).only_word, Survey(labels={"i1": 5}).only_word
        ('yes', None)
        """
        texts = list(self.labels)
        alone = len(texts) == 1 and texts[0][0] not in "ib" and _number(texts[0][1:]) is None
        return self.words[0] if alone else None

    def add(self, block: RowBlock) -> None:
        """Count the rows of a block, in all and by label."""
        self.rows += len(block)
        for text, n in zip(block.class_texts, block.class_counts(), strict=True):
            self.labels[text] = self.labels.get(text, 0) + n


def can_read_twice(paths: Sequence[str]) -> bool:
    """Return whether all inputs are files: not pipes, not addresses."""
    return all(not isinstance(path, Address) and Path(path).is_file() for path in paths)


def survey(paths: Paths | Any, format: str | None = None, **options: Any) -> Survey:
    """Read the labels of files or of a table, and the first rows of their columns; stops after too many labels.

    The options are those of `open_examples`; rows that cannot be read are left to the reader that follows.
    """
    skipping = {**options, "bad_rows": "skip"}
    if options.get("bad_rows") is not None:
        return _survey(paths, format, skipping)
    try:
        return _survey(paths, format, options)
    except BadInput as problem:
        with suppress(BadInput):
            return _survey(paths, format, skipping)
        raise problem from None


def _survey(paths: Paths | Any, format: str | None, options: dict[str, Any]) -> Survey:
    options = {name: value for name, value in options.items() if name not in _NOT_NEEDED}
    options |= {"many_classes": not options.get("numeric_label"), "missing_label": "skip", "depth": 1}
    found = Survey()
    with open_examples(paths, format, **options) as examples:
        first = next(examples, None)
        if first is None:
            return found
        found.add(first)
        columns = examples.columns()
        found.table = (bool(columns) and FORMATS[examples.format or "csv"].same_columns) or bool(options.get("label"))
        if found.table:
            found.features, found.first_rows = first.n_features, len(first)
        found.numbering = _numbering(first, options) if columns else ()
        if not found.table and found.positive() is None and len(found.labels) <= 2:
            return found  # bags of words may be long, and their labels are plain
        second = next(examples, None)
        if second is None:
            found.numbering += _same_parts(first, examples.rejects.assumed, options)
            return found
        if not columns or not options.get("label") or options.get("where"):
            found.add(second)
            _read_all(examples, found)
            return found
    others = [name for name in columns if name != options["label"]]
    plain = {name: value for name, value in options.items() if name not in (*_CHOSEN, "interactions", "ignore")}
    found.rows, found.labels = 0, {}
    with open_examples(paths, format, **plain, ignore=others) as examples:
        _read_all(examples, found)
    return found


def _read_all(examples: Examples, found: Survey) -> None:
    for block in examples:
        found.add(block)
        if len(found.labels) > MOST_LABELS:
            break


def _same_parts(block: RowBlock, assumed: Sequence[ColumnNote], options: dict[str, Any]) -> tuple[ColumnNote, ...]:
    """Return notes on the parts of times, like `at.month`, that have one value in a block of all rows."""
    names = {f"{note.column}.{part}" for note in assumed if note.code == "times" for part in TIME_PARTS}
    names -= _chosen(options)
    values: dict[str, set[str]] = {}
    for i in range(block.n_features if names else 0):
        column, _, value = block.name(i).partition("=")
        if column in names:
            values.setdefault(column, set()).add(value)
    return tuple(ColumnNote("one_part_left_out", name) for name in sorted(values) if len(values[name]) == 1)


def _chosen(options: dict[str, Any]) -> set[str]:
    """Return the columns that an option names."""
    chosen = {name for option in _CHOSEN for name in options.get(option, ())}
    return chosen | {name for pair in options.get("interactions", ()) for name in pair.split(":")}


def _numbering(block: RowBlock, options: dict[str, Any]) -> tuple[ColumnNote, ...]:
    """Return notes on the columns that number the rows, except those that an option names."""
    chosen = _chosen(options)
    doubtful = doubtful_columns(block, options.get("numeric", ()))
    found = [each for each in doubtful if each.code in _LEFT_OUT and each.column not in chosen]
    return tuple(ColumnNote(_LEFT_OUT[each.code], each.column, each.fields) for each in found)


def _word(text: str) -> str:
    return {"b0": "false", "b1": "true"}.get(text, text[1:])


def _number(word: str) -> float | None:
    if word in ("false", "true"):
        return float(word == "true")
    try:
        return float(word)
    except ValueError:
        return None
