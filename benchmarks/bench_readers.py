"""Speed of the text parsers: MB/s of each on one core, without reading from disk.

python -m benchmarks.bench_readers [megabytes]
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.quiet import Times
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


def feed(parser: Any, chunks: list[bytes]) -> int:
    """Parse all chunks; return the number of features."""
    n_features = 0
    for chunk in chunks:
        n_features += len(parser.feed(chunk).keys)
    return n_features + len(parser.feed(b"", final=True).keys)


def inputs(megabytes: int) -> dict[str, tuple[Callable[[], Any], bytes]]:
    """Return a parser and a text for each kind of input."""
    csv_text, json_text = table_texts(megabytes)
    encoder = _core.RowEncoder()
    return {
        "libsvm, values like 0.25": (_core.LibsvmParser, libsvm_text(megabytes, 2)),
        "libsvm, values of 9 digits": (_core.LibsvmParser, libsvm_text(megabytes, 9)),
        "libsvm, values of 17 digits": (_core.LibsvmParser, libsvm_text(megabytes, 17)),
        "vw, two namespaces": (_core.VwParser, vw_text(megabytes)),
        "csv, 4 categories, 4 numbers": (lambda: _core.CsvParser(encoder), csv_text),
        "jsonl, the same table": (lambda: _core.JsonLinesParser(encoder), json_text),
    }


def parsers(n_runs: int, megabytes: int = 40) -> dict[str, Times]:
    """Return the nanoseconds per byte of each parser, in CPU time."""
    found: dict[str, Times] = {}
    for name, (make_parser, text) in inputs(megabytes).items():
        chunks = [text[i : i + CHUNK] for i in range(0, len(text), CHUNK)]
        for _ in range(n_runs):
            parser = make_parser()
            start = time.process_time()
            feed(parser, chunks)
            spent = (time.process_time() - start) / len(text) * 1e9
            found.setdefault(name, Times()).runs.append([spent])
    return found


def main() -> None:
    """Print the speed of every parser."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for name, times in parsers(3, megabytes).items():
        print(f"{name:29} {1000 / times.best:6.0f} MB/s")


if __name__ == "__main__":
    main()
