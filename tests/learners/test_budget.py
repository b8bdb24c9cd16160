import numpy as np
import pytest

import wmsketch
from wmsketch.apps.explain.shape import choose_sizes
from wmsketch.learners.sizes.budget import parse_bytes


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("8KiB", 8192),
        ("8KB", 8000),
        ("8kB", 8000),
        (" 2 MiB ", 2 * 1024**2),
        ("1.5MiB", 1572864),
        ("0.1GB", 100_000_000),
        ("512", 512),
        ("512B", 512),
        (4096, 4096),
        ("8k", 8192),
        ("8kb", 8000),
        ("8K", 8192),
        ("8192.0", 8192),
        (8192.0, 8192),
        ("1TiB", 1024**4),
        ("1kib", 1024),
        (np.int64(8192), 8192),
        (np.float32(8192), 8192),
    ],
)
def test_sizes_with_units(size, expected):
    assert parse_bytes(size) == expected


NO_SIZES = ["8 bananas", "", "KiB", "-1KiB", "0", 0, -5, 8.5, np.bool_(True), None, True, "1e3", "0.2B", "٣KiB"]


@pytest.mark.parametrize("size", [*NO_SIZES, float("nan"), float("inf"), [8]])
def test_anything_else_is_refused_with_the_value_and_the_units(size):
    with pytest.raises(ValueError, match="KiB, MiB, GiB, TiB") as problem:
        parse_bytes(size)
    assert repr(size) in str(problem.value)


@pytest.mark.parametrize(
    "name", ["AWMSketch", "WMSketch", "SimpleTruncation", "SpaceSavingFrequent", "CountMinFrequent"]
)
def test_names_of_the_largest_budgets_take_what_an_arena_can_hold(name):
    shape = getattr(wmsketch, name)("100GiB")._shape(named=True)
    assert shape.nbytes <= 100 * 2**30
    assert shape.name_bytes < 2**32


def test_names_beyond_an_arena_are_refused():
    with pytest.raises(ValueError, match="name_bytes must be at most 4294967294 bytes, got '5GiB'"):
        wmsketch.AWMSketch("1MiB", name_bytes="5GiB").check_parameters()


@pytest.mark.parametrize("budget", ["8KiB", "128KiB", "16GiB"])
def test_explain_fills_its_budget(budget):
    sizes = choose_sizes(budget, order=2, n_percentiles=1)
    assert sizes.nbytes == parse_bytes(budget)
    assert sizes.capacity >= 16
