"""The applications of the paper: what explains outliers, what differs between streams, what belongs together."""

from wmsketch.apps.deltoids import Deltoids
from wmsketch.apps.deltoids_rows import Difference

__all__ = ["Deltoids", "Difference"]
