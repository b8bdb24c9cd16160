"""The rows of explain, diff and pmi are the same sets, with the same counts, for every number of partitions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apps.tables import TABLES, table
from tests.apps.test_row_sets import SHARDS, rows_of
from wmsketch.spark import diff, explain, pmi


def partitioned(spark: Any, name: str, rows: int, partitions: int) -> Any:
    frame = table(name, rows)
    values = [tuple(None if value != value else value for value in row) for row in frame.itertuples(index=False)]
    kinds = {"slow": "double", "load": "double"}
    schema = ", ".join(f"{column} {kinds.get(column, 'string')}" for column in frame.columns)
    return spark.createDataFrame(spark.sparkContext.parallelize(values, partitions), schema)


def answers(df: Any) -> list[set[Any]]:
    monday, tuesday = (df.where(f"day = '{day}'") for day in ("mon", "tue"))
    lines = df.na.drop().selectExpr("concat(host, ' ', city) AS line")
    found = (
        explain(df, label="slow", order=2, ignore=["day"], budget="1MiB"),
        diff(monday, tuesday, items=["host", "city"], budget="256KiB"),
        pmi(lines, text="line", budget="1MiB", window=2),
    )
    return [rows_of(answer) for answer in found]


def test_row_sets_do_not_depend_on_the_number_of_partitions(spark: Any) -> None:
    found = [answers(partitioned(spark, "missing", 1200, n)) for n in (1, 2, 8)]
    assert all(found[0])
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_row_sets_of_each_table(spark: Any, name: str) -> None:
    first, *others = [answers(partitioned(spark, name, 4000, n)) for n in SHARDS]
    assert all(first)
    for n, sets in zip(SHARDS[1:], others, strict=True):
        assert sets == first, f"{n} partitions"
