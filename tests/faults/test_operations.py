"""A short run of the mixed random operations; `python -m tests.faults.operations` runs for as long as one likes."""

import pytest

from tests.faults.operations import KINDS, one_life


def test_random_operations_keep_all_invariants() -> None:
    counted = sum((one_life(seed) for seed in range(12)), start=one_life(12))
    assert counted.total() > 250
    assert len({name.split()[0] for name in counted}) >= len(KINDS) - 1


@pytest.mark.parametrize("seed", [50649, 51781])
def test_a_merged_intercept_has_the_same_bits_in_either_direction(seed: int) -> None:
    assert one_life(seed)["classifier merge"] > 0


def test_a_loaded_model_finds_the_classes_of_its_first_rows() -> None:
    assert one_life(559)["classifier copy"] > 0
