"""Random seeds from the system, so that others cannot predict which keys collide."""

from __future__ import annotations

RANDOM = "random"


def drawn(seed: int | str) -> int | str:
    """Return the seed; for "random", draw 63 bits from the system. The caller keeps what was drawn.

    >>> drawn(7), isinstance(drawn("random"), int), drawn("random") == drawn("random")
    (7, True, False)
    """
    if not isinstance(seed, str) or seed != RANDOM:
        return seed
    import secrets  # it loads OpenSSL

    return secrets.randbits(63)
