"""Many models that learn the same rows."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wmsketch._core import RowBlock
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.baselines import LogisticRegression
from wmsketch.learners.models.introspection import (
    features_seen_by,
    has_learned,
    hash_names_under,
    label_counts_of,
    learn_block,
    outcomes_of,
)
from wmsketch.learners.models.outcomes import majority_error
from wmsketch.methods import METHODS, REFERENCE
from wmsketch.results.batch_optimum import BatchOptimum, GatheredRows
from wmsketch.results.description import budget_bytes, parameters
from wmsketch.results.recovery_error import RecoveryError
from wmsketch.results.top_agreement import TopAgreement

NAME_SEED = 0  # all models hash names under it, because they share the rows
SIZES = (8, 16, 32, 64, 128, 256, 512)
Lesson = Callable[[OnlineClassifier], None]  # learns the same rows with any model


@dataclass
class Entrant:
    """One method at one budget, with a model for each seed."""

    method: str
    models: list[OnlineClassifier]
    seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seconds = self.seconds or [0.0] * len(self.models)

    def learn(self, number: int, lesson: Lesson) -> None:
        """Teach one of the models, and measure the processor time."""
        began = time.thread_time()
        lesson(self.models[number])
        self.seconds[number] += time.thread_time() - began

    @property
    def step(self) -> str:
        """The step rule; the reference model must have the same."""
        return getattr(self.models[0], "step", "plain")

    def row(self, recovery: RecoveryError, optimum: Optimum | None) -> dict[str, Any]:
        """Return the medians over seeds, under the documented JSON names."""
        first = self.models[0]
        recovered = [recovery.at(model, SIZES) for model in self.models]
        features = max(1, features_seen_by(first))
        return {
            "method": self.method,
            "budget_bytes": budget_bytes(first),
            "nbytes": max(model.nbytes for model in self.models),
            "error_rate": statistics.median(model.error_rate_ for model in self.models),
            "error_rates": [model.error_rate_ for model in self.models],
            "log_loss": statistics.median(model.log_loss_ for model in self.models),
            **{name: statistics.median(rates) for name, rates in self._rates().items()},
            "rel_err": {k: statistics.median(each[k] for each in recovered) for k in SIZES},
            **(optimum.measures(self.models) if optimum else {}),
            "ns_per_feature": statistics.median(self.seconds) / features * 1e9,
            "params": parameters(first),
        }

    def _rates(self) -> dict[str, list[float]]:
        outcomes = [outcomes_of(model) for model in self.models]
        return {"auc": [each.auc for each in outcomes], "predicted_rate": [each.predicted_rate for each in outcomes]}


@dataclass(frozen=True)
class Optimum:
    """The weights of batch logistic regression, and how well models agree with them."""

    found: BatchOptimum

    def measures(self, models: list[OnlineClassifier]) -> dict[str, Any]:
        """Return the median over models of each measure, for each K."""
        agreement = TopAgreement(self.found.keys, self.found.weights)
        each = [agreement.at(*self._heaviest(model), SIZES) for model in models]
        return {
            name: {k: statistics.median(getattr(one[k], name) for one in each) for k in SIZES}
            for name in ("recall", "sign_errors", "rank_correlation")
        }

    def _heaviest(self, model: OnlineClassifier) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        weights = model.weights(self.found.keys.astype(np.uint32))
        heaviest = np.argsort(-np.abs(weights), kind="stable")[: max(SIZES)]
        return self.found.keys[heaviest], weights[heaviest]


@dataclass
class Contest:
    """The unlimited model of each step rule, and the compared models; with ``rows_kept``, all rows for the optimum."""

    references: dict[str, LogisticRegression]
    entrants: list[Entrant]
    rows_kept: GatheredRows | None = None
    _cores: Executor | None = None

    @classmethod
    def of(
        cls, methods: list[str], budgets: list[str], seeds: int, rule: dict[str, Any], *, optimum: bool = False
    ) -> Contest:
        """Make a model for each method, budget and seed. A method ignores the rule options that it does not have."""
        entrants = [
            Entrant(method, [METHODS[method].load_class()(**{**_known(method, rule), "budget": budget, "seed": seed})
                             for seed in range(seeds)])
            for budget in budgets for method in methods if method != REFERENCE
        ]  # fmt: skip
        steps = {entrant.step for entrant in entrants} or {"plain"}
        references = {step: LogisticRegression(**{**_known(REFERENCE, rule), "step": step}) for step in sorted(steps)}
        if REFERENCE in methods:
            entrants += [
                Entrant(REFERENCE if step == "plain" else f"{REFERENCE}-{step}", [reference])
                for step, reference in references.items()
            ]
        for model in (*references.values(), *(model for entrant in entrants for model in entrant.models)):
            hash_names_under(model, NAME_SEED)
        return cls(references, entrants, GatheredRows(NAME_SEED) if optimum else None)

    def learn(self, block: RowBlock) -> None:
        """Learn a block with every model, on all cores: models share nothing but the block."""
        self._cores = self._cores or ThreadPoolExecutor(_n_cores())
        self.teach(lambda model: learn_block(model, block), self._cores)
        if self.rows_kept:
            self.rows_kept.add(block)

    def teach(self, lesson: Lesson, cores: Executor | None = None) -> None:
        """Give every model the same lesson, one after the other unless there are cores for it."""
        taught = {id(model) for entrant in self.entrants for model in entrant.models}
        lessons = [
            partial(entrant.learn, number, lesson) for entrant in self.entrants for number in range(len(entrant.models))
        ]
        lessons += [partial(lesson, model) for model in self.references.values() if id(model) not in taught]
        if cores is None:
            for give in lessons:
                give()
            return
        for given in [cores.submit(give) for give in lessons]:
            given.result()

    @property
    def examples(self) -> int:
        return self._any_reference.n_seen_ if has_learned(self._any_reference) else 0

    def baseline(self) -> dict[str, Any]:
        """Return the baseline error."""
        negatives, positives = label_counts_of(self._any_reference).values()
        error = majority_error([negatives, positives])
        observed = outcomes_of(self._any_reference).observed_rate
        return {"negatives": negatives, "positives": positives, "majority_error_rate": error, "observed_rate": observed}

    @property
    def n_features(self) -> int:
        return RecoveryError(self._any_reference).n_features

    @property
    def _any_reference(self) -> LogisticRegression:
        return next(iter(self.references.values()))

    def optimum(self) -> Optimum | None:
        """Return the batch optimum of the rows, if they were kept."""
        return Optimum(self.rows_kept.optimum(self._any_reference.schema_)) if self.rows_kept else None

    def rows(self, optimum: Optimum | None) -> list[dict[str, Any]]:
        """Return one row for each method and budget."""
        recovery = {step: RecoveryError(reference) for step, reference in self.references.items()}
        return [entrant.row(recovery[entrant.step], optimum) for entrant in self.entrants]


def _n_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _known(method: str, rule: dict[str, Any]) -> dict[str, Any]:
    known = METHODS[method].parameters()
    return {name: value for name, value in rule.items() if name in known}
