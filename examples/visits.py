"""Write visits.csv: 20,000 generated visits to a shop, and whether something was bought. The documents use it.

python examples/visits.py [FOLDER]
"""

import csv
import random
import sys
from pathlib import Path

DEVICES, COUNTRIES = ("phone", "tablet", "laptop"), ("AT", "CH", "DE", "FR", "IT", "PL")
CAMPAIGNS = ("none", "spring", "newsletter", "voucher")
BASE = 0.25
EFFECTS = {
    "campaign=voucher": 0.35,
    "device=phone": -0.1,
    "country=CH": 0.15,
    "product=p0042": 0.5,
    "product=p0777": -0.2,
}


def visits(n: int) -> list[dict[str, str]]:
    """Yield visits whose outcome depends on a few attributes and on chance."""
    draw = random.Random(1)
    rows = []
    for visit in range(n):
        row = {
            "visit": str(visit),
            "device": draw.choice(DEVICES),
            "country": draw.choice(COUNTRIES),
            "campaign": draw.choice(CAMPAIGNS),
            "product": f"p{min(int(draw.expovariate(0.01)), 9999):04}"
            if visit % 9
            else draw.choice(["p0042", "p0777"]),
        }
        chance = BASE + sum(EFFECTS.get(f"{column}={value}", 0.0) for column, value in row.items())
        rows.append({**row, "bought": "yes" if draw.random() < chance else "no"})
    return rows


def main(folder: Path) -> None:
    """Write the file."""
    rows = visits(20_000)
    with (folder / "visits.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
