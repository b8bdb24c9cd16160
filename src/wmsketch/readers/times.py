"""Dates and times as text, in the way that files are read."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any


def text_of_time(value: Any) -> str | None:
    """Return the text of a date or time; None for one that is missing.

    A day is written as 2024-05-17, and so is its midnight; other moments as 2024-05-17 08:30:00, with a fraction where
    there is one. A time with a zone is written in UTC.

    >>> from datetime import datetime
    >>> text_of_time(datetime(2024, 5, 17)), text_of_time(datetime(2024, 5, 17, 8, 30, 0, 250_000))
    ('2024-05-17', '2024-05-17 08:30:00.25')
    """
    if value != value:  # NaT
        return None
    if hasattr(value, "astype"):  # numpy.datetime64
        value = value.astype("datetime64[us]").item()
    if not isinstance(value, datetime):
        return value.isoformat() if isinstance(value, date) else str(value)
    if value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    nanoseconds = getattr(value, "nanosecond", 0)  # pandas
    text = f"{value:%Y-%m-%d}" if value.year > 999 else f"{value.year:04d}-{value:%m-%d}"
    if value.hour or value.minute or value.second or value.microsecond or nanoseconds:
        text += f" {value:%H:%M:%S}"
    fraction = f"{value.microsecond:06d}{nanoseconds:03d}".rstrip("0")
    return f"{text}.{fraction}" if fraction else text
