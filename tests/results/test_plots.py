"""Plots of intervals."""

import math
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from wmsketch.results.plots import intervals

ROWS = [("carrier=UA", 0.5, 0.4, 0.6), ("cost=$5 & <more>", -1.0, math.nan, math.nan)]


def test_the_svg_is_one_element_with_the_labels_as_text() -> None:
    svg = intervals(None, ROWS, "late $flights$", "weight")
    assert ET.fromstring(svg).tag.endswith("svg")
    text = "".join(ET.fromstring(svg).itertext())
    assert "carrier=UA" in text
    assert "cost=$5 & <more>" in text
    assert "late $flights$" in text


def test_the_same_rows_give_the_same_picture() -> None:
    assert intervals(None, ROWS, "t", "x") == intervals(None, ROWS, "t", "x")


@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_suffix_says_the_format(tmp_path: Path, suffix: str, magic: bytes) -> None:
    path = tmp_path / f"weights.{suffix}"
    intervals(path, ROWS, "t", "x")
    assert path.read_bytes().startswith(magic)


def test_no_rows_and_too_many_rows_are_fine() -> None:
    assert intervals(None, [], "nothing", "weight").startswith("<svg")
    svg = intervals(None, [(f"f{i}", float(i), i - 1.0, i + 1.0) for i in range(100)], "many", "weight")
    assert "the first 60 of 100" in svg


def test_open_ends_go_to_the_edge_with_an_arrow() -> None:
    """An item of only one stream, or of all outliers, has no dot for its unknown ratio and an open-ended bar."""
    closed = [("a", 1.0, 0.5, 1.5), ("b", -1.0, -1.5, -0.5)]
    open_ends = [("only here", math.inf, 1.0, math.inf), ("only there", -math.inf, -math.inf, -1.0)]
    svg = intervals(None, [*closed, *open_ends], "", "")
    assert "only here" in svg and "only there" in svg and "nan" not in svg and "inf" not in svg
    assert _n_marks(svg) == 4  # two dots, two arrows
    assert _n_marks(intervals(None, closed, "", "")) == 2
    assert intervals(None, [("all", math.inf, 2.0, math.inf)], "", "", ratios=True).startswith("<svg")


def _n_marks(svg: str) -> int:
    """The number of dots and arrows, which come after the ticks."""
    return svg[svg.rindex('id="ytick_') :].count("<use")
