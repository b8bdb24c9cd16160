"""Two inputs as rows of items, read in parallel and mixed in proportion to what is left of each."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from wmsketch import _core
from wmsketch.errors import ParameterError
from wmsketch.formats import COLUMNAR, FORMATS, format_names
from wmsketch.readers import BadInput, ByteStream, open_stream, read_ahead
from wmsketch.readers.findings import Findings
from wmsketch.readers.open_stream import CHUNK_BYTES, stored_size_of_all
from wmsketch.readers.options import ReaderOptions
from wmsketch.readers.packets import PacketRows
from wmsketch.readers.recognise import format_of_content, format_of_name, has_json_rows
from wmsketch.readers.rejects import RejectBatch, RejectRules, Rejects
from wmsketch.readers.rows_of_format import Rows, rows_of_format
from wmsketch.readers.schema import parse_pair
from wmsketch.readers.text_rows import TextRows

ITEMS = format_names("columns", "words", "packets")  # formats whose rows have items
_AHEAD = 4  # blocks of each side to read before the first is learned: all of a small file


@dataclass(frozen=True, kw_only=True)
class ItemOptions:
    """Which parts of an input are items.

    `items`: the columns whose values are items, named `column=value` (for captures: see PACKET_COLUMNS); all
    columns of tables by default, except `ignore`. `messages`: columns that are compared by their templates.
    `templates`: templates of log lines, the default for logs; `variable_words` of a `Diff` are those of other
    logs. `lines`: whole lines, the default for other text. `tokens`: words, and sequences of up to `ngrams` words.
    `pairs`: pairs of columns like "src:dport" whose values are also counted together. `weight`: a column with the
    amount of each row; for packets, "bytes". `all_ports`: each ephemeral port of packets (32768 and above) is its
    own item, instead of one for all. `where`: a condition that rows with columns must satisfy to count.
    """

    format: str | None = None
    items: Sequence[str] = ()
    ignore: Sequence[str] = ()
    left_out: Sequence[str] = ()  # as `ignore`; like `messages`, a file may lack them
    messages: Sequence[str] = ()
    pairs: Sequence[str] = ()
    templates: bool | None = None  # None: see `log_lines.by_template`
    variable_words: Sequence[str] | None = None  # templates with <word>; None: from the first lines
    lines: bool = False
    tokens: bool = False
    weight: str | None = None
    ngrams: int = 1
    lowercase: bool = False
    delimiter: str | None = None
    columns: Sequence[str] = ()
    all_ports: bool = False
    bad_rows: Literal["stop", "skip"] | None = None
    na: Sequence[str] = ()
    encoding: str | None = None
    where: str | None = None
    rejects: Rejects | None = None  # counts the skipped rows
    name_seed: int | None = None  # with which names are hashed

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in ITEMS:
            raise ParameterError("format", f"must be one of {', '.join(ITEMS)}", self.format)
        ways = [name for name in ("items", "templates", "lines", "tokens") if getattr(self, name)]
        if len(ways) > 1:
            raise ParameterError(ways[0], f"and {{{ways[1]}}} cannot be combined")
        as_text = self.templates or self.lines or self.tokens
        if as_text and (self.pairs or self.weight):
            raise ParameterError("pairs" if self.pairs else "weight", "needs columns or packets")
        if as_text and self.where:
            raise ParameterError("where", "needs columns, which lines and words do not have")

    def format_of(self, stream: ByteStream) -> str:
        """Return the format of an input: as given, or from its name, or from its first bytes; unknown text is text."""
        if self.format or self.templates or self.lines or self.tokens:
            return self.format or "text"
        named = "pcap" if FORMATS["pcap"].begins(stream.look()) else format_of_name(stream.name)
        if named is None and self.items:
            named = format_of_content(stream.look(), stream.name)
        if named in (None, "text") and has_json_rows(stream.look(lines=True)):
            return "jsonl"  # a log of JSON rows
        return named if named in (*COLUMNAR, "pcap") else "text"

    @property
    def takes_all_columns(self) -> bool:
        """Whether every column of a table is compared."""
        return not (self.items or self.pairs or self.templates or self.lines or self.tokens)

    @property
    def may_lack(self) -> Sequence[str]:
        """The named columns that rows need not have."""
        return [*self.ignore, *self.left_out, *self.messages]

    def reject_rules(self) -> RejectRules:
        """Return which rows are skipped, and whether all of them are reported."""
        return RejectRules(self.bad_rows, keep_all=self.rejects is not None and self.rejects.keeps_all)

    def rows(self, format: str, first: ByteStream, split: str | None) -> Rows:
        """Return the reader; with `split`, rows also have the value of that column."""
        for name in ("bad_rows", "na", "encoding", "where") if format == "pcap" else ():
            if getattr(self, name) not in ("stop", (), None):
                raise ParameterError(name, "cannot be used with packets", place=first.name)
        if format == "pcap":
            pairs = [parse_pair("pairs", pair) for pair in self.pairs]
            return PacketRows(self.items, pairs, self.weight, all_ports=self.all_ports, name_seed=self.name_seed)
        if format == "text":
            if self.tokens:
                return TextRows(
                    _core.PlainTextParser(ngrams=self.ngrams, lowercase=self.lowercase, name_seed=self.name_seed),
                    Findings,
                    rules=self.reject_rules(),
                )
            if self.items or self.pairs or self.weight or self.where or split:
                raise ValueError(f"{first.name} is read as text, which has no columns; set its format")
            return TextRows(self._line_parser(), Findings, rules=self.reject_rules())
        inside = [name for pair in self.pairs for name in parse_pair("pairs", pair)]
        columns = [*self.items, *inside, *([split] if split else [])]
        options = ReaderOptions(
            weight=self.weight or "",
            features=[] if self.takes_all_columns else columns,
            ignore=[*self.ignore, *self.left_out],
            may_lack=[*self.left_out, *self.messages],
            text=list(self.messages),
            templates=bool(self.messages),
            variable_words=list(self.variable_words or ()) if self.messages else (),
            only_categories=True,
            interactions=list(self.pairs),
            delimiter=self.delimiter if "delimiter" in FORMATS[format].options else None,
            columns=self.columns if "columns" in FORMATS[format].options else (),
            na=self.na,
            where=self.where,
            name_seed=self.name_seed,
        )
        return rows_of_format(format, first, options, CHUNK_BYTES, self.reject_rules())

    def _line_parser(self) -> _core.LogLineParser | _core.WholeLineParser:
        if not self.templates:
            return _core.WholeLineParser(self.name_seed)
        parser = _core.LogLineParser(self.name_seed)
        parser.replace_words(list(self.variable_words or ()))
        return parser

    def in_own_words(self, problem: BadInput, split: str | None) -> BadInput:
        """Return a reader's error about a column, with the parameter that names the column here."""
        inside = [name for pair in self.pairs for name in parse_pair("pairs", pair)]
        return problem.as_asked(items=self.items, pairs=inside, split=[split or ""])


