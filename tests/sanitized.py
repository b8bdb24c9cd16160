"""Run tests with an extension that was built with sanitizers.

    python -m tests.sanitized FOLDER TESTS...

FOLDER contains the extension; the rest of the package comes from this checkout.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


def main() -> int:
    """Replace the installed extension by the one in the folder, and run the tests."""
    folder, *tests = sys.argv[1:]
    package, source = Path(folder, "wmsketch"), Path("src/wmsketch").resolve()
    package.mkdir(exist_ok=True)
    for entry in [*source.iterdir(), *Path(folder).glob("_core*.so")]:
        link = package / entry.name
        link.unlink(missing_ok=True)
        link.symlink_to(entry.resolve())
    sys.meta_path = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
    sys.path.insert(0, str(Path(folder).resolve()))
    import wmsketch._core

    assert Path(wmsketch._core.__file__ or "").parent == package.resolve(), "another extension was imported"
    # a sanitizer writes its report to the stderr of the process, and ends the process
    return int(pytest.main(["-q", "-p", "no:cacheprovider", "--capture=sys", *tests]))


if __name__ == "__main__":
    sys.exit(main())
