"""Columns of log messages are read by their templates, on request."""

from __future__ import annotations

from wmsketch import AWMSketch, Schema
from wmsketch.apps import Explainer, MetricExplainer

ROWS = [
    {"ms": 900 if i % 10 == 0 else 5, "host": f"h{i % 3}", "note": f"cannot reach 10.0.0.{i % 250} after {i} ms"}
    if i % 10 == 0
    else {"ms": i % 7, "host": f"h{i % 3}", "note": f"request {i} served in {i % 7} ms"}
    for i in range(2000)
]
TEMPLATE = "cannot reach <ip> after <num> ms"


def test_explain_finds_the_template_of_a_message() -> None:
    explainer = Explainer("ms>100", templates=["note"])
    explainer.learn_many(ROWS)
    assert explainer.top()[0].attributes == {"note": TEMPLATE}
    words = Explainer("ms>100")
    words.learn_many(ROWS)
    assert words.columns_not_used == {"note": "unique"}


def test_a_metric_by_template() -> None:
    explainer = MetricExplainer("sum(ms)", test="host==h1", templates=["note"])
    explainer.learn_many(ROWS)
    assert {"note": TEMPLATE} in [row.attributes for row in explainer.top(certain=False)]


def test_a_model_learns_templates() -> None:
    model = AWMSketch("8KiB", schema=Schema(text=["note"], templates=True))
    model.learn_many([{"note": row["note"]} for row in ROWS], [row["ms"] > 100 for row in ROWS])
    assert {row.feature for row in model.top(2)} == {f"note={TEMPLATE}", "note=request <num> served in <num> ms"}
