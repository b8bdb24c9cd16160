"""Files into a PMI: plain text, a column of text, or the items of an event log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from wmsketch.apps.pmi.pmi import PMI
from wmsketch.errors import ParameterError
from wmsketch.readers import BadInput, expand_paths, open_examples, open_stream, read_ahead
from wmsketch.readers.open_stream import stored_size_of_all
from wmsketch.readers.recognise import format_of_name
from wmsketch.readers.rejects import Rejects
from wmsketch.readers.sources.address import Address
from wmsketch.readers.survey import can_read_twice
from wmsketch.readers.variable_words import LOOKED_AT, PATIENCE


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The roles of the columns of a table; ``items`` or ``text`` names the column to learn."""

    items: str | None = None
    text: str | None = None
    group: str | None = None
    time: str | None = None

    def __post_init__(self) -> None:
        if self.items and self.text:
            raise ParameterError("items", "and {text} cannot be combined: a column holds items, or running text")
        for name in ("group", "time"):
            if getattr(self, name) and not self.items:
                raise ParameterError(name, "needs {items}, the column of the items")

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(name for name in (self.items, self.text, self.group, self.time) if name))


class Inputs:
    """Learns files piece by piece, and knows its position.

    >>> import pathlib, tempfile
    >>> pmi = PMI(window=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "log.csv")
    ...     _ = path.write_text("user,page\\n1,home\\n2,help\\n1,cart\\n2,faq\\n")
    ...     for _ in Inputs(pmi, [str(path)], Columns(items="page", group="user")).learn():
    ...         pass
    >>> pmi.tokens, pmi.pairs
    (4, 0)
    """

    def __init__(
        self,
        pmi: PMI,
        files: Iterable[str],
        columns: Columns,
        format: str | None = None,
        *,
        once: bool = False,
        **reader: Any,
    ):
        self._pmi = pmi
        self._once = once
        self._files = expand_paths(list(files))
        self._columns = columns
        self._format = format
        self._reader = reader
        self.bytes_total = stored_size_of_all(self._files)
        self.bytes_read = 0
        self.rejects = Rejects()
        if not columns.names:
            self._require_text()

    def _require_text(self) -> None:
        for name in ("bad_rows", "na", "rejects", "where"):
            if name in self._reader:
                raise ParameterError(name, "cannot be used with running text: set {items} or {text}")
        for path in self._files:
            kind = self._format or format_of_name(path)
            if kind not in (None, "text"):
                raise ParameterError("format", f"is {kind}: set {{items}} or {{text}}, or {{format=text}}", place=path)

    def learn(self) -> Iterator[None]:
        """Learn all files, and yield after each piece.

        If not all pairs fit, files are read again, unless `once`: see `PMI.passes`.
        """
        asked = {option: [column] for option, column in vars(self._columns).items() if column}
        try:
            again = not self._once and self._pmi.can_begin_again and can_read_twice(self._files)
            for _ in self._learn_pieces():
                yield
                if again and not self._pmi.is_whole:
                    break
            else:
                return
            for last in self._pmi.passes():
                for _ in self._learn_pieces(quiet=not last):
                    yield
        except BadInput as problem:
            raise problem.as_asked(**asked) from problem

    def _learn_pieces(self, quiet: bool = False) -> Iterator[None]:
        return self._learn_rows(quiet) if self._columns.names else self._learn_text()

    def _learn_text(self) -> Iterator[None]:
        before = 0
        for path in self._files:
            with open_stream(path, self._reader.get("encoding")) as stream:
                if self._pmi.wants_words and not isinstance(path, Address):
                    head = stream.look(LOOKED_AT, lines=True, patience=PATIENCE)
                    self._pmi.find_words(head[: head.rfind(b"\n") + 1].splitlines())
                for chunk in read_ahead(stream.chunks()):
                    try:
                        self._pmi.learn_chunk(chunk)
                    except ValueError as problem:
                        raise BadInput(str(problem), path) from problem
                    self.bytes_read = before + stream.bytes_read
                    yield
            self._pmi.end_text()
            before = self.bytes_read

    def _learn_rows(self, quiet: bool) -> Iterator[None]:
        columns = {name: column for name, column in vars(self._columns).items() if column}
        names = self._columns.names
        reader: dict[str, Any] = {"features": names, "categorical": names, "require_labels": False, **self._reader}
        reader |= {"rejects": None} if quiet and "rejects" in reader else {}
        with open_examples(self._files, self._format, **reader) as examples:
            self.rejects = examples.rejects
            for block in examples:
                bad = self._pmi.learn_block(block, **columns)
                if bad is not None:
                    row = block.position.file_rows - len(block) + bad[0] + 1
                    raise BadInput(f"row {row}: {bad[1]}", self._files[block.position.file])
                self.bytes_read = examples.bytes_read
                yield
