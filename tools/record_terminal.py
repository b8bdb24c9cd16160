"""Run the commands of the README and draw the terminal: docs/figures/terminal.svg.

python tools/record_terminal.py
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "figures" / "terminal.svg"
COMMANDS = (
    "head -3 requests.csv",
    "wmsketch explain requests.csv --outlier 'ms>500' --ignore at,ok --order 2",
    "wmsketch train requests.csv --label ok --positive no --ignore at,ms --budget 8KiB --top 4",
)
COLUMNS = 112


def output_of(command: str, folder: Path) -> str:
    """Return what a command prints, with the package that is installed."""
    shell = command.replace("wmsketch ", f"{sys.executable} -m wmsketch ", 1)
    done = subprocess.run(shell, shell=True, cwd=folder, capture_output=True, text=True, check=True)
    return re.sub(r" in \d+\.\d+ s", "", done.stdout)  # a time would change with each run


def main() -> None:
    """Write the picture."""
    console = Console(record=True, width=COLUMNS, file=Path("/dev/null").open("w"), force_terminal=True)  # noqa: SIM115
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([sys.executable, ROOT / "examples" / "incident.py"], cwd=name, check=True)
        for command in COMMANDS:
            console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
            console.print(Text(output_of(command, Path(name))))
    picture = console.export_svg(title="wmsketch", unique_id="terminal")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)  # no fonts from elsewhere
    PICTURE.write_text(picture.replace("Fira Code", "ui-monospace, Menlo, Consolas"), "utf-8")


if __name__ == "__main__":
    main()
