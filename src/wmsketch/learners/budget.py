"""Bytes as people write them."""

from __future__ import annotations

import re

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def parse_bytes(budget: int | str) -> int:
    """Return a number of bytes.

    >>> parse_bytes("8KiB"), parse_bytes("1.5 MB"), parse_bytes(512)
    (8192, 1500000, 512)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(budget))
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None or isinstance(budget, bool):
        raise ValueError(f"budget must be a number of bytes like 8192, '8KiB' or '1.5MB', got {budget!r}")
    return int(float(match[1]) * unit)
