"""The sizes that a budget gives. They are a promise: a model file of the same parameters must fit the same shape."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wmsketch.errors import ParameterError
from wmsketch.learners.sizes.shapes import Shape, Wanted, choose_shape

RECORDED = Path(__file__).with_name("recorded_shapes.txt")


def recorded() -> Iterator[tuple[Any, ...]]:
    for line in RECORDED.read_text().splitlines()[1:]:
        kind, step, active_set, names, share, depth, given, sizes = (cell.strip() for cell in line.split("|"))
        wanted = {name: int(value) if value.isdigit() else value for name, value in re.findall(r"(\w+)=(\S+)", given)}
        base = Shape(kind, step, exact_set=active_set == "heap")
        rule = {"named": names == "names", "set_share": float(share), "depth": int(depth)}
        yield base, Wanted(**wanted), rule, tuple(map(int, sizes.split()))


@pytest.mark.parametrize(("base", "wanted", "rule", "sizes"), list(recorded()))
def test_a_budget_gives_the_shape_that_was_recorded(base, wanted, rule, sizes):
    shape = choose_shape(base, wanted, **rule)
    assert (shape.depth, shape.width, shape.active_set_size, shape.name_bytes, shape.nbytes) == sizes


def test_a_budget_that_is_too_small_names_the_smallest_that_works():
    base = Shape("awm", "adaptive")
    with pytest.raises(ParameterError, match="must be at least 752 bytes with names, got 500"):
        choose_shape(base, Wanted(500), named=True, set_share=0.1, depth=1)
    assert choose_shape(base, Wanted(752), named=True, set_share=0.1, depth=1).nbytes <= 752
    with pytest.raises(ParameterError, match="is 1000 bytes, but this shape takes"):
        choose_shape(base, Wanted(1000, width=4096, active_set_size=64), named=True, set_share=0.1, depth=1)
