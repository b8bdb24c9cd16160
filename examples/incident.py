"""Write requests.csv: an hour of a web service's requests. From the 40th minute on, some are slow.

python examples/incident.py
"""

import csv
import random
from pathlib import Path

N_ROWS = 30_000
FIRST_SLOW_MINUTE = 40


def main() -> None:
    """Write the file into the current folder."""
    draw = random.Random(7)
    with Path("requests.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["at", "region", "host", "version", "endpoint", "ms", "ok"])
        for i in range(N_ROWS):
            minute = 60 * i // N_ROWS
            region = draw.choice(["eu", "us", "us", "asia"])
            host = f"{region}-{draw.randrange(20):02d}"
            version = "2.4.0" if minute >= FIRST_SLOW_MINUTE and draw.random() < 0.5 else "2.3.1"
            endpoint = draw.choice(["/search", "/search", "/cart", "/pay", "/login"])
            slow = version == "2.4.0" and endpoint == "/pay" and draw.random() < 0.7
            slow = slow or draw.random() < 0.01
            ms = draw.lognormvariate(7.2, 0.2) if slow else draw.lognormvariate(4.2, 0.4)
            at = f"2026-03-01 12:{minute:02d}:{i % 60:02d}"
            writer.writerow([at, region, host, version, endpoint, f"{ms:.0f}", "no" if ms > 1000 else "yes"])


if __name__ == "__main__":
    main()
