"""A sample of the rows of a DataFrame, which a merged model learns again on the driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.shards.relearning import HELD_BACK, MOST_ROWS, learn_while_it_helps

_LOOKED_AT = 100  # rows, whose size is taken for that of all
_MOST_BYTES = 2**26  # of the sample


def sample_of(df: DataFrame, n_rows: int, seed: int) -> pa.Table:
    """Return rows of all partitions, about 32,768 of them or 64 MiB; the same for the same partitions."""
    first = df.limit(_LOOKED_AT).toArrow()
    row_bytes = max(first.nbytes / max(first.num_rows, 1), 1.0)
    wanted = max(min(MOST_ROWS, int(_MOST_BYTES / row_bytes)), HELD_BACK)
    if n_rows <= wanted:
        return df.toArrow()
    return df.sample(fraction=wanted / n_rows, seed=seed).limit(2 * wanted).toArrow()


def learn_table_again(
    model: OnlineClassifier, learn: Callable[[Any, Iterator[pa.RecordBatch]], None], rows: pa.Table
) -> int:
    """Let a model learn the rows again, as long as that helps; return how often it did.

    >>> from wmsketch import AWMSketch
    >>> model = AWMSketch("4KiB")
    >>> model.learn_many([{"a": 1.0}, {"b": 1.0}] * 10, [True, False] * 10)
    >>> def learn(model, batches):
    ...     for batch in batches:
    ...         model.learn_many([{row["x"]: 1.0} for row in batch.to_pylist()], batch["y"].to_pylist())
    >>> learn_table_again(model, learn, pa.table({"x": ["a", "b"] * 40, "y": [True, False] * 40})), model.n_seen_
    (8, 20)
    """
    draw = np.random.default_rng(0)
    order = draw.permutation(rows.num_rows)
    n_held = -(-rows.num_rows // HELD_BACK)
    held, rest = order[:n_held], order[n_held:]

    def learn_rows(learner: OnlineClassifier, places: Any) -> None:
        learn(learner, iter(rows.take(places).combine_chunks().to_batches()))

    if not len(rest):
        return 0
    return learn_while_it_helps(
        model, lambda twin, _: learn_rows(twin, draw.permutation(rest)), lambda twin: learn_rows(twin, held)
    )
