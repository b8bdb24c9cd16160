"""Commands with random options on damaged files: each answers or says what is wrong, none ends in an internal error.

    python -m tests.fuzz.commands [SECONDS] [SEED]

SECONDS are of the processor. Prints the number of commands and each one that ended otherwise, with its file.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

from wmsketch.cli.main import main

COLUMNS = ("y", "city", "x", "at", "msg")
PIECES = [b"\n", b"\r", b'"', b",", b";", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"{", b"}", b"[", b":", b"|", b"1e999"]
PIECES += [b"nan", b"9" * 20, b"-", b"\t", b"\\u0000", b"A" * 5000, b"null", b"#"]
OPTIONS = {
    "--label": ["y", "x", "nope"],
    "--positive": ["True", "x"],
    "--budget": ["2KiB", "8KiB", "1", "x"],
    "--bad-rows": ["skip", "stop"],
    "--missing-label": ["skip", "stop"],
    "--numeric": ["x", "city"],
    "--categorical": ["x", "y", "at"],
    "--text": ["msg", "x"],
    "--ignore": ["y", "city,at"],
    "--where": ["x>1", "city==Rome", "x>p50", "("],
    "--weight": ["x", "y"],
    "--time": ["at", "x", "now"],
    "--half-life": ["10", "1h", "x"],
    "--interactions": ["x:city", "auto", "y:x"],
    "--holdout": ["0.1", "5"],
    "--passes": ["2"],
    "--shuffle": ["0", "10"],
    "--method": ["wm", "hash", "lr", "multiclass", "regression", "space-saving"],
    "--loss": ["squared", "poisson", "logistic"],
    "--format": ["csv", "jsonl", "libsvm", "vw", "text", "parquet"],
    "--encoding": ["utf-16", "cp1252", "nope"],
    "--delimiter": [";", "ab"],
    "--top": ["0", "3"],
    "--ship": ["2KiB"],
    "--outlier": ["x>1", "x>p90", "city==Rome"],
    "--metric": ["sum(x)", "p90(x)", "sum(x)/sum(y)"],
    "--test": ["city==Rome"],
    "--order": ["2"],
    "--items": ["city", "x,city"],
    "--every": ["1s"],
    "--window": ["2"],
}
FLAGS = ["--json", "--lowercase", "--templates", "--no-quoting", "--quiet", "--all", "--lines"]
COMMANDS = {"predict": ["--model", "ok.wms"], "diff": ["ok.csv"], "merge": ["ok.wms", "--output", "merged.wms"]}
COMMANDS |= {name: [] for name in ("train", "explain", "pmi", "compare", "inspect", "top", "show")}


def rows(draw: random.Random, n_rows: int = 60) -> list[dict[str, str]]:
    """Return rows of a table in which some values are odd."""
    odd = ["1e400", "$3", "6,5", "nan", "", "x"]
    return [
        {
            "y": str(draw.random() < 0.5),
            "city": draw.choice(["Rome", "Oslo", "", "NA", "1"]),
            "x": draw.choice(odd) if draw.random() < 0.2 else str(draw.gauss(0, 1)),
            "at": draw.choice(["2024-05-17 08:30", "1700000000", "x", ""]),
            "msg": draw.choice(["error at 12", "ok user 7", "", 'q"q']),
        }
        for _ in range(n_rows)
    ]


def csv_of(table: list[dict[str, str]], delimiter: str = ",") -> bytes:
    """Return the rows as csv."""
    cells = [COLUMNS, *(tuple(row.values()) for row in table)]
    quoted = [
        ['"' + cell.replace('"', '""') + '"' if {'"', delimiter} & set(cell) else cell for cell in row] for row in cells
    ]
    return "".join(delimiter.join(row) + "\n" for row in quoted).encode()


def files(draw: random.Random) -> dict[str, bytes]:
    """Return a valid file of each format, by the ending of its name."""
    table, parquet, archive, arrow = rows(draw), io.BytesIO(), io.BytesIO(), io.BytesIO()
    columns, text = pa.Table.from_pylist(table), csv_of(table, draw.choice(",;\t|"))
    pq.write_table(columns, parquet)
    with pa.ipc.new_file(arrow, columns.schema) as writer:
        writer.write_table(columns)
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("a.csv", text)
    lines = b"".join(json.dumps(row).encode() + b"\n" for row in table)
    packed = {"gz": gzip.compress(text), "bz2": bz2.compress(text), "xz": lzma.compress(text)}
    return {
        "csv": text,
        "jsonl": lines,
        "json": b"[" + lines.strip().replace(b"\n", b",") + b"]",
        "svm": b"1 3:2 9:0.5\n0 4:1\n" * 20,
        "vw": b"1 |a x:2 y |b z\n-1 |a y\n" * 20,
        "txt": b"a b c\nd e\n" * 20,
        "parquet": parquet.getvalue(),
        "arrow": arrow.getvalue(),
        "zip": archive.getvalue(),
        **{f"csv.{ending}": data for ending, data in packed.items()},
    }


def damaged(data: bytes, draw: random.Random) -> bytes:
    """Return the bytes with up to twenty changes."""
    changed = bytearray(data)
    for _ in range(draw.choice([0, 1, 1, 2, 5, 20])):
        at, how = draw.randrange(len(changed) + 1), draw.randrange(5)
        if how == 0:
            changed[at:at] = draw.choice(PIECES)
        elif how == 1:
            changed[at : at + 1] = bytes([draw.randrange(256)])
        elif how == 2:
            del changed[at : at + draw.choice([1, 3, 20, 500])]
        elif how == 3:
            changed[at:at] = changed[max(0, at - 60) : at] * draw.choice([1, 2, 30])
        else:
            del changed[at:]
    return bytes(changed)


def one_command(draw: random.Random, folder: Path) -> str:
    """Run a command; return what it was if it ended in an internal error, otherwise nothing."""
    good = {**files(draw), "wms": (folder / "ok.wms").read_bytes()}
    ending = draw.choice(list(good))
    name = draw.choice(["train", "train", *COMMANDS])
    path = folder / f"damaged.{ending}"
    path.write_bytes(damaged(good[ending], draw))
    more = [str(folder / word) if "." in word else word for word in COMMANDS[name]]
    given = [name, str(path), *more, *(["--label", "y"] if name in ("train", "compare", "explain") else [])]
    for option in draw.sample(list(OPTIONS), draw.choice([0, 0, 1, 2, 3])):
        given += [option, draw.choice(OPTIONS[option])]
    given += draw.sample(FLAGS, draw.choice([0, 0, 0, 1]))
    result = CliRunner().invoke(main, given)
    wrong = "internal error" in result.output or not isinstance(result.exception, (SystemExit, type(None)))
    return f"{' '.join(given)}: {result.output[-300:]} {result.exception!r}" if wrong else ""


def prepare(folder: Path) -> None:
    """Write the files that are not damaged."""
    (folder / "ok.csv").write_bytes(csv_of(rows(random.Random(0), 400)))
    trained = CliRunner().invoke(
        main, ["train", str(folder / "ok.csv"), "--label", "y", "--save", str(folder / "ok.wms")]
    )
    if trained.exit_code != 0:
        raise RuntimeError(trained.output)


def run() -> None:
    """Run for the given time."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    n_commands, found = 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        while time.process_time() < seconds:
            if wrong := one_command(random.Random(seed + n_commands), folder):
                found += 1
                print(f"seed {seed + n_commands}: {wrong}", flush=True)
            n_commands += 1
    print(f"{n_commands:,} commands, {found} ended in an internal error")
    sys.exit(found > 0)


if __name__ == "__main__":
    run()
