"""A description of a model and its performance, as plain values."""

from __future__ import annotations

from typing import Any

from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.introspection import (
    config_of,
    features_seen_by,
    has_learned,
    is_multiclass,
    label_counts_of,
    outcomes_of,
    predicts_numbers,
    report_bytes_of,
)
from wmsketch.learners.models.outcomes import calibration, majority_error
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.results.number_score import number_progress

_GIVEN_ONLY = ("classes", "random_state", "schema", "shuffle")  # shown only if they were given
_SHAPE = ("depth", "width", "active_set_size", "name_bytes", "max_classes")


def parameters(model: OnlineClassifier) -> dict[str, Any]:
    """Return all parameters; for the shape, the actual sizes.

    >>> from wmsketch import AWMSketch
    >>> model = AWMSketch("8KiB")
    >>> model.learn_one({3: 1.0}, True)
    >>> parameters(model)["width"] > 0
    True
    """
    given = {**model.get_params(), "schema": model.schema_.as_record()["rules"] or None}
    asked = {name: value for name, value in given.items() if name not in _GIVEN_ONLY or value is not None}
    had = config_of(model) if has_learned(model) else {}
    return {name: had[name] if name in _SHAPE and name in had else value for name, value in asked.items()}


def budget_bytes(model: OnlineClassifier) -> int | None:
    """Return the budget in bytes; None for a model with a given shape or without a limit."""
    budget = getattr(model, "budget", None)
    return None if budget is None else parse_bytes(budget)


def progress(model: OnlineClassifier) -> dict[str, Any]:
    """Return how much the model has learned and how well, under the documented JSON names."""
    if predicts_numbers(model):
        return number_progress(model) if has_learned(model) else {"examples": 0, "features_seen": 0}
    if not has_learned(model):
        return {"examples": 0, "features_seen": 0, "mistakes": 0, "error_rate": None, "log_loss": None}
    seen = model.n_seen_ > 0
    counts = list(label_counts_of(model).values())
    two = (
        {}
        if is_multiclass(model)
        else {"negatives": counts[0], "positives": counts[1], **calibration(outcomes_of(model))}
    )
    many = {"classes": len(model.classes_)} if is_multiclass(model) else {}
    return {
        **many,
        "examples": model.n_seen_,
        "features_seen": features_seen_by(model),
        "mistakes": model.record_.mistakes,
        "error_rate": model.error_rate_ if seen else None,
        "log_loss": model.log_loss_ if seen else None,
        "majority_error_rate": majority_error(counts) if seen else None,
        **two,
    }


def online_error(model: OnlineClassifier) -> float | None:
    """Return the share of wrong predictions so far; None if nothing was learned, and for numbers."""
    return model.error_rate_ if has_learned(model) and not predicts_numbers(model) else None


def memory(model: OnlineClassifier) -> dict[str, Any]:
    """Return the true bytes, the paper's bytes, and the budget."""
    return {
        "nbytes": model.nbytes,
        "paper_bytes": model.paper_bytes if has_learned(model) else None,
        "budget_bytes": budget_bytes(model),
        "report_bytes": report_bytes_of(model),
    }
