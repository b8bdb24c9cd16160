"""Many models that learn the same rows on all cores."""

from __future__ import annotations

import pytest

from wmsketch import _core
from wmsketch.learners.models.introspection import learn_block
from wmsketch.results.contest import Contest

METHODS = ["awm", "wm", "hash", "truncation", "count-min", "lr"]
LINES = b"".join(b"%d %d:1 %d:0.5\n" % (1 if i % 3 else -1, 1 + i % 7, 10 + i % 50) for i in range(3_000))


def block_of(text: bytes) -> _core.RowBlock:
    return _core.LibsvmParser().feed(text, True)


def test_models_that_learn_on_all_cores_are_those_that_learn_one_by_one() -> None:
    on_all, one_by_one = (Contest.of(METHODS, ["2KiB", "8KiB"], 2, {}) for _ in range(2))
    for start in range(0, len(LINES), 10_000):
        text = LINES[LINES.rfind(b"\n", 0, start) + 1 : LINES.rfind(b"\n", 0, start + 10_000) + 1]
        block = block_of(text)
        on_all.learn(block)
        one_by_one.teach(lambda model, block=block: learn_block(model, block))
    assert on_all.examples == one_by_one.examples > 2_900
    for ours, theirs in zip(on_all.entrants, one_by_one.entrants, strict=True):
        assert [model.to_bytes() for model in ours.models] == [model.to_bytes() for model in theirs.models]
        assert all(seconds > 0 for seconds in ours.seconds)
    for row, other in zip(on_all.rows(None), one_by_one.rows(None), strict=True):
        row["ns_per_feature"] = other["ns_per_feature"] = 0.0  # the only field that is measured
        assert repr(row) == repr(other)


def test_an_error_of_one_model_is_raised() -> None:
    contest = Contest.of(["awm", "hash"], ["2KiB"], 1, {})
    contest.learn(block_of(b"1 3:1\n-1 4:1\n"))
    with pytest.raises(ValueError, match="labels"):
        contest.learn(_core.LibsvmParser(require_labels=False).feed(b"3:1\n", True))
