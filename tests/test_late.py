"""Patterns and records that are made when they are first used behave like those made at once."""

import copy
import dataclasses
import inspect
import pickle

import pytest

from wmsketch import HeavyFeature, Schema
from wmsketch.late import dataclass, pattern


@dataclass(frozen=True)
class Town:
    """A town."""

    name: str
    rows: int = 0
    near: list[str] = dataclasses.field(default_factory=list, compare=False)


@dataclass(kw_only=True)
class Count:
    """A count that may change."""

    rows: int
    seen: int = dataclasses.field(default=3, init=False)


def test_a_record_is_a_dataclass():
    town = Town("Rome", near=["Ostia"])
    assert repr(town) == "Town(name='Rome', rows=0, near=['Ostia'])"
    assert town == Town("Rome") != Town("Oslo")
    assert hash(town) == hash(Town("Rome"))
    assert dataclasses.replace(town, rows=5) == Town("Rome", 5)
    assert dataclasses.asdict(town) == {"name": "Rome", "rows": 0, "near": ["Ostia"]}
    assert pickle.loads(pickle.dumps(town)) == copy.deepcopy(town) == town
    assert Town("a").near is not Town("b").near


def test_a_frozen_record_refuses_changes():
    with pytest.raises(dataclasses.FrozenInstanceError, match="rows"):
        Town("Rome").rows = 1
    with pytest.raises(dataclasses.FrozenInstanceError, match="low"):
        del HeavyFeature("a", 1.0, 0.5, 1.5).low


def test_a_record_that_is_not_frozen_may_change():
    count = Count(rows=1)
    count.rows += 1
    assert (count.rows, count.seen) == (2, 3)
    with pytest.raises(TypeError, match="unhashable"):
        hash(count)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Town(), "needs name"),
        (lambda: Town("Rome", 1, [], 2), "takes 3 positional arguments but 4"),
        (lambda: Town("Rome", name="Oslo"), "multiple values"),
        (lambda: Town("Rome", hills=7), "no argument hills"),
        (lambda: Count(1), "takes 0 positional"),
        (lambda: Count(rows=1, seen=2), "no argument seen"),
    ],
)
def test_wrong_arguments_of_a_record_are_named(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_help_shows_the_arguments_of_a_record():
    assert str(inspect.signature(Town)) == "(name: 'str', rows: 'int' = 0, near: 'list[str]' = [])".replace("'", "")
    assert "label" in inspect.signature(Schema).parameters


def test_a_pattern_is_a_regular_expression():
    word = pattern(rb"[a-z]+")
    assert (word.fullmatch(b"rome")[0], word.findall(b"a1b"), word.pattern) == (b"rome", [b"a", b"b"], b"[a-z]+")
