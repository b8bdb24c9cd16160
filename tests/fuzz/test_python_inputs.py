"""A bounded run of the fuzzer of conditions and mappings, and regressions it found."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.python_inputs import CHECKS, damaged
from wmsketch.readers.condition import parse_condition


@pytest.mark.parametrize("name", CHECKS)
def test_inputs_made_at_random(name: str) -> None:
    rng, data = random.Random(1), b""
    for _ in range(150):
        data = damaged(b"" if rng.random() < 0.05 else data, rng)
        CHECKS[name](data)


@pytest.mark.parametrize("text", ["(" * 100_000 + "a>1", "not " * 100_000 + "a>1"])
def test_a_condition_that_is_nested_too_deeply_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="outlier: expected at most 100"):
        parse_condition(text)


def test_a_long_condition_takes_a_bounded_message() -> None:
    with pytest.raises(ValueError) as problem:
        parse_condition("a " * 100_000)
    assert len(str(problem.value)) < 500


@pytest.mark.parametrize(
    ("name", "data"),
    [("conditions", b"x\xccn is missing"), ("conditions", b"''==1"), ("mappings", b'"' + b"\xc1" * 120)],
)
def test_what_was_found_stays_mended(name: str, data: bytes) -> None:
    CHECKS[name](data)
