"""Rows of objects that change rows and call the model while they are read or dropped."""

from __future__ import annotations

from typing import Any

from tests.fuzz.byte_source import Bytes
from wmsketch import AWMSketch

COLUMNS = ("a", "b", "a.b", "long" * 80, "é")


class Stage:
    """A model and its rows, on which hostile objects act; the bytes of the fuzzer choose what they do."""

    def __init__(self, data: bytes) -> None:
        self.source, self.model = Bytes(data), AWMSketch("2KiB")
        self.rows: list[Any] = []
        self._depth = 0

    def act(self) -> None:
        """Do one thing; an act may lead to others, up to a depth."""
        if self._depth >= 3:
            return
        self._depth += 1
        try:
            self._act(self.source.byte())
        except (ValueError, TypeError):
            pass
        finally:
            self._depth -= 1

    def _act(self, what: int) -> None:
        row = self.rows[what // 8 % len(self.rows)] if self.rows else {}
        if what % 8 == 0:
            self.model.predict_one(row)
        elif what % 8 == 1:
            self.model.learn_one(row, bool(what & 128))
        elif what % 8 == 2:
            self.model.explain_one(row)
        elif what % 8 == 3 and isinstance(row, dict):
            row.clear()
        elif what % 8 == 4 and isinstance(row, dict):
            row["".join(["new", str(what)])] = 1.0
        elif what % 8 == 5:
            self.rows.clear()
        elif what % 8 == 6:
            self.model.predict_proba_many(list(self.rows))
        else:
            self.model.top(3)

    def row(self) -> Any:
        """A row of names and values, some of them hostile."""
        items = [(self._name(), self._value()) for _ in range(self.source.byte() % 6)]
        return dict(items) if self.source.byte() % 4 else items

    def _name(self) -> Any:
        what = self.source.byte()
        name = "".join(COLUMNS[what % len(COLUMNS)])
        return Name(name, self) if what >= 128 else what if what % 16 == 0 else name

    def _value(self) -> Any:
        what = self.source.byte()
        if what < 80:
            return what / 8
        if what < 120:
            return "".join(["word", str(what % 4)])
        if what < 140:
            return [what, Number(self)]
        if what < 160:
            return Items([("x", 1.0), ("y", Number(self))], self)
        return 10**400 if what < 170 else Name("text", self) if what < 200 else Number(self)


class Name(str):
    """A name or a text that acts when it is dropped."""

    stage: Stage

    def __new__(cls, text: str, stage: Stage) -> Name:
        made = super().__new__(cls, text)
        made.stage = stage
        return made

    def __del__(self) -> None:
        self.stage.act()


class Number:
    """A number that acts when it is read or dropped."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    def __float__(self) -> float:
        self.stage.act()
        return 0.5

    def __repr__(self) -> str:
        self.stage.act()
        return "number"

    def __del__(self) -> None:
        self.stage.act()


class Items:
    """A mapping that acts when it is iterated over."""

    def __init__(self, items: list[tuple[str, Any]], stage: Stage) -> None:
        self._items, self.stage = items, stage

    def items(self) -> Any:
        """Act before each item."""
        for item in self._items:
            self.stage.act()
            yield item


def check_hostile(data: bytes) -> None:
    """Check that hostile rows leave a model that answers, within its budget, with names that rows had."""
    stage = Stage(data)
    for _ in range(1 + stage.source.byte() % 6):
        stage.rows = [stage.row() for _ in range(stage.source.byte() % 14)]
        rows, how = list(stage.rows), stage.source.byte()
        try:
            if how % 4 == 0:
                stage.model.learn_many(rows, [i % 2 == 0 for i in range(len(rows))])
            elif how % 4 == 1:
                stage.model.predict_proba_many(rows)
            else:
                for i, row in enumerate(rows):
                    stage.model.learn_one(row, i % 2 == 0)
        except (ValueError, TypeError):
            pass
        del rows
    if stage.model._started:
        found = [str(row.feature).partition("…")[0] for row in stage.model.top(50) if not isinstance(row.feature, int)]
        known = (*COLUMNS, "new")
        assert all(name.startswith(known) or any(each.startswith(name) for each in known) for name in found), found
        assert stage.model.nbytes <= 2048
