import pytest

from wmsketch.learners.budget import parse_bytes


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
    ],
)
def test_sizes_as_people_write_them(size, expected):
    assert parse_bytes(size) == expected


@pytest.mark.parametrize("size", ["8 bananas", "", "KiB", "-1KiB", "0", 0, -5, 8.5, None, True, "1e3", "0.2B", "٣KiB"])
def test_anything_else_is_refused_with_the_value_and_the_units(size):
    with pytest.raises(ValueError, match="KiB, MiB") as problem:
        parse_bytes(size)
    assert repr(size) in str(problem.value)
