"""One seed from two parameters: ``seed``, and scikit-learn's ``random_state``."""

from __future__ import annotations

from typing import Any

from wmsketch.learners.protocols.checks import require_integer


def chosen_seed(seed: Any, random_state: Any) -> int:
    """Return the seed that counts: ``random_state`` where it is given, else ``seed``.

    An integer is taken as it is; a generator of numpy's draws one, as it does for scikit-learn's estimators.

    >>> chosen_seed(3, None), chosen_seed(3, 5)
    (3, 5)
    """
    if random_state is None:
        return require_integer("seed", seed, 0, 2**64 - 1)
    for draw in ("integers", "randint"):  # numpy's Generator, numpy's RandomState
        if hasattr(random_state, draw):
            return int(getattr(random_state, draw)(2**31 - 1))
    return require_integer("random_state", random_state, 0, 2**64 - 1)
