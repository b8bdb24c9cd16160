"""A package neither reads nor writes the private names of another package."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "wmsketch"
OWN = ("self", "cls", "super")
PUBLIC = {"_replace", "_asdict", "_make", "_fields"}  # public methods of named tuples, despite the underscore
PUBLIC |= {"_set", "_resetUid", "_dummy", "_jvm", "_jsc"}  # of pyspark, for authors of estimators
PUBLIC |= {
    "_PARTITION_EOF",
    "_TRANSPORT",
    "_ALL_BROKERS_DOWN",
    "_RESOLVE",
    "_TIMED_OUT",
}  # of confluent_kafka


def packages() -> list[str]:
    return sorted(path.name for path in SOURCE.iterdir() if path.is_dir() and (path / "__init__.py").exists())


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


def is_own(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in OWN


def defined_in(package: str) -> set[str]:
    """All private names that a package defines."""
    names: set[str] = set()
    for path in (SOURCE / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                names.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own(node.value):
                names.add(node.attr)
            elif isinstance(node, ast.arg):
                names.add(node.arg)
    return {name for name in names if is_private(name)}


def foreign_privates(package: str) -> list[str]:
    """Where a package reads or writes a private name that it does not define, or imports one from elsewhere."""
    own, found = defined_in(package), []
    for path in sorted((SOURCE / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            name = ""
            if isinstance(node, ast.Attribute) and not is_own(node.value):
                name = node.attr
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wmsketch"):
                inside = (node.module or "").startswith(f"wmsketch.{package}")
                name = next((each.name for each in node.names if is_private(each.name) and not inside), "")
                name = "" if name == "_core" else name
            if is_private(name) and (name not in own or isinstance(node, ast.ImportFrom)) and name != "_core":
                found.append(f"{path.relative_to(SOURCE)}:{node.lineno}: {name}")
    return found


@pytest.mark.parametrize("package", packages())
def test_a_package_reads_no_privates_of_another(package: str) -> None:
    assert foreign_privates(package) == []


@pytest.mark.parametrize("package", [each for each in packages() if each != "learners"])
def test_nobody_but_the_learners_reads_those_of_a_model(package: str) -> None:
    """Also if a package defines a private name with the same spelling."""
    learners = {"_started", "_started_as", "_learner", "_multiclass", "_labels", "_shape", "_config", "_probabilities"}
    learners |= {"_names_under"}
    found = []
    for path in (SOURCE / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in learners:
                found += [] if is_own(node.value) else [f"{path.relative_to(SOURCE)}:{node.lineno}: {node.attr}"]
    assert found == []
