"""Scripts that no test runs import modules and names that exist."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("wmsketch", "experiments", "benchmarks", "tests")
SCRIPTS = sorted(path for folder in ("benchmarks", "experiments", "examples") for path in (ROOT / folder).rglob("*.py"))


def names_of(module: str) -> set[str] | None:
    """Return the names that a module defines at its top level; None for the extension and packages that load lazily."""
    spec = find_spec(module)
    assert spec is not None, f"there is no module {module}"
    if spec.origin is None or not spec.origin.endswith(".py") or spec.submodule_search_locations is not None:
        return None
    found: set[str] = set()
    for node in ast.walk(ast.parse(Path(spec.origin).read_text("utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_script_imports_what_there_is(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in OURS:
            names = names_of(node.module)
            missing = [alias.name for alias in node.names if names is not None and alias.name not in names]
            assert not missing, f"{node.module} has no {', '.join(missing)}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in OURS:
                    assert find_spec(alias.name) is not None
