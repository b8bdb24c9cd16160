"""All methods on the same rows, from Python: what `wmsketch compare` does for files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from wmsketch.errors import ParameterError
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.methods import TWO_CLASSES
from wmsketch.records import ComparedMethod, RowList
from wmsketch.results.contest import Contest


def compare(
    X: Any,
    y: Any = None,
    *,
    label: str | None = None,
    methods: Sequence[str] = TWO_CLASSES,
    budgets: Iterable[int | str] = ("2KiB", "8KiB", "32KiB"),
    seeds: int = 3,
    **rule: Any,
) -> RowList[ComparedMethod]:
    """Return how each method does at each budget on the same rows, learned once in their order.

    ``X`` and ``y`` are as in `fit`; or X is a frame or a path, whose column ``label`` is to be predicted. ``methods``
    are names of the command line, like ``"awm"`` and ``"hash"``; ``"lr"`` has no limit. ``rule`` are parameters like
    ``eta0`` or ``schema``; a method ignores those that it does not have. Numbers are medians over ``seeds`` seeds.

    >>> rows = [{"a": 1.0, "b": 1.0}, {"c": 1.0, "b": 1.0}] * 200
    >>> table = compare(rows, [True, False] * 200, methods=["awm", "hash"], budgets=["1KiB"], seeds=1)
    >>> table.to_frame()[["method", "budget", "error"]]
      method  budget  error
    0    awm    1024  0.005
    1   hash    1024  0.005
    """
    unknown = [method for method in methods if method not in TWO_CLASSES]
    if unknown:
        raise ParameterError("methods", f"must be among {', '.join(TWO_CLASSES)}", unknown[0])
    if (y is None) == (label is None):
        raise ValueError("give y, or label: the column of X that is to be predicted")
    contest = Contest.of(
        list(methods), list(map(str, budgets)), require_integer("seeds", seeds, 1), rule | {"shuffle": False}
    )
    if label is not None:
        contest.teach(lambda model: model.fit(X, label=label))  # type: ignore[arg-type]
    else:
        contest.teach(lambda model: model.learn_many(X, y))
    return RowList(
        ComparedMethod(
            row["method"],
            row["budget_bytes"],
            row["nbytes"],
            row["error_rate"],
            row["log_loss"],
            row["auc"],
            row["rel_err"],
            row["ns_per_feature"],
        )
        for row in contest.rows(None)
    )
