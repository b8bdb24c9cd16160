"""What all kinds of jobs have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wmsketch.errors import ParameterError
from wmsketch.learners.saving.saveable import Saveable

Row = dict[str, Any]


@dataclass
class Outcome:
    """What became of a batch: rows learned, rows that wait for their label, rows refused, and the first reason."""

    learned: int = 0
    waiting: int = 0
    refused: int = 0
    problem: str | None = None

    def refuse(self, reason: str, n: int = 1) -> None:
        """Count refused rows."""
        self.refused += n
        self.problem = self.problem or reason

    def as_record(self) -> dict[str, Any]:
        """Return the JSON record."""
        return {"learned": self.learned, "waiting": self.waiting, "refused": self.refused, "problem": self.problem}


class Task(ABC):
    """A model of the library and the settings of its job. All methods may be called from any thread."""

    kind: str
    allowed: frozenset[str]  # settings

    model: Saveable

    def require_known(self, settings: Mapping[str, Any]) -> None:
        """Refuse a setting that this kind of job does not have."""
        unknown = sorted(set(settings) - self.allowed - {"source", "otlp"})
        if unknown:
            raise ParameterError(unknown[0], f"is no setting of a {self.kind} job: {', '.join(sorted(self.allowed))}")

    @property
    @abstractmethod
    def budget_bytes(self) -> int:
        """The most bytes that this job will ever hold: its model and the rows that wait."""

    @abstractmethod
    def learn(self, rows: list[Row], at: float) -> Outcome:
        """Learn rows that arrived at this time. The same calls in the same order end in the same bytes."""

    @abstractmethod
    def summary(self) -> dict[str, Any]:
        """Return figures for the list of jobs; must be quick."""

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint holds in addition to the model, as JSON values."""
        return {}

    def restore(self, model: Any, state: Mapping[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.model = model


def number(settings: Mapping[str, Any], name: str, default: float, least: float, most: float) -> float:
    """Return a number among the settings, within its limits.

    >>> number({"k": 3}, "k", 5, 1, 10)
    3.0
    """
    value = settings.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise ParameterError(name, f"must be a number from {least:g} to {most:g}", value)
    return float(value)


def text(settings: Mapping[str, Any], name: str, default: str | None = None) -> str | None:
    """Return a text among the settings; it must not be empty."""
    value = settings.get(name, default)
    if value is not None and (not isinstance(value, str) or not value):
        raise ParameterError(name, "must be a text", value)
    return value


def required(settings: Mapping[str, Any], name: str) -> str:
    """Return a text that must be among the settings."""
    found = text(settings, name)
    if found is None:
        raise ParameterError(name, "must be given")
    return found


def texts(settings: Mapping[str, Any], name: str) -> list[str]:
    """Return a list of texts among the settings."""
    value = settings.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ParameterError(name, "must be a list of texts", value)
    return value
