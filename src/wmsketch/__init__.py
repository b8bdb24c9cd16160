"""Learn a linear classifier from a stream in a fixed number of bytes, and list its heaviest features by name."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

# Loaded on first use, so that the command line starts without numpy. The learners are in wmsketch.methods.
_MODULES = {
    "CountSketch": "wmsketch.learners.models.counters",
    "CountMin": "wmsketch.learners.models.counters",
    "PairedCountMin": "wmsketch.learners.models.counters",
    "SpaceSaving": "wmsketch.learners.models.counters",
    "Schema": "wmsketch.readers.schema",
    "HeavyFeature": "wmsketch.records",
    "ChangedFeature": "wmsketch.records",
    "ClassFeature": "wmsketch.records",
    "size_for": "wmsketch.learners.sizes.theory",
    "load": "wmsketch.learners.saving.model_file",
    "read_note": "wmsketch.learners.saving.model_file",
    "compare": "wmsketch.results.comparison",
    "merge_models": "wmsketch.learners.shards.merging",
    "MetricExplainer": "wmsketch.apps.explain.metric_explainer",
    "Explainer": "wmsketch.apps.explain.explainer",  # these are public in wmsketch.apps; here `load` finds them
    "Diff": "wmsketch.apps.diff.diff",
    "PMI": "wmsketch.apps.pmi.pmi",
    "Windows": "wmsketch.apps.windows.windows",
}

# The baselines are in wmsketch.baselines; they can be imported from here too, but one of them is called like a class of
# scikit-learn, which `from wmsketch import *` must not replace.
__all__ = [
    "AWMRegressor",
    "AWMSketch",
    "ChangedFeature",
    "ClassFeature",
    "CountMin",
    "CountSketch",
    "HeavyFeature",
    "MulticlassAWMSketch",
    "PairedCountMin",
    "Schema",
    "SpaceSaving",
    "WMSketch",
    "__version__",
    "compare",
    "load",
    "merge_models",
    "read_note",
    "size_for",
]

if TYPE_CHECKING:
    from wmsketch.learners.models.awm import AWMSketch
    from wmsketch.learners.models.counters import CountMin, CountSketch, PairedCountMin, SpaceSaving
    from wmsketch.learners.models.multiclass import MulticlassAWMSketch
    from wmsketch.learners.models.regressor import AWMRegressor
    from wmsketch.learners.models.wm import WMSketch
    from wmsketch.learners.saving.model_file import load, read_note
    from wmsketch.learners.shards.merging import merge_models
    from wmsketch.learners.sizes.theory import size_for
    from wmsketch.readers.schema import Schema
    from wmsketch.records import ChangedFeature, ClassFeature, HeavyFeature

    compare: Any  # in wmsketch.results, which imports this package


_FORMER = {"Deltoids": "Diff"}  # names of earlier versions, also in their files, and what they are called today


def module_of(name: str) -> str | None:
    """Return the module that defines a public name of the package, or None if there is no such name."""
    from wmsketch.methods import METHODS

    learners = {method.class_name: method.module for method in METHODS.values()}
    return _MODULES.get(name) or learners.get(name)


def todays_name(name: str) -> str:
    """Return what a class is called today, given its name in a saved file."""
    return _FORMER.get(name, name)


def renamed(module: str, name: str) -> Any:
    """Return the class that had this name in earlier versions, with a warning."""
    from warnings import warn

    today = todays_name(name)
    warn(f"{module}.{name} is now called {today}", DeprecationWarning, stacklevel=3)
    return getattr(import_module("wmsketch"), today)


def __getattr__(name: str) -> Any:
    if name in _FORMER:
        return renamed("wmsketch", name)
    module = None if name.startswith("_") else module_of(name)
    if module is None:
        raise AttributeError(f"module 'wmsketch' has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
