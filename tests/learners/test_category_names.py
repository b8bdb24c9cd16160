"""A text in a dict has the same feature name as in a file, also if rows are not a table."""

import wmsketch


def bag_of_words() -> wmsketch.AWMSketch:
    """A model that has decided that its rows have an open vocabulary."""
    model = wmsketch.AWMSketch("8KiB")
    for i in range(40):
        model.learn_one({f"word{i}": 1.0, f"word{i + 7}": 1.0}, bool(i % 2))
    assert model.schema_ is None or not model.schema_.columns
    return model


def test_times_have_one_form_in_names():
    model = bag_of_words()
    for _ in range(20):
        model.learn_one({"at": "2024-05-17T08:30:00"}, True)
    assert model.weight("at.hour=8") > 0 and model.weight("at.weekday=Fri") > 0 and model.weight("at.month=May") > 0
    assert model.weight("at=2024-05-17 08:30:00") == model.weight("at=2024-05-17T08:30:00") == 0
    assert model.predict_proba_one({"at": "2024-05-17T08:30:00"}) == model.predict_proba_one(
        {"at": "2024-05-17 08:30:00"}
    )
