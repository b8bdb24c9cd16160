"""Log lines: whether a text is a log, whose lines are compared by their templates, and an example of each template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from wmsketch import _core
from wmsketch.apps.diff.first_part import FirstPart
from wmsketch.apps.diff.inputs import ItemOptions
from wmsketch.apps.diff.rows import Difference
from wmsketch.readers import expand_paths, open_stream
from wmsketch.readers.open_stream import CHUNK_BYTES, Paths, stored_size_of_all
from wmsketch.readers.variable_words import LOOKED_AT, words_in

_LOOKED_AT = 1 << 18  # bytes of a file, to recognise a log
_LEARNED_FROM = LOOKED_AT  # bytes of each side, to find the words that vary
_FEWEST_LINES = 20
_MOST_DISTINCT = 0.5  # templates for each distinct line, in a log
WORDS = 3  # a line of a log has at least this many


def by_template(a: list[str], b: list[str], options: ItemOptions, first: FirstPart, most_bytes: int) -> ItemOptions:
    """Return the options with `templates` decided: whether both inputs are logs, if nothing else was chosen.

    The words that vary in templates are decided here too, by the first lines of both, in at most `most_bytes`.
    """
    if options.templates is None and options.takes_all_columns and not (options.weight or options.where):
        is_text = all(_is_text(path, options, first) for path in (*a, *b))
        options = replace(options, templates=is_text and is_log(first.lines(_LOOKED_AT, *a, *b)))
    if not options.templates or options.variable_words is not None:
        return options
    lines: list[bytes] = []
    for paths in (a, b):
        seen = [path for path in paths if first.can_open(path)]
        lines += first.lines(_LEARNED_FROM // max(1, len(seen)), *seen)
    return replace(options, variable_words=words_in(lines, most_bytes))


def _is_text(path: str, options: ItemOptions, first: FirstPart) -> bool:
    if not first.can_open(path):
        return False
    with first.open(path) as stream:
        return options.format_of(stream) == "text"


def is_log(lines: list[bytes]) -> bool:
    """Return whether lines are of a log: nearly every one is unique, and far fewer templates explain them.

    A file of single words, addresses or numbers is a list of items, not a log.

    >>> is_log([b"2024-05-17 10:11:12 request %d served" % i for i in range(40)]), is_log([b"10.0.0.1"] * 40)
    (True, False)
    """
    distinct = set(lines)
    if len(lines) < _FEWEST_LINES or len(distinct) < len(lines) / 2:
        return False
    distinct = {line for line in distinct if len(line.split()) >= WORDS}
    if len(distinct) < len(lines) / 2:
        return False
    templates = {_core.line_template(line) for line in distinct}
    return len(templates) <= _MOST_DISTINCT * len(distinct)


def with_examples(
    rows: Sequence[Difference], *paths: Paths, variable_words: Sequence[str] = (), encoding: str | None = None
) -> list[Difference]:
    """Return the rows with the first line of each template, found by reading the files again.

    Pipes cannot be read again: then the rows are returned as they are.
    """
    expanded = list(chain.from_iterable(map(expand_paths, paths)))
    if not rows or stored_size_of_all(expanded) is None:
        return list(rows)
    parser = _core.LogLineParser()
    parser.replace_words(list(variable_words))
    names = [str(row.feature).removesuffix("…") if row.shortened else str(row.feature) for row in rows]
    parser.look_for(names, [row.shortened for row in rows])
    for path in expanded:
        with open_stream(path, encoding) as stream:
            parser.next_file()
            for chunk in stream.chunks(CHUNK_BYTES):
                parser.feed(chunk, False)
                if not parser.n_missing:
                    break
            parser.feed(b"", True)
        if not parser.n_missing:
            break
    return [replace(row, example=parser.example(i) or None) for i, row in enumerate(rows)]
