"""The applications of the paper: what explains outliers, what differs between streams, what belongs together."""

from wmsketch.apps.deltoids import Deltoids, Difference

__all__ = ["Deltoids", "Difference"]
