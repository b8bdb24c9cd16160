"""The options of readers, and which formats they belong to."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, fields

from wmsketch._core import RowEncoder
from wmsketch.readers.bad_input import BadInput

_LABELLED = {"positive", "require_labels"}
_WORDS = {"ngrams", "lowercase"}
_COLUMNS = {"label", "weight", "features", "ignore", "numeric", "categorical", "text", "interactions"}
_MEANINGFUL = {
    "libsvm": _LABELLED,
    "vw": _LABELLED,
    "text": _WORDS,
    "jsonl": _LABELLED | _WORDS | _COLUMNS,
    "parquet": _LABELLED | _WORDS | _COLUMNS,
    "arrow": _LABELLED | _WORDS | _COLUMNS,
    "csv": _LABELLED | _WORDS | _COLUMNS | {"delimiter", "columns"},
    "tsv": _LABELLED | _WORDS | _COLUMNS | {"delimiter", "columns"},
}


@dataclass(frozen=True, kw_only=True)
class ReaderOptions:
    """See open_examples."""

    positive: float | str | bool | None = None
    require_labels: bool = True
    label: str = ""
    weight: str = ""
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

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.default == () and isinstance(getattr(self, field.name), str):
                raise ValueError(f"{field.name} must be a list of names, got {getattr(self, field.name)!r}")
        if self.ngrams < 1:
            raise ValueError(f"ngrams must be at least 1, got {self.ngrams}")
        if self.delimiter is not None and (len(self.delimiter) != 1 or not self.delimiter.isascii()):
            raise ValueError(f"delimiter must be one ASCII character, got {self.delimiter!r}")

    def require_meaning(self, format: str) -> None:
        """Refuse options that this format would silently ignore."""
        for field in fields(self):
            given = field.default is not MISSING and getattr(self, field.name) != field.default
            if given and field.name not in _MEANINGFUL[format]:
                raise ValueError(f"{field.name} has no meaning for {format} input")

    def positive_number(self) -> float | None:
        """The positive label of a format whose labels are numbers."""
        try:
            return None if self.positive is None else float(self.positive)
        except ValueError:
            raise ValueError(
                f"positive must be a number, as labels are in this format, got {self.positive!r}"
            ) from None

    def encoder(self) -> RowEncoder:
        """What turns columns into features."""
        positive = str(self.positive).lower() if isinstance(self.positive, bool) else self.positive
        return RowEncoder(
            label=self.label,
            weight=self.weight,
            positive=None if positive is None else str(positive),
            require_labels=self.require_labels,
            features=[*self.features, *self._inside_interactions()] if self.features else [],
            ignore=list(self.ignore),
            numeric=list(self.numeric),
            categorical=list(self.categorical),
            text=list(self.text),
            interactions=[_pair(interaction) for interaction in self.interactions],
            ngrams=self.ngrams,
            lowercase=self.lowercase,
        )

    def _inside_interactions(self) -> list[str]:
        return [name for interaction in self.interactions for name in _pair(interaction)]

    def require_columns(self, known: Iterable[str], file: str, *, every: bool = True) -> None:
        """Refuse names that no column has, offering those that are near.

        `every=False` checks only what each row must have, for formats whose rows may differ.
        """
        known = list(known)
        for option, name in self._named_columns(every):
            optional = option == "label" and not self.require_labels
            if name and not optional and not any(_overlap(name, column) for column in known):
                raise BadInput(f"{option}: there is no column {name!r}{_hint(name, known)}", file)

    def _named_columns(self, every: bool) -> list[tuple[str, str]]:
        always = [("label", self.label), ("weight", self.weight)]
        if not every:
            return always
        lists = ("features", "ignore", "numeric", "categorical", "text")
        named = [(option, name) for option in lists for name in getattr(self, option)]
        return [*always, *named, *(("interactions", name) for name in self._inside_interactions())]


def _pair(interaction: str) -> tuple[str, str]:
    left, colon, right = interaction.partition(":")
    if not (left and colon and right) or ":" in right:
        raise ValueError(f"interactions must look like column:column, got {interaction!r}")
    return left, right


def _overlap(name: str, column: str) -> bool:
    return name == column or column.startswith(name + ".") or name.startswith(column + ".")


def _hint(name: str, known: list[str]) -> str:
    near: list[str] = difflib.get_close_matches(name, known, n=3)
    if near:
        return f"; did you mean {' or '.join(repr(match) for match in near)}?"
    most = 12
    return f"; its columns are {', '.join(known[:most])}{', ...' if len(known) > most else ''}"
