"""Mixed random operations on all learners, counters and applications, with invariants checked after each.

    python -m tests.faults.operations [SECONDS] [SEED]

Prints the number of steps and of violations; each violation with the seed and the steps that lead to it.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from wmsketch import CountMin, MulticlassAWMSketch, SpaceSaving
from wmsketch.apps import PMI, Diff, Explainer
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.protocols.parameters import parameter_names
from wmsketch.learners.shards.partitions import is_decided
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.methods import METHODS

STEPS = 25  # with one object, then another is drawn
Operation = Callable[[Any, random.Random], object]


def value(draw: random.Random) -> Any:
    """Return a value of a feature: mostly an ordinary one, sometimes one that must be refused or is hard to learn."""
    odd = [float("nan"), float("inf"), 1e30, -1e15, 1e-30, "x", None, True, "", 3, -0.0]
    return draw.choice(odd) if draw.random() < 0.03 else draw.choice([1.0, draw.gauss(0, 1), draw.gauss(0, 1e4)])


def row(draw: random.Random) -> dict[str, Any]:
    """Return the columns of a row."""
    names = [f"c{min(int(draw.paretovariate(0.8)), 300)}" for _ in range(draw.randrange(0, 6))]
    return {"a": value(draw), **{name: value(draw) for name in names}}


def label(model: Any, draw: random.Random) -> Any:
    return draw.choice(["x", "y", "z"]) if isinstance(model, MulticlassAWMSketch) else draw.random() < 0.4


def weight(draw: random.Random) -> float:
    return draw.choice([1.0, 1.0, 0.0, 0.5, 10 ** draw.uniform(-5, 5), -1.0, float("nan"), 1e30])


def learner(draw: random.Random) -> Any:
    """Return a classifier of any kind with random parameters."""
    cls = draw.choice([method for method in METHODS.values() if not method.numeric]).load_class()
    possible: dict[str, Any] = {
        "budget": draw.choice(["2KiB", "8KiB", "64KiB"]),
        "loss": draw.choice(["logistic", "smoothed_hinge", "squared_hinge"]),
        "step": draw.choice(["adaptive", "plain"]),
        "eta0": 10 ** draw.uniform(-4, 2),
        "l2": draw.choice([0.0, 1e-6, 0.01]),
        "l1": draw.choice([0.0, 1e-4]),
        "half_life": draw.choice([None, 10, 1000]),
        "class_weight": "balanced" if draw.random() < 0.3 else None,
        "fit_intercept": draw.random() < 0.7,
        "averaged": draw.random() < 0.2,
    }
    known = {name: each for name, each in possible.items() if name in parameter_names(cls)}
    try:
        return cls(**known).check_parameters()
    except ValueError:  # these cannot be combined
        return cls(**({"budget": "8KiB"} if "budget" in known else {}))


CLASSIFIER: dict[str, Operation] = {
    "learn_one": lambda model, draw: model.learn_one(row(draw), label(model, draw), weight(draw)),
    "learn_many": lambda model, draw: _learn_many(model, draw),
    "predict": lambda model, draw: model.predict_proba_one(row(draw)),
    "ask": lambda model, draw: (model.top(3), model.error_rate_, model.log_loss_, model.schema_, repr(model)),
    "weight": lambda model, draw: model.weight(draw.choice(["a", "c1", "c7"])),
}
COUNTER: dict[str, Operation] = {
    "update": lambda counter, draw: counter.update(f"k{draw.randrange(99)}", draw.choice([1, 2, 0, -1, 2**40, 1.5])),
    "update_many": lambda counter, draw: counter.update_many([f"k{draw.randrange(99)}" for _ in range(50)]),
    "ask": lambda counter, draw: (counter.top(3), counter.estimate("k1"), counter.nbytes),
}
EXPLAINER: dict[str, Operation] = {
    "learn_one": lambda app, draw: app.learn_one({"ms": value(draw), **row(draw)}),
    "learn_many": lambda app, draw: app.learn_many([{"ms": draw.gauss(0, 1), **row(draw)} for _ in range(20)]),
    "ask": lambda app, draw: (app.top(3), app.held, app.examples, app.columns_not_used, repr(app), app.uneven_bins),
}
DIFF: dict[str, Operation] = {
    "learn_many": lambda app, draw: app.learn_many(_words(draw), _words(draw)),
    "learn_wrong": lambda app, draw: app.learn_many(_words(draw), [draw.choice([None, 3, "tea"]) for _ in range(3)]),
    "ask": lambda app, draw: (app.top(3), app.rows(), app.held, app.statement(), repr(app)),
}
PAIRS: dict[str, Operation] = {
    "learn_items": lambda app, draw: app.learn_items(_words(draw)),
    "learn_text": lambda app, draw: app.learn_text(" ".join(_words(draw))),
    "learn_wrong": lambda app, draw: app.learn_items(["tea", draw.choice([None, 3, "a\x1fb"])]),
    "ask": lambda app, draw: (app.top(3), app.row("w1", "w2"), app.held, app.problem, repr(app)),
}
KINDS: dict[str, tuple[Callable[[random.Random], Any], dict[str, Operation]]] = {
    "classifier": (learner, CLASSIFIER),
    "counter": (lambda draw: draw.choice([CountMin, SpaceSaving])("4KiB"), COUNTER),
    "explainer": (
        lambda draw: Explainer("ms>0", budget="256KiB", order=draw.choice([1, 2]), warm_up=draw.choice([5, 10_000])),
        EXPLAINER,
    ),
    "diff": (lambda draw: Diff("64KiB"), DIFF),
    "pairs": (lambda draw: PMI(budget="256KiB", window=draw.choice([1, 5])), PAIRS),
}
EVERY = ("copy", "save", "merge")


def _learn_many(model: Any, draw: random.Random) -> None:
    rows = [row(draw) for _ in range(draw.randrange(0, 40))]
    weights = [weight(draw) for _ in rows] if draw.random() < 0.2 else None
    model.learn_many(rows, [label(model, draw) for _ in rows], sample_weight=weights)


def _words(draw: random.Random) -> list[str]:
    return [f"w{min(int(draw.paretovariate(0.9)), 500)}" for _ in range(draw.randrange(1, 30))]


def copied(model: Any) -> Any:
    """Return a copy by way of its bytes."""
    return type(model).from_bytes(model.to_bytes())


def require(holds: bool, words: str) -> None:
    """Raise an error if an invariant does not hold; also under ``python -O``."""
    if not holds:
        raise AssertionError(words)


def check(model: Any) -> None:
    """Check what always holds."""
    budget = getattr(model, "budget", None)
    if budget is not None and not (isinstance(model, OnlineClassifier) and not model._started):
        require(model.nbytes <= parse_bytes(budget), f"{model.nbytes} bytes of {budget}")
    data = model.to_bytes()
    require(model.to_bytes() == data, "saving changes the object")
    require(copied(model).to_bytes() == data, "a loaded object has other bytes")


def step(name: str, operation: Operation, model: Any, sibling: Any, seed: int) -> None:
    """Do one operation and check what it must leave as it was."""
    before = model.to_bytes()
    if name == "copy" and isinstance(model, Explainer) and model.examples <= model.warm_up:
        return  # a file has the bins of the rows so far: a loaded explainer does not wait for more of them
    if name == "copy":
        twin = copied(model)
        for each in (model, twin):
            _try(operation, each, seed)
        require(model.to_bytes() == twin.to_bytes(), "a copy learns something else")
        return
    if name == "save":
        check(model)
        return
    if name == "merge":
        _merge(model, sibling)
        return
    failed = _try(operation, model, seed)
    if failed and "is left out" not in failed:
        require(model.to_bytes() == before, f"a failed call left a trace: {failed}")
    if name in ("ask", "predict", "weight"):
        require(model.to_bytes() == before, "a question changes the object")


def _merge(model: Any, sibling: Any) -> None:
    before, other = model.to_bytes(), sibling.to_bytes()
    one, two = copied(model), copied(sibling)
    try:
        one.merge(sibling)
        two.merge(model)
    except ValueError:
        require(copied(model).to_bytes() == before, "a refused merge left a trace")
        return
    require(sibling.to_bytes() == other, "a merge changes the other")
    waits = isinstance(model, OnlineClassifier) and not (is_decided(model) and is_decided(sibling))
    if not waits:  # the first rows of a classifier are held in their order
        require(one.to_bytes() == two.to_bytes(), "a merge depends on the direction")
    check(one)


def _try(operation: Operation, model: Any, seed: int) -> str:
    """Return the message of a refusal, or nothing. Any other error is a violation."""
    try:
        operation(model, random.Random(seed))
    except (ValueError, TypeError, OverflowError) as problem:
        return str(problem) or "refused"
    return ""


def one_life(seed: int) -> Counter[str]:
    """Take one object through STEPS random operations; raise AssertionError with the steps at a violation."""
    draw = random.Random(seed)
    kind = draw.choice(list(KINDS))
    make, operations = KINDS[kind]
    state = draw.getstate()
    model = make(draw)
    after = draw.getstate()
    draw.setstate(state)
    sibling = make(draw)  # of the same parameters
    draw.setstate(after)
    done: list[str] = []
    counted: Counter[str] = Counter()
    for _ in range(STEPS):
        name = draw.choice([*operations, *operations, *EVERY])
        used = draw.choice([model, model, sibling])
        operation = operations.get(name) or operations[draw.choice(list(operations))]
        number = draw.randrange(2**32)
        done.append(name)
        try:
            step(name, operation, used, sibling if used is model else model, number)
        except Exception as problem:
            raise AssertionError(f"seed {seed}, {model!r}: {', '.join(done)}: {problem!r}") from problem
        counted[f"{kind} {name}"] += 1
    check(model)
    return counted


def main() -> None:
    """Run for the given time."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1200.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    end, counted, violations = time.monotonic() + seconds, Counter[str](), 0
    while time.monotonic() < end:
        try:
            counted += one_life(seed)
        except AssertionError as violation:
            violations += 1
            print(violation, flush=True)
        seed += 1
    print(f"{counted.total():,} steps in {seconds:.0f} s, {violations} violations")
    sys.exit(violations > 0)


if __name__ == "__main__":
    main()
