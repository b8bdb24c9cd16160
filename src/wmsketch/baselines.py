"""The methods that the paper compares its sketches with, as learners of the same kind.

>>> from wmsketch.baselines import FeatureHashing
>>> model = FeatureHashing("2KiB")
>>> model.learn_one({"free": 1.0}, True)
>>> model.predict_one({"free": 1.0})
True
"""

from wmsketch.learners.models.baselines import (
    Bear,
    CountMinFrequent,
    FeatureHashing,
    LogisticRegression,
    Mission,
    ProbabilisticTruncation,
    SimpleTruncation,
    SpaceSavingFrequent,
)

__all__ = [
    "Bear",
    "CountMinFrequent",
    "FeatureHashing",
    "LogisticRegression",
    "Mission",
    "ProbabilisticTruncation",
    "SimpleTruncation",
    "SpaceSavingFrequent",
]
