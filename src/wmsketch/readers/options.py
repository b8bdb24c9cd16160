"""The options of readers."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from typing import Any, Literal, Self

from wmsketch._core import DictRows, RowEncoder
from wmsketch.errors import ParameterError
from wmsketch.formats import FORMATS
from wmsketch.late import dataclass, pattern
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.condition import Condition, parse_condition
from wmsketch.readers.rejects import RejectRules
from wmsketch.readers.schema import Schema
from wmsketch.readers.transcode import require_encoding

_WAYS = ("stop", "skip")
_THOUSANDS = (",", ".", " ", "'", "_")
_NUMBER = pattern(r"[-+]?\d+(\.\d+)?")


@dataclass(frozen=True, kw_only=True, repr=False)
class ReaderOptions(Schema):
    """See open_examples."""

    word_values: Literal["unit", "sublinear", "counts"] = "counts"
    require_labels: bool = True
    many_classes: bool = False
    numeric_label: bool = False
    delimiter: str | None = None
    columns: Sequence[str] = ()
    quoting: bool | None = None
    decimal: str = "."
    thousands: str | None = None
    column_kinds: Mapping[str, str] | None = None
    seen_kinds: Mapping[str, str] | None = None
    known_columns: Sequence[str] | None = None
    only_categories: bool = False
    bad_rows: Literal["stop", "skip"] | None = None
    missing_label: Literal["stop", "skip"] = "stop"
    rejects: str | os.PathLike[str] | None = None
    encoding: str | None = None
    name_seed: int | None = None
    where: str | None = None
    find_words: int = (
        0  # bytes for templates with <word>, found in the first rows of text columns; 0: none is looked for
    )
    may_lack: Sequence[str] = ()  # named columns that a file need not have, because another one did

    def __post_init__(self) -> None:
        super().__post_init__()
        self.condition()
        for option in ("bad_rows", "missing_label"):
            if getattr(self, option) not in (*_WAYS, getattr(type(self), option)):
                raise ParameterError(option, f"must be one of {', '.join(_WAYS)}", getattr(self, option))
        if self.encoding is not None:
            require_encoding(self.encoding)
        if self.many_classes and self.positive is not None:
            raise ParameterError("positive", "cannot be used if every label is a class", self.positive)
        if self.numeric_label and self.positive is not None:
            raise ParameterError("positive", "cannot be used if the label is a number to predict", self.positive)
        if self.delimiter is not None and not _is_one_ascii_character(self.delimiter):
            raise ParameterError("delimiter", "must be one ASCII character", self.delimiter)

        if self.decimal not in (".", ","):
            raise ParameterError("decimal", "must be '.' or ','", self.decimal)
        if self.thousands is not None and (self.thousands not in _THOUSANDS or self.thousands == self.decimal):
            ways = " or ".join(map(repr, _THOUSANDS))
            raise ParameterError("thousands", f"must be {ways}, and not the decimal separator", self.thousands)

    def require_meaning(self, format: str, file: str = "") -> None:
        """Raise an error for options that this format would ignore."""
        for name in self._ignored_by(format):
            hint = ": a file with columns needs the format csv or tsv" if format == "text" else ""
            raise ParameterError(name, f"cannot be used with {format} input{hint}", place=file)

    def _ignored_by(self, format: str) -> list[str]:
        given = [each.name for each in fields(self) if each.default not in (MISSING, getattr(self, each.name))]
        return [name for name in given if name not in FORMATS[format].options]

    @property
    def asks_columns(self) -> bool:
        """Whether an option names columns, so that the input must be a table."""
        return bool(self._ignored_by("text"))

    def reject_rules(self) -> RejectRules:
        """Return which rows are skipped."""
        return RejectRules(self.bad_rows, self.missing_label, self.rejects is not None)

    def condition(self) -> Condition:
        """Return the condition on rows; empty: none."""
        if self.where is None:
            return Condition()
        condition = parse_condition(self.where, "where")
        for each in condition.comparisons:
            if each.percentile is not None:
                raise ValueError(
                    f"where must compare {each.column} with a number: a percentile like {each.value} is known only "
                    "when all rows are read"
                )
        return condition

    def to_find_words(self) -> Self:
        """Return the options with which the values of text columns are read as they are."""
        text = list(self.text)
        return replace(self, text=(), templates=False, features=text, categorical=text, label="", weight="", time="",
                       ignore=(), numeric=(), interactions=(), require_labels=False, numeric_label=False,
                       many_classes=False, positive=None, may_lack=text, column_kinds=None, seen_kinds=None,
                       known_columns=None, find_words=0, where=None)  # fmt: skip

    def positive_number(self) -> float | None:
        """Return the positive label for a format whose labels are numbers."""
        try:
            return None if self.positive is None else float(self.positive)
        except ValueError:
            raise ParameterError(
                "positive", "must be a number, like the labels of this format", self.positive
            ) from None

    def encoder(self, *, typed_values: bool = False) -> RowEncoder:
        """Return the encoder of columns. JSON values have types, so columns need none."""
        return RowEncoder(**self._column_options(typed_values))

    def dict_rows(self) -> DictRows:
        """Return what turns dicts into rows. Their values have types too."""
        return DictRows(**self._column_options(True))

    def _column_options(self, typed_values: bool) -> dict[str, Any]:
        seen, chosen = dict(self.seen_kinds or {}), dict(self.column_kinds or {})
        return {
            **self.encoder_options(),
            "require_labels": self.require_labels,
            "many_classes": self.many_classes,
            "numeric_label": self.numeric_label,
            "where": self.condition().as_given(),
            "column_kinds": chosen if typed_values else {**seen, **chosen},
            "seen_kinds": seen,
            "only_categories": self.only_categories,
            "known_columns": None if self.known_columns is None else list(self.known_columns),
            "name_seed": self.name_seed,
        }

    def require_columns(self, known: Iterable[str], file: str, *, every: bool = True) -> None:
        """Raise an error for columns that do not exist, and suggest similar names.

        `every=False` checks only the columns that each row must have, for formats whose rows may differ.
        """
        known = list(known)
        exactly = set(known)  # of a wide table, comparing each name with all columns takes seconds
        self._require_one_of_the_model(known, file)
        always = [(option, getattr(self, option)) for option in ("label", "weight", "time") if self.require_labels]
        for option, name in [*always, *(self._named_columns() if every else [])]:
            if name and name not in exactly and not any(_overlap(name, column) for column in known):
                alike = next((column for column in known if column.strip() == name.strip()), "")
                said = f"there is no column {name!r}{_no_header(known) or _hint(name, known)}"
                raise BadInput(said, file, fault="column", name=name, value=alike, option=option)

    def _require_one_of_the_model(self, columns: list[str], file: str) -> None:
        """Raise an error if a file to predict has none of the model's columns."""
        learned = [] if self.require_labels else list(self.column_kinds or {})  # given for prediction
        if columns and learned and not any(_overlap(name, column) for name in learned for column in columns):
            raise BadInput(
                f"the file has none of the columns of the training ({_listed(learned)}); its columns are "
                f"{_listed(columns)} (does it have a header?)",
                file,
                fault="column",
                name=learned[0],
            )

    def unseen(self, names: Iterable[str], known: Iterable[str], file: str) -> list[BadInput]:
        """Return an error for each option that contains one of these names, which no row of the file has."""
        names, known = set(names), list(known)
        return [
            BadInput(
                f"no row has a column {name!r}{_hint(name, known)}", file, fault="column", name=name, option=option
            )
            for option, name in self._named_columns()
            if name in names
        ]

    def not_met(self, columns: Iterable[str]) -> list[str]:
        """Return a note about columns of the training that are missing, if any."""
        met = set(columns)
        missing = [name for name in self._learned() if name not in met]
        missing = [name for name in missing if not any(_overlap(name, column) for column in met)]
        return [f"columns of the training are missing: {_listed(missing)}"] if missing else []

    def _learned(self) -> list[str]:
        return list({**(self.column_kinds or {}), **(self.seen_kinds or {})})

    def _named_columns(self) -> list[tuple[str, str]]:
        lists = ("features", "numeric", "categorical", "text")
        named = [(option, name) for option in lists for name in getattr(self, option)]
        named += [("interactions", name) for pair in self.pairs() for name in pair]
        named += [("where", name) for name in self.condition().columns]
        # ignored columns need not exist for prediction
        named = [*(("ignore", name) for name in self.ignore if self.require_labels), *named]
        return [(option, name) for option, name in named if name not in self.may_lack]


