"""A counter rejects a state that contradicts itself."""

import numpy as np
import pytest

from tests.learners.test_counters import EVERY, count, state


@pytest.mark.parametrize("make", EVERY)
def test_a_damaged_state_is_refused(make):
    counter = make(budget="4KiB")
    count(counter, ["x", "y"])
    before = state(counter)
    arrays = counter._core.state()
    keys = next(name for name in ("tracked_keys", "keys") if name in arrays)
    numbers = next(name for name in ("tracked_importances", "counts") if name in arrays)
    for name, damaged in (
        (keys, arrays[keys][:-1]),
        (keys, np.zeros_like(arrays[keys])),
        (keys, arrays[keys].astype(np.int64)),
        (numbers, np.resize(arrays[numbers], 10**6)),
        (numbers, np.full(len(arrays[numbers]), np.nan)),
        ("name_ends", arrays["name_ends"][::-1]),
        ("name_bytes", np.full_like(arrays["name_bytes"], 0xFF)),
    ):
        with pytest.raises(ValueError, match=r"one importance|twice|wrong type|entries|not finite|name|expected"):
            counter._core.load_state({**arrays, name: damaged})
    with pytest.raises(ValueError, match="is missing"):
        counter._core.load_state({name: array for name, array in arrays.items() if name != keys})
    assert state(counter) == before
