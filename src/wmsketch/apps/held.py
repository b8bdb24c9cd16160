"""How complete an answer is: items held, exact counts, and the budget that would hold all."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wmsketch.errors import Say, say_in_python
from wmsketch.late import dataclass
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.records import shared_names, with_key

FULLEST = 0.7  # of the places of `diff` and `pmi`: up to there everything finds one
_STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Held:
    """`held` of about `distinct` distinct items have a slot; `exact` of these have exact counts.

    `cut` is the number of shortened names. `budget_for_all` is a budget with a slot for each item, None if every item
    has one. For an explainer, every attribute value of more than `surely_held_above` outliers is held, and with
    `so_far` outliers were chosen by percentiles of the rows before them.
    """

    held: int
    distinct: int | None
    exact: int
    cut: int = 0
    budget_for_all: str | None = None
    surely_held_above: float | None = None
    so_far: bool = False

    @property
    def all_exact(self) -> bool:
        """Whether every count covers the whole stream."""
        return self.held == self.exact == self.distinct

    def as_record(self) -> dict[str, object]:
        """Return the JSON record."""
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
        """Return one line of text; `say` writes the budget as the caller does.

        >>> Held(8031, 8031, 8031).line()
        'all 8,031 items are held: every count is exact'
        >>> print(Held(400, 8000, 25, 3, "1MiB").line())
        400 of about 8,000 items are held, 25 with exact counts; 3 names are cut; budget='1MiB' would hold all
        """
        names = f"; {self.cut:,} {'name is' if self.cut == 1 else 'names are'} cut" if self.cut else ""
        if self.all_exact:
            exact = "outliers are those by the percentiles so far" if self.so_far else "every count is exact"
            return f"all {self.held:,} {things} are held: {exact}{names}"
        of = f" of about {self.distinct:,}" if self.distinct is not None else ""
        more = f"; {say('budget', self.budget_for_all)} would hold all" if self.budget_for_all else ""
        return f"{self.held:,}{of} {things} are held, {self.exact:,} with exact counts{names}{more}"


def so_many(n: float, things: str) -> str:
    """Format a number of things; `things` is the plural.

    >>> so_many(1, "rows"), so_many(1234, "rows")
    ('1 row', '1,234 rows')
    """
    return f"{n:,.0f} {things.removesuffix('s') if n == 1 else things}"


def bytes_option(n_bytes: int) -> str:
    """Format bytes as a budget.

    >>> bytes_option(16 << 20), bytes_option(512 << 10)
    ('16MiB', '512KiB')
    """
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if n_bytes >= size:
            return f"{math.ceil(n_bytes / size)}{unit}"
    return str(n_bytes)


def round_budget(n_bytes: float) -> str:
    """Return a round budget of at least this many bytes.

    >>> round_budget(700_000), round_budget(3 * 2**20), round_budget(2**33 + 1)
    ('1MiB', '4MiB', '16GiB')
    """
    for unit in ("KiB", "MiB", "GiB"):
        for step in _STEPS:
            if parse_bytes(f"{step}{unit}") >= n_bytes:
                return f"{step}{unit}"
    return str(math.ceil(n_bytes))


def tell_apart(names: Sequence[str], keys: Sequence[int]) -> list[str]:
    """Return the names; append the key to names that look alike, as cut names may.

    >>> tell_apart(["at home", "at …", "at …"], [7, 8, 255])
    ['at home', 'at …#00000008', 'at …#000000ff']
    """
    shared = shared_names(names, keys)
    return [with_key(name, key) if name in shared else name for name, key in zip(names, keys, strict=True)]
