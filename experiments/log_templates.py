"""Templates of log lines: grouping accuracy on generated logs, and a planted error in a real access log.

    python -m experiments.log_templates
    python -m experiments.log_templates --days access_log.15 access_log.16
    python -m experiments.log_templates --memory [FILE ...]

Generated logs have known templates. A line counts as grouped right if the lines with its template are exactly the lines
with its true template (the measure of the papers on log parsing). With `--days`, a new error is planted into the second
of two logs, both are repeated to the same size, and the diff of 1 MiB is asked for the row of the error and for its
speed. With `--memory`, the peak of the memory is printed that the search for variable words takes in the first megabyte
of each file, or in two megabytes of generated lines with four names each, the worst case that was found.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from wmsketch import _core
from wmsketch.apps.diff.diff import Diff
from wmsketch.apps.diff.log_lines import with_examples

_WORDS = (
    *("open", "close", "read", "write", "start", "stop", "cache", "queue", "worker", "block", "session", "user"),
    *("request", "reply", "node", "disk", "retry"),
)
_LINES, _TEMPLATES, _LOGS = 20_000, 60, 5
_BYTES = 100 << 20  # of each repeated day
_ERROR = '{ip} - - [{at} -0500] "GET /api/v2/orders/{n} HTTP/1.1" 503 187\n'
_TEMPLATE_OF_ERROR = "GET /api/v2/orders/<num> 503"

_NAMES = [
    a + b + c for a in ("an", "be", "ko", "li", "mu", "ra") for b in "dklmnr" for c in ("a", "el", "i", "on", "us", "y")
]

Make = Callable[[Random], str]
_VARIABLES: dict[str, Make] = {
    "numbers": lambda random: str(random.randrange(10**6)),
    "durations": lambda random: f"{random.random() * 100:.2f}ms",
    "addresses": lambda random: ".".join(str(random.randrange(256)) for _ in range(4)) + f":{random.randrange(65536)}",
    "hex": lambda random: f"0x{random.randrange(2**40):010x}",
    "ids": lambda random: f"req-{random.randrange(16**8):08x}-{random.randrange(10**4):04d}",
    "paths": lambda random: f"/var/data/part-{random.randrange(10**4)}/{random.randrange(100)}.log",
    "quoted": lambda random: f'"{random.choice(_WORDS)} {random.randrange(10**3)}"',
    "four words": lambda random: random.choice(["alice", "bob", "carol", "dave"]),
    "200 words": lambda random: _NAMES[random.randrange(200)],
    "200 words, some frequent": lambda random: _NAMES[int(200 * random.random() ** 3)],
}


def generated(seed: int, kinds: list[str]) -> tuple[list[bytes], list[int]]:
    """Return the lines of a log, and the number of the template of each."""
    random = Random(seed)
    templates = []
    for number in range(_TEMPLATES):
        parts: list[str | Make] = [random.choice(_WORDS) for _ in range(random.randrange(3, 8))]
        for _ in range(random.randrange(1, 4)):
            parts.insert(random.randrange(1, len(parts) + 1), _VARIABLES[random.choice(kinds)])
        templates.append([f"event{'abcdefghij'[number // 10]}{'abcdefghij'[number % 10]}", *parts])
    weights = [1 / (1 + number) for number in range(_TEMPLATES)]
    lines, truth = [], random.choices(range(_TEMPLATES), weights, k=_LINES)
    for i, number in enumerate(truth):
        words = [part if isinstance(part, str) else part(random) for part in templates[number]]
        at = f"2024-05-17 {i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02},{random.randrange(1000):03}"
        lines.append(f"{at} INFO {' '.join(words)}".encode())
    return lines, truth


def grouping_accuracy(lines: list[bytes], truth: list[int], *, words: bool) -> float:
    """Return the share of the lines in a group that is exactly a true one; with `words`, variable words are found."""
    parser = _core.LogLineParser()
    parser.replace_words(_core.variable_words(lines) if words else [])
    block = parser.feed(b"\n".join(lines), True)
    assert block is not None
    found = block.keys.tolist()
    pairs, of_found, of_truth = Counter(zip(found, truth, strict=True)), Counter(found), Counter(truth)
    right = sum(n for (name, number), n in pairs.items() if n == of_found[name] == of_truth[number])
    return right / len(lines)


def planted(first: Path, second: Path) -> None:
    """Find an error that only the second day has."""
    random = Random(0)
    days = [path.read_bytes().splitlines(keepends=True) for path in (first, second)]
    error = [
        _ERROR.format(ip=f"10.0.0.{random.randrange(256)}", at=f"13/Mar/2005:04:{i % 60:02}:18", n=i).encode()
        for i in range(max(20, len(days[1]) // 200))
    ]
    days[1] = sorted([*days[1], *error], key=lambda _: random.random())
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("first.log", "second.log")]
        for path, lines in zip(paths, days, strict=True):
            day = b"".join(lines)
            with path.open("wb") as out:
                for _ in range(1 + _BYTES // len(day)):
                    out.write(day)
        n_bytes = sum(path.stat().st_size for path in paths)
        began, busy = time.perf_counter(), time.process_time()
        diff = Diff("1MiB")
        diff.learn_file(str(paths[0]), str(paths[1]))
        seconds, busy = time.perf_counter() - began, time.process_time() - busy
        rows = diff.top(diff.held.held)
        place = next(i for i, row in enumerate(rows) if row.feature == _TEMPLATE_OF_ERROR)
        row = with_examples(rows[place : place + 1], *map(str, paths), variable_words=diff.variable_words)[0]
    print(f"row {place + 1} of {len(rows)}: {row.feature}, {row.count_a} and {row.count_b} lines, e.g. {row.example}")
    print(
        f"{n_bytes / 1e6:.0f} MB in {seconds:.1f} s, {busy:.1f} s of processor time ({n_bytes / 1e6 / busy:.0f} MB/s)"
    )
    print(f"{diff.nbytes:,} bytes")


def memory(files: list[Path]) -> None:
    """Print the bytes that a search takes at its peak, beside the lines themselves."""
    lines: list[bytes] = []
    for path in files:
        with path.open("rb") as file:
            lines += file.read(1 << 20).splitlines()
    random = Random(1)
    names = ["".join(random.choices("abcdefghij", k=6)) for _ in range(3000)]
    while not files and sum(map(len, lines[:100])) / 100 * len(lines) < 2 << 20:
        a, b, c, d = random.choices(names, k=4)
        text = f"service {a} talked to peer {b} about topic {c} in region {d} today with success"
        lines.append(f"2024-05-17 10:11:12 {text}".encode())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = _core.variable_words(lines)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{len(lines):,} lines: {peak / 1000:.1f} MB for {len(found)} templates with <word>")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", nargs=2, type=Path)
    parser.add_argument("--memory", nargs="*", type=Path, metavar="FILE")
    given = parser.parse_args()
    if given.memory is not None:
        memory(given.memory)
        return
    if given.days:
        planted(*given.days)
        return
    print("| variables | grouping accuracy | without variable words |\n|---|---|---|")
    sets = {name: [name] for name in _VARIABLES} | {
        "all but words": [name for name in _VARIABLES if "words" not in name],
        "all, with 200 words": [name for name in _VARIABLES if name == "200 words" or "words" not in name],
    }
    for name, kinds in sets.items():
        logs = [generated(seed, kinds) for seed in range(_LOGS)]
        scores = [sum(grouping_accuracy(*log, words=words) for log in logs) / _LOGS for words in (True, False)]
        print(f"| {name} | {scores[0]:.3f} | {scores[1]:.3f} |")


if __name__ == "__main__":
    main()
