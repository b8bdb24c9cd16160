"""Files that hold a table inside: zip archives and spreadsheets."""

from __future__ import annotations

import io
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from wmsketch.formats import SUFFIXES
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.decompress import SUFFIXES as COMPRESSIONS

if TYPE_CHECKING:
    import zipfile  # loaded when there is an archive: few inputs are one

ZIP_MAGIC = b"PK\x03\x04"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


def is_packed(head: bytes) -> bool:
    """Return whether a file that begins like this is a zip archive or a spreadsheet."""
    return head.startswith((ZIP_MAGIC, _OLD_EXCEL))


def open_packed(path: str) -> tuple[Any, str]:
    """Return the only table in a zip archive or a spreadsheet as a file of text, and its name."""
    import zipfile

    if Path(path).suffix.lower() in SPREADSHEETS or not zipfile.is_zipfile(path):
        return io.BytesIO(_sheet_as_csv(path)), f"{path}.csv"
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as problem:
        raise BadInput(f"damaged zip archive: {problem}", path) from problem
    try:
        names = archive.namelist()
        if any(name.startswith(("xl/", "content.xml")) for name in names):
            return io.BytesIO(_sheet_as_csv(path)), f"{path}.csv"
        name = _only_table(names, path)
        try:
            return _Member(archive, name), name
        except (RuntimeError, NotImplementedError, zipfile.BadZipFile) as problem:
            raise BadInput(f"cannot read {name!r} in the zip archive: {problem}", path) from problem
    except BaseException:
        archive.close()
        raise


def _only_table(names: list[str], path: str) -> str:
    """Return the only file with a table; other files, like a read-me, are ignored.

    >>> _only_table(["data/", "data/a.csv", "__MACOSX/data/._a.csv", "LICENSE"], "a.zip")
    'data/a.csv'
    """
    files = [name for name in names if not name.endswith("/") and not name.startswith("__MACOSX/")]
    files = [name for name in files if not PurePosixPath(name).name.startswith(".")]
    tables = [name for name in files if _table_suffix(name)] if len(files) > 1 else files
    tables = [name for name in tables if not name.endswith((".txt", ".text"))] or tables
    if len(tables) == 1:
        return tables[0]
    if not tables:
        raise BadInput("found no table in the zip archive", path)
    shown = ", ".join(tables[:5]) + ", ..." * (len(tables) > 5)
    raise BadInput(
        f"found {len(tables)} tables in the zip archive ({shown}); unpack it and name one: unzip {path}", path
    )


def _table_suffix(name: str) -> bool:
    place = PurePosixPath(name)
    place = place.with_suffix("") if place.suffix.lower() in COMPRESSIONS else place
    return place.suffix.lower() in SUFFIXES


class _Member(io.RawIOBase):
    """One file of an archive; closing it closes the archive. Damage raises BadInput."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        super().__init__()
        self._archive, self._name = archive, name
        self._file: Any = archive.open(name)

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read at least one byte, except at the end."""
        import zipfile

        try:
            data = self._file.read1(len(buffer))
        except (zipfile.BadZipFile, EOFError, OSError) as problem:
            raise BadInput(f"damaged zip data: {problem}", str(self._archive.filename)) from problem
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the archive too."""
        if not self.closed:
            super().close()
            self._file.close()
            self._archive.close()


def _sheet_as_csv(path: str) -> bytes:
    """Return the first sheet that has rows, with texts in quotes and numbers without."""
    import csv

    try:
        from python_calamine import CalamineError, load_workbook
    except ImportError as problem:
        raise ImportError(
            f"{path} is a spreadsheet: pip install 'wmsketch[excel]'", name="python-calamine"
        ) from problem
    try:
        workbook = load_workbook(path)
        sheets = [(name, workbook.get_sheet_by_name(name).to_python()) for name in workbook.sheet_names]
    except (CalamineError, OSError) as problem:
        raise BadInput(f"damaged spreadsheet: {problem}", path) from problem
    rows = next((rows for _, rows in sheets if rows), [])
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    """Return a value as csv writes it: a whole number without a point, a date as 2024-05-17."""
    import datetime

    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ") if value.time() != datetime.time() else value.date().isoformat()
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return value
