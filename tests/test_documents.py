"""The examples in the documents run, and everything they refer to exists."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


WITH_EXAMPLES = sorted(
    str(path.relative_to(ROOT))
    for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    if re.search(r"^```python\n>>> ", path.read_text(), re.M)
    and path.name != "spark.md"  # `make test-spark` runs those
)


@pytest.mark.parametrize("document", WITH_EXAMPLES)
def test_examples_in_documents_run(document: str) -> None:
    result = doctest.testfile(str(ROOT / document), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 3
    assert result.failed == 0


GENERATED = {"project", "gallery_auto", "generated", "_build"}  # by `make docs`
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md") if not GENERATED & set(path.parts)),
]


@pytest.mark.parametrize("document", PAGES)
def test_links_lead_somewhere(document: str) -> None:
    path = ROOT / document
    for link, _, section in re.findall(r"\]\(([^)#:]*)(#([^)]+))?\)", path.read_text()):
        target = path.parent / link if link else path
        assert target.exists(), link
        assert not section or section in _sections(target), f"{link}#{section}"


def _sections(page: Path) -> set[str]:
    """The anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_site_lists_every_page() -> None:
    text = "\n".join(path.read_text() for path in ROOT.glob("docs/**/*.md"))
    listed = {Path(line).name for block in re.findall(r"```{toctree}(.*?)```", text, re.S) for line in block.split()}
    pages = [Path(page) for page in PAGES if page.startswith("docs/") and page != "docs/index.md"]
    assert [str(page) for page in pages if page.stem not in listed] == []


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_make_targets_exist(document: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"make ([a-z-]+)", (ROOT / document).read_text())) <= targets | {"sure"}


def test_folders_of_the_table_exist() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text().split("| folder | what |")[1].split("\n\n")[0]
    for cell in re.findall(r"^\| (`[^|]+) \|", table, re.M):
        first, *others = re.findall(r"`([^`]+)`", cell)
        for name in (first, *others):
            assert (ROOT / name).exists() or (ROOT / first).parent.joinpath(name).exists(), name


def test_the_stub_of_the_extension_is_up_to_date(tmp_path: Path) -> None:
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "wmsketch._core", "-o", str(fresh)]
    subprocess.run(command, check=True)
    committed = (ROOT / "src" / "wmsketch" / "_core.pyi").read_text()
    assert fresh.read_text() == committed, "run `make stub`"
