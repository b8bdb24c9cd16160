"""Speed of the text parsers: MB/s of each on one core, without reading from disk.

Usage: python benchmarks/bench_readers.py [megabytes]
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from wmsketch import _core

CHUNK = 1 << 20


def libsvm_text(megabytes: int, digits: int) -> bytes:
    """Rows like `1 123:0.5 456:0.25 ...` with 40 features each."""
    random = np.random.default_rng(7)
    rows = []
    for _ in range(2000):
        ids = np.sort(random.zipf(1.3, 40) % 1_000_000)
        values = np.round(random.random(40), digits)
        features = " ".join(f"{i}:{v:g}" if digits < 6 else f"{i}:{v}" for i, v in zip(ids, values, strict=True))
        rows.append(f"{random.choice([-1, 1])} {features}\n")
    text = "".join(rows).encode()
    return text * (megabytes * 1_000_000 // len(text) + 1)


def vw_text(megabytes: int) -> bytes:
    """Rows with 20 bare words and 20 words with values, in two namespaces."""
    random = np.random.default_rng(7)
    words = [f"word{i}" for i in range(50_000)]
    rows = []
    for _ in range(2000):
        picked = [words[i] for i in random.zipf(1.3, 40) % len(words)]
        valued = " ".join(f"{word}:{value:.3g}" for word, value in zip(picked[20:], random.random(20), strict=True))
        rows.append(f"{random.choice([-1, 1])} |title {' '.join(picked[:20])} |body {valued}\n")
    text = "".join(rows).encode()
    return text * (megabytes * 1_000_000 // len(text) + 1)


def table_texts(megabytes: int) -> tuple[bytes, bytes]:
    """The same table of 4 categories and 4 numbers as CSV and as JSON Lines."""
    random = np.random.default_rng(7)
    names = [f"column{i}" for i in range(8)]
    rows = []
    for _ in range(5000):
        words = [f"value{i}" for i in random.zipf(1.5, 4) % 10_000]
        rows.append([*words, *np.round(random.random(4), 4).tolist()])
    header = ",".join(names) + "\n"
    body = "".join(",".join(map(str, row)) + "\n" for row in rows)
    lines = "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
    repeats = megabytes * 1_000_000
    return (header + body * (repeats // len(body) + 1)).encode(), (lines * (repeats // len(lines) + 1)).encode()


def measure(name: str, make_parser: Callable[[], Any], text: bytes) -> None:
    """Print the best of three runs, in CPU time."""
    chunks = [text[i : i + CHUNK] for i in range(0, len(text), CHUNK)]
    best = float("inf")
    for _ in range(3):
        parser = make_parser()
        n_features = 0
        start = time.process_time()
        for chunk in chunks:
            n_features += len(parser.feed(chunk).keys)
        n_features += len(parser.feed(b"", final=True).keys)
        best = min(best, time.process_time() - start)
    speed = len(text) / best / 1e6
    print(f"{name:29} {speed:6.0f} MB/s  {best / n_features * 1e9:5.1f} ns per feature")


def main() -> None:
    """Measure every parser."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    measure("libsvm, values like 0.25", _core.LibsvmParser, libsvm_text(megabytes, 2))
    measure("libsvm, values of 9 digits", _core.LibsvmParser, libsvm_text(megabytes, 9))
    measure("libsvm, values of 17 digits", _core.LibsvmParser, libsvm_text(megabytes, 17))
    measure("vw, two namespaces", _core.VwParser, vw_text(megabytes))
    csv_text, json_text = table_texts(megabytes)
    encoder = _core.RowEncoder()
    measure("csv, 4 categories, 4 numbers", lambda: _core.CsvParser(encoder), csv_text)
    measure("jsonl, the same table", lambda: _core.JsonLinesParser(encoder), json_text)


if __name__ == "__main__":
    main()
