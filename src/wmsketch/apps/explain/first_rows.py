"""What the first rows tell about columns: which are nearly unique, and which restate the condition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wmsketch import _core
from wmsketch.apps.nearly_unique import is_nearly_unique
from wmsketch.readers.restating import FEWEST_NUMBERS, Values, columns_of, is_text, numbers_of, restates


def _is_unique(values: Values) -> bool:
    if not is_text(values) or not is_nearly_unique(values.values()):
        return False
    return is_nearly_unique(list(map(str, values.values())))  # a number may have the text of another value


def judge_columns(blocks: Iterable[_core.RowBlock], asked: Sequence[str]) -> dict[str, str]:
    """Return "unique" for text columns that nearly never repeat a value, "restates" for copies of an asked column.

    A column restates another if its values are those of consecutive intervals of the other's numbers, as minutes late
    and "late by more than 15 minutes" restate the delay.

    >>> rows = "".join(f"{ms},{ms >= 90},{ms % 7},id{ms}\\n" for ms in range(200))
    >>> block = _core.CsvParser(_core.RowEncoder()).feed(("ms,slow,host,id\\n" + rows).encode(), final=True)
    >>> judge_columns([block], ["ms"])
    {'id': 'unique', 'slow': 'restates'}
    """
    columns = columns_of(blocks)
    found = {name: "unique" for name, values in columns.items() if name not in asked and _is_unique(values)}
    for each in asked:
        numbers = numbers_of(columns.get(each, {}))
        if len(set(numbers.values())) < FEWEST_NUMBERS:
            continue
        for name, values in columns.items():
            if name not in asked and name not in found and restates(values, numbers):
                found[name] = "restates"
    return found
