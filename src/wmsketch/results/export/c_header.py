"""A model as a C99 header."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from wmsketch.results.export.frozen import FrozenModel, Target
from wmsketch.results.export.template import filled

_TEMPLATE = "model.h.txt"


def c_header(model: FrozenModel) -> str:
    """Return a header that needs only the C standard library, allocates nothing, and gives the bits of `predict`."""
    columns = model.columns or ()
    negative, positive = model.labels or (None, None)
    target = model.target or Target(poisson=False, centre=0.0, unit=1.0)
    values = {
        "NEGATIVE": _comment(negative),
        "POSITIVE": _comment(positive),
        "POISSON": int(target.poisson),
        "CENTRE": target.centre.hex(),
        "UNIT": target.unit.hex(),
        "WEIGHT_UNIT": target.weight_unit.hex(),
        "BYTES": f"{model.nbytes:,}",
        "SECRET": ", ".join(f"UINT64_C({part:#018x})" for part in model.secret),
        "MIXER": ", ".join(f"UINT32_C({part:#010x})" for part in model.mixer),
        "EXACT_SET": int(model.exact_set),
        "ADAPTIVE": int(model.adaptive),
        "TAGGED": int(model.adaptive),
        "IS_TABLE": int(model.columns is not None and not model.has_others),
        "BOUNDS_OTHERS": int(model.bounds_others),
        "SHRINKS_OTHERS": int(model.shrinks_others),
        "N_COLUMNS": len(columns) if model.numbered else 0,
        "N_KEYS": len(model.keys),
        "N_CELLS": len(model.cells),
        "SCALE": model.scale.hex(),
        "THRESHOLD": model.threshold.hex() + "f",
        "BIAS": model.bias.hex(),
        "CALIBRATION": model.calibration.hex(),
        "SLOT_TYPE": "uint32_t" if model.adaptive else "float",
        "CELL_TYPE": "uint16_t" if model.adaptive else "float",
        "KEYS": _array(model.keys),
        "SLOTS": _array(model.slots),
        "CELLS": _array(model.cells),
        "TAGS": _array(model.tags),
        "COLUMNS": "".join(
            f"{{{_text(c.name)}, {c.name if model.numbered else 0}u, {int(c.scaled)}, {int(c.from_zero)}, "
            f"{c.zero.hex()}, {c.unit.hex()}, {c.count.hex()}, {c.mean.hex()}, {_most(c.most)}}},\n  "
            for c in columns
        ),
    }
    return filled(_TEMPLATE, model.kind, values)


def _most(number: float) -> str:
    return number.hex() if math.isfinite(number) else "HUGE_VAL"


def _array(array: np.ndarray[Any, Any]) -> str:
    """Return the items of an array, at least one, because C has no empty ones."""
    items = array.tolist() or [0]
    words = [item.hex() + "f" if isinstance(item, float) else f"{item}u" for item in items]
    return ",\n  ".join(", ".join(words[at : at + 12]) for at in range(0, len(words), 12))


def _text(text: str) -> str:
    """Return a C string literal: bytes beyond ASCII in octal, which ends after three digits."""
    safe = "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in text.encode())
    return f'"{safe}"'


def _comment(label: Any) -> str:
    return json.dumps(label).replace("*/", "* /")
