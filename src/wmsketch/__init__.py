"""Learn a linear classifier from a stream in a fixed number of bytes, and list its heaviest features by name."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wmsketch.methods import METHODS

__version__ = "0.1.0"

# Loaded on first use, so that the command line starts without numpy.
MODULES = {
    **{method.class_name: method.module for method in METHODS.values()},
    "CountSketch": "wmsketch.learners.counters",
    "CountMin": "wmsketch.learners.counters",
    "PairedCountMin": "wmsketch.learners.counters",
    "SpaceSaving": "wmsketch.learners.counters",
    "Schema": "wmsketch.readers.schema",
    "HeavyFeature": "wmsketch.records",
    "ChangedFeature": "wmsketch.records",
    "ClassFeature": "wmsketch.records",
    "size_for": "wmsketch.learners.theory",
    "load": "wmsketch.learners.model_file",
    "read_note": "wmsketch.learners.model_file",
    "merge_models": "wmsketch.learners.merging",
    "Explainer": "wmsketch.apps.explain",  # these three are public in wmsketch.apps; here `load` finds them
    "Deltoids": "wmsketch.apps.deltoids",
    "PMI": "wmsketch.apps.pmi",
}

__all__ = [
    "AWMSketch",
    "ChangedFeature",
    "ClassFeature",
    "CountMin",
    "CountMinFrequent",
    "CountSketch",
    "FeatureHashing",
    "HeavyFeature",
    "LogisticRegression",
    "Mission",
    "MulticlassAWMSketch",
    "PairedCountMin",
    "ProbabilisticTruncation",
    "Schema",
    "SimpleTruncation",
    "SpaceSaving",
    "SpaceSavingFrequent",
    "WMSketch",
    "__version__",
    "load",
    "merge_models",
    "read_note",
    "size_for",
]

if TYPE_CHECKING:
    from wmsketch.learners.awm import AWMSketch
    from wmsketch.learners.baselines import (
        CountMinFrequent,
        FeatureHashing,
        LogisticRegression,
        Mission,
        ProbabilisticTruncation,
        SimpleTruncation,
        SpaceSavingFrequent,
    )
    from wmsketch.learners.counters import CountMin, CountSketch, PairedCountMin, SpaceSaving
    from wmsketch.learners.merging import merge_models
    from wmsketch.learners.model_file import load, read_note
    from wmsketch.learners.multiclass import MulticlassAWMSketch
    from wmsketch.learners.theory import size_for
    from wmsketch.learners.wm import WMSketch
    from wmsketch.readers.schema import Schema
    from wmsketch.records import ChangedFeature, ClassFeature, HeavyFeature


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module 'wmsketch' has no attribute {name!r}")
    return getattr(import_module(MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
