"""The reader of each format, under its name in `wmsketch.formats`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from wmsketch._core import (
    CsvParser,
    JsonLinesParser,
    JsonRowSplitter,
    LibsvmParser,
    PlainTextParser,
    RowBlock,
    RowEncoder,
    VwParser,
)
from wmsketch.formats import EXAMPLES, FORMATS, Format
from wmsketch.late import dataclass
from wmsketch.readers.arrow_rows import IpcRows, ParquetRows
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.column_notes import ColumnNote
from wmsketch.readers.findings import Findings, LackedColumns, findings_of, notes_of_text
from wmsketch.readers.number_style import NumberStyle, number_style_of
from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.options import ReaderOptions
from wmsketch.readers.recognise import Layout, json_rows_of, layout_of
from wmsketch.readers.rejects import STOP, RejectBatch, RejectRules
from wmsketch.readers.text_numbers import SAMPLE_ROWS, take_amounts
from wmsketch.readers.text_rows import TextRows
from wmsketch.readers.variable_words import LOOKED_AT, PATIENCE, words_of_block


class Rows(Protocol):
    """Reads one stream after the other."""

    def blocks(self, stream: ByteStream) -> Iterator[RowBlock]: ...
    def findings(self) -> Findings: ...
    def take_rejected(self) -> RejectBatch: ...


@dataclass(frozen=True)
class Request:
    """The input of a reader; `first` is the stream it reads first."""

    format: Format
    first: ByteStream
    options: ReaderOptions
    chunk_bytes: int
    rules: RejectRules


def rows_of_format(
    format: str, first: ByteStream, options: ReaderOptions, chunk_bytes: int, rules: RejectRules | None = None
) -> Rows:
    """Return the reader of a format; `rules` replace those of the options."""
    if format not in EXAMPLES:
        raise BadInput(f"expected one of the formats {', '.join(EXAMPLES)}, found {format}", first.name)
    options.require_meaning(format, first.name)
    request = Request(FORMATS[format], first, options, chunk_bytes, rules or options.reject_rules())
    rows: Rows = FORMATS[format].load_reader()(request)
    return rows


def labelled_rows(request: Request) -> Rows:
    """Read rows that begin with a label, followed by named features."""
    options = request.options
    make: type[LibsvmParser] | type[VwParser] = request.format.load_parser()
    parser = make(
        positive=options.positive_number(),
        require_labels=options.require_labels,
        many_classes=options.many_classes,
        numeric_label=options.numeric_label,
        name_seed=options.name_seed,
    )
    written = options.positive_text()
    return TextRows(parser, lambda: findings_of(parser, written), request.chunk_bytes, rules=request.rules)


def word_rows(request: Request) -> Rows:
    """Read lines of running text."""
    options = request.options
    words = PlainTextParser(ngrams=options.ngrams, lowercase=options.lowercase, name_seed=options.name_seed)
    return TextRows(words, Findings, request.chunk_bytes, rules=request.rules)


def column_rows(request: Request) -> Rows:
    """Read rows of text with columns. If rows may differ, a missing column may still occur later."""
    make, options = request.format.load_parser(), request.options
    encoder = options.encoder(typed_values=request.format.typed)
    return _column_rows(make(encoder), encoder, request, plain=lambda: make(options.to_find_words().encoder()))


def csv_rows(request: Request) -> Rows:
    """Read CSV: quotes enclose cells, and the header determines the delimiter."""
    return _cell_rows(request, layout_of(request.first.look(lines=True)).delimiter, "strict")


def tsv_rows(request: Request) -> Rows:
    """Read TSV. Most such files have no quoting; some are quoted like csv.

    If quotes enclose a whole cell, both readings agree on where it ends. A lone quote at the beginning is kept; strict
    quoting would read it as the start of a cell of many lines.
    """
    return _cell_rows(request, "\t", "whole_cells")


def parquet_rows(request: Request) -> Rows:
    """Parquet."""
    return ParquetRows(request.options, request.rules)


def arrow_rows(request: Request) -> Rows:
    """Arrow IPC."""
    return IpcRows(request.options, request.rules)


def _cell_rows(request: Request, delimiter: str, quoting: str) -> Rows:
    options = request.options
    delimiter = options.delimiter or delimiter
    style = NumberStyle(options.decimal, options.thousands)
    if style == NumberStyle():
        head = request.first.look(lines=True)
        preamble = layout_of(head, options.delimiter).preamble
        style = number_style_of(head, Layout(delimiter, preamble), bool(options.column_kinds))
        options = replace(options, decimal=style.decimal, thousands=style.thousands)
    notes = [
        ColumnNote("number_style", name, {"first": first})
        for name, first in style.columns
        if name not in (*options.categorical, *options.ignore)
    ]

    def parser(encoder: RowEncoder) -> CsvParser:
        return CsvParser(
            encoder,
            delimiter=delimiter,
            columns=list(options.columns),
            quoting=quoting if options.quoting is None else "strict" if options.quoting else "none",
            decimal=options.decimal,
            thousands=options.thousands,
        )

    encoder = options.encoder()
    if delimiter in (options.decimal, options.thousands):  # numbers need quotes, which do not make them text
        head = request.first.look(lines=True)
        first = parser(options.encoder())
        STOP.apply(first)
        _lay_out(first, head, options.delimiter)
        first.feed(head[: head.rfind(b"\n") + 1], False)
        numbers = dict.fromkeys(first.quoted_numbers, "number")
        encoder = replace(options, column_kinds={**numbers, **(options.column_kinds or {})}).encoder()
    plain = partial(_plain_parser, parser, options)
    return _column_rows(parser(encoder), encoder, request, guesses=True, notes=notes, plain=plain)


def _plain_parser(parser: Callable[[RowEncoder], CsvParser], options: ReaderOptions) -> CsvParser:
    return parser(options.to_find_words().encoder())


def _lay_out(parser: CsvParser, head: bytes, delimiter: str | None) -> int:
    """Tell a parser the layout of a file that begins so; return the number of lines before its header."""
    layout = layout_of(head, delimiter)
    parser.set_preamble(layout.preamble)
    parser.set_blanks(layout.has_blanks(head))
    return layout.preamble


def _column_rows(
    parser: CsvParser | JsonLinesParser,
    encoder: RowEncoder,
    request: Request,
    *,
    plain: Callable[[], CsvParser | JsonLinesParser],
    guesses: bool = False,
    notes: Sequence[ColumnNote] = (),
) -> Rows:
    """Return the reader. `plain` makes a parser of the columns of messages as they are."""
    written = request.options.positive_text()
    words = request.options.variable_words
    looks_for_words = bool(request.options.find_words and request.options.templates and not words)
    assumed = list(notes)
    lacked = LackedColumns(request.options.features, request.options.ignore)

    def check(file: str) -> None:
        if encoder.column_names:  # otherwise the first line is bad, and the parser has a better message
            if isinstance(parser, CsvParser):
                lacked.see(parser.columns, file)
            request.options.require_columns(encoder.column_names, file, every=request.format.same_columns)

    def findings() -> Findings:
        found = findings_of(encoder, written)
        of_text = notes_of_text(parser)
        amounts = {note.column for note in of_text if note.code == "amounts"}  # which may have commas
        of_style = [note for note in assumed if note.code != "number_style" or note.column not in amounts]
        doubts = (*found.doubts, *of_style, *of_text)
        return found._replace(doubts=doubts, lacked=tuple(lacked.notes), variable_words=tuple(words))

    def begin(stream: ByteStream) -> None:
        if isinstance(parser, CsvParser):
            if preamble := _lay_out(parser, stream.look(lines=True), request.options.delimiter):
                assumed.append(ColumnNote("preamble", fields={"file": stream.name, "count": preamble}))
        else:
            split_json(stream)
            assumed.extend(note for note in _amounts_in(stream, encoder, request.options) if note not in assumed)
        nonlocal words, looks_for_words
        if looks_for_words:
            words = _words_of(stream, plain(), request.options)
            encoder.replace_words(list(words))
            looks_for_words = False  # the first file decides
        if stream.encoding:
            assumed.append(ColumnNote("encoding", fields={"file": stream.name, "encoding": stream.encoding}))

    return TextRows(parser, findings, request.chunk_bytes, guesses, check, request.rules, begin)


def _words_of(stream: ByteStream, parser: CsvParser | JsonLinesParser, options: ReaderOptions) -> tuple[str, ...]:
    """Look at the first rows for words that vary in columns of messages."""
    if stream.bytes_total is None and type(stream) is not ByteStream:
        return ()  # a log of records, which is not looked into
    head = stream.look(LOOKED_AT, lines=True, patience=PATIENCE)
    if isinstance(parser, CsvParser):
        parser.set_preamble(layout_of(head, options.delimiter).preamble)
    RejectRules("skip", "skip", False).apply(parser)
    whole = head if head.endswith(b"\n") or len(head) < LOOKED_AT else head[: head.rfind(b"\n") + 1]
    return words_of_block(parser.feed(whole, True), options)


def _amounts_in(stream: ByteStream, encoder: RowEncoder, options: ReaderOptions) -> list[ColumnNote]:
    """Look at the first rows of JSON for columns of amounts, and let the encoder read them as numbers."""
    lines = stream.look(lines=True).splitlines(keepends=True)[:SAMPLE_ROWS]
    parser = JsonLinesParser(RowEncoder())
    RejectRules("skip", "skip", False).apply(parser)
    return take_amounts(encoder, parser.feed(b"".join(line for line in lines if line.endswith(b"\n")), True), options)


def split_json(stream: ByteStream) -> None:
    """Put each row of a JSON document on its own line, unless it is so already."""
    if stream.bytes_total is None and type(stream) is not ByteStream:
        return  # a log of records, which may be read again from any of them
    if rows := json_rows_of(stream.look(lines=True)):
        stream.convert(JsonRowSplitter(rows).feed)
