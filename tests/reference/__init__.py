"""Slow, obvious oracles of every learner: float64, plain dicts and lists, nothing lazy, nothing clever.

They are written from the paper, not from the core, and favour clarity over speed. Weights are decayed one by one,
minima are found by a full scan, and each rule is one line of code.
"""

from tests.reference.active_set import AssociativeAWMSketchOracle, AWMSketchOracle
from tests.reference.exact import LogisticRegressionOracle
from tests.reference.frequent import CountMinFrequentOracle, SpaceSavingFrequentOracle
from tests.reference.online_linear import OnlineLinearOracle, Rule
from tests.reference.sketched import (
    AssociativeWMSketchOracle,
    BearOracle,
    FeatureHashingOracle,
    MissionOracle,
    WMSketchOracle,
)
from tests.reference.truncated import ProbabilisticTruncationOracle, SimpleTruncationOracle

__all__ = [
    "AWMSketchOracle",
    "AssociativeAWMSketchOracle",
    "AssociativeWMSketchOracle",
    "BearOracle",
    "CountMinFrequentOracle",
    "FeatureHashingOracle",
    "LogisticRegressionOracle",
    "MissionOracle",
    "OnlineLinearOracle",
    "ProbabilisticTruncationOracle",
    "Rule",
    "SimpleTruncationOracle",
    "SpaceSavingFrequentOracle",
    "WMSketchOracle",
]
