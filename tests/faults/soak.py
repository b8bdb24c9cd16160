"""Several threads learn, predict, query, save and load for a while: memory stays constant, and nothing fails.

    python -m tests.faults.soak [SECONDS]

Prints the rows learned, and the memory of the process in the first and in the last third of the time.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from wmsketch import AWMSketch, CountMin, MulticlassAWMSketch, SpaceSaving, load


def resident() -> int:
    """The memory of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def main() -> None:
    """Run for the given time."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3600.0
    model, classes = AWMSketch("16KiB"), MulticlassAWMSketch("32KiB", max_classes=8)
    counters = (CountMin("8KiB"), SpaceSaving("8KiB"))
    end, problems, rows = time.monotonic() + seconds, [], [0, 0, 0, 0]

    def work(number: int, folder: Path) -> None:
        draw, path = np.random.default_rng(number), folder / f"{number}.wms"
        try:
            while time.monotonic() < end:
                keys = draw.zipf(1.2, size=(200, 8)) % 10**9
                batch: list[dict[Any, float]] = [{f"name-{key}": 1.0 for key in row} for row in keys]
                labels = [bool(row[0] % 2) for row in keys]
                model.learn_many(batch, labels)
                classes.learn_many(batch, [f"class {row[0] % 5}" for row in keys])
                for counter in counters:
                    counter.update_many([f"name-{key}" for key in keys[:, 0]])
                    counter.top(5)
                model.predict_proba_one(batch[0])
                model.top(10)
                if rows[number] % 10_000 == 0:
                    model.save(path)
                    assert load(path).n_seen_ > 0
                rows[number] += len(batch)
        except BaseException as problem:
            problems.append(problem)
            raise

    sizes: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        threads = [threading.Thread(target=work, args=(number, Path(folder))) for number in range(len(rows))]
        for thread in threads:
            thread.start()
        while time.monotonic() < end:
            time.sleep(min(1.0, seconds / 30))
            sizes.append(resident())
        for thread in threads:
            thread.join()
    third = max(1, len(sizes) // 3)
    first, last = (max(part) / 2**20 for part in (sizes[:third], sizes[-third:]))
    print(f"{sum(rows):,} rows in {seconds:.0f} s; {first:.1f} MiB at first, {last:.1f} MiB at last")
    assert not problems
    assert last <= first + 8, "memory grows"


if __name__ == "__main__":
    main()
