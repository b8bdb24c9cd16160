"""Times in the form that readers use."""

from __future__ import annotations

import pandas as pd


def as_readers_write(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a blank between date and time of day, as readers write every ISO time.

    >>> as_readers_write(pd.DataFrame({"at": ["2024-03-01T08:00:00Z", "Total: 3"]}))["at"].tolist()
    ['2024-03-01 08:00:00Z', 'Total: 3']
    """
    return table.replace(r"^(\d{4}-\d\d-\d\d)T(\d\d:.*)$", r"\1 \2", regex=True)