def _listed(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(map(repr, names[:most])) + ", ..." * (len(names) > most)


def unknown_columns(names: Sequence[str]) -> list[str]:
    """Return a note about columns that were not in the training, if any."""
    return [f"columns that were not in the training are ignored: {_listed(names)}"] if names else []


def _is_one_ascii_character(text: object) -> bool:
    return isinstance(text, str) and len(text) == 1 and text.isascii()


def _overlap(name: str, column: str) -> bool:
    return name == column or column.startswith(name + ".") or name.startswith(column + ".")


def _no_header(names: list[str]) -> str:
    """Say so if a name of the columns is a number: the first line may be a row."""
    numbers = [name for name in names if _NUMBER.fullmatch(name.strip())]
    if not numbers:
        return ""
    return (
        f"; the columns are {_listed(names)}; if the first line is a row, the file has no header: name its columns "
        "with --columns A,B,... (columns in Python)"
    )


def _hint(name: str, known: list[str]) -> str:
    """Suggest names that differ in blanks, that are longer (a, b or properties.a for a), or that are spelt alike."""
    import difflib  # for errors only

    near: list[str] = [column for column in known if column.strip() == name.strip()][:3]
    near = near or [each for each in known if name in (each.rpartition(".")[2], *map(str.strip, each.split(",")))][:3]
    near = near or difflib.get_close_matches(name, known, n=3)
    if near:
        return f"; did you mean {' or '.join(repr(match) for match in near)}?"
    most = 12
    shown = [each if each == each.strip() and "," not in each else f'"{each}"' for each in known[:most]]
    return f"; its columns are {', '.join(shown)}{', ...' if len(known) > most else ''}" if shown else ""
