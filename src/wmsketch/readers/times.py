"""Dates and times as text, in the same form as in files."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from typing import Any

TIME_PARTS = ("hour", "weekday", "month")  # of a column of times, each a feature like at.hour=21


def text_of_time(value: Any) -> str | None:
    """Return the text of a date or time; None if it is missing.

    A day, and its midnight, is written as 2024-05-17; other times as 2024-05-17 08:30:00, with a fraction if
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


def seconds_of(duration: Any) -> float:
    """Return the seconds of a duration; NaN if it is missing.

    >>> from datetime import timedelta
    >>> seconds_of(timedelta(minutes=2, milliseconds=500))
    120.5
    """
    if duration != duration:  # numpy.timedelta64("NaT")
        return math.nan
    if hasattr(duration, "total_seconds"):
        return float(duration.total_seconds())
    return float(duration.astype("timedelta64[ns]").astype(float) / 1e9)
