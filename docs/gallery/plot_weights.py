"""
Weights with their ranges
=========================

The heaviest features of a model in 8 KiB: the bars cover hash collisions and the number of rows.
"""

import sys

import matplotlib.pyplot as plt

from wmsketch import AWMSketch

sys.path.insert(0, "../../examples")
from visits import visits

rows = visits(20_000)
model = AWMSketch("8KiB", schema={"ignore": ["visit", "bought"]})
model.learn_many(rows, [row["bought"] == "yes" for row in rows])
top = model.top(12)[::-1]

figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
axes.errorbar(
    [row.weight for row in top],
    range(len(top)),
    xerr=[[row.weight - row.low for row in top], [row.high - row.weight for row in top]],
    fmt="o",
    capsize=3,
)
axes.axvline(0, color="0.6", linewidth=1)
axes.set_yticks(range(len(top)), [row.feature for row in top])
axes.set_xlabel("weight (log odds)")
plt.show()
