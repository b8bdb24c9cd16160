"""The paper's applications, built from readers, learners and results."""

from wmsketch.apps.explain import Explainer
from wmsketch.apps.explain_rows import Explanation

__all__ = ["Explainer", "Explanation"]
