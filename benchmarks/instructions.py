"""Instructions per feature, which no other work on the machine can change. Needs valgrind.

    python -m benchmarks.instructions [case ...]

Each case runs twice under cachegrind, the second time with more passes over the same rows. The difference is the work
on the rows. The counts are those of valgrind's processor, which has AVX2.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

MORE = 4  # passes of the second run
LEARN = """
from benchmarks.generated_rows import zipf_blocks
block, model = zipf_blocks(1, {rows}, {per_row}, 50_000)[0], {model}
for _ in range({passes}): model.learn_many(block.X, block.y)
print(block.X.nnz)
"""
LONG, SHORT, SINGLE = (
    LEARN.replace("{per_row}", str(length)).replace("{rows}", str(26_400 // length)) for length in (88, 6, 1)
)
PARSE = """
from benchmarks import bench_readers as readers
parser, text = {parser}, readers.{text}
text = text[: text.rindex(b"\\n", 0, 500_000) + 1]
for _ in range({passes}): block = parser.feed(text)
print(len(block.keys))
"""
TABLE = """
from benchmarks import bench_readers as readers
parser, text = wmsketch._core.{parser}(wmsketch._core.RowEncoder()), readers.table_texts(1)[{place}]
text = text[: text.rindex(b"\\n", 0, 500_000) + 1]
block, rest = parser.feed(text), text[text.index(b"\\n") + 1 :]  # without a header
for _ in range({passes}): block = parser.feed(rest)
print(len(block.keys))
"""
CASES = {
    "dense array": LONG.replace("{model}", "wmsketch.LogisticRegression(n_features=50_000)"),
    "feature hashing": LONG.replace("{model}", "wmsketch.FeatureHashing('8KiB')"),
    "awm": LONG.replace("{model}", "wmsketch.AWMSketch('8KiB')"),
    "awm, rows of 6": SHORT.replace("{model}", "wmsketch.AWMSketch('8KiB')"),
    "awm, rows of 1": SINGLE.replace("{model}", "wmsketch.AWMSketch('8KiB')"),
    "awm 2MiB": LONG.replace("{model}", "wmsketch.AWMSketch('2MiB')"),
    "awm plain": LONG.replace("{model}", "wmsketch.AWMSketch('8KiB', step='plain')"),
    "awm heap": LONG.replace("{model}", "wmsketch.AWMSketch('8KiB', step='plain', active_set='exact')"),
    "wm 128 x 14": LONG.replace("{model}", "wmsketch.WMSketch(depth=14, width=128, active_set_size=128)"),
    "wm depth 1": LONG.replace("{model}", "wmsketch.WMSketch(depth=1, width=1792, active_set_size=128)"),
    "libsvm parser": PARSE.replace("{parser}", "wmsketch._core.LibsvmParser()").replace("{text}", "libsvm_text(1, 4)"),
    "csv parser": TABLE.replace("{parser}", "CsvParser").replace("{place}", "0"),
    "jsonl parser": TABLE.replace("{parser}", "JsonLinesParser").replace("{place}", "1"),
    "vw parser": PARSE.replace("{parser}", "wmsketch._core.VwParser()").replace("{text}", "vw_text(1)"),
}


def count(code: str) -> tuple[int, int]:
    """Return the instructions of a program, and the number of features it prints."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    run = [*command, sys.executable, "-c", f"import wmsketch\n{code}"]
    same_start = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(run, check=True, capture_output=True, text=True, env=same_start)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if not found:
        raise SystemExit(f"valgrind reported no count:\n{done.stderr}")
    return int(found[1].replace(",", "")), int(done.stdout)


def main() -> None:
    for name in sys.argv[1:] or CASES:
        once, n_features = count(CASES[name].replace("{passes}", "1"))
        more, _ = count(CASES[name].replace("{passes}", str(MORE)))
        print(f"{name:18} {(more - once) / (MORE - 1) / n_features:7.0f}", flush=True)


if __name__ == "__main__":
    main()
