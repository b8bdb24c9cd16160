"""The reader of each format."""

from collections.abc import Iterator
from typing import Protocol

from wmsketch._core import CsvParser, JsonLinesParser, LibsvmParser, PlainTextParser, RowBlock, VwParser
from wmsketch.readers.arrow_rows import IpcRows, ParquetRows
from wmsketch.readers.formats import delimiter_of
from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.options import ReaderOptions
from wmsketch.readers.text_rows import TextRows


class Rows(Protocol):
    """Reads one stream after the other."""

    def blocks(self, stream: ByteStream) -> Iterator[RowBlock]: ...


def rows_of_format(format: str, first: ByteStream, options: ReaderOptions, chunk_bytes: int) -> Rows:
    """The reader of a format; `first` is the stream it will read first."""
    options.require_meaning(format)
    if format == "libsvm":
        positive = options.positive_number()
        return TextRows(LibsvmParser(positive=positive, require_labels=options.require_labels), chunk_bytes)
    if format == "vw":
        positive = options.positive_number()
        return TextRows(VwParser(positive=positive, require_labels=options.require_labels), chunk_bytes)
    if format == "text":
        return TextRows(PlainTextParser(ngrams=options.ngrams, lowercase=options.lowercase), chunk_bytes)
    encoder = options.encoder()
    if format == "parquet":
        return ParquetRows(encoder, options.require_columns)
    if format == "arrow":
        return IpcRows(encoder, options.require_columns)

    def check(file: str) -> None:
        # rows of JSON may differ, so that a column that is not there yet may still come
        options.require_columns(encoder.column_names, file, every=format != "jsonl")

    if format == "jsonl":
        return TextRows(JsonLinesParser(encoder), chunk_bytes, check=check)
    delimiter = options.delimiter or ("\t" if format == "tsv" else delimiter_of(first.look()))
    parser = CsvParser(encoder, delimiter=delimiter, columns=list(options.columns))
    return TextRows(parser, chunk_bytes, full_chunks=True, check=check)
