"""Times in the form that readers use."""

from __future__ import annotations

import pandas as pd


def as_readers_write(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with UTC times in the form of readers: a blank before the time of day, and none at midnight.

    >>> table = pd.DataFrame({"at": ["2024-03-01T08:00:00Z", "2024-03-01T00:00:00Z", "Total: 3"]})
    >>> as_readers_write(table)["at"].tolist()
    ['2024-03-01 08:00:00', '2024-03-01', 'Total: 3']
    """
    one_form = table.replace(r"^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)Z?$", r"\1 \2", regex=True)
    return one_form.replace(r"^(\d{4}-\d\d-\d\d) 00:00:00$", r"\1", regex=True)
