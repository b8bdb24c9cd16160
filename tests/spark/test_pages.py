"""The examples in the pages on Spark and in the docstrings run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
MODULES = sorted(path.stem for path in (ROOT / "src" / "wmsketch" / "spark").glob("[a-z]*.py"))


@pytest.mark.parametrize("page", ["spark.md", "tutorials/spark.md"])
def test_the_walk_through(spark: Any, page: str) -> None:
    found = doctest.testfile(str(ROOT / "docs" / page), module_relative=False)
    assert found.attempted > 15
    assert found.failed == 0


@pytest.mark.parametrize("module", MODULES)
def test_docstrings(spark: Any, module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"wmsketch.spark.{module}"), extraglobs={"spark": spark})
    assert found.failed == 0
