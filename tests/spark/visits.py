"""Rows to learn from: visits of a shop, some with a purchase."""

from __future__ import annotations

import random
from typing import Any

COLUMNS = "minutes double, pages int, device string, member boolean, bought double"


def visits(n: int, seed: int = 1) -> list[tuple[Any, ...]]:
    """Return rows of COLUMNS; a tenth of the values is missing."""
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        minutes, pages = draw.expovariate(0.1), draw.randrange(1, 20)
        device, member = draw.choice(["phone", "laptop", "tablet"]), draw.random() < 0.3
        score = 0.15 * minutes - 0.1 * pages + {"phone": -1.0, "laptop": 1.0, "tablet": 0.0}[device] + member
        bought = float(score + draw.gauss(0, 1) > 1)
        row = [value if draw.random() > 0.1 else None for value in (minutes, pages, device, member)]
        rows.append((*row, bought))
    return rows


def bags(n: int, seed: int = 1) -> list[tuple[dict[str, float], float]]:
    """Return bags of words with labels."""
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        words = [f"w{min(int(draw.paretovariate(0.7)), 500)}" for _ in range(draw.randrange(1, 9))]
        bag = {word: float(words.count(word)) for word in words}
        rows.append((bag, float(sum(int(word[1:]) % 3 - 1 for word in words) + draw.gauss(0, 0.5) > 0)))
    return rows
