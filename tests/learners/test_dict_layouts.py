"""A row is its items, however Python stores the dict: what was removed from it does not count."""

import pytest

from wmsketch import AWMSketch

NAMES = [f"name{i}" for i in range(40)]


def removed_again():
    row = dict.fromkeys(["gone", *NAMES, "also gone"], 2.0)
    del row["gone"], row["also gone"]
    return row


def large_before():
    row = dict.fromkeys([*NAMES, *(f"more{i}" for i in range(3000))], 2.0)
    for i in range(3000):
        del row[f"more{i}"]
    return row


def of_an_object():
    class Holder:
        pass

    first, second = Holder(), Holder()
    for name in NAMES:  # the dicts of two objects share their keys
        setattr(first, name, 1.0)
        setattr(second, name, 2.0)
    return vars(second)


def held_a_number_once():
    row = {7: 2.0, **dict.fromkeys(NAMES, 2.0)}
    del row[7]
    return row


def emptied_and_filled():
    row = dict.fromkeys(NAMES, 1.0)
    row.clear()
    row.update(dict.fromkeys(NAMES, 2.0))
    return row


def popped_from_the_end():
    row = dict.fromkeys([*NAMES, "last"], 2.0)
    row.popitem()
    return row


@pytest.mark.parametrize(
    "make",
    [removed_again, large_before, of_an_object, held_a_number_once, emptied_and_filled, popped_from_the_end],
)
def test_rows_with_the_same_items_are_the_same(make):
    models = [AWMSketch("8KiB", seed=1), AWMSketch("8KiB", seed=1)]
    row, plain = make(), dict.fromkeys(NAMES, 2.0)
    for i in range(60):  # the first rows are held
        for model, each in zip(models, (row, plain), strict=True):
            model.learn_one({f"word{i}": 1.0}, i % 2 == 0)
            model.learn_one(each, i % 3 == 0)
    assert models[0].predict_proba_one(row) == models[1].predict_proba_one(plain)
    assert models[0].top(50) == models[1].top(50)
    assert models[0].n_seen_ == 120


def test_an_empty_row_has_no_features():
    row = dict.fromkeys(NAMES, 2.0)
    row.clear()
    model = AWMSketch("8KiB")
    for i in range(60):
        model.learn_one(dict.fromkeys(NAMES, 1.0 + i % 2), i % 2 == 0)
    assert model.predict_proba_one(row) == model.predict_proba_one({})
