"""An explainer as an object: dicts, frames and files, saving, copies, merging."""

from __future__ import annotations

import copy
import json
import pickle
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

import wmsketch
from tests.apps.explain_requests import exact, requests
from wmsketch.apps.explain.explainer import Explainer


def answers(explainer: Explainer) -> list[dict[str, object]]:
    rows = explainer.top(None, certain=False, min_ratio=0, min_support=0, folded=False)
    return [row.as_record() for row in rows]


@pytest.mark.parametrize("options", [{}, {"order": 2, "budget": "32KiB"}, {"half_life": 5000}])
def test_saved_pickled_and_copied_explainers_continue_identically(tmp_path: Path, options: dict[str, object]) -> None:
    frame = requests(24_000)
    one = Explainer("ms>p90", categorical=["user"], where="hour<20", **options)  # type: ignore[arg-type]
    one.learn_many(frame[:12_000])
    one.save(tmp_path / "slow.wms")
    others = [Explainer.load(tmp_path / "slow.wms"), pickle.loads(pickle.dumps(one)), one.copy(), copy.deepcopy(one)]
    one.learn_many(frame[12_000:])
    expected = answers(one)
    for other in others:
        assert other.nbytes == one.nbytes
        other.learn_many(frame[12_000:])
        assert answers(other) == expected
        assert (other.examples, other.outliers, other.thresholds) == (one.examples, one.outliers, one.thresholds)
    assert wmsketch.load(tmp_path / "slow.wms").outlier == "ms>p90"


def test_damaged_states_are_refused(tmp_path: Path) -> None:
    one = Explainer("ms>500", order=2, budget="32KiB")
    one.learn_many(requests(3000))
    parameters, state, arrays = one._document()
    for name, value in {"orders": 3, "counts": -1.0, "edge_ends": 10**6, "name_ends": 10**9, "rights": 10**6}.items():
        damaged = {**arrays, name: np.full_like(arrays[name], value)}
        with pytest.raises(ValueError, match=r"damaged|longer|fit"):
            Explainer.__new__(Explainer)._restore(parameters, state, damaged, 10**6)
    with pytest.raises(ValueError, match="is missing"):
        Explainer.__new__(Explainer)._restore(parameters, state, {}, 10**6)


def test_merged_parts_are_the_whole() -> None:
    frame = requests().drop(columns=["size", "hour"])
    frame["rare"] = np.where(np.arange(len(frame)) < 3000, "x", None)  # type: ignore[call-overload]
    whole, *parts = (Explainer("ms>=500", categorical=["user"], ignore=["city"]) for _ in range(4))
    whole.learn_many(frame)
    for part, rows in zip(parts, (frame[:4000], frame[4000:5000], frame[5000:]), strict=True):
        part.learn_many(rows)
    first, *others = parts
    for part in others:
        first.merge(part)
    assert first.examples == whole.examples

    def answers(explainer: Explainer) -> dict[str, tuple[float, float, bool]]:
        rows = explainer.top(None, certain=False, min_ratio=0, min_support=0)
        return {row.full_label: (row.outliers, row.inliers, row.exact) for row in rows}

    assert answers(first) == answers(whole)


def test_merged_parts_of_a_small_budget_hold_the_truth() -> None:
    frame = requests().drop(columns=["size", "hour"])
    parts = [Explainer("ms>=500", categorical=["user"], budget="16KiB") for _ in range(2)]
    for part, rows in zip(parts, (frame[:8000], frame[8000:]), strict=True):
        part.learn_many(rows)
    parts[0].merge(parts[1])
    assert parts[0].nbytes <= 16 * 1024
    for row in parts[0].top(None, certain=False, min_ratio=0, min_support=0):
        outliers, inliers = exact(frame, row.attributes, frame.ms >= 500)
        assert row.outliers_range[0] <= outliers <= row.outliers_range[1]
        assert row.inliers_range[0] <= inliers <= row.inliers_range[1]


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        ({"outlier": "ms>1"}, {"outlier": "ms>2"}, "cannot merge: outlier differs"),
        ({"outlier": "ms>p90"}, {"outlier": "ms>p90"}, "percentiles of two streams cannot be merged"),
        ({"outlier": "ms>1"}, {"outlier": "ms>1", "seed": 1}, "cannot merge: seed differs"),
    ],
)
def test_mismatched_explainers_are_not_merged(one: dict[str, object], two: dict[str, object], message: str) -> None:
    explainers = [Explainer(**options) for options in (one, two)]  # type: ignore[arg-type]
    for n, each in enumerate(explainers):
        each.learn_many(requests(100 + 50 * n)[["ms", "city"]])
    with pytest.raises(ValueError, match=message):
        explainers[0].merge(explainers[1])


