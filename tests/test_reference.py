"""The reference of the site: every parameter of a class has an entry, and every method an example that runs."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"
NAMES = re.findall(r"^   (wmsketch\.\S+)$", (DOCS / "reference" / "api.rst").read_text(), re.M)
LEFT_OUT = set(
    re.split(r", ", re.findall(r":exclude-members: (.*)", (DOCS / "_templates" / "class.rst").read_text())[0])
)
ENTRY = re.compile(r"^(\w+(?:, \w+)*): ", re.M)


def thing_of(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize("name", NAMES)
def test_every_method_has_an_example(name: str) -> None:
    thing = thing_of(name)
    assert ">>> " in (inspect.getdoc(thing) or ""), name
    if not inspect.isclass(thing):
        return
    methods = [
        (each, value)
        for each, value in inspect.getmembers(thing, callable)
        if not each.startswith("_") and each not in LEFT_OUT
    ]
    assert [each for each, value in methods if ">>> " not in (inspect.getdoc(value) or "")] == []


@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(thing_of(name), "nbytes")])
def test_every_parameter_has_an_entry(name: str) -> None:
    thing = thing_of(name)
    bases = [*thing.__mro__, *([thing_of("wmsketch.AWMSketch")] if hasattr(thing, "fit") else [])]
    sections = [inspect.cleandoc(each.__doc__ or "").partition("\nParameters\n")[2] for each in bases]
    found = {name for section in sections for names in ENTRY.findall(section) for name in names.split(", ")}
    assert [each for each in inspect.signature(thing).parameters if each not in found] == []
