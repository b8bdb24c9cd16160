"""Find the tables in folders, and read them with pandas: the truth that answers are compared with."""

from __future__ import annotations

import csv
import io
import json
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

ENDS = (
    ".csv",
    ".tsv",
    ".csv.gz",
    ".csv.bz2",
    ".csv.xz",
    ".csv.zip",
    ".csv.zst",
    ".json",
    ".jsonl",
    ".ndjson",
    ".parquet",
)
FEWEST_ROWS, FEWEST_COLUMNS, MOST_BYTES = 20, 2, 200 << 20
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "#N/A", "n/a", "<NA>")


@dataclass
class Table:
    """A file, its cells as text (missing: None), and its columns as pandas reads them."""

    path: Path
    words: pd.DataFrame
    typed: pd.DataFrame

    def __len__(self) -> int:
        return len(self.words)

    def label(self) -> str | None:
        """Return the last column of exactly two values, each in at least two rows; None if there is none."""
        for name in reversed(self.words.columns):
            counts = self.words[name].value_counts()
            if len(counts) == 2 and counts.iloc[-1] >= 2:
                return str(name)
        return None

    def many(self) -> str | None:
        """Return the first column of words with 3 to 20 values, each in at least two rows."""
        for name in self.words.columns:
            counts = self.words[name].value_counts()
            if 3 <= len(counts) <= 20 and counts.iloc[-1] >= 2 and not self.is_number(str(name)):
                return str(name)
        return None

    def outlier(self) -> str | None:
        """Return the column of numbers with the most different values."""
        numbers = [name for name in self.typed.columns if self.is_number(str(name)) and self.typed[name].nunique() >= 5]
        return str(max(numbers, key=lambda name: self.typed[name].nunique())) if numbers else None

    def is_number(self, name: str) -> bool:
        column = self.typed[name]
        return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)

    def head(self, lines: int = 3) -> str:
        """Return the first lines of the file."""
        try:
            return "\n".join(_text(self.path).splitlines()[:lines])[:400]
        except (OSError, ValueError):
            return "(not text)"


def files_in(folders: list[Path]) -> Iterator[Path]:
    """Yield the files whose names end like tables, in a fixed order; equal files once."""
    seen = set()
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if path.is_file() and path.name.lower().endswith(ENDS) and path.stat().st_size <= MOST_BYTES:
                key = (path.stat().st_size, path.read_bytes()[:65536])
                if key not in seen:
                    seen.add(key)
                    yield path


def read(path: Path) -> Table | None:
    """Return the table in a file; None if it is too small or is no table to pandas either."""
    try:
        words, typed = _frames(path)
    except (ValueError, OSError, TypeError, KeyError, RecursionError, csv.Error, pd.errors.ParserError, Warning):
        return None
    if len(words) < FEWEST_ROWS or words.shape[1] < FEWEST_COLUMNS:
        return None
    return Table(path, words, typed)


def _frames(path: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    name = path.name.lower()
    if name.endswith(".parquet"):
        typed = pd.read_parquet(path)
        if any(isinstance(value, (list, dict)) for column in typed for value in typed[column].head(5)):
            raise ValueError("nested")
        return _as_words(typed), typed
    if name.endswith((".json", ".jsonl", ".ndjson")):
        typed = pd.DataFrame(_records(_text(path)))
        if not all(isinstance(column, str) for column in typed):
            raise ValueError("no names")
        return _as_words(typed), typed
    text = _text(path)
    first = text.split("\n", 1)[0]
    separator = "\t" if name.endswith(".tsv") else max(",;\t|", key=first.count)
    if not first.count(separator):
        raise ValueError("one column")
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # rows longer than the header
        words = pd.read_csv(io.StringIO(text), sep=separator, dtype=str, keep_default_na=False, index_col=False)
    words.columns = pd.Index(_names(next(csv.reader([first], delimiter=separator)), words.shape[1]))
    words = words.mask(words.isin(MISSING)).astype(object).where(lambda frame: frame.notna(), None)
    typed = words.apply(_typed)
    return words, typed


def _names(header: list[str], n: int) -> list[str]:
    """Return the names of columns as the readers have them: an empty one has a number, one that comes again too."""
    seen: dict[str, int] = {}
    found = []
    for place, name in enumerate(header[:n], 1):
        name = name or f"column{place}"
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}.{seen[name]}")
    return found


def _typed(column: pd.Series[Any]) -> pd.Series[Any]:
    known = column.dropna()
    numbers = pd.to_numeric(known, errors="coerce")
    if len(known) and numbers.notna().all() and not known.str.lower().isin(["inf", "-inf"]).any():
        return numbers.reindex(column.index).astype(float)
    return column


def _as_words(typed: pd.DataFrame) -> pd.DataFrame:
    def word(value: Any) -> str | None:
        if value is None or (isinstance(value, float) and value != value) or value is pd.NaT or value is pd.NA:
            return None
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        return str(value)

    if any(isinstance(value, (list, dict)) for column in typed for value in typed[column].head(50)):
        raise ValueError("nested")
    return typed.map(word).mask(lambda frame: frame.isin(MISSING)).astype(object).where(lambda f: f.notna(), None)


def _records(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text)
    except ValueError:
        found = [json.loads(line) for line in text.splitlines() if line.strip()]
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise ValueError("not an array of objects")
    return found


def _text(path: Path) -> str:
    name = path.name.lower()
    if name.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            data = archive.read(archive.namelist()[0])
    elif name.endswith((".gz", ".bz2", ".xz", ".zst")):
        from pandas.io.common import get_handle

        with get_handle(path, "rb", is_text=False, compression="infer") as handles:
            data = handles.handle.read()  # type: ignore[union-attr]
    else:
        data = path.read_bytes()
    for encoding in ("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "cp1252", "latin-1"):
        try:
            return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue
    raise ValueError("no text")
