"""docs/sources.md shows what the commands print.

`python -m tests.sources.test_document` writes fresh output into it.
"""

import tempfile
from pathlib import Path

import pytest

from tests.cli.test_manual import _TIMES, ROOT, _fresh

DOCUMENT = ROOT / "docs" / "sources.md"


def test_the_output_shown_is_real(tmp_path: Path) -> None:
    for module, extra in (("duckdb", "duckdb"), ("adbc_driver_sqlite", "sqlite")):
        pytest.importorskip(module, reason=f"{module} is not installed (pip install 'wmsketch[{extra}]')")
    assert _TIMES.sub("*", _fresh(DOCUMENT, tmp_path)) == _TIMES.sub("*", DOCUMENT.read_text())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        DOCUMENT.write_text(_fresh(DOCUMENT, Path(temporary)))
