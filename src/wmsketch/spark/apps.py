"""explain, diff and pmi over DataFrames: each partition is counted on its executor, and the counts are merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal, TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame

from wmsketch.apps import PMI, Diff, Explainer
from wmsketch.apps.merging import merge_apps
from wmsketch.apps.pmi.inputs import Columns as PairColumns
from wmsketch.readers import BadInput, open_examples
from wmsketch.readers.schema import parse_pair
from wmsketch.spark.batches import reader_of
from wmsketch.spark.columns import column, require
from wmsketch.spark.conditions import with_numbers
from wmsketch.spark.shards import Learn, train

App = TypeVar("App", Explainer, Diff, PMI)


def explain(df: DataFrame, outlier: str | None = None, *, aggregationDepth: int = 2, **parameters: Any) -> Explainer:
    """Return an Explainer that has counted all rows: what do the outliers have in common?

    The parameters are those of `wmsketch.apps.Explainer`, except ``where``: use ``df.where(...)``. A percentile like
    p80 is that of the whole DataFrame, by Spark's percentile_approx. The first ``warm_up`` rows choose the bins of
    numbers.

    >>> flights = spark.createDataFrame([("EV", 90), ("EV", 60), ("UA", 0), ("DL", 5)] * 250, ["carrier", "delay"])
    >>> explain(flights, "delay>30").top()[0]
    Explanation(carrier=EV, weight=6.91, risk_ratio=inf, support=1)
    """
    if parameters.get("where") is not None:
        raise ValueError("where must not be given: select the rows with df.where(...)")
    base = Explainer(None if outlier is None else with_numbers(df, outlier), **parameters)
    require(df.schema, "outlier", [name for name in base.condition.columns if "." not in name])
    if base.label is not None and base.positive is None:
        _require_two_labels(df, base.label)
    try:
        base.choose_bins(df.limit(base.warm_up).toArrow(), depth=0)
    except BadInput as problem:
        raise ValueError(f"the first rows: {problem.message}") from problem
    return _trained(df, base, _learn_rows, aggregationDepth)


def diff(
    a: DataFrame,
    b: DataFrame,
    *,
    items: Sequence[str] = (),
    pairs: Sequence[str] = (),
    weight: str | None = None,
    aggregationDepth: int = 2,
    **parameters: Any,
) -> Diff:
    """Return a Diff that has counted all rows: which items differ most between two DataFrames?

    ``items`` are the columns whose values are items, named ``column=value``; by default all columns. ``pairs`` like
    "src:port" are counted together as well. ``weight`` is a column with the amount of each row. Other parameters are
    those of `wmsketch.apps.Diff`.

    >>> monday = spark.createDataFrame([("tea",)] * 60 + [("milk",)] * 30, ["drink"])
    >>> tuesday = spark.createDataFrame([("tea",)] * 20 + [("milk",)] * 30 + [("jam",)] * 40, ["drink"])
    >>> [(row.feature, row.count_a, row.count_b) for row in diff(monday, tuesday).top(2)]
    [('drink=jam', 0, 40), ('drink=tea', 60, 20)]
    """
    base = Diff(**{"weighted": weight is not None, **parameters})
    inside = [name for pair in pairs for name in parse_pair("pairs", pair)]
    amounts = [weight] if weight else []
    names = list(items) or [name for name in a.columns if name not in amounts]
    columns = list(dict.fromkeys([*names, *inside]))
    for side, df in (("a", a), ("b", b)):
        for argument, wanted in (("items", names), ("pairs", inside), ("weight", amounts)):
            require(df.schema, f"{argument} of {side}", wanted)
    reading = {
        "features": columns,
        "categorical": columns,
        "interactions": list(pairs),
        "weight": weight or "",
        "require_labels": weight is not None,
    }
    a, b = (df.select(*map(column, [*columns, *amounts])) for df in (a, b))
    found = _trained(a, base, partial(_learn_items, "a", reading), aggregationDepth)
    return found.merge(_trained(b, base.copy(), partial(_learn_items, "b", reading), aggregationDepth))


def pmi(
    df: DataFrame,
    *,
    items: str | None = None,
    text: str | None = None,
    group: str | None = None,
    time: str | None = None,
    aggregationDepth: int = 2,
    **parameters: Any,
) -> PMI:
    """Return a PMI that has counted all rows: which pairs occur together?

    ``text`` is a column of running text, or ``items`` one of items; a window of items spans the rows before it in the
    same partition. With ``group`` (and ``time``) it spans the rows of the same group (in the order of time), which
    Spark collects. Other parameters are those of `wmsketch.apps.PMI`.

    >>> lines = spark.createDataFrame([("the prime minister met the mayor of new york",)] * 100, ["line"])
    >>> pmi(lines, text="line").row("new", "york").count
    100
    """
    columns = PairColumns(items=items, text=text, group=group, time=time)
    if not columns.names:
        raise ValueError("items or text must name a column")
    for name, value in vars(columns).items():
        require(df.schema, name, [value] if value else [])
    chosen = df.select(*map(column, columns.names))
    if group is not None:
        order = [column(name) for name in (group, time) if name]
        chosen = chosen.repartition(column(group)).sortWithinPartitions(*order)
    base = PMI(**parameters)
    base.find_words(())  # partitions would find other ones
    return _trained(chosen, base, partial(_learn_pairs, columns), aggregationDepth)


def _require_two_labels(df: DataFrame, label: str) -> None:
    """Raise an error for wrong labels that a single partition could not detect."""
    require(df.schema, "label", [label])
    labels = column(label)
    found = sorted(row[0] for row in df.select(labels).where(labels.isNotNull()).distinct().limit(3).collect())
    above = [value for value in found if not isinstance(value, str) and value > 0]
    if len(found) > 2 or len(above) > 1:
        shown = ", ".join(map(str, found))
        raise ValueError(f"label: the column {label!r} holds {shown}: set positive")


def _counts_of_all(_: Any, models: Sequence[Any]) -> Any:
    return merge_apps(models)


def _trained(df: DataFrame, base: App, learn: Learn, depth: int) -> App:
    merged = train(df, base, learn, _counts_of_all, depth)
    return base if merged is None else merged


def _learn_rows(explainer: Explainer, batches: Iterator[pa.RecordBatch]) -> None:
    if (rows := reader_of(batches)) is not None:
        explainer.learn_file(rows, depth=0)


def _learn_items(
    side: Literal["a", "b"], reading: dict[str, Any], diff: Diff, batches: Iterator[pa.RecordBatch]
) -> None:
    if (rows := reader_of(batches)) is None:
        return
    with open_examples(rows, depth=0, **reading) as blocks:
        for block in blocks:
            diff.learn_block(block, side)


def _learn_pairs(columns: PairColumns, pmi: PMI, batches: Iterator[pa.RecordBatch]) -> None:
    if (rows := reader_of(batches)) is None:
        return
    names = columns.names
    given = {name: value for name, value in vars(columns).items() if value}
    first = 1
    with open_examples(rows, depth=0, features=names, categorical=names, require_labels=False) as blocks:
        for block in blocks:
            bad = pmi.learn_block(block, **given)
            if bad is not None:
                raise ValueError(f"row {first + bad[0]}: {bad[1]}")
            first += len(block)
