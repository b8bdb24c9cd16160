"""The reader of each format, under the name that `wmsketch.formats` gives it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from wmsketch._core import CsvParser, JsonLinesParser, LibsvmParser, PlainTextParser, RowBlock, RowEncoder, VwParser
from wmsketch.formats import EXAMPLES, FORMATS, Format
from wmsketch.readers.arrow_rows import IpcRows, ParquetRows
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.findings import Findings, LackedColumns, NearlyNumbers, findings_of
from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.options import ReaderOptions
from wmsketch.readers.recognise import delimiter_of
from wmsketch.readers.rejects import RejectBatch, RejectRules
from wmsketch.readers.text_rows import TextRows


class Rows(Protocol):
    """Reads one stream after the other."""

    def blocks(self, stream: ByteStream) -> Iterator[RowBlock]: ...
    def findings(self) -> Findings: ...
    def take_rejected(self) -> RejectBatch: ...


@dataclass(frozen=True)
class Request:
    """What a reader is made for; `first` is the stream it will read first."""

    format: Format
    first: ByteStream
    options: ReaderOptions
    chunk_bytes: int
    rules: RejectRules


def rows_of_format(
    format: str, first: ByteStream, options: ReaderOptions, chunk_bytes: int, rules: RejectRules | None = None
) -> Rows:
    """The reader of a format; `rules` stand in for those of the options."""
    if format not in EXAMPLES:
        raise BadInput(f"expected one of the formats {', '.join(EXAMPLES)}, found {format}", first.name)
    options.require_meaning(format, first.name)
    request = Request(FORMATS[format], first, options, chunk_bytes, rules or options.reject_rules())
    rows: Rows = FORMATS[format].load_reader()(request)
    return rows


def labelled_rows(request: Request) -> Rows:
    """Rows that begin with a label, whose features say themselves what they are."""
    options = request.options
    make: type[LibsvmParser] | type[VwParser] = request.format.load_parser()
    parser = make(
        positive=options.positive_number(),
        require_labels=options.require_labels,
        many_classes=options.many_classes,
        name_seed=options.name_seed,
    )
    written = options.positive_text()
    return TextRows(parser, lambda: findings_of(parser, written), request.chunk_bytes, rules=request.rules)


def word_rows(request: Request) -> Rows:
    """Lines of running text."""
    options = request.options
    words = PlainTextParser(ngrams=options.ngrams, lowercase=options.lowercase, name_seed=options.name_seed)
    return TextRows(words, Findings, request.chunk_bytes, rules=request.rules)


def column_rows(request: Request) -> Rows:
    """Rows of text with columns. Where they may differ, a column that is not there yet may still come."""
    encoder = request.options.encoder(typed_values=request.format.typed)
    return _column_rows(request.format.load_parser()(encoder), encoder, request)


def csv_rows(request: Request) -> Rows:
    """CSV: quotes enclose cells, and the header shows what separates them."""
    return _cell_rows(request, delimiter_of(request.first.look()), "strict")


def tsv_rows(request: Request) -> Rows:
    """TSV. Most such files have no quoting, some have that of csv.

    Where quotes enclose all of a cell both agree on where it ends; a lone quote in front, which strict quoting would
    take for the start of many lines, is kept.
    """
    return _cell_rows(request, "\t", "whole_cells")


def parquet_rows(request: Request) -> Rows:
    """Parquet."""
    options = request.options
    return ParquetRows(options.encoder(), options.require_columns, options.positive_text(), request.rules)


def arrow_rows(request: Request) -> Rows:
    """Arrow IPC."""
    options = request.options
    return IpcRows(options.encoder(), options.require_columns, options.positive_text(), request.rules)


def _cell_rows(request: Request, delimiter: str, quoting: str) -> Rows:
    options = request.options
    encoder = options.encoder()
    cells = CsvParser(
        encoder,
        delimiter=options.delimiter or delimiter,
        columns=list(options.columns),
        quoting=quoting if options.quoting is None else "strict" if options.quoting else "none",
        decimal=options.decimal,
        thousands=options.thousands,
    )
    return _column_rows(cells, encoder, request, guesses=True)


def _column_rows(
    parser: CsvParser | JsonLinesParser,
    encoder: RowEncoder,
    request: Request,
    *,
    guesses: bool = False,
) -> Rows:
    written = request.options.positive_text()

    lacked = LackedColumns(request.options.features, request.options.ignore)

    def check(file: str) -> None:
        if encoder.column_names:  # else the first line is bad, which the parser says better
            if isinstance(parser, CsvParser):
                lacked.see(parser.columns, file)
            request.options.require_columns(encoder.column_names, file, every=request.format.same_columns)

    def findings() -> Findings:
        found = findings_of(encoder, written)
        if not isinstance(parser, CsvParser):
            return found
        doubts = tuple(NearlyNumbers(*each) for each in parser.nearly_numbers)
        return found._replace(doubts=doubts, lacked=tuple(lacked.notes))

    return TextRows(parser, findings, request.chunk_bytes, guesses=guesses, check=check, rules=request.rules)
