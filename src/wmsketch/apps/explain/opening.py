"""Open an input whose first rows tell which columns are attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmsketch.apps.explain.percentiles import can_be_read_again, name_of
from wmsketch.readers import BadInput
from wmsketch.readers.restating import ROWS_JUDGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wmsketch import _core
    from wmsketch.apps.explain.reading import ReadsRows
    from wmsketch.readers import Examples


def may_look(explainer: ReadsRows, source: Any) -> bool:
    """Whether the first rows of a source decide about columns."""
    decided = explainer.attributes or explainer._n_read
    return not decided and name_of(source) is not None and can_be_read_again(source)


def look_at_first_rows(explainer: ReadsRows, examples: Examples) -> list[_core.RowBlock] | None:
    """Look for columns that are no attributes. Return the blocks, or None if there is a row that cannot be read."""
    first: list[_core.RowBlock] = []
    numbers: Sequence[str] = ()
    readable = True
    try:
        for block in examples:
            first.append(block)
            numbers = examples.numbers()
            if sum(map(len, first)) >= ROWS_JUDGED:
                break
    except BadInput:  # reading all rows raises it again
        readable = False
    explainer._take_found_words()
    explainer._leave_out(first)
    explainer._judged = True
    # odd values of numbers are told of
    explainer._unread = [name for name in explainer._left_out if name not in numbers]
    return first if readable else None


def open_once(explainer: ReadsRows, source: Any, format: str | None = None, **options: Any) -> Examples:
    """Choose the columns and open the source; the rows looked at are read once, if all columns are to be read."""
    if options.get("rejects") or not may_look(explainer, source):
        explainer.choose_columns(source, format, **options)
        return explainer.open(source, format, **options)
    before = explainer._reader_options()
    examples = explainer.open(source, format, **options)
    first = look_at_first_rows(explainer, examples)
    if first is None or explainer._reader_options() != before:
        examples.close()
        return explainer.open(source, format, **options)
    examples.put_back(first)
    return examples
