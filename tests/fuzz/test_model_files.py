"""A bounded, reproducible run of the fuzzer of model files."""

import random

import pytest

from tests.fuzz.model_files import GOLDEN, check, damaged, sealed


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_damaged_files_are_refused_or_work(golden, tmp_path):
    rng = random.Random(golden.stem)
    whole = golden.read_bytes()
    assert sealed(whole) == whole
    assert check(whole, tmp_path / "whole.wms")
    for _ in range(60):
        check(damaged(whole, rng), tmp_path / "damaged.wms")
