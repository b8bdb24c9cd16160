"""JavaScript that reads a model: a module for any model file, and one that has a model in it."""

from __future__ import annotations

import base64
from importlib.resources import files
from typing import Any

from wmsketch.learners.saving.model_file import model_bytes
from wmsketch.results.export.frozen import frozen


def js_reader() -> str:
    """Return an ES module without dependencies that loads model files and gives the bits of `predict`.

    >>> "export function load(data)" in js_reader()
    True
    """
    return files(__package__).joinpath("wmsketch.mjs").read_text("utf-8")


def js_module(model: Any) -> str:
    """Return the module of `js_reader` with a model, whose functions it exports.

    CannotExport says what it does not cover.
    """
    names = "labels, predict, probability, margin, weight, keyOf"
    if frozen(model).target is not None:
        names = "predict, margin, weight, keyOf"
    text = base64.b64encode(model_bytes(model)).decode()
    return (
        f'{js_reader()}\nconst FILE = "{text}";\n'
        "// Of the model in this module.\n"
        f"export const {{ {names} }} = load(Uint8Array.from(atob(FILE), (c) => c.charCodeAt(0)));\n"
    )
