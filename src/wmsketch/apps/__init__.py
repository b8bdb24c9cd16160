"""The applications of the paper: what explains outliers, what differs between streams, which pairs occur together."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wmsketch import renamed

if TYPE_CHECKING:
    from wmsketch.apps.diff.diff import Diff
    from wmsketch.apps.diff.rows import Difference
    from wmsketch.apps.explain.drivers import Driver
    from wmsketch.apps.explain.explainer import Explainer
    from wmsketch.apps.explain.metric_explainer import MetricExplainer
    from wmsketch.apps.explain.rows import Explanation
    from wmsketch.apps.pmi.pmi import PMI
    from wmsketch.apps.pmi.rows import Pair
    from wmsketch.apps.windows.answers import Part
    from wmsketch.apps.windows.windows import Windows

__all__ = [
    "PMI",
    "Diff",
    "Difference",
    "Driver",
    "Explainer",
    "Explanation",
    "MetricExplainer",
    "Pair",
    "Part",
    "Windows",
]

# Loaded on first use: a command needs one of them and starts faster without the others.
_MODULES = {
    "PMI": "pmi.pmi",
    "Diff": "diff.diff",
    "Difference": "diff.rows",
    "Driver": "explain.drivers",
    "Explainer": "explain.explainer",
    "Explanation": "explain.rows",
    "MetricExplainer": "explain.metric_explainer",
    "Pair": "pmi.rows",
    "Part": "windows.answers",
    "Windows": "windows.windows",
}


def __getattr__(name: str) -> Any:
    if name == "Deltoids":
        return renamed("wmsketch.apps", name)
    if name not in _MODULES:
        raise AttributeError(f"module 'wmsketch.apps' has no attribute {name!r}")
    return getattr(import_module(f"wmsketch.apps.{_MODULES[name]}"), name)
