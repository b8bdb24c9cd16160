"""A short run of the mixed random operations; `python -m tests.faults.operations` runs for as long as one likes."""

from tests.faults.operations import KINDS, one_life


def test_random_operations_keep_all_invariants() -> None:
    counted = sum((one_life(seed) for seed in range(12)), start=one_life(12))
    assert counted.total() > 250
    assert len({name.split()[0] for name in counted}) >= len(KINDS) - 1
