"""Jobs that learn to predict a label or a number: it is a column of the rows, or comes later by id."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

from wmsketch.errors import ParameterError, RowError
from wmsketch.learners.models.introspection import has_learned, label_counts_of
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.methods import METHODS
from wmsketch.serve.tasks.task import Outcome, Row, Task, number, required, text
from wmsketch.serve.tasks.waiting import WaitingRows

_NOT_FOR_JOBS = frozenset({"passes", "shuffle", "random_state", "schema", "classes", "budget"})


class LearnTask(Task):
    """A learner of the library behind a stream of rows.

    `label` names the column of the label. With `id`, a row without a label waits for a row with the same id and a
    label, at most `label_wait` seconds and within `waiting_budget` bytes. With the method "regression", labels are
    numbers.

    >>> task = LearnTask({"label": "bought", "classes": ["no", "yes"], "budget": "8KiB"})
    >>> task.learn([{"city": "Rome", "bought": "yes"}, {"city": "Oslo", "bought": "no"}] * 20, at=0.0).learned
    40
    >>> task.predict([{"city": "Rome"}])[0]["label"]
    'yes'
    >>> task = LearnTask({"label": "price", "method": "regression", "budget": "8KiB"})
    >>> task.learn([{"rooms": i % 5, "price": 100 * (i % 5)} for i in range(500)], at=0.0).learned
    500
    >>> abs(task.predict([{"rooms": 3}])[0]["label"] - 300) < 5
    True
    """

    kind = "learn"
    _own = frozenset({"label", "id", "label_wait", "waiting_budget", "method", "schema", "classes", "budget"})

    def __init__(self, settings: Mapping[str, Any]) -> None:
        method = METHODS.get(text(settings, "method", "awm") or "")
        if method is None or not method.limited:
            known = ", ".join(name for name, each in METHODS.items() if each.limited)
            raise ParameterError("method", f"must be one of {known}", settings.get("method"))
        self.numeric = method.numeric  # whether it predicts a number
        rules = frozenset(method.parameters()) - _NOT_FOR_JOBS
        self.allowed = self._own | rules
        self.require_known(settings)
        self.label = required(settings, "label")
        self.id = text(settings, "id")
        self.budget = settings.get("budget", "64KiB")
        given = {name: settings[name] for name in (*rules, "schema", "classes") if name in settings}
        if isinstance(given.get("schema"), dict):
            given["schema"] = {**given["schema"]}
        self.model = method.load_class()(self.budget, **given).check_parameters(named=True)
        wait = number(settings, "label_wait", 3600.0, 1, 31 * 86400)
        limit = parse_bytes(settings.get("waiting_budget", "256KiB"), "waiting_budget") if self.id else 0
        self.waiting = WaitingRows(limit, wait)
        self.unmatched = 0  # labels without a row

    @property
    def budget_bytes(self) -> int:
        return parse_bytes(self.budget) + self.waiting.limit

    # --- rows in ---

    def learn(self, rows: list[Row], at: float) -> Outcome:
        outcome = Outcome()
        features: list[Row] = []
        labels: list[Any] = []
        for row in rows:
            found = self._example(row, at, outcome)
            if found is not None:
                features.append(found[0])
                labels.append(found[1])
        self._learn_whole(features, labels, outcome)
        return outcome

    def _example(self, row: Row, at: float, outcome: Outcome) -> tuple[Row, Any] | None:
        """Return features and label; None for a row that waits, or that is refused."""
        features, label, key = self._parts(row)
        if key is not None and label is None:
            self.waiting.put(str(key), features, at)
            outcome.waiting += 1
            return None
        if label is None:
            outcome.refuse(f"expected a label in column {self.label!r}, found none")
            return None
        if key is not None and not features:
            kept = self.waiting.take(str(key), at)
            if kept is None:
                self.unmatched += 1
                outcome.refuse(f"no row waits for the label of {self.id}={key!r}")
                return None
            features = kept
        return features, label

    def _parts(self, row: Row) -> tuple[Row, Any, Any]:
        """Return features, label and id of a row."""
        features = row.copy()
        label = features.pop(self.label, None)
        return features, label, features.pop(self.id, None) if self.id else None

    def _learn_whole(self, features: list[Row], labels: list[Any], outcome: Outcome) -> None:
        """Learn all rows at once; if one of them is bad, one by one, which ends in the same bits."""
        model: Any = self.model
        if len(features) > 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # notes on the order of rows are for people at a terminal
                try:
                    model.learn_many(features, labels)
                    outcome.learned += len(features)
                    return
                except (ValueError, TypeError, OverflowError):
                    pass
        for row, label in zip(features, labels, strict=True):
            try:
                model.learn_one(row, label)
                outcome.learned += 1
            except (ValueError, TypeError, OverflowError) as problem:
                outcome.refuse(_reason(problem))

    # --- answers out ---

    def predict(self, rows: list[Row], reasons: int = 0) -> list[dict[str, Any]]:
        """Return label and probabilities of each row, or its number, and up to `reasons` contributions."""
        features = [self._parts(row)[0] for row in rows]
        try:
            answers = self._predicted(features)
        except (ValueError, TypeError, OverflowError) as problem:
            raise self._bad_row(features, problem) from problem
        for row, answer in zip(features, answers if reasons else (), strict=False):
            why = self.model.explain_one(row)  # type: ignore[attr-defined]
            answer |= {"intercept": why.intercept, "margin": why.margin}
            answer["reasons"] = [each.as_record() for each in why[:reasons]]
        return answers

    def _predicted(self, features: list[Row]) -> list[dict[str, Any]]:
        model: Any = self.model
        if len(features) == 1:  # the same bits, without arrays
            one: dict[str, Any] = {"label": model.predict_one(features[0])}
            if not self.numeric:
                found = model.predict_proba_one(features[0])
                one["probabilities"] = {label_text(label): value for label, value in found.items()}
            return [one]
        labels = model.predict_many(features).tolist() if features else []
        if self.numeric or not features:
            return [{"label": label} for label in labels]
        probabilities = model.predict_proba_many(features).tolist()
        names = [label_text(label) for label in model.predict_proba_one(features[0])]  # a new class may follow
        return [
            {"label": label, "probabilities": dict(zip(names, row, strict=False))}
            for label, row in zip(labels, probabilities, strict=True)
        ]

    def _bad_row(self, features: list[Row], problem: Exception) -> RowError:
        """Return the error that names the row: the first that cannot be predicted alone."""
        for place, row in enumerate(features):
            try:
                self.model.predict_one(row)  # type: ignore[attr-defined]
            except (ValueError, TypeError, OverflowError) as found:
                return RowError(place, _reason(found))
        return RowError(0, str(problem))

    def top(self, k: int) -> list[dict[str, Any]]:
        """Return the heaviest features."""
        model: Any = self.model
        if not has_learned(model):
            return []
        return [
            {"feature": row.feature, "weight": row.weight, "low": row.low, "high": row.high} for row in model.top(k)
        ]

    def feature(self, name: str) -> dict[str, Any]:
        """Return the weight of one feature, heavy or not."""
        model: Any = self.model
        if not has_learned(model):
            return {"feature": name, "weight": 0.0, "low": None, "high": None}
        low, high = model.interval(name)
        return {"feature": name, "weight": model.weight(name), "low": low, "high": high}

    def summary(self) -> dict[str, Any]:
        model: Any = self.model
        learned = has_learned(model)
        more = {"waiting": len(self.waiting), "expired": self.waiting.expired, "unmatched": self.unmatched}
        return {
            "examples": model.n_seen_ if learned else 0,
            **(_errors_of_numbers(model, learned) if self.numeric else _errors_of_labels(model, learned)),
            "nbytes": model.nbytes + self.waiting.nbytes if learned else self.waiting.nbytes,
            **(more if self.id else {}),
        }

    # --- checkpoints ---

    def state(self) -> dict[str, Any]:
        return {"waiting": self.waiting.state(), "unmatched": self.unmatched}

    def restore(self, model: Any, state: Mapping[str, Any]) -> None:
        self.model = model
        self.waiting.restore(state["waiting"])
        self.unmatched = int(state["unmatched"])


def label_text(label: Any) -> str:
    """Return a label as a key of JSON.

    >>> label_text(True), label_text("yes")
    ('true', 'yes')
    """
    return str(label).lower() if isinstance(label, bool) or type(label).__name__ == "bool_" else str(label)


def _reason(problem: Exception) -> str:
    """Return what is wrong with a row, without its number in a call of one."""
    return problem.message if isinstance(problem, RowError) else str(problem)


def _errors_of_labels(model: Any, learned: bool) -> dict[str, Any]:
    counts = label_counts_of(model) if learned else {}
    return {
        "error_rate": model.error_rate_ if learned else None,
        "base_error_rate": _finite(model.record_.majority_error_rate) if learned else None,
        "log_loss": model.log_loss_ if learned else None,
        "labels": {label_text(label): n for label, n in counts.items()},
    }


def _errors_of_numbers(model: Any, learned: bool) -> dict[str, Any]:
    names = {"mae": "mae_", "base_mae": "baseline_mae_", "r2": "r2_"}
    return {key: _finite(getattr(model, name)) if learned else None for key, name in names.items()}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
