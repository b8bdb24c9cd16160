"""The notebooks run, and show what they showed. Digits may differ: a better learner has other errors and weights."""

import re
from pathlib import Path

import pytest

from tools.notebooks import NOTEBOOKS, run_notebook


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_output_shown_is_real(path: Path) -> None:
    fresh, written = (_without_digits(text) for text in (run_notebook(path), path.read_text("utf-8")))
    assert fresh == written, "run `python tools/notebooks.py`"


def _without_digits(text: str) -> str:
    return re.sub(r"-?\d+(\.\d+)?", "#", re.sub(r" +", " ", text))