def test_dicts_frames_and_files_give_the_same_counts(tmp_path: Path) -> None:
    frame = requests(3000)
    frame.loc[::7, "city"] = None
    frame.to_csv(tmp_path / "rows.csv", index=False)
    explainers = [Explainer("ms>=500", categorical=["user", "host"]) for _ in range(4)]
    explainers[0].learn_many(frame)
    explainers[1].learn_many(frame.to_dict("records"))
    explainers[2].learn_file(tmp_path / "rows.csv")
    for row in frame.to_dict("records"):
        explainers[3].learn_one(row)
    for other in explainers[1:]:
        assert answers(other) == answers(explainers[0])
    assert repr(explainers[0]).startswith("Explainer('ms>=500', categorical=['user', 'host']): 3,000 rows")


def test_chosen_candidates_are_counted_exactly_while_rows_wait() -> None:
    frame = requests(4000)[["ms", "user"]]
    chosen = [Explainer("ms>=500", include=["user"], categorical=["user"], budget="32KiB") for _ in range(2)]
    chosen[0].choose_candidates(frame).learn_many(frame)
    chosen[1].choose_candidates(frame).learn_many(frame.to_dict("records"))
    for explainer in chosen:
        assert explainer.examples == 4000
        assert explainer.held.exact == explainer.held.held < explainer.held.distinct
        for row in explainer.top(None, certain=False, min_ratio=0, min_support=0):
            assert (row.outliers, row.inliers) == exact(frame, row.attributes, frame.ms >= 500)
    assert answers(chosen[0]) == answers(chosen[1]) != []


def test_invalid_rows_are_rejected_by_number() -> None:
    explainer = Explainer("ms>5")
    with pytest.raises(TypeError, match="use learn_one"):
        explainer.learn_many({"ms": 5})
    with pytest.raises(TypeError, match="row 2 must be a dict"):
        explainer.learn_many([{"ms": 5}, 7])
    explainer.learn_many([{"ms": float("inf")}])
    assert (explainer.examples, explainer.skipped) == (0, 1)


def test_dicts_are_the_rows_of_json_lines(tmp_path: Path) -> None:
    rows = [
        {
            "ms": i % 7 * 50,
            "host": f"h{i % 3}",
            "ok": i % 2 == 0,
            "load": i / 3,
            "tags": ["a", i % 4],
            "at": {"x": i % 5},
        }
        for i in range(400)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for order in (1, 2):
        dicts, file = (Explainer("ms>=200", order=order, budget="1MiB") for _ in range(2))
        dicts.learn_many(rows)
        file.learn_file(path)
        assert dicts.to_bytes() == file.to_bytes()


def test_values_of_other_types_are_their_texts() -> None:
    explainer = Explainer("ms>100")
    for i in range(200):
        explainer.learn_one(
            {"ms": Decimal(250 * (i % 2)), "id": UUID(int=i % 2), 7: Fraction(1, 2), "gone": float("nan")}
        )
    (row,) = explainer.top(folded=False)
    assert row.attributes == {"id": str(UUID(int=1))} and row.outliers == explainer.outliers == 100
    assert "7" in explainer._stream.columns


def test_the_row_that_cannot_be_read_is_named_and_those_before_it_are_learned() -> None:
    explainer = Explainer(label="late")
    with pytest.raises(ValueError, match=r'^row 3: expected .*"late", found "maybe"'):
        explainer.learn_many(iter([{"late": 1, "host": "a"}, {"late": 0, "host": "b"}, {"late": "maybe", "host": "c"}]))
    assert explainer.examples == 2
    with pytest.raises(TypeError, match="row 1 must be a dict of columns and values, got int"):
        explainer.learn_many([3])
