"""The applications of the paper: what explains outliers, what differs between streams, what belongs together."""

from wmsketch.apps.deltoids import Deltoids
from wmsketch.apps.deltoids_rows import Difference
from wmsketch.apps.explain import Explainer
from wmsketch.apps.explain_rows import Explanation
from wmsketch.apps.pmi import PMI
from wmsketch.apps.pmi_rows import Pair

__all__ = ["PMI", "Deltoids", "Difference", "Explainer", "Explanation", "Pair"]
