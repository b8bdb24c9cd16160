"""How much of a stream an answer is of: items held of how many, what is exact, and which budget would hold all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wmsketch.errors import Say, say_in_python
from wmsketch.learners.budget import parse_bytes

FULLEST = 0.7  # of the places of `diff` and `pmi`: up to there everything finds one
_STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True, slots=True)
class Held:
    """`held` of about `distinct` different things have a place; `exact` of those are counted exactly.

    `cut`: how many names were shortened. `budget_for_all` is a budget with a place for each, None where there is one
    already. Of an explainer, an attribute value in more than `surely_held_above` outliers is held.
    """

    held: int
    distinct: int | None
    exact: int
    cut: int = 0
    budget_for_all: str | None = None
    surely_held_above: float | None = None

    @property
    def all_exact(self) -> bool:
        """Whether every count is of the whole stream."""
        return self.held == self.exact == self.distinct

    def as_record(self) -> dict[str, object]:
        """The facts as JSON has them."""
        above = {} if self.surely_held_above is None else {"surely_held_above": self.surely_held_above}
        return {
            "held": self.held,
            "distinct": self.distinct,
            "exact": self.exact,
            "shortened": self.cut,
            "budget_for_all": self.budget_for_all,
            **above,
        }

    def line(self, things: str = "items", say: Say = say_in_python) -> str:
        """The facts in a line; `say` writes the budget as the caller does.

        >>> Held(8031, 8031, 8031).line()
        'held all 8,031 items: every count is exact'
        >>> print(Held(400, 8000, 25, 3, "1MiB").line())
        held 400 of about 8,000 items, 25 of them counted exactly; 3 names are cut; budget='1MiB' would hold all
        """
        names = f"; {self.cut:,} {'name is' if self.cut == 1 else 'names are'} cut" if self.cut else ""
        if self.all_exact:
            return f"held all {self.held:,} {things}: every count is exact{names}"
        of = f" of about {self.distinct:,}" if self.distinct is not None else ""
        more = f"; {say('budget', self.budget_for_all)} would hold all" if self.budget_for_all else ""
        return f"held {self.held:,}{of} {things}, {self.exact:,} of them counted exactly{names}{more}"


def so_many(n: float, things: str) -> str:
    """A number of things; `things` is the word for several.

    >>> so_many(1, "rows"), so_many(1234, "rows")
    ('1 row', '1,234 rows')
    """
    return f"{n:,.0f} {things.removesuffix('s') if n == 1 else things}"


def bytes_option(n_bytes: int) -> str:
    """Bytes as a budget is written.

    >>> bytes_option(16 << 20), bytes_option(512 << 10)
    ('16MiB', '512KiB')
    """
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if n_bytes >= size:
            return f"{math.ceil(n_bytes / size)}{unit}"
    return str(n_bytes)


def round_budget(n_bytes: float) -> str:
    """A budget of at least so many bytes, as people write it.

    >>> round_budget(700_000), round_budget(3 * 2**20), round_budget(2**33 + 1)
    ('1MiB', '4MiB', '16GiB')
    """
    for unit in ("KiB", "MiB", "GiB"):
        for step in _STEPS:
            if parse_bytes(f"{step}{unit}") >= n_bytes:
                return f"{step}{unit}"
    return str(math.ceil(n_bytes))


def tell_apart(names: Sequence[str], keys: Sequence[int]) -> list[str]:
    """The names, with the key behind those that look like another, as cut names may.

    >>> tell_apart(["at home", "at …", "at …"], [7, 8, 255])
    ['at home', 'at … #00000008', 'at … #000000ff']
    """
    alike = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else set()
    return [f"{name} #{key:08x}" if name in alike else name for name, key in zip(names, keys, strict=True)]
