"""The former merge, kept for comparison only: the mean of the weights, weighted by examples."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wmsketch.learners.models.introspection import hash_of

Floats = NDArray[np.float64]


def mean_by_examples(models: list[Any]) -> Any:
    """Return the mean of adaptive AWM-Sketches, or of adaptive logistic regressions over ids."""
    states = [model._native.state() for model in models]
    counts = np.array([float(state["n_seen"][0]) for state in states])
    shares = counts / counts.sum()
    merged = copy.copy(models[0])
    state = dict(states[0])
    state["scale"] = np.array([1.0])
    state["bias"] = np.array([sum(s * state["bias"][0] for s, state in zip(shares, states, strict=True))])
    if "weights" in state:
        state["weights"] = sum(s * each["scale"] * each["weights"] for s, each in zip(shares, states, strict=True))
        state["weights"] = state["weights"].astype(np.float32)
    else:
        state |= _mean_of_sketches(models, states, shares)
    merged._native.load_state(state)
    return merged


def _float(bits: Any) -> Floats:
    return np.asarray(bits, np.uint32).view(np.float32).astype(np.float64)


def _cell_weights(cells: Any) -> Floats:
    cells = cells.astype(np.uint32)
    code = (cells >> 4) & 0x7FF
    return np.where(code == 0, 0.0, _float(((cells & 0x8000) << 16) | ((107 << 23) + (code << 17))))


def _packed_cells(weights: Floats) -> NDArray[np.uint16]:
    bits = weights.astype(np.float32).view(np.uint32)
    size = np.minimum((bits & 0x7FFFFFFF).astype(np.uint64) + 0x10000, (107 << 23) + (0x7FF << 17))
    size = np.maximum(size, 107 << 23)
    return (((bits >> 16) & 0x8000) | (((size - (107 << 23)) >> 17) << 4).astype(np.uint32)).astype(np.uint16)


def _mean_of_sketches(models: list[Any], states: list[dict[str, Any]], shares: Floats) -> dict[str, Any]:
    """Average the slot or cell of each side. Keys without a slot are written into their cells, lightest first."""
    lines, width = len(states[0]["active_keys"]) // 8, len(states[0]["cells"])
    hashes: dict[int, int] = {}
    held: list[dict[int, float]] = []
    for model, state in zip(models, states, strict=True):
        weights = _float(state["active_slots"] & np.uint32(0xFFFFF000)) * state["scale"][0]
        mine = {}
        for place, (key, weight) in enumerate(zip(state["active_keys"].tolist(), weights.tolist(), strict=True)):
            hashed = hashes.setdefault(key, hash_of(model, 0, key))
            if _line(hashed, lines) == place // 8:  # otherwise the key marks an empty place
                mine[key] = weight
        held.append(mine)
    cells = [_cell_weights(state["cells"]) * state["scale"][0] for state in states]
    mean = sum(share * each for share, each in zip(shares, cells, strict=True))
    found: dict[int, float] = {}
    for key in set().union(*held):
        bucket, sign = hashes[key] * width >> 32, -1.0 if hashes[key] & 1 else 1.0
        answers = [mine.get(key, sign * side[bucket]) for mine, side in zip(held, cells, strict=True)]
        found[key] = float(np.dot(shares, answers))
    keys = np.full(8 * lines, 0xFFFFFFFF, np.uint32)
    crowded = _line(hash_of(models[0], 0, 0xFFFFFFFF), lines)
    other = next(key for key in range(0xFFFFFFFE, 0, -1) if _line(hash_of(models[0], 0, key), lines) != crowded)
    keys[8 * crowded : 8 * crowded + 8] = other
    slots, filled, losers = np.zeros(8 * lines, np.uint32), [0] * lines, []
    for key in sorted(found, key=lambda key: -abs(found[key])):
        line = _line(hashes[key], lines)
        if filled[line] == 8:
            losers.append(key)
            continue
        place = 8 * line + filled[line]
        keys[place], filled[line] = key, filled[line] + 1
        slots[place] = (np.float32(found[key]).view(np.uint32) + np.uint32(0x800)) & np.uint32(0xFFFFF000)
    for key in reversed(losers):
        mean[hashes[key] * width >> 32] = (-1.0 if hashes[key] & 1 else 1.0) * found[key]
    return {"active_keys": keys, "active_slots": slots, "cells": _packed_cells(mean)}


def _line(hashed: int, lines: int) -> int:
    return (hashed * 0x9E3779B1 % 2**32) * lines >> 32
