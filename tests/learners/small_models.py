"""A small model of each kind of store; its rule can be given."""

from __future__ import annotations

from collections.abc import Callable

import wmsketch
from wmsketch.learners.models.base import OnlineClassifier

SMALL_MODELS: dict[str, Callable[..., OnlineClassifier]] = {
    "awm": lambda **rule: wmsketch.AWMSketch("2KiB", **rule),
    "awm-exact": lambda **rule: wmsketch.AWMSketch(
        step="plain", depth=3, width=40, active_set_size=20, active_set="exact", **rule
    ),
    "awm-plain": lambda **rule: wmsketch.AWMSketch("2KiB", step="plain", **rule),
    "awm-drop": lambda **rule: wmsketch.AWMSketch("2KiB", step="plain", eviction="drop", **rule),
    "wm": lambda **rule: wmsketch.WMSketch("2KiB", **rule),
    "wm-exact": lambda **rule: wmsketch.WMSketch(depth=2, width=60, active_set_size=20, active_set="exact", **rule),
    "hashing": lambda **rule: wmsketch.FeatureHashing("1KiB", **rule),
    "map": lambda **rule: wmsketch.LogisticRegression(**rule),
    "dense": lambda **rule: wmsketch.LogisticRegression(n_features=400, **rule),
    "truncation": lambda **rule: wmsketch.SimpleTruncation("1KiB", **rule),
    "probabilistic": lambda **rule: wmsketch.ProbabilisticTruncation("1KiB", **rule),
    "space-saving": lambda **rule: wmsketch.SpaceSavingFrequent("1KiB", **rule),
    "probabilistic-quotient": lambda **rule: wmsketch.ProbabilisticTruncation("1KiB", priority="quotient", **rule),
    "space-saving-all": lambda **rule: wmsketch.SpaceSavingFrequent("1KiB", newcomers="all", **rule),
    "count-min": lambda **rule: wmsketch.CountMinFrequent("2KiB", **rule),
    "mission": lambda **rule: wmsketch.Mission("2KiB", **rule),
    "bear": lambda **rule: wmsketch.Bear("2KiB", **rule),
}
