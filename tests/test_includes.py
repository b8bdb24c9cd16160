"""Includes of the C++ core point in one direction, as docs/architecture.md says."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

CORE = Path(__file__).parents[1] / "cpp"
# A folder includes only from itself and from folders to its left.
ORDER = ("data", "simd", "slots", "sets", "counters", "stores", "rule", "prepare", "readers", "models", "apps")
INCLUDE = re.compile(r'^#include "(wmsketch/[\w/.]+)"', re.MULTILINE)


def folder_of(name: str) -> str:
    return name.split("/")[1]


def includes() -> dict[str, list[str]]:
    """The files of the core as includes name them, and what each includes; sources are named like headers."""
    found = {}
    for root, prefix in ((CORE / "include" / "wmsketch", "wmsketch"), (CORE / "src", "wmsketch")):
        for path in sorted(root.rglob("*.[chi]*")):
            found[f"{prefix}/{path.relative_to(root).as_posix()}"] = INCLUDE.findall(path.read_text("utf-8"))
    return found


def wrong_ways(files: dict[str, list[str]]) -> list[str]:
    return [
        f"{name} includes {other}"
        for name, others in files.items()
        for other in others
        if ORDER.index(folder_of(other)) > ORDER.index(folder_of(name))
    ]


def test_a_folder_includes_only_from_folders_to_its_left() -> None:
    assert wrong_ways(includes()) == []


def test_no_two_files_include_each_other() -> None:
    tuple(TopologicalSorter(includes()).static_order())


def test_the_checks_see_what_they_look_for() -> None:
    files = includes()
    assert len(files) > 150 and set(map(folder_of, files)) == set(ORDER)
    turned = {**files, "wmsketch/data/archive.hpp": ["wmsketch/rule/learner.hpp"]}
    assert wrong_ways(turned) == ["wmsketch/data/archive.hpp includes wmsketch/rule/learner.hpp"]
    with pytest.raises(CycleError):
        tuple(TopologicalSorter(turned).static_order())
