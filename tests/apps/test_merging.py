"""Merging the Explainer, Diff or PMI of each part gives those of the whole, in any order and grouping."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import wmsketch
from wmsketch.apps import PMI, Diff, Explainer
from wmsketch.apps.merging import merge_apps
from wmsketch.cli.main import main


def rows(seed: int, n: int = 1500) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "ms": draw.integers(0, 1000, n),
            "host": draw.choice(list("abcd"), n),
            "city": np.where(draw.random(n) < 0.2, None, draw.choice(["Rome", "Oslo"], n)),  # type: ignore[call-overload]
        }
    )


def explainer(seed: int) -> Explainer:
    frame = rows(seed)
    one = Explainer("ms>=700", order=3, budget="1MiB")
    one.learn_many(frame[["city", "ms", "host"]] if seed % 2 else frame)  # another order of columns
    return one


def diff(seed: int) -> Diff:
    draw = np.random.default_rng(seed)
    one = Diff("64KiB")
    one.learn_many(*([f"thing {i}" for i in draw.zipf(1.3, 2000) % 300] for _ in range(2)))
    return one


def pairs(seed: int) -> PMI:
    draw = np.random.default_rng(seed)
    one = PMI(budget="1MiB")
    for _ in range(200):
        one.learn_items([f"w{i}" for i in draw.zipf(1.4, 12) % 60])
    return one


def answer_of(app: Any) -> Any:
    """All counts by name, for exact comparison."""
    if isinstance(app, Explainer):
        found = app.top(None, certain=False, min_ratio=0, min_support=0, folded=False)
        return {frozenset(row.attributes.items()): (row.outliers, row.inliers, row.exact) for row in found}
    if isinstance(app, Diff):
        return {row.feature: (row.count_a, row.count_b, row.log_ratio) for row in app.rows()}
    return {row.pair: (row.count, row.exact, round(row.pmi, 12)) for row in app.top(10**6)}


@pytest.mark.parametrize("make", [explainer, diff, pairs])
def test_parts_merge_in_any_order_and_grouping(make: Any) -> None:
    a, b, c = (make(seed) for seed in (1, 2, 3))
    left = answer_of(merge_apps([merge_apps([a, b]), c]))
    assert left == answer_of(merge_apps([a, merge_apps([b, c])])) == answer_of(merge_apps([c, b, a]))
    assert len(left) >= 19


@pytest.mark.parametrize("make", [explainer, diff, pairs])
def test_merging_gives_the_same_bytes_in_either_direction(make: Any) -> None:
    for seed in range(1, 7, 2):
        a, b = make(seed), make(seed + 1)
        before = a.to_bytes(), b.to_bytes()
        assert a.copy().merge(b).to_bytes() == b.copy().merge(a).to_bytes()
        assert (a.to_bytes(), b.to_bytes()) == before
    new = type(a).from_bytes(before[0])
    with pytest.raises(ValueError, match="cannot be merged with itself"):
        new.merge(new)
    assert new.to_bytes() == before[0]


@pytest.mark.parametrize("make", [explainer, diff, pairs])
def test_four_parts_give_the_same_bytes_in_every_order(make: Any) -> None:
    parts = [make(seed) for seed in range(4)]
    assert len({merge_apps(order).to_bytes() for order in permutations(parts)}) == 1


def test_an_open_window_ends_with_a_merge() -> None:
    """The last items of one stream and the next of another were never together."""
    one, other = (PMI(budget="1MiB", window=2) for _ in range(2))
    for pmi, items in ((one, ["a", "b"]), (other, ["x", "y"])):
        pmi.learn_chunk(" ".join(items) + " ")
    for merged in (one.copy().merge(other), other.copy().merge(one)):
        merged.learn_chunk("z ")
        merged.end_text()
        assert {pair: merged.row(*pair).count for pair in (("b", "z"), ("y", "z"))} == {("b", "z"): 0, ("y", "z"): 0}


@pytest.mark.parametrize("make", [explainer, diff, pairs])
def test_seventy_merges_with_a_copy_can_be_saved(make: Any) -> None:
    app = make(1)
    for _ in range(70):
        app.merge(app.copy())
    assert type(app).from_bytes(app.to_bytes()).to_bytes() == app.to_bytes()


def test_conjunctions_of_parts_are_those_of_the_whole() -> None:
    whole = Explainer("ms>=700", order=3, budget="1MiB")
    whole.learn_many(pd.concat([rows(seed) for seed in (1, 2)]))
    assert answer_of(merge_apps([explainer(1), explainer(2)])) == answer_of(whole)


def test_a_column_that_one_part_lacks_was_missing_there() -> None:
    first, second = rows(1), rows(2).drop(columns="city")
    whole, *parts = (Explainer("ms>=700", order=3, budget="1MiB") for _ in range(3))
    whole.learn_many(pd.concat([first, second]))
    for part, frame in zip(parts, (first, second), strict=True):
        part.learn_many(frame)
    wanted = answer_of(whole)
    assert answer_of(merge_apps(parts)) == wanted == answer_of(merge_apps(parts[::-1]))


def test_pairs_whose_names_found_no_room_are_marked() -> None:
    parts = [PMI(budget="64KiB") for _ in range(2)]
    for number, part in enumerate(parts):
        part.learn_text(" ".join(f"word{i}of{number}" for i in range(3000)))
    shown = parts[0].merge(parts[1]).top(10**6)
    assert all(name for row in shown for name in row.pair)
    assert len({row.pair for row in shown}) == len(shown)


@pytest.mark.parametrize("make", [explainer, diff, pairs])
def test_what_differs_is_named(make: Any) -> None:
    one = make(1)
    before = one.to_bytes()
    other = one.copy()
    if isinstance(other, Diff):
        other._seed = 5
    else:
        other.seed = 5
    with pytest.raises(ValueError, match=r"cannot merge: seed differs \(0 and 5\)"):
        one.merge(other)
    with pytest.raises(ValueError, match="cannot merge: the class differs"):
        one.merge(wmsketch.AWMSketch("4KiB"))
    with pytest.raises(ValueError, match="cannot be merged with itself"):
        one.merge(one)
    assert one.to_bytes() == before


@pytest.mark.parametrize("make", [explainer, diff, pairs])
def test_the_command_line_merges_their_files(make: Any, tmp_path: Path) -> None:
    parts = [make(1), make(2)]
    for number, part in enumerate(parts):
        part.save(tmp_path / f"{number}.wms")
    files = [str(tmp_path / name) for name in ("0.wms", "1.wms", "both.wms")]
    result = CliRunner().invoke(main, ["merge", *files[:2], "--output", files[2], "--json"])
    assert result.exit_code == 0, result.output
    assert answer_of(wmsketch.load(files[2])) == answer_of(merge_apps(parts))
    wmsketch.AWMSketch("4KiB").save(files[1])
    result = CliRunner().invoke(main, ["merge", *files[:2], "--output", files[2]])
    assert result.exit_code == 1 and "the class differs" in result.output
