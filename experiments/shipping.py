"""Learn large, ship small: is a model that learned in many bytes better than one that learned in few?

    python -m experiments.shipping [NAME...] [--ship 8KiB]

The last tenth of the rows is held out. Models of the given size learn the others once and twice. A shipped one learns
them in 16 MiB, is reduced to that size and learns them once more (`fit(ship_budget=)`). The last column is a model of
four times the size that learns them once.
"""

from __future__ import annotations

import argparse

import numpy as np

from experiments.finished_models import stored
from wmsketch import AWMSketch
from wmsketch.learners.sizes.budget import parse_bytes

NAMES = ("newsgroups", "reuters", "imdb", "urls_both", "w8a", "a9a", "spending2015", "assist2009")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", default=NAMES, help=", ".join(NAMES))
    parser.add_argument("--ship", default="8KiB")
    given = parser.parse_args()
    size = parse_bytes(given.ship)
    print(f"| data | {given.ship}, one pass | two passes | shipped | change | {4 * size // 1024}KiB |")
    print("|---|---|---|---|---|---|")
    for name in given.names:
        X, y, n = stored(name)
        learned, held = (X[:n], y[:n]), (X[n:], y[n:])
        models = (
            AWMSketch(size, shuffle=False),
            AWMSketch(size, passes=2, shuffle=False),
            AWMSketch(shuffle=False),
            AWMSketch(4 * size, shuffle=False),
        )
        sizes = (None, None, size, None)
        errors = [
            float(np.mean(model.fit(*learned, ship_budget=ship).predict(held[0]) != held[1]))
            for model, ship in zip(models, sizes, strict=True)
        ]
        once, twice, shipped, larger = errors
        change = f"{shipped / once - 1:+.0%}"
        print(f"| {name} | {once:.4f} | {twice:.4f} | **{shipped:.4f}** | {change} | {larger:.4f} |", flush=True)


if __name__ == "__main__":
    main()
