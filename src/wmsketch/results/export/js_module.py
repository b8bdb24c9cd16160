"""A model as a JavaScript module."""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import numpy as np

from wmsketch.results.export.frozen import FrozenModel, Target
from wmsketch.results.export.template import filled

_TEMPLATE = "model.mjs.txt"


def js_module(model: FrozenModel) -> str:
    """Return an ES module without dependencies that gives the bits of `predict`, in a browser or in Node."""
    columns = None
    if model.columns is not None:
        columns = {
            c.name: [c.scaled, c.zero, c.unit, c.from_zero, c.count, c.mean, c.most if math.isfinite(c.most) else None]
            for c in model.columns
        }
    target = model.target or Target(poisson=False, centre=0.0, unit=1.0)
    values = {
        "LABELS": json.dumps(model.labels),
        "POISSON": json.dumps(target.poisson),
        "CENTRE": repr(target.centre),
        "UNIT": repr(target.unit),
        "WEIGHT_UNIT": repr(target.weight_unit),
        "BYTES": f"{model.nbytes:,}",
        "SECRET": ", ".join(f"{part}n" for part in model.secret),
        "MIXER": ", ".join(str(part) for part in model.mixer),
        "EXACT_SET": json.dumps(model.exact_set),
        "ADAPTIVE": json.dumps(model.adaptive),
        "TAGGED": json.dumps(model.adaptive),
        "SCALE": repr(model.scale),
        "THRESHOLD": repr(model.threshold),
        "BIAS": repr(model.bias),
        "CALIBRATION": repr(model.calibration),
        "COLUMNS": json.dumps(columns),
        "NUMBERED": json.dumps(model.numbered),
        "HAS_OTHERS": json.dumps(model.has_others),
        "SHRINKS_OTHERS": json.dumps(model.shrinks_others),
        "KEYS": _base64(model.keys),
        "SLOTS": _base64(model.slots),
        "CELLS": _base64(model.cells),
        "TAGS": _base64(model.tags),
    }
    return filled(_TEMPLATE, model.kind, values)


def _base64(array: np.ndarray[Any, Any]) -> str:
    return base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode()
