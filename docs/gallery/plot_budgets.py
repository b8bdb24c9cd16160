"""
Error over bytes
================

Online error of three learners on the same generated stream of words, from 1 to 64 KiB. Each point is one run.
"""

import matplotlib.pyplot as plt
import numpy as np

from wmsketch import AWMSketch, FeatureHashing, SimpleTruncation

draw = np.random.default_rng(2)
n, words = 12_000, 20_000
weights = draw.normal(size=words) * (draw.random(words) < 0.05) * 3
rows = [{int(key): 1.0 for key in draw.zipf(1.25, 12) % words} for _ in range(n)]
labels = [bool(draw.random() < 1 / (1 + np.exp(-sum(weights[key] for key in row)))) for row in rows]

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
sizes = [1, 2, 4, 8, 16, 32, 64]
for learner in (AWMSketch, FeatureHashing, SimpleTruncation):
    errors = []
    for size in sizes:
        model = learner(f"{size}KiB")
        wrong = 0
        for row, label in zip(rows, labels, strict=True):
            wrong += bool(model.predict_one(row)) != label
            model.learn_one(row, label)
        errors.append(wrong / n)
    axes.plot(sizes, errors, "o-", label=learner.__name__)
axes.set_xscale("log", base=2)
axes.set_xlabel("budget (KiB, true bytes)")
axes.set_ylabel("online error")
axes.legend()
plt.show()
