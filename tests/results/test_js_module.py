"""JavaScript: a module with a model, and one that reads model files, give the bits of `predict`."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.results.test_export import MODELS, NAMES, bits, expected, table_rows, trained
from wmsketch import AWMSketch, MulticlassAWMSketch, WMSketch
from wmsketch.learners.saving import model_file
from wmsketch.results.export import c_header, frozen, js_module, js_reader

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="there is no Node")

SCRIPT = """
import { readFileSync } from "node:fs";
import * as module from "./module.mjs";
const view = new DataView(new ArrayBuffer(8));
const show = (x) => { view.setFloat64(0, x); return view.getBigUint64(0).toString(16).padStart(16, "0"); };
const { rows, names, file, asMap } = JSON.parse(readFileSync("rows.json", "utf8"));
const { margin, predict, probability, weight } = file ? module.load(readFileSync(file)) : module;
const label = (row) => `${show(probability(row))} ${show(margin(row))} ${Number(predict(row))}`;
const answer = (row) => (probability ? label(row) : show(predict(row)));
for (const row of rows) console.log(answer(asMap ? new Map(row) : row));
for (const name of names) console.log(show(weight(name)));
"""


def run(folder: Path, module: str, rows: list[Any], names: list[Any], **more: Any) -> list[str]:
    (folder / "module.mjs").write_text(module)
    (folder / "main.mjs").write_text(SCRIPT)
    (folder / "rows.json").write_text(json.dumps({"rows": rows, "names": names, **more}))
    assert NODE is not None
    done = subprocess.run([NODE, "main.mjs"], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("from_file", [False, True])
def test_the_modules_give_the_bits_of_predict(name: str, from_file: bool, tmp_path: Path) -> None:
    model, rows = trained(name)
    model.save(tmp_path / "model.wms")
    if from_file:
        shown = run(tmp_path, js_reader(), rows, NAMES, file="model.wms")
    else:
        shown = run(tmp_path, js_module(model), rows, NAMES)
    assert shown[: len(rows)] == expected(model, rows)
    assert shown[len(rows) :] == [bits(model.weight(feature)) for feature in NAMES]


def test_a_model_of_an_array_takes_arrays_and_maps(tmp_path: Path) -> None:
    draw = np.random.default_rng(7)
    rows = draw.normal(3, 5, (600, 11)) * (draw.random((600, 11)) < 0.6)
    model = AWMSketch("4KiB", seed=2**63 + 11)  # a seed that a double does not hold
    model.learn_many(rows, rows[:, 0] + rows[:, 3] > 5)
    model.save(tmp_path / "model.wms")
    wanted = [bits(margin) for margin in model.decision_function(rows[:100])]
    shown = run(tmp_path, js_reader(), rows[:100].tolist(), list(range(12)), file="model.wms")
    assert [line.split()[1] for line in shown[:100]] == wanted
    assert shown[100:] == [bits(model.weight(feature)) for feature in range(12)]
    present = [{place: value for place, value in enumerate(row) if value} for row in rows[:100].tolist()]
    wanted = [bits(model.decision_function([row])[0]) for row in present]
    shown = run(tmp_path, js_reader(), [list(row.items()) for row in present], [], file="model.wms", asMap=True)
    assert [line.split()[1] for line in shown] == wanted


@pytest.mark.parametrize("words", [0, 8], ids=["a table", "a price beside words"])
def test_other_numbered_columns_have_the_values_of_predict(words: int, tmp_path: Path) -> None:
    draw = np.random.default_rng(8)
    rows = [
        {0: 5e4 * draw.random(), **{int(key): 1.0 + key % 3 for key in draw.choice(np.arange(1, 300), words)}}
        | ({} if words else {1: draw.normal(), 2: draw.normal(4, 9)})
        | ({700: 1e6, 701: -3.0, 702: 0.5} if i > 40 else {})
        for i in range(600)
    ]
    model = AWMSketch("4KiB")
    model.learn_many(rows, [row[0] > 3e4 for row in rows])
    assert frozen(model).numbered and frozen(model).bounds_others == (words == 0)
    model.save(tmp_path / "model.wms")
    wanted = [bits(margin) for margin in model.decision_function(rows[:100])]
    shown = run(tmp_path, js_reader(), [list(row.items()) for row in rows[:100]], [], file="model.wms", asMap=True)
    assert [line.split()[1] for line in shown] == wanted
    if not shutil.which("gcc"):
        return
    lines = ['#include "model.h"', "#include <stdio.h>", "int main(void) {", "  wmsketch_feature f[40];"]
    for place, row in enumerate(rows[:100]):
        ids, values = ", ".join(map(str, row)), ", ".join(float(value).hex() for value in row.values())
        lines += [f"  {{ const uint32_t i{place}[] = {{{ids}}}; const double v{place}[] = {{{values}}};"]
        lines += [f'  printf("%a\\n", wmsketch_margin(f, wmsketch_numbered(f, i{place}, v{place}, {len(row)}))); }}']
    (tmp_path / "model.h").write_text(c_header(frozen(model)))
    (tmp_path / "main.c").write_text("\n".join([*lines, "  return 0;", "}", ""]))
    subprocess.run(["gcc", "-std=c99", "-Wall", "-Werror", "-O1", "main.c", "-o", "main"], cwd=tmp_path, check=True)
    margins = subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout.splitlines()
    assert [bits(float.fromhex(margin)) for margin in margins] == wanted


LOADING = """
import { readFileSync } from "node:fs";
import { load } from "./module.mjs";
const bytes = readFileSync("model.wms");
const { cuts, flips } = JSON.parse(readFileSync("damage.json", "utf8"));
const outcome = (data) => {
  try { return load(data) && "loaded"; } catch (e) { return `${e.constructor.name}: ${e.message}`; }
};
console.log(outcome(bytes));
console.log(outcome(new Uint8Array(bytes).buffer));
for (const cut of cuts) console.log(outcome(bytes.subarray(0, cut)));
for (const flip of flips) { const data = new Uint8Array(bytes); data[flip] ^= 4; console.log(outcome(data)); }
"""


def outcomes(folder: Path, data: bytes, cuts: list[int], flips: list[int]) -> list[str]:
    (folder / "module.mjs").write_text(js_reader())
    (folder / "main.mjs").write_text(LOADING)
    (folder / "model.wms").write_bytes(data)
    (folder / "damage.json").write_text(json.dumps({"cuts": cuts, "flips": flips}))
    assert NODE is not None
    done = subprocess.run([NODE, "main.mjs"], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    data = model_file.model_bytes(trained("table")[0])
    cuts, flips = [0, 7, 8, 60, 200, len(data) - 1], [*range(8, len(data), 97), len(data) - 1]
    loaded, from_buffer, *refused = outcomes(tmp_path, data, cuts, flips)
    assert loaded == from_buffer == "loaded"
    assert len(refused) == len(cuts) + len(flips)
    for line in refused:
        assert line in ("Error: not a model file of wmsketch", "Error: the model file is damaged or cut short")


def resealed(data: bytes, old: bytes, new: bytes) -> bytes:
    """The file with a part replaced by another of the same length, and a checksum that fits."""
    assert data.count(old) == 1
    assert len(old) == len(new)
    data = data.replace(old, new)
    blank = data[:53] + b"0" * 64 + data[117:]
    return data[:53] + hashlib.sha256(blank).hexdigest().encode() + data[117:]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b'\\"version\\":3', b'\\"version\\":4', "the model file has format version 4; this module reads 3"),
        (b'"cells":{"dtype":"U16"', b'"cells":{"dtype":"F32"', "damaged: the array cells does not lie at"),
        (b'"scale":{"dtype"', b'"scalx":{"dtype"', "Error: the model file is damaged: "),
        (b'"cells":{"dtype"', b'"cells":["dtype"', "Error: the model file is damaged: "),
        (b'\\"active_set_size\\":5', b'\\"active_set_size\\":7', "its arrays do not have the lengths that it states"),
    ],
)
def test_a_file_that_was_made_up_is_refused(old: bytes, new: bytes, why: str, tmp_path: Path) -> None:
    data = model_file.model_bytes(trained("table")[0])
    size = data.index(b'\\"active_set_size\\":') + len(b'\\"active_set_size\\":')
    old = old.replace(b":5", b":" + data[size : size + 1])
    line = outcomes(tmp_path, resealed(data, old, new), [], [])[0]
    assert line.startswith("Error: the model file ")
    assert why in line


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (AWMSketch("4KiB"), "it has not learned yet"),
        (WMSketch("4KiB"), "its class is WMSketch"),
        (MulticlassAWMSketch("4KiB"), "its class is MulticlassAWMSketch"),
        (AWMSketch("4KiB", depth=3, step="plain"), "it does not have depth 1"),
        (AWMSketch("8KiB", hash_family="tabulation"), "the hash family mixer"),
        (AWMSketch("4KiB", schema={"text": ["city"]}), "it has rules of readers: text"),
        (AWMSketch("4KiB", schema={"missing": "count"}), "it has rules of readers: missing"),
    ],
)
def test_a_model_that_it_does_not_know_is_refused(model: Any, why: str, tmp_path: Path) -> None:
    if why != "it has not learned yet":
        model.learn_many(table_rows(40), [False, True] * 20)
    line = outcomes(tmp_path, model_file.model_bytes(model), [], [])[0]
    assert line.startswith("Error: the model cannot be used here: ")
    assert why in line


def test_a_model_of_few_rows_is_refused(tmp_path: Path) -> None:
    model = AWMSketch("4KiB")
    model.learn_many(table_rows(4), [False, True] * 2)
    assert "fewer than ten rows" in outcomes(tmp_path, model_file.model_bytes(model), [], [])[0]
