"""The applications of the paper: what explains outliers, what differs between streams, which pairs occur together."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wmsketch.apps.deltoids import Deltoids
    from wmsketch.apps.deltoids_rows import Difference
    from wmsketch.apps.explain import Explainer
    from wmsketch.apps.explain_rows import Explanation
    from wmsketch.apps.pmi import PMI
    from wmsketch.apps.pmi_rows import Pair

__all__ = ["PMI", "Deltoids", "Difference", "Explainer", "Explanation", "Pair"]

# Loaded on first use: a command needs one of them and starts faster without the others.
_MODULES = {
    "PMI": "pmi",
    "Deltoids": "deltoids",
    "Difference": "deltoids_rows",
    "Explainer": "explain",
    "Explanation": "explain_rows",
    "Pair": "pmi_rows",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'wmsketch.apps' has no attribute {name!r}")
    return getattr(import_module(f"wmsketch.apps.{_MODULES[name]}"), name)
