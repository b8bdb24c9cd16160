"""The container of model files: the same bytes as of the package safetensors; damaged files are refused."""

import json

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from wmsketch.learners.saving.container import pack, unpack

TYPES = ("u8", "i8", "f8", "f4", "u4", "i4", "f2", "u2", "i2", "i1", "u1", "?")
ARRAYS = st.dictionaries(
    st.text(st.sampled_from("abz_0é"), min_size=1, max_size=4),
    st.tuples(st.sampled_from(TYPES), st.integers(0, 5)).map(lambda t: np.arange(t[1]).astype(t[0])),
)


@given(ARRAYS, st.text(st.characters(max_codepoint=126), max_size=12))
def test_the_bytes_are_those_of_safetensors(arrays, text):
    data = bytes(pack(arrays, {"wmsketch": text}))
    assert data == safetensors.numpy.save(arrays, {"wmsketch": text})
    metadata, back = unpack(data)
    assert metadata == {"wmsketch": text}
    assert {name: (a.dtype, a.tolist()) for name, a in back.items()} == {
        name: (a.dtype, a.tolist()) for name, a in arrays.items()
    }


def with_entry(**changes):
    data = bytes(pack({"a": np.zeros(2, np.float32), "b": np.zeros(3, np.uint8)}, {}))
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    header["a"] |= changes
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data[8 + length :]


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": [3]},
        {"shape": [-2]},
        {"shape": [2, 1]},
        {"shape": [2.0]},
        {"dtype": "F31"},
        {"data_offsets": [0, 9]},
        {"data_offsets": [1, 9]},
        {"data_offsets": [8, 16]},
        {"data_offsets": [-8, 0]},
    ],
)
def test_arrays_that_do_not_lie_where_they_say_are_refused(changes):
    unpack(with_entry())
    with pytest.raises(ValueError, match=r"array '[ab]'"):
        unpack(with_entry(**changes))


def test_every_shorter_and_longer_file_is_refused():
    data = with_entry()
    for size in range(8, len(data)):
        with pytest.raises(ValueError):
            unpack(data[:size])
    with pytest.raises(ValueError, match="bytes, got"):
        unpack(data + b"x")
