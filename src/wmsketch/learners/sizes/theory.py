"""The sizes that the paper's theorems ask for."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wmsketch.errors import ParameterError
from wmsketch.learners.protocols.checks import require_integer, require_real
from wmsketch.learners.sizes.shapes import MOST_ROWS


@dataclass(frozen=True, slots=True)
class TheorySize:
    """k cells in ``depth`` rows (Theorem 1), and the examples that one pass needs (Theorem 2).

    ``depth`` and ``width`` are those of a `WMSketch`, which has at most 64 rows. The theorem's own number of rows is
    ``rows_asked``: where it is larger, the sketch has the k cells, but not the theorem's promise.
    """

    k: int
    depth: int
    width: int
    examples: int
    rows_asked: int


def size_for(
    epsilon: float,
    delta: float,
    n_features: int,
    l2: float,
    *,
    gamma: float = 1.0,
    smoothness: float = 1.0,
    slope: float = 1.0,
    norm_ratio: float = 1.0,
    constants: tuple[float, float, float] = (1.0, 1.0, 1.0),
) -> TheorySize:
    """Return a size whose estimates miss no weight by more than ``epsilon * ||w*||_1``, with probability 1 - delta.

    w* is the minimiser of the regularised loss over all features, without a sketch; its norm is the l1 norm.

    ``gamma`` bounds the l1 norm of an example, ``smoothness`` is the loss's beta (1 for the losses here), ``slope``
    bounds its derivative, ``norm_ratio`` is ||w*||_2 / ||w*||_1 (at most 1). The theorems leave three constants open;
    they are 1 here, so read the result as a rate: how sizes grow, not how large they must be.

    >>> size_for(0.5, 0.1, n_features=1000, l2=0.1)
    TheorySize(k=1250107, depth=64, width=19533, examples=13467670, rows_asked=3394)
    """
    epsilon, delta, l2 = require_real("epsilon", epsilon), require_real("delta", delta), require_real("l2", l2)
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        if not 0 < value < 1:
            raise ParameterError(name, "must be between 0 and 1", value)
    if l2 <= 0:
        raise ParameterError("l2", "must be above 0 for the theorems to hold", l2)
    log = math.log(require_integer("n_features", n_features, 1, 2**63) / delta)
    stretch = smoothness * gamma**2 / l2
    c1, c2, c3 = constants
    k = math.ceil(c1 / epsilon**4 * log**3 * max(1.0, stretch**2))
    rows = math.ceil(c2 / epsilon**2 * log**2 * max(1.0, stretch))
    radius = norm_ratio + epsilon  # of the ball to project on, in units of ||w*||_1
    gradient = slope * (1 + epsilon * gamma) + l2 * radius
    zeta = (norm_ratio / l2) ** 2 * (gradient + (1 + epsilon * gamma) * slope) ** 2
    examples = math.ceil(c3 / epsilon**4 * zeta * log**2 * max(1.0, stretch))
    depth = max(1, min(rows, MOST_ROWS))
    return TheorySize(k, depth, -(-k // depth), examples, rows)


def epsilon_for(depth: int, width: int, delta: float, n_features: int, l2: float) -> float | None:
    """Return the least epsilon for which Theorem 1 covers a WM-Sketch of this shape, or None where it covers none.

    The theorem asks for a number of cells and a number of rows. A sketch with enough cells in too few rows has no
    promise, and neither has the AWM-Sketch, about which the theorem says nothing.

    >>> epsilon_for(64, 4096, delta=0.5, n_features=10, l2=1.0)
    0.3744...
    >>> epsilon_for(1, 2**20, delta=0.5, n_features=10, l2=1.0) is None
    True
    """

    def covered(epsilon: float) -> bool:
        size = size_for(epsilon, delta, n_features, l2)
        return size.k <= depth * width and size.rows_asked <= depth

    low, high = 1e-4, 1 - 1e-9
    if not covered(high):
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if covered(middle) else (middle, high)
    return high
