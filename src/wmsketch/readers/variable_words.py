"""Words that vary in log messages, like names of users: found in the first lines or rows, and replaced by <word>."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wmsketch._core import RowBlock, variable_words

if TYPE_CHECKING:
    from wmsketch.readers.options import ReaderOptions

LOOKED_AT = 1 << 20  # bytes of an input
ROWS_LOOKED_AT = 5_000  # of a data frame
PATIENCE = 1.0  # seconds to wait for the first lines of a pipe
_SHARE = 32  # of a budget that the templates may take
_LEAST_BUDGET = 1 << 14  # with templates


def bytes_for_words(budget: int) -> int:
    """Return how many bytes of a budget are for templates with <word>; none of a very small one.

    >>> bytes_for_words(1 << 20), bytes_for_words(4096)
    (32768, 0)
    """
    return budget // _SHARE if budget >= _LEAST_BUDGET else 0


def size_of_words(found: Iterable[str]) -> int:
    """Return the bytes of templates with <word>.

    >>> size_of_words(["user <word> left"])
    16
    """
    return sum(len(text.encode()) for text in found)


def words_in(lines: Iterable[bytes | str], most_bytes: int) -> tuple[str, ...]:
    """Return the templates of lines in which words vary, with <word> in their place, in at most this many bytes.

    >>> words_in([f"user {name} left" for name in "ann bob cid dan eve fay gus hal ida jim kim leo".split()], 1000)
    ('user <word> left',)
    """
    encoded = [line.encode() if isinstance(line, str) else line for line in lines]
    return tuple(variable_words(encoded, most_bytes))


def words_of_block(block: RowBlock, options: ReaderOptions) -> tuple[str, ...]:
    """Return the templates with <word> of a block whose text columns were read as they are."""
    columns = block.first_columns(len(block))
    values = [str(value) for name in options.text for value in columns.get(name, ((), ()))[1]]
    return words_in(values, options.find_words)
