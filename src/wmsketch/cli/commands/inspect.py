"""Show the contents of a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wmsketch.cli.parts.common_options import json_option
from wmsketch.cli.parts.model_files import model_argument, open_model, open_note
from wmsketch.cli.parts.output import label_text, printable
from wmsketch.learners.models.introspection import has_learned, is_multiclass, native_of, predicts_numbers, waiting_rows
from wmsketch.methods import method_name


@click.command(epilog="\b\nExample:\n  wmsketch inspect clicks.wms --json | jq .params")
@model_argument
@json_option
def command(model: str, as_json: bool) -> None:
    """Print everything about MODEL except its weights.

    That is: parameters, bytes (true, and in the paper's cost model), examples learned, and inputs.
    """
    from wmsketch.cli.parts.output import print_facts, print_json
    from wmsketch.results.description import budget_bytes, memory, parameters, progress

    opened = open_model(model)
    waiting = waiting_rows(opened)
    document: dict[str, Any] = {"method": method_name(opened), "class": type(opened).__name__}
    if waiting is None:
        document |= {**progress(opened), **memory(opened)}
        document["names_shortened"] = native_of(opened).names_shortened if has_learned(opened) else 0
        document |= {**_intercept(opened), "params": parameters(opened), "schema": opened.schema_.as_record()}
    else:  # the model is not made, because a file of a few bytes may describe a huge one
        document |= {"examples": waiting, "nbytes": opened.nbytes, "budget_bytes": budget_bytes(opened)}
        given = {name: value for name, value in opened.get_params().items() if name != "schema"}
        document |= {"params": given, "waiting": "the model takes its memory and its shape with the next rows"}
    document |= {"file_bytes": Path(model).stat().st_size, **_labels(opened), "note": open_note(model)}
    if as_json:
        print_json(document)
        return
    print_facts({name: _text(value) for name, value in _flat(document).items()})
    if waiting is None:
        click.echo(f"\n{opened.schema_!r}")


def _intercept(model: Any) -> dict[str, Any]:
    """Return the intercept; for multiclass, the examples of each class."""
    if is_multiclass(model):
        counts = model.class_counts_ if has_learned(model) else {}
        return {"class_counts": {label_text(label): count for label, count in counts.items()}}
    return {"intercept": model.intercept_ if has_learned(model) else 0.0}


def _labels(model: Any) -> dict[str, Any]:
    """Return the two labels as written in the rows, negative first."""
    none = not has_learned(model) or is_multiclass(model) or predicts_numbers(model)
    return {} if none else {"labels": model.classes_.tolist()}


def _flat(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with parameters and training flattened."""
    facts = dict(document)
    if "class_counts" in facts:
        counts = sorted(facts.pop("class_counts").items(), key=lambda each: -each[1])
        shown = [f"{printable(label)} ({count:,})" for label, count in counts[:20]]
        facts["labels"] = ", ".join([*shown, f"and {len(counts) - 20:,} more"] if len(counts) > 20 else shown)
    if isinstance(facts.get("target"), dict):
        facts |= {f"label {name}": value for name, value in facts.pop("target").items()}
    params, note = facts.pop("params"), facts.pop("note")
    facts.pop("schema", None)
    if "labels" in document:
        facts["labels"] = " or ".join(map(label_text, document["labels"]))
    training = note.get("training")
    facts.update({name: value for name, value in params.items() if name not in facts})
    if training:
        facts["learned from"] = ", ".join(entry["name"] for entry in training["inputs"])
        facts["read with"] = ", ".join(f"{name}={value}" for name, value in note["reader"].items()) or "no options"
        facts["position"] = ", ".join(f"{name} {value}" for name, value in training["position"].items())
    if "merged" in note:
        facts["merged from"] = ", ".join(note["merged"])
    return facts


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}" if isinstance(value, float) else str(value)