@dataclass
class Side:
    """One stream: its blocks, read ahead, and how much is left."""

    paths: list[str]
    options: ItemOptions
    split: str | None = None  # the column that assigns rows to streams
    only: int | None = None  # the key of that column's value
    total: int | None = None  # rows, if they were counted before
    block: _core.RowBlock | None = None
    row: int = 0
    taken: int = 0  # rows learned
    problem: BadInput | None = None
    bytes_read: int = 0
    bytes_total: int | None = None
    _waiting: deque[_core.RowBlock] = field(default_factory=deque)
    _fetched: int = 0
    _share_read: float | None = None
    _blocks: Generator[tuple[_core.RowBlock, int], None, None] | None = None
    tells_rejects: bool = True
    held_rejects: list[RejectBatch] | None = None  # until it is known that this side is not read again
    opened: dict[str, ByteStream] = field(default_factory=dict)  # pipes that were looked at
    _ended: bool = False

    @property
    def is_pipe(self) -> bool:
        return stored_size_of_all(self.paths) is None

    def open(self) -> None:
        """Open the input, if this was not done; another thread reads it from the first block on."""
        if self._blocks is None:
            self.bytes_total = stored_size_of_all(self.paths)
            self._blocks = read_ahead(self._read_in_own_words(), depth=_AHEAD)

    def look_ahead(self, n_blocks: int) -> None:
        """Wait for the first blocks of a file."""
        while self.bytes_total is not None and len(self._waiting) < n_blocks and self._fetch():
            pass

    def first_blocks(self) -> Iterator[_core.RowBlock]:
        """Yield the first blocks, which stay, as soon as each is read."""
        at = 0
        while at < len(self._waiting) or (at < _AHEAD and self._fetch()):
            yield self._waiting[at]
            at += 1

    def has_read(self, n_rows: int) -> bool:
        """Whether so many rows were read, or all."""
        return self._ended or self._fetched >= n_rows

    def _read_in_own_words(self) -> Iterator[tuple[_core.RowBlock, int]]:
        try:
            yield from self._read()
        except BadInput as problem:
            raise self.options.in_own_words(problem, self.split) from problem

    def _read(self) -> Iterator[tuple[_core.RowBlock, int]]:
        rows: Rows | None = None
        before = 0
        for path in self.paths:
            with self.opened.pop(path, None) or open_stream(path, self.options.encoding) as stream:
                rows = rows or self.options.rows(self.options.format_of(stream), stream, self.split)
                for block in rows.blocks(stream):
                    self._count_rejected(rows)
                    yield block, before + stream.bytes_read
                self._count_rejected(rows)
                before += stream.bytes_read
        if rows is not None and self.options.rejects is not None and self.tells_rejects:
            self.options.rejects.assume(rows.findings().doubts)
        # JSON rows may lack any column, so a misspelt name is detected only at the end
        unseen = [] if rows is None else rows.findings().unseen_names
        unseen = [name for name in unseen if name not in self.options.may_lack]
        if unseen:
            where = ", ".join(self.paths)
            raise BadInput(
                f"no row has the column {unseen[0]!r}", where, fault="column", name=unseen[0], option="features"
            )

    def _count_rejected(self, rows: Rows) -> None:
        rejected = rows.take_rejected()
        if self.held_rejects is not None:
            self.held_rejects.append(rejected)
        elif self.options.rejects is not None and self.tells_rejects:
            self.options.rejects.add(rejected)

    def tell_rejects(self) -> None:
        """Report the rows that were skipped while this was not sure to be the last reading."""
        for rejected in self.held_rejects or ():
            if self.options.rejects is not None and self.tells_rejects:
                self.options.rejects.add(rejected)

    def _fetch(self) -> bool:
        if self._ended or self._blocks is None:
            return False
        try:
            block, self.bytes_read = next(self._blocks)
        except StopIteration:
            self._ended = True
            return False
        except BadInput as problem:
            self._ended, self.problem = True, problem
            return False
        self._fetched += self._rows_of(block)
        self._waiting.append(block)
        return True

    def _rows_of(self, block: _core.RowBlock) -> int:
        return len(block) if self.only is None else _core.count_rows_with(block, self.only)

    @property
    def left(self) -> float | None:
        """The estimated number of rows left; None for a pipe."""
        if self.total is not None:
            return max(0, self.total - self.taken)
        known = self._fetched - self.taken
        if self._ended:
            return known
        if self.bytes_total is None:
            return None
        return known + self._fetched * max(0.0, self.bytes_total / max(1, self.bytes_read) - 1.0)

    def advance(self) -> bool:
        """Load a block with rows to learn, if there is one."""
        while self.block is None:
            if not self._waiting and not self._fetch():
                return False
            self.block, self.row = self._waiting.popleft(), 0
        return True

    def took(self, row: int, n_rows: int) -> None:
        """Record that the block is learned up to `row`, with `n_rows` rows of this stream."""
        self.row = row
        self.taken += n_rows
        if self.block is not None and row >= len(self.block):
            self.block = None

    def close(self) -> None:
        if self._blocks is not None:
            self._blocks.close()


