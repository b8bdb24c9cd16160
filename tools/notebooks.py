"""Run the notebooks in docs/notebooks and write what their cells show into them.

python tools/notebooks.py

A notebook is edited in Jupyter or any editor. Here it needs no Jupyter: a cell is run as Python would, and its output
is what it prints and the value of its last line.
"""

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def run_cell(source: str, names: dict[str, Any]) -> str:
    """Run a cell in these names and return what it shows."""
    tree = ast.parse(source)
    shown = io.StringIO()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(shown):
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                print(repr(value))
    return shown.getvalue()


def run_notebook(path: Path) -> str:
    """Return the text of a notebook whose cells were run in order, in an empty folder."""
    notebook = json.loads(path.read_text("utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    here = Path.cwd()
    sys.path.insert(0, str(ROOT / "examples"))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            number = 0
            for cell in notebook["cells"]:
                if cell["cell_type"] != "code":
                    continue
                number += 1
                text = run_cell("".join(cell["source"]), names)
                lines = text.splitlines(keepends=True)
                cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}] if text else []
                cell["execution_count"] = number
        finally:
            os.chdir(here)
            sys.path.remove(str(ROOT / "examples"))
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for path in NOTEBOOKS:
        path.write_text(run_notebook(path), "utf-8")
