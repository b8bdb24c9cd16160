"""Formats and methods are listed once, in `wmsketch.formats` and `wmsketch.methods`."""

import ast
import tomllib
from pathlib import Path

import pytest

from wmsketch.formats import EXAMPLES, FORMATS
from wmsketch.methods import METHODS

SOURCE = Path(__file__).parent.parent / "src" / "wmsketch"


def lists_in(path: Path) -> list[tuple[int, set[str]]]:
    """The texts in each literal list, tuple, set or dict (its keys) of a file."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
        texts = {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
        if texts:
            found.append((node.lineno, texts))
    return found


def other_lists(names: set[str], home: str, most: int) -> list[str]:
    """Where more than `most` of these names occur in one list outside their registry."""
    return [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in SOURCE.rglob("*.py")
        if path != SOURCE / home
        for line, texts in lists_in(path)
        if len(texts & names) > most
    ]


def test_formats_are_listed_once():
    assert other_lists(set(FORMATS), "formats.py", 2) == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_has_a_reader_and_its_extra_is_a_real_one(name):
    extras = tomllib.loads((SOURCE.parent.parent / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert callable(FORMATS[name].load_reader())
    assert FORMATS[name].extra is None or FORMATS[name].extra in extras


def test_methods_are_listed_once():
    assert other_lists(set(METHODS), "methods.py", 3) == []
    exported = {method.class_name for method in METHODS.values()}
    public = ("__init__.py", "baselines.py")
    assert [place for place in other_lists(exported, "methods.py", 3) if not place.startswith(public)] == []


@pytest.mark.parametrize("name", METHODS)
def test_a_method_has_a_class_of_its_kinds(name):
    method = METHODS[name]
    assert method.load_class().kind == next(iter(method.kinds))
    assert (method.paper_shape is not None) == (method.limited and not method.multiclass and not method.numeric)
    assert set(method.paper_rule) | set(method.paper_shape(8192) if method.paper_shape else ()) <= set(
        method.parameters()
    )


def test_the_manual_names_every_format():
    manual = (SOURCE.parent.parent / "docs" / "command-line.md").read_text()
    assert [name for name in EXAMPLES if name not in manual] == []
