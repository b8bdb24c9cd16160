"""A report is one self-contained page."""

import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from wmsketch.results.report import write_report


class Page(HTMLParser):
    """Collects the text of the cells of a page, and every resource it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.loads: list[str] = []
        self._in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.loads += [f"{tag} {name}" for name, _ in attributes if name in ("src", "href")]
        self._in_cell = tag in ("td", "th")
        if self._in_cell:
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.cells[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag not in ("td", "th")


def test_the_table_is_there_and_nothing_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    rows = [("carrier=<b>&", 0.123456, 12345, math.nan), ("origin=JFK", math.inf, 7, None)]
    write_report(path, "Late <flights>", {"rows": "336,776"}, ["attributes", "weight", "n", "low"], rows, "<svg/>")
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert page.cells[:4] == ["attributes", "weight", "n", "low"]
    assert page.cells[4:] == ["carrier=<b>&", "0.1235", "12,345", "?", "origin=JFK", "∞", "7", "?"]
    assert page.loads == []
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    assert "Late &lt;flights&gt;" in text
    assert "<figure><svg/></figure>" in text
    assert text.count('<th scope="col" class=number>') == 3  # headers of right-aligned numbers


def test_no_rows_say_so(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(path, "Nothing", {}, ["a", "b"], [])
    assert "nothing to show" in path.read_text(encoding="utf-8")


def test_a_row_of_the_wrong_length_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a row must have 2 cells \(a, b\), got 1"):
        write_report(tmp_path / "report.html", "t", {}, ["a", "b"], [("x",)])
