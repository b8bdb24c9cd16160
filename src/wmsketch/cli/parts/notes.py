"""The note that commands store with a model. It is validated, because a file may be untrusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Check = Callable[[Any], bool]


def check_note(note: dict[str, Any]) -> None:
    """Raise an error for a note that no command could have written. Unknown entries are ignored, but not of readers.

    >>> check_note({"reader": {"label": "sold"}})
    >>> check_note({"reader": {"label": 3}})
    Traceback (most recent call last):
    ValueError: reader.label must be a text, got '3'
    """
    from wmsketch.readers.options import ReaderOptions

    _check_entries("", note, _NOTE)
    for name in note.get("reader", {}):
        if name != "format" and name not in ReaderOptions.__dataclass_fields__:  # it would set a size of buffers
            raise ValueError(f"reader.{name[:80]} is no option of a reader")
    if "training" in note:
        missing = {"inputs", "passes", "holdout", "position"} - set(note["training"])
        missing |= {f"position.{name}" for name in _POSITION if name not in note["training"].get("position", {})}
        if missing or "reader" not in note:
            raise ValueError(f"training lacks {', '.join(sorted(missing) or ['the options of the reader'])}")


def _check_entries(path: str, entries: dict[str, Any], rules: dict[str, tuple[str, Check]]) -> None:
    for name, value in entries.items():
        words, holds = rules.get(name, ("", _anything))
        if not holds(value):
            raise ValueError(f"{path}{name} must be {words}, got {str(value)[:80]!r}")
        if name in _INSIDE:
            _check_entries(f"{path}{name}.", value, _INSIDE[name])


def _anything(_: Any) -> bool:
    return True


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _truth(value: Any) -> bool:
    return isinstance(value, bool)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _positive(value: Any) -> bool:
    return _count(value) and value > 0


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _inputs(value: Any) -> bool:
    def is_input(entry: Any) -> bool:
        if not _object(entry) or set(entry) - {"extent"} != {"name", "bytes"}:
            return False
        return _text(entry["name"]) and size(entry["bytes"]) and _object(entry.get("extent", {}))

    size = _or_none(_count)
    return isinstance(value, list) and all(map(is_input, value))


def _mark(value: Any) -> bool:
    if not _object(value) or set(value) - {"left_out"} != {"rows", "at"}:
        return False
    return _count(value["rows"]) and _count(value.get("left_out", 0)) and _object(value["at"])


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


_A_TEXT, _A_LIST = ("a text", _text), ("a list of texts", _texts)
_A_COUNT = ("a whole number of at least 0", _count)
_NOTE: dict[str, tuple[str, Check]] = {
    "reader": ("an object", _object),
    "training": ("an object", _object),
    "merged": _A_LIST,
}
_TEXTS = (
    *(
        "format",
        "label",
        "positive",
        "weight",
        "time",
        "delimiter",
        "decimal",
        "thousands",
        "numbers",
        "missing",
        "word_values",
    ),
    *("bad_rows", "missing_label", "rejects", "encoding"),
)
_POSITION: dict[str, tuple[str, Check]] = dict.fromkeys(("pass", "file", "file_rows", "rows"), _A_COUNT)
_INSIDE: dict[str, dict[str, tuple[str, Check]]] = {
    "reader": {
        **dict.fromkeys(_TEXTS, _A_TEXT),
        **dict.fromkeys(("features", "ignore", "numeric", "categorical", "text", "columns", "na"), _A_LIST),
        "interactions": _A_LIST,
        "ngrams": ("a whole number of at least 1", _positive),
        **dict.fromkeys(("lowercase", "templates"), ("true or false", _truth)),
        "quoting": ("true, false or null", _or_none(_truth)),
    },
    "training": {
        "inputs": ("a list of names and sizes", _inputs),
        "passes": ("a whole number of at least 1", _positive),
        "holdout": ("a text or null", _or_none(_text)),
        "shuffle": ("a whole number of at least 1, or null", _or_none(_positive)),
        "position": ("an object", _object),
        "rejected": ("an object", _object),
        "first_pass": ("an object", _object),
    },
    "rejected": {
        **dict.fromkeys(("bad_rows", "missing_labels", "file_bytes"), _A_COUNT),
        **dict.fromkeys(("first", "first_without_label"), _A_TEXT),
    },
    "position": {**_POSITION, "mark": ("the rows and the position of an address", _mark)},
}
