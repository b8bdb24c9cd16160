"""Arbitrary conditions and mappings give an answer, or an error that names the problem.

    python -m tests.fuzz.python_inputs conditions|mappings|hostile [SECONDS]

Guided by coverage if atheris is installed.
"""

from __future__ import annotations

import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from tests.fuzz.byte_source import Bytes
from tests.fuzz.hostile_objects import check_hostile
from wmsketch import AWMSketch
from wmsketch.apps.explain.explainer import Explainer
from wmsketch.learners.saving.model_file import model_bytes
from wmsketch.readers import condition as explain_condition

Check = Callable[[bytes], None]
PIECES = (b"amount", b" and ", b" or ", b"not ", b"(", b")", b">", b"==", b"p80", b"'", b'"', b" in (", b",", b"1e5",
          b" is missing", b"\xc3\xa9", b"\xff", b"=", b" ")  # fmt: skip


def check_condition(data: bytes) -> None:
    """Check that a text is a working condition, or raises a ValueError that names the parameter."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        condition = explain_condition.parse_condition(text)
    except ValueError as problem:
        assert str(problem).startswith(("outlier: ", "outlier must be ")), problem
        return
    assert condition.columns
    for column in condition.columns:
        explain_condition.in_quotes(column)
    try:
        explainer = Explainer(text, budget="64KiB")
    except ValueError as problem:
        assert "outlier" in str(problem) or "condition" in str(problem) or "budget" in str(problem), problem
        return
    try:
        explainer.learn_many([dict.fromkeys(condition.columns, value) for value in ("1", 2.5, None, "word")])
        explainer.top(3)
    except ValueError as problem:
        assert str(problem)


class Odd(Mapping[Any, Any]):
    """A custom mapping with items in any order and number."""

    def __init__(self, items: list[tuple[Any, Any]]) -> None:
        self._items = items

    def __getitem__(self, key: Any) -> Any:
        return next(value for name, value in self._items if name == key)

    def __iter__(self) -> Iterator[Any]:
        return (name for name, _ in self._items)

    def __len__(self) -> int:
        return len(self._items)


PLAIN: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**63, 2**64, 10**400, 0.0, -0.0, 1.5, 1e30, 1e300, float("nan"), float("inf"),
    "", "word", "two words", "\udc80", "a" * 300, "7", b"bytes", np.float32(2.5), np.int64(3), np.bool_(True),
    np.datetime64("2024-05-17"), np.array([1.0, 2.0]), np.array("text"), object(), 1j, (), {1, 2}, "é",
)  # fmt: skip
NAMES: tuple[Any, ...] = ("a", "b", "a.b", "", "é", "long" * 80, 0, 7, 2**32, -1, ("a", "b"), 1.5, None, "\udc80", True)


def value_of(data: Bytes, depth: int = 0) -> Any:
    what = data.byte()
    if what < 200 or depth > 40:
        return PLAIN[what % len(PLAIN)]
    if what < 225:
        return [value_of(data, depth + 1) for _ in range(data.byte() % 5)]
    return row_of(data, depth + 1)


def row_of(data: Bytes, depth: int = 0) -> Any:
    how = data.byte()
    items = [(NAMES[data.byte() % len(NAMES)], value_of(data, depth)) for _ in range(how // 8 % 8)]
    if how % 8 < 5:
        return dict(items)
    return Odd(items) if how % 8 == 5 else items if how % 8 == 6 else PLAIN[data.byte() % len(PLAIN)]


def check_mappings(data: bytes) -> None:
    """Check that rows are learned, or rejected with an error that leaves the model unchanged and usable."""
    source, model = Bytes(data), AWMSketch("2KiB")
    for _ in range(source.byte() % 6):
        rows = [row_of(source) for _ in range(source.byte() % 14)]
        labels = [bool(source.byte() & 1) for _ in rows]
        before = model_bytes(model)
        try:
            if len(rows) == 1:
                model.learn_one(rows[0], labels[0])
            else:
                model.learn_many(rows, labels)
        except (ValueError, TypeError):
            assert model_bytes(model) == before
        for row in rows:
            try:
                probabilities = model.predict_proba_one(row)
                model.explain_one(row)
            except (ValueError, TypeError):
                continue
            assert not probabilities or abs(sum(probabilities.values()) - 1) < 1e-9
    if model._started:
        model.top(5)
        assert model.nbytes <= 2048


CHECKS: dict[str, Check] = {"conditions": check_condition, "mappings": check_mappings, "hostile": check_hostile}


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The input with a few bytes or parts of a condition inserted, removed or changed."""
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(data) + 1)
        piece = rng.choice(PIECES) if rng.random() < 0.6 else rng.randbytes(rng.randrange(1, 5))
        data = data[:at] + (piece if rng.random() < 0.7 else b"") + data[at + rng.randrange(4) :]
    return data[:2000]


def run_random(check: Check, seconds: float, rng: random.Random) -> int:
    """Without coverage: accumulate damage. Return the number of inputs."""
    data, end, n = b"", time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = damaged(b"" if rng.random() < 0.05 else data, rng)
        try:
            check(data)
        except KeyboardInterrupt:
            break
        except BaseException:
            print(repr(data), file=sys.stderr)
            raise
        n += 1
    return n


def main() -> None:
    """Run for the given seconds."""
    check, seconds = CHECKS[sys.argv[1]], float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
    try:
        import atheris
    except ImportError:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # a run that is stopped says how far it came
        print(f"{run_random(check, seconds, random.Random())} inputs")
        return
    for function in [*vars(explain_condition._Parser).values(), *vars(explain_condition).values()]:
        if isinstance(function, FunctionType) and function.__module__ == explain_condition.__name__:
            atheris.instrument_func(function)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        rng = random.Random(seed)
        return damaged(data, rng)[:most] if rng.random() < 0.7 else atheris.Mutate(data, most)

    limits = [f"-max_total_time={seconds:.0f}", "-max_len=2000", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *limits], check, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
