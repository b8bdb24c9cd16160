"""A source file has one topic: about a hundred lines, and never more than 400."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("benchmarks", "bindings", "cpp", "examples", "experiments", "src", "tests")
SUFFIXES = {".py", ".cpp", ".hpp", ".inl"}  # not stubs, which are generated, and not documents
MOST_LINES = 400


def test_no_source_is_longer_than_it_may_be() -> None:
    sources = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    assert len(sources) > 100, "the folders of sources have other names now"
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in sources}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}
