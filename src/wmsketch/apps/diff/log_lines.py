"""Log lines: whether a text is a log, whose lines are compared by their templates, and an example of each template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from wmsketch import _core
from wmsketch.apps.diff.inputs import ItemOptions
from wmsketch.apps.diff.rows import Difference
from wmsketch.readers import expand_paths, open_stream
from wmsketch.readers.open_stream import CHUNK_BYTES, Paths, stored_size_of_all

_LOOKED_AT = 1 << 18  # bytes of a file
_FEWEST_LINES = 20
_MOST_DISTINCT = 0.5  # templates for each distinct line, in a log
_WORDS = 3  # a line of a log has at least this many


def by_template(a: list[str], b: list[str], options: ItemOptions) -> ItemOptions:
    """Return the options with `templates` decided: whether both inputs are logs, if nothing else was chosen."""
    if options.templates is not None or not options.takes_all_columns or options.weight or options.where:
        return options
    return replace(options, templates=all(_is_text(path, options) for path in (*a, *b)) and is_log(a, b))


def _is_text(path: str, options: ItemOptions) -> bool:
    if stored_size_of_all([path]) is None:
        return False  # a pipe
    with open_stream(path, options.encoding) as stream:
        return options.format_of(stream) == "text"


def is_log(*paths: Paths) -> bool:
    """Return whether files are logs: nearly every line is unique, and far fewer templates explain them.

    A file of single words, addresses or numbers is a list of items, not a log.
    """
    lines: list[bytes] = []
    for path in chain.from_iterable(map(expand_paths, paths)):
        with open_stream(path) as stream:
            lines += next(stream.chunks(_LOOKED_AT), b"").splitlines()
    distinct = {line for line in lines if len(line.split()) >= _WORDS}
    if len(lines) < _FEWEST_LINES or len(distinct) < len(lines) / 2:
        return False
    templates = {_core.line_template(line) for line in distinct}
    return len(templates) <= _MOST_DISTINCT * len(distinct)


def with_examples(rows: Sequence[Difference], *paths: Paths) -> list[Difference]:
    """Return the rows with the first line of each template, found by reading the files again.

    Pipes cannot be read again: then the rows are returned as they are.
    """
    expanded = list(chain.from_iterable(map(expand_paths, paths)))
    if not rows or stored_size_of_all(expanded) is None:
        return list(rows)
    parser = _core.LogLineParser()
    names = [str(row.feature).removesuffix("…") if row.shortened else str(row.feature) for row in rows]
    parser.look_for(names, [row.shortened for row in rows])
    for path in expanded:
        with open_stream(path) as stream:
            parser.next_file()
            for chunk in stream.chunks(CHUNK_BYTES):
                parser.feed(chunk, False)
                if not parser.n_missing:
                    break
            parser.feed(b"", True)
        if not parser.n_missing:
            break
    return [replace(row, example=parser.example(i) or None) for i, row in enumerate(rows)]
