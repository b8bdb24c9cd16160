"""Seeds: a given seed gives the same bytes; a drawn seed is shown and stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sklearn.base import clone

from wmsketch import AWMSketch, CountMin, WMSketch, load
from wmsketch.cli.main import main
from wmsketch.learners.saving.model_file import model_bytes


@pytest.mark.parametrize("kind", [AWMSketch, WMSketch])
def test_a_drawn_seed_is_shown_and_kept(kind: Any, tmp_path: Path) -> None:
    model, other = kind("2KiB", seed="random"), kind("2KiB", seed="random")
    rows, labels = [{f"f{i}": 1.0, "all": 1.0} for i in range(300)], [i % 2 == 0 for i in range(300)]
    for each in (model, other):
        each.learn_many(rows, labels)
    seed = model.get_params()["seed"]
    assert isinstance(seed, int) and seed != other.get_params()["seed"]
    assert clone(model).get_params()["seed"] == seed
    again = kind("2KiB", seed=seed)
    again.learn_many(rows, labels)
    assert model_bytes(model) == model_bytes(again)
    model.save(tmp_path / "model.wms")
    assert load(tmp_path / "model.wms").get_params()["seed"] == seed


def test_counters_draw_seeds_too() -> None:
    assert CountMin("2KiB", seed="random")._params["seed"] != CountMin("2KiB", seed="random")._params["seed"]


def test_other_words_are_refused() -> None:
    with pytest.raises((ValueError, TypeError), match="seed"):
        AWMSketch("2KiB", seed="any").check_parameters()


def test_the_command_line_shows_what_it_drew(tmp_path: Path) -> None:
    (tmp_path / "rows.svm").write_text("1 1:1\n-1 2:1\n")
    arguments = ["train", str(tmp_path / "rows.svm"), "--seed", "random", "--json", "--save", str(tmp_path / "m.wms")]
    first, second = (json.loads(CliRunner().invoke(main, arguments).stdout)["params"]["seed"] for _ in range(2))
    assert first != second
    shown = CliRunner().invoke(main, ["inspect", str(tmp_path / "m.wms"), "--json"]).stdout
    assert json.loads(shown)["params"]["seed"] == second
