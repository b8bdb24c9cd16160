"""Load models from files; any problem with a file is bad data, not bad usage."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.parts.errors import Failed, one_line
from wmsketch.cli.parts.notes import check_note

if TYPE_CHECKING:
    from wmsketch.learners.models.base import OnlineClassifier

_SHOWN = ("Explainer", "Diff", "PMI")  # what `show` prints
model_argument = click.argument("model", metavar="MODEL", type=click.Path())


def open_model(path: str) -> OnlineClassifier:
    """Load a model."""
    from wmsketch.learners.models.base import OnlineClassifier
    from wmsketch.learners.saving.model_file import load_model
    from wmsketch.learners.saving.saveable import OtherClass

    try:
        return load_model(path, OnlineClassifier)
    except ValueError as problem:
        if isinstance(problem.__cause__, OtherClass) and problem.__cause__.found.__name__ in _SHOWN:
            raise Failed(f"{path}: the file holds counts, not a model; type: wmsketch show {path}") from problem
        raise Failed(str(problem)) from problem


def open_mergeable(path: str) -> Any:
    """Load a model, an Explainer, a Diff or a PMI."""
    from wmsketch.learners.saving.model_file import load_model

    try:
        model = load_model(path)
    except ValueError as problem:
        raise Failed(str(problem)) from problem
    if not hasattr(model, "merge"):
        raise Failed(f"{path}: the file holds a {type(model).__name__}, which cannot be merged")
    return model


def require_place(path: str, what: str = "a model") -> None:
    """Raise an error for a path that cannot be written, before training starts."""
    from wmsketch.learners.saving.atomic_file import require_writable

    place = Path(path)
    if not place.absolute().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder to save to does not exist", path)
    if place.exists() and not place.is_file():
        raise Failed(f"{path}: {what} can only be saved to a regular file")
    try:
        require_writable(place)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise OSError(problem.errno, f"{what} cannot be saved here: {reason}", path) from problem


def require_no_other_content(path: str) -> None:
    """Raise an error if a model would replace anything else than a model or an empty file."""
    from wmsketch.learners.saving.model_file import is_model_file

    place = Path(path)
    if place.is_file() and place.stat().st_size > 0 and not is_model_file(place):
        raise Failed(f"{path}: the file holds something else than a model and would be overwritten; remove it first")


def open_note(path: str) -> dict[str, Any]:
    """Return the note saved with the model. It is validated, because the file may be untrusted."""
    from wmsketch.learners.saving.model_file import read_note

    try:
        note = read_note(path)
    except ValueError as problem:
        raise Failed(str(problem)) from problem
    try:
        check_note(note)
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise Failed(f"{path}: the note of the model is damaged: {one_line(str(problem))}") from problem
    return note
