"""Exported models: C99 gives the bits of `predict`, and what cannot be exported is refused."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wmsketch import AWMRegressor, AWMSketch, MulticlassAWMSketch, WMSketch
from wmsketch.learners.models.introspection import has_learned, predicts_numbers
from wmsketch.results.export import CannotExport, c_header, frozen, js_module, js_reader

Row = dict[str, Any]
# A target: its compiler, and what runs its programs. ARM has fused multiply-add, which would change the last bits.
TARGETS: dict[str, tuple[list[str], list[str]]] = {
    "this machine": ([next(filter(shutil.which, ("cc", "gcc", "clang")), "cc")], []),
    "arm": (["aarch64-linux-gnu-gcc", "-static"], ["qemu-aarch64"]),
}


def table_rows(n: int) -> list[Row]:
    draw = random.Random(4)
    return [
        {
            "minutes": draw.expovariate(0.1),
            "city": draw.choice(["Rome", "Oslo", "Zürich", ""]),
            "product with a long name": f"p{draw.randrange(3000):04d}",
            "night": draw.random() < 0.3,
            "one": 1,
            "price": None if draw.random() < 0.2 else draw.uniform(-1e6, 1e6),
        }
        for _ in range(n)
    ]


def word_rows(n: int) -> list[Row]:
    draw = random.Random(5)
    return [
        {f"w{draw.randrange(4000)}é": draw.choice([1.0, 2.5, -0.1]) for _ in range(draw.randrange(1, 30))}
        for _ in range(n)
    ]


MODELS: dict[str, tuple[Any, list[Row]]] = {
    "table": (AWMSketch("8KiB"), table_rows(1500)),
    "words": (AWMSketch("2KiB", seed=9), word_rows(1500)),
    "heap": (AWMSketch("4KiB", active_set="exact", seed=2), word_rows(800)),
    "thresholded": (AWMSketch("4KiB", l1=1e-4), word_rows(800)),
    "plain": (AWMSketch("4KiB", step="plain", l2=1e-3), table_rows(800)),
    "paper": (AWMSketch.paper("2KiB"), word_rows(800)),
    "number": (AWMRegressor("8KiB"), table_rows(1500)),
    "number, plain": (AWMRegressor("4KiB", step="plain", loss="absolute"), word_rows(800)),
    "count": (AWMRegressor("4KiB", loss="poisson"), table_rows(800)),
}


def trained(name: str) -> tuple[Any, list[Row]]:
    model, rows = MODELS[name]
    if not has_learned(model):
        draw = random.Random(6)
        labels = [draw.random() < (0.7 if len(str(row)) % 3 else 0.2) for row in rows]
        model.learn_many(rows, [9.0 * label + draw.random() for label in labels] if predicts_numbers(model) else labels)
    return model, [*rows[:150], {}, {"a column that was never there": 3.0, **rows[0]}]


def bits(number: float) -> str:
    return struct.pack(">d", number).hex()


def expected(model: Any, rows: list[Row]) -> list[str]:
    if predicts_numbers(model):
        return [bits(model.predict_one(row)) for row in rows]
    shown = []
    for row in rows:
        probability, margin = model.predict_proba_one(row)[True], model.decision_function([row])[0]
        shown.append(f"{bits(probability)} {bits(margin)} {int(model.predict_one(row))}")
    return shown


def c_text(text: str) -> str:
    return '"' + "".join(f"\\{byte:03o}" for byte in text.encode()) + '"'


def c_program(rows: list[Row], names: list[str], number: bool) -> str:
    """A program that prints the answers for these rows, and the weights of these features."""
    lines = ['#include "model.h"', "#include <stdio.h>", "static void show(double x) {"]
    lines += ["  uint64_t b;", "  memcpy(&b, &x, sizeof b);", '  printf("%08lx%08lx ", (unsigned long)(b >> 32),']
    lines += ["         (unsigned long)(b & 0xffffffffu));", "}"]
    for place, row in enumerate(rows):
        lines += [f"static void row{place}(void) {{", "  wmsketch_feature f[40];", "  size_t n = 0;"]
        for column, value in row.items():
            if isinstance(value, bool | str):
                text = value if isinstance(value, str) else str(value).lower()
                lines.append(f"  n += wmsketch_category(f + n, {c_text(column)}, {c_text(text)});")
            elif value is not None:
                lines.append(f"  n += wmsketch_number(f + n, {c_text(column)}, {float(value).hex()});")
        if number:
            lines += ["  show(wmsketch_predict(f, n));", '  printf("\\n");', "}"]
            continue
        lines += ["  show(wmsketch_probability(f, n));", "  show(wmsketch_margin(f, n));"]
        lines += ['  printf("%d\\n", wmsketch_predict(f, n));', "}"]
    lines += ["int main(void) {", *(f"  row{place}();" for place in range(len(rows)))]
    lines += [f'  show(wmsketch_weight({c_text(name)})); printf("\\n");' for name in names]
    return "\n".join([*lines, "  return 0;", "}", ""])


NAMES = ["minutes", "city=Rome", "w7é", "nothing", "a", "abc", "night=true", "x" * 40]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", MODELS)
def test_the_header_gives_the_bits_of_predict(name: str, target: str, tmp_path: Path) -> None:
    compiler, runner = TARGETS[target]
    for program in (compiler[0], *runner):
        if not shutil.which(program):
            pytest.skip(f"there is no {program}")
    model, rows = trained(name)
    (tmp_path / "model.h").write_text(c_header(frozen(model)))
    (tmp_path / "main.c").write_text(c_program(rows, NAMES, predicts_numbers(model)))
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1"]
    subprocess.run([*compiler, *flags, "main.c", "-o", "main"], cwd=tmp_path, check=True)
    shown = subprocess.run([*runner, tmp_path / "main"], check=True, capture_output=True, text=True).stdout.splitlines()
    shown = [line.strip() for line in shown]
    assert shown[: len(rows)] == expected(model, rows)
    assert shown[len(rows) :] == [bits(model.weight(feature)) for feature in NAMES]
    assert "malloc" not in (tmp_path / "model.h").read_text()


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (AWMSketch("4KiB"), "not learned yet"),
        (AWMRegressor("4KiB"), "not learned yet"),
        (WMSketch("4KiB"), "class AWMSketch"),
        (MulticlassAWMSketch("4KiB"), "class AWMSketch"),
        (AWMSketch("4KiB", depth=3, step="plain"), "depth 1"),
        (AWMSketch("8KiB", hash_family="tabulation"), "hash family mixer"),
        (AWMSketch("4KiB", schema={"text": ["city"]}), "rules of the schema: text"),
    ],
)
def test_what_cannot_be_exported_says_why(model: Any, why: str) -> None:
    if why != "not learned yet":
        model.learn_many(table_rows(40), [False, True] * 20)
    with pytest.raises(CannotExport, match=why):
        frozen(model)


def test_a_model_of_few_rows_is_refused() -> None:
    model = AWMSketch("4KiB")
    model.learn_many(table_rows(4), [False, True] * 2)
    with pytest.raises(CannotExport, match="fewer than ten rows"):
        frozen(model)


def test_the_command_writes_all_files(tmp_path: Path) -> None:
    model, _ = trained("table")
    model.save(tmp_path / "m.wms")
    command = [
        sys.executable,
        "-m",
        "wmsketch",
        "export",
        "m.wms",
        "--c",
        "m.h",
        "--js",
        "m.mjs",
        "--js-reader",
        "r.mjs",
    ]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert (tmp_path / "m.h").read_text() == c_header(frozen(model))
    assert (tmp_path / "m.mjs").read_text() == js_module(model)
    assert (tmp_path / "r.mjs").read_text() == js_reader()
    done = subprocess.run(command[:5], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "give --c FILE, --js FILE or --js-reader FILE" in done.stderr


def test_the_command_overwrites_no_model(tmp_path: Path) -> None:
    model, _ = trained("table")
    model.save(tmp_path / "m.wms")
    before = (tmp_path / "m.wms").read_bytes()
    for options, why in (
        (["--js", "./m.wms"], "m.wms is an input and would be overwritten"),
        (["--c", "m.c", "--js-reader", "./m.c"], "--c and --js-reader must be two files"),
    ):
        command = [sys.executable, "-m", "wmsketch", "export", "m.wms", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 2
        assert why in done.stderr
    assert (tmp_path / "m.wms").read_bytes() == before
    assert not (tmp_path / "m.c").exists()