def fresh(side: Side, *, holds_rejects: bool) -> Side:
    """Return the same stream, to be read from its beginning."""
    held: list[RejectBatch] | None = [] if holds_rejects else None
    return Side(side.paths, side.options, side.split, side.only, side.total, tells_rejects=side.tells_rejects,
                held_rejects=held)  # fmt: skip


def open_both(a: Side, b: Side, n_blocks: int = _AHEAD) -> None:
    """Open both, and read some blocks of files at once, so that the first share is a good estimate."""
    for side in (a, b):
        side.open()
    for n in range(1, n_blocks + 1):
        for side in (a, b):
            side.look_ahead(n)


def share_of(a: Side, b: Side) -> float:
    """Return the share of stream a in the next rows, so that both end together; one half if a size is unknown."""
    left_a, left_b = a.left, b.left
    if left_a is None or left_b is None or left_a + left_b == 0:
        return 0.5
    return left_a / (left_a + left_b)


def arrivals(a: Side, b: Side) -> Iterator[tuple[_core.RowBlock | None, _core.RowBlock | None]]:
    """Yield what has arrived from two pipes: a block of one, of the other, or of both."""
    ready: queue.Queue[tuple[int, _core.RowBlock | None]] = queue.Queue(2 * _AHEAD)

    def pump(number: int, side: Side) -> None:
        side.open()
        while side.advance():
            ready.put((number, side.block))
            side.block = None
        ready.put((number, None))

    for number, side in enumerate((a, b)):
        threading.Thread(target=pump, args=(number, side), name="wmsketch-pipe", daemon=True).start()
    n_open = 2
    kept: tuple[int, _core.RowBlock | None] | None = None
    while n_open or kept:
        number, block = kept or ready.get()
        kept = None
        if block is None:
            n_open -= 1
            continue
        pair: list[_core.RowBlock | None] = [None, None]
        pair[number] = block
        if not ready.empty():
            kept = ready.get()
            if kept[1] is not None and kept[0] != number:
                pair[kept[0]] = kept[1]
                kept = None
        yield pair[0], pair[1]


