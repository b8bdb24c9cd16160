"""`python -m wmsketch.mcp FOLDER` serves the files of a folder over standard input and output."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Serve until the client goes; 2 for bad usage."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print("usage: python -m wmsketch.mcp FOLDER (an existing folder, whose files may be read)", file=sys.stderr)
        return 2
    try:
        from wmsketch.mcp.server import make_server
    except ImportError as problem:
        print(f"the server needs the package mcp: pip install 'wmsketch[mcp]' ({problem})", file=sys.stderr)
        return 2
    make_server(Path(sys.argv[1])).run("stdio")
    return 0


if __name__ == "__main__":
    sys.exit(main())
