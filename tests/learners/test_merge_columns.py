"""Models whose first rows had different columns become one: what only one side knows is added."""

import random

import pytest

import wmsketch
from wmsketch import AWMSketch, MulticlassAWMSketch
from wmsketch.errors import MergeError


def visits(n, seed):
    """Rows of which one in thirty has a discount; it counts for much, and so does the amount."""
    draw = random.Random(seed)
    rows, labels = [], []
    for _ in range(n):
        row = {"amount": draw.gauss(500, 100), "device": draw.choice(["phone", "laptop"])}
        margin = (row["amount"] - 500) / 100
        if draw.random() < 1 / 30:
            row["discount"] = draw.gauss(20, 5)
            margin += row["discount"] - 20
        rows.append(row)
        labels.append(draw.random() < 1 / (1 + 2.718 ** (-margin)))
    return rows, labels


def shards(kind=AWMSketch, **options):
    """Two models: the first rows of one have the optional column, those of the other have not."""
    knows, other = kind("8KiB", **options), kind("8KiB", **options)
    rows, labels = visits(3000, 1)
    first = [i for i, row in enumerate(rows) if "discount" in row][:5]
    order = first + [i for i in range(len(rows)) if i not in first]
    knows.learn_many([rows[i] for i in order], [labels[i] for i in order])
    rows, labels = visits(3000, 2)
    plain = [i for i, row in enumerate(rows) if "discount" not in row][:10]
    order = plain + [i for i in range(len(rows)) if i not in plain]
    other.learn_many([rows[i] for i in order], [labels[i] for i in order])
    names = [{column.name for column in model.schema_} for model in (knows, other)]
    assert names[0] - names[1] == {"discount"}
    return knows, other


@pytest.mark.parametrize("kind", [AWMSketch, MulticlassAWMSketch])
@pytest.mark.parametrize("turned", [False, True])
def test_a_column_of_one_side_is_added(kind, turned):
    models = shards(kind)[:: -1 if turned else 1]
    merged = wmsketch.merge_models(models)
    assert merged.nbytes <= 8192 and merged.n_seen_ == 6000
    assert {column.name for column in merged.schema_} == {"amount", "device", "discount"}
    known = next(model for model in models if "discount" in {column.name for column in model.schema_})
    assert merged.schema_["discount"].mean == known.schema_["discount"].mean
    assert merged.schema_["amount"].count == 6000
    rows, labels = visits(4000, 3)
    whole = kind("8KiB")
    for seed in (1, 2):
        whole.learn_many(*visits(3000, seed))
    right = [sum(a == b for a, b in zip(model.predict(rows), labels, strict=True)) for model in (merged, whole)]
    assert right[0] >= right[1] - 40


@pytest.mark.parametrize("step", ["adaptive", "plain"])
def test_what_was_learned_of_numbers_as_they_are_gives_way_to_the_model_that_measured_them(step):
    """Without their mean, numbers around 20 have large gradients, and would outvote the other model."""
    knows, other = shards(step=step)
    assert other.weight("discount") != 0
    merged = wmsketch.merge_models([knows, other])
    assert merged.weight("discount") == pytest.approx(knows.weight("discount"), rel=0.1)


def test_merging_in_place_is_the_same_and_a_failure_changes_nothing():
    knows, other = shards()
    merged = wmsketch.merge_models([knows, other])
    row = {"amount": 620.0, "device": "phone", "discount": 31.0}
    in_place = AWMSketch.from_bytes(knows.to_bytes()).merge(other)
    assert in_place.predict_proba_one(row)[True] == pytest.approx(merged.predict_proba_one(row)[True])
    before = knows.to_bytes()
    text = AWMSketch("8KiB")
    text.learn_many([{"amount": "much", "device": "phone", "more": 1.5}] * 20, [True, False] * 10)
    with pytest.raises(MergeError, match="amount"):
        knows.merge(text)
    assert knows.to_bytes() == before


def test_columns_that_take_more_than_half_of_the_budget_together_are_refused():
    halves = []
    for half in "ab":
        model = AWMSketch("2KiB")
        rows = [{f"{half}{i:02d}": float(row * i % 7) for i in range(12)} for row in range(40)]
        model.learn_many(rows, [True, False] * 20)
        halves.append(model)
    with pytest.raises(MergeError, match=r"together the models know 24 columns.*at most half of the budget"):
        wmsketch.merge_models(halves)
