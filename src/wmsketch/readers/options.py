"""The options of readers, and which formats they belong to."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields

from wmsketch._core import RowEncoder
from wmsketch.readers.bad_input import BadInput

_LABELLED = {"positive", "require_labels", "many_classes"}
_WORDS = {"ngrams", "lowercase"}
_COLUMNS = {"label", "weight", "time", "features", "ignore", "numeric", "categorical", "text", "interactions"}
_SEPARATED = {"delimiter", "columns", "quoting"}
_KINDS = {"column_kinds", "seen_kinds"}  # where features say themselves what they are, they cannot be at odds with it
_MEANINGFUL = {
    "libsvm": _LABELLED | _KINDS,
    "vw": _LABELLED | _KINDS,
    "text": _WORDS | _KINDS,
    "jsonl": _LABELLED | _WORDS | _COLUMNS | _KINDS,
    "parquet": _LABELLED | _WORDS | _COLUMNS | _KINDS,
    "arrow": _LABELLED | _WORDS | _COLUMNS | _KINDS,
    "csv": _LABELLED | _WORDS | _COLUMNS | _KINDS | _SEPARATED,
    "tsv": _LABELLED | _WORDS | _COLUMNS | _KINDS | _SEPARATED,
}


@dataclass(frozen=True, kw_only=True)
class ReaderOptions:
    """See open_examples."""

    positive: float | str | bool | None = None
    require_labels: bool = True
    many_classes: bool = False
    label: str = ""
    weight: str = ""
    time: str = ""
    features: Sequence[str] = ()
    ignore: Sequence[str] = ()
    numeric: Sequence[str] = ()
    categorical: Sequence[str] = ()
    text: Sequence[str] = ()
    interactions: Sequence[str] = ()
    ngrams: int = 1
    lowercase: bool = False
    delimiter: str | None = None
    columns: Sequence[str] = ()
    quoting: bool | None = None
    column_kinds: Mapping[str, str] | None = None
    seen_kinds: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.default == () and isinstance(getattr(self, field.name), str):
                raise ValueError(f"{field.name} must be a list of names, got {getattr(self, field.name)!r}")
        if self.many_classes and self.positive is not None:
            raise ValueError(f"positive has no meaning where every label is a class, got {self.positive!r}")
        if self.ngrams < 1:
            raise ValueError(f"ngrams must be at least 1, got {self.ngrams}")
        if self.delimiter is not None and (len(self.delimiter) != 1 or not self.delimiter.isascii()):
            raise ValueError(f"delimiter must be one ASCII character, got {self.delimiter!r}")

    def require_meaning(self, format: str, file: str = "") -> None:
        """Refuse options that this format would silently ignore."""
        for field in fields(self):
            given = field.default is not MISSING and getattr(self, field.name) != field.default
            if given and field.name not in _MEANINGFUL[format]:
                of = f" ({file})" if file else ""
                raise ValueError(f"{field.name} has no meaning for {format} input{of}")

    def positive_number(self) -> float | None:
        """The positive label of a format whose labels are numbers."""
        try:
            return None if self.positive is None else float(self.positive)
        except ValueError:
            raise ValueError(
                f"positive must be a number, as labels are in this format, got {self.positive!r}"
            ) from None

    def positive_text(self) -> str | None:
        """The positive label as a file would write it."""
        positive = str(self.positive).lower() if isinstance(self.positive, bool) else self.positive
        return None if positive is None else str(positive)

    def encoder(self, *, typed_values: bool = False) -> RowEncoder:
        """What turns columns into features; values of JSON have types, so that none has to be chosen for a column."""
        seen, chosen = dict(self.seen_kinds or {}), dict(self.column_kinds or {})
        return RowEncoder(
            label=self.label,
            weight=self.weight,
            time=self.time,
            positive=self.positive_text(),
            require_labels=self.require_labels,
            many_classes=self.many_classes,
            features=[*self.features, *self._inside_interactions()] if self.features else [],
            ignore=list(self.ignore),
            numeric=list(self.numeric),
            categorical=list(self.categorical),
            text=list(self.text),
            interactions=[parse_pair("interactions", interaction) for interaction in self.interactions],
            ngrams=self.ngrams,
            lowercase=self.lowercase,
            column_kinds=chosen if typed_values else {**seen, **chosen},
            seen_kinds=seen,
        )

    def _inside_interactions(self) -> list[str]:
        return [name for interaction in self.interactions for name in parse_pair("interactions", interaction)]

    def require_columns(self, known: Iterable[str], file: str, *, every: bool = True) -> None:
        """Refuse names that no column has, offering those that are near.

        `every=False` checks only what each row must have, for formats whose rows may differ.
        """
        known = list(known)
        always = [(option, getattr(self, option)) for option in ("label", "weight", "time") if self.require_labels]
        for option, name in [*always, *(self._named_columns() if every else [])]:
            if name and not any(_overlap(name, column) for column in known):
                raise BadInput(f"{option}: there is no column {name!r}{_hint(name, known)}", file)

    def unseen(self, names: Iterable[str]) -> list[str]:
        """The options that these names stand in, as text for a message."""
        names = set(names)
        return [f"{option}: no row has a column {name!r}" for option, name in self._named_columns() if name in names]

    def not_met(self, columns: Iterable[str]) -> list[str]:
        """A text about the columns that a model learned from and that are not among these, if there are any."""
        met = set(columns)
        missing = [name for name in self.column_kinds or {} if name not in met]
        missing = [name for name in missing if not any(_overlap(name, column) for column in met)]
        most = 5
        names = ", ".join(map(repr, missing[:most])) + ", ..." * (len(missing) > most)
        return [f"the model learned from columns that are not there: {names}"] if missing else []

    def _named_columns(self) -> list[tuple[str, str]]:
        lists = ("features", "numeric", "categorical", "text")
        named = [(option, name) for option in lists for name in getattr(self, option)]
        named += [("interactions", name) for name in self._inside_interactions()]
        # what is left out need not be there to predict
        return [*(("ignore", name) for name in self.ignore if self.require_labels), *named]


def parse_pair(option: str, text: str) -> tuple[str, str]:
    """Return the two columns of a pair like "origin:carrier".

    >>> parse_pair("interactions", "origin:carrier")
    ('origin', 'carrier')
    """
    left, colon, right = text.partition(":")
    if not (left and colon and right) or ":" in right:
        raise ValueError(f"{option} must look like column:column, got {text!r}")
    return left, right


def _overlap(name: str, column: str) -> bool:
    return name == column or column.startswith(name + ".") or name.startswith(column + ".")


def _hint(name: str, known: list[str]) -> str:
    near: list[str] = difflib.get_close_matches(name, known, n=3)
    if near:
        return f"; did you mean {' or '.join(repr(match) for match in near)}?"
    most = 12
    return f"; its columns are {', '.join(known[:most])}{', ...' if len(known) > most else ''}"
