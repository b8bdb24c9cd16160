"""A session of Spark Connect, in a process of its own: fit, transform and count, and print what came out as JSON."""

from __future__ import annotations

import json
import sys

from tests.spark.visits import COLUMNS, visits


def main() -> None:
    from pyspark.sql import SparkSession

    from wmsketch.spark import WMSketchClassifier, diff, explain, pmi

    spark = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    df = spark.createDataFrame(visits(600), COLUMNS).coalesce(1)
    model = WMSketchClassifier(labelCol="bought", budget="8KiB", rounds=2).fit(df)
    many = WMSketchClassifier(labelCol="bought", budget="8KiB").fit(df.repartition(6))
    answers = model.transform(df).select("probability", "prediction").collect()
    why = explain(df, "minutes>p80", budget="1MiB")
    both = diff(df.where("bought = 1"), df.where("bought = 0"), items=["device"], budget="256KiB")
    pairs = pmi(df.na.drop(), items="device", budget="256KiB")
    try:
        model.save(sys.argv[1])
        said = ""
    except ValueError as problem:
        said = str(problem)
    found = {
        "model": model.sketch.to_bytes().hex(),
        "seen": many.sketch.n_seen_,
        "first": float(answers[0].probability[1]),
        "outliers": why.outliers,
        "items": sorted([row.feature, row.count_a, row.count_b] for row in both.rows()),
        "tokens": pairs.tokens,
        "said": said,
    }
    print(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
