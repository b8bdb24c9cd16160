"""The reader of each format."""

from collections.abc import Iterator
from typing import Protocol

from wmsketch._core import CsvParser, JsonLinesParser, LibsvmParser, PlainTextParser, RowBlock, VwParser
from wmsketch.readers.arrow_rows import IpcRows, ParquetRows
from wmsketch.readers.findings import Findings, NearlyNumbers, findings_of
from wmsketch.readers.formats import delimiter_of
from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.options import ReaderOptions
from wmsketch.readers.rejects import RejectBatch, RejectRules
from wmsketch.readers.text_rows import TextRows


class Rows(Protocol):
    """Reads one stream after the other."""

    def blocks(self, stream: ByteStream) -> Iterator[RowBlock]: ...
    def findings(self) -> Findings: ...
    def take_rejected(self) -> RejectBatch: ...


def rows_of_format(
    format: str, first: ByteStream, options: ReaderOptions, chunk_bytes: int, rules: RejectRules | None = None
) -> Rows:
    """The reader of a format; `first` is the stream it will read first. `rules` stand in for those of the options."""
    options.require_meaning(format, first.name)
    written, rules = options.positive_text(), rules or options.reject_rules()
    if format in ("libsvm", "vw"):
        make = LibsvmParser if format == "libsvm" else VwParser
        parser = make(
            positive=options.positive_number(),
            require_labels=options.require_labels,
            many_classes=options.many_classes,
            name_seed=options.name_seed,
        )
        return TextRows(parser, lambda: findings_of(parser, written), chunk_bytes, rules=rules)
    if format == "text":
        words = PlainTextParser(ngrams=options.ngrams, lowercase=options.lowercase, name_seed=options.name_seed)
        return TextRows(words, Findings, chunk_bytes, rules=rules)
    encoder = options.encoder(typed_values=format == "jsonl")
    if format in ("parquet", "arrow"):
        return (ParquetRows if format == "parquet" else IpcRows)(encoder, options.require_columns, written, rules)

    def check(file: str) -> None:
        # rows of JSON may differ, so that a column that is not there yet may still come
        if encoder.column_names:  # else the first line is bad, which the parser says better
            options.require_columns(encoder.column_names, file, every=format != "jsonl")

    def findings() -> Findings:
        found = findings_of(encoder, written)
        return found._replace(doubts=tuple(NearlyNumbers(*each) for each in cells.nearly_numbers)) if cells else found

    cells: CsvParser | None = None
    if format == "jsonl":
        return TextRows(JsonLinesParser(encoder), findings, chunk_bytes, check=check, rules=rules)
    cells = CsvParser(
        encoder,
        delimiter=options.delimiter or ("\t" if format == "tsv" else delimiter_of(first.look())),
        columns=list(options.columns),
        quoting=_QUOTING[format if options.quoting is None else options.quoting],
    )
    return TextRows(cells, findings, chunk_bytes, guesses=True, check=check, rules=rules)


# Most tab-separated files have no quoting, some have that of csv. Where quotes enclose all of a cell both agree on
# where it ends; a lone quote in front, which strict quoting would take for the start of many lines, is kept.
_QUOTING: dict[object, str] = {"csv": "strict", "tsv": "whole_cells", True: "strict", False: "none"}
