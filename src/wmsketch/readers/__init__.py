"""Bytes in, rows out: text and columnar formats, compressed or not, in constant memory."""

from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.examples import Examples, open_examples
from wmsketch.readers.findings import LabelNames
from wmsketch.readers.open_stream import ByteStream, expand_paths, open_stream
from wmsketch.readers.pipeline import read_ahead
from wmsketch.readers.positions import Position
from wmsketch.readers.schema import Schema

__all__ = [
    "BadInput",
    "ByteStream",
    "Examples",
    "LabelNames",
    "Position",
    "Schema",
    "expand_paths",
    "open_examples",
    "open_stream",
    "read_ahead",
]