def sides_of_files(
    a: list[str], b: list[str], options: ItemOptions, opened: dict[str, ByteStream]
) -> tuple[Side, Side]:
    """Return the two streams of two inputs; `opened` has the pipes that were looked at."""
    of_a, of_b = ({path: opened[path] for path in paths if path in opened} for paths in (a, b))
    return Side(a, options, opened=of_a), Side(b, options, opened=of_b)


def sides_of_column(
    paths: list[str], column: str, a: str, b: str, options: ItemOptions, opened: dict[str, ByteStream]
) -> tuple[Side, Side]:
    """Return the rows of one input that have one value of a column, and those that have another.

    A file is read once to count both, and then twice in parallel, so that they mix whatever the order of the rows.
    """
    if a == b:
        raise ValueError(f"a and b must be two values of {column!r}, got {a!r} twice")
    keys = [_core.key_of(f"{column}={value}", options.name_seed) for value in (a, b)]
    # both read all rows, so only one of them reports the skipped rows
    sides = [Side(paths, options, split=column, only=key, tells_rejects=key == keys[0]) for key in keys]
    sides[0].opened = opened  # a pipe is read by the first
    if not sides[0].is_pipe:
        counter = Side(paths, options, split=column, tells_rejects=False)
        counter.open()
        totals = [0, 0]
        while counter.advance() and counter.block is not None:
            totals = [n + _core.count_rows_with(counter.block, key) for n, key in zip(totals, keys, strict=True)]
            counter.block = None
        for side, total in zip(sides, totals, strict=True):
            side.total = total
    return sides[0], sides[1]
