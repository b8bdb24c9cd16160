"""How the heaviest features of a learner moved: their weights every few seconds, for the page."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

_EVERY = 2.0  # seconds
_POINTS, _FEATURES = 60, 50


class History:
    """The last weights of the heaviest features. It is bounded, and not kept over a restart."""

    def __init__(self) -> None:
        self._at = 0.0
        self._points: deque[tuple[float, dict[str, float]]] = deque(maxlen=_POINTS)

    def note(self, task: Any) -> None:
        """Take a point if it is time; must be called from the thread that learns."""
        now = time.monotonic()
        if now - self._at < _EVERY or not hasattr(task, "feature"):
            return
        self._at = now
        self._points.append((time.time(), {str(row["feature"]): row["weight"] for row in task.top(_FEATURES)}))

    def weights(self) -> dict[str, list[float | None]]:
        """Return the weights over time of the features that are heavy now; None while one was not."""
        points = [weights for _, weights in list(self._points)]
        return {name: [point.get(name) for point in points] for name in points[-1]} if points else {}

    @property
    def since(self) -> float | None:
        """The time of the first point; None without points."""
        points = list(self._points)
        return points[0][0] if points else None
