"""Files of the first format, in which the command line noted beside a model what is now its schema."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from wmsketch.learners.saveable import parameters_out
from wmsketch.readers import Schema

_LABELS = ("negative", "positive", "several_negatives")


def upgraded(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document of the first format as one of this format.

    Words of a text had their counts as values, and numbers were scaled where the note has scales.
    """
    note, labels = document["note"], document["labels"]
    columns = dict(document["columns"])
    reader = note.get("reader")
    if not isinstance(reader, dict):
        return document
    known = {field.name for field in fields(Schema)}
    rules = {name: rule for name, rule in reader.items() if name in known and (name, rule) != ("time", "now")}
    scales = note.get("number_scales")
    rules |= {"numbers": "raw" if scales is None else "scaled"}
    if rules.get("text"):
        rules["word_values"] = "counts"
    schema = _columns(note, scales or {})
    if schema:
        columns["schema"] = schema
    if note.get("named") is not None:
        columns["named"] = note["named"]
    if isinstance(labels, dict) and any(note.get("labels", {}).values()):
        labels = {**labels, "names": [note["labels"].get(name) for name in _LABELS]}
    parameters = {**document["parameters"], "schema": parameters_out({"schema": rules})["schema"]}
    return {**document, "columns": columns, "labels": labels, "parameters": parameters}


def _columns(note: dict[str, Any], scales: dict[str, Any]) -> list[tuple[str, str, tuple[float, ...] | None]]:
    kinds = {**note.get("seen_kinds", {}), **note.get("column_kinds", {})}
    for name in scales:
        kinds.setdefault(name, "number")
    return [(name, kind, tuple(map(float, scales[name])) if name in scales else None) for name, kind in kinds.items()]
