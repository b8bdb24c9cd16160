"""Jobs that find pairs of items that occur together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from wmsketch.apps import PMI
from wmsketch.errors import ParameterError
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.serve.tasks.task import Outcome, Row, Task, text

_NOT_FOR_JOBS = frozenset({"exact", "groups", "window_seconds"})


class PmiTask(Task):
    """Pairs from a column `text` of running text, or from a column `items` that has a list of items.

    >>> task = PmiTask({"items": "basket", "budget": "1MiB"})
    >>> task.learn([{"basket": ["tea", "milk"]}, {"basket": ["jam", "bread"]}] * 50, at=0.0).learned
    100
    >>> sorted(task.top(1)[0]["pair"]) in (["milk", "tea"], ["bread", "jam"])
    True
    """

    kind = "pmi"

    def __init__(self, settings: Mapping[str, Any]) -> None:
        rules = frozenset(each.name for each in fields(PMI) if each.init) - _NOT_FOR_JOBS
        self.allowed = rules | {"items", "text"}
        self.require_known(settings)
        self.text, self.items = text(settings, "text"), text(settings, "items")
        if (self.text is None) == (self.items is None):
            raise ParameterError("items", "or {text} must name the column, not both")
        given = {"budget": "4MiB", **{name: settings[name] for name in rules if name in settings}}
        self.model: PMI = PMI(**given)

    @property
    def budget_bytes(self) -> int:
        return parse_bytes(self.model.budget)

    def learn(self, rows: list[Row], at: float) -> Outcome:
        outcome = Outcome()
        for row in rows:
            value = row.get(self.text or self.items or "")
            try:
                if self.text is not None and isinstance(value, str):
                    self.model.learn_text(value)
                elif self.items is not None and isinstance(value, list):
                    self.model.learn_items([each if isinstance(each, str) else str(each) for each in value])
                else:
                    what = "a text" if self.text else "a list"
                    outcome.refuse(f"expected {what} in column {self.text or self.items!r}")
                    continue
                outcome.learned += 1
            except ValueError as problem:
                outcome.refuse(str(problem))
        return outcome

    def top(self, k: int) -> list[dict[str, Any]]:
        """Return the pairs."""
        return [
            {"pair": list(row.pair), "pmi": row.pmi, "low": row.low, "high": row.high, "count": row.count}
            for row in self.model.top(k)
        ]

    def summary(self) -> dict[str, Any]:
        return {
            "examples": self.model.tokens,
            "pairs": self.model.pairs,
            "nbytes": self.model.nbytes,
            "held": self.model.held.line("pairs"),
        }
