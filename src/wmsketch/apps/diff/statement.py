"""Whether two streams differ, as a sentence, and how complete the answer is."""

from __future__ import annotations

from wmsketch import _core
from wmsketch.apps.diff.rows import Differences
from wmsketch.apps.diff.shape import budget_for
from wmsketch.apps.held import Held, round_budget

_NOTABLE = 0.05  # report the rows of one stream alone if their share is above this


def differences_in_words(held: Differences | None, native: _core.Diff, alone: int, a: str, b: str) -> str:
    """Say how many items differ beyond noise; `alone` is the number of rows after the end of the other stream."""
    if not held:
        return "no items were found in either stream"
    n_beyond = int(held.beyond_noise.sum())
    tried = f"among {native.n_tried:,} tried"
    many = not native.is_whole and alone > max(100, _NOTABLE * sum(native.n_rows))
    rest = f"; {alone:,} rows came after the end of the other stream" if many else ""
    if not n_beyond:
        none = f"none of the {len(held):,} items held differs by more than chance"
        return f"no difference beyond noise: {none} {tried}{rest}"
    more_a = int((held.log_ratios[held.beyond_noise] > 0).sum())
    return (
        f"{n_beyond:,} of {len(held):,} items held differ beyond noise ({tried}): {more_a:,} more frequent "
        f"in {a}, {n_beyond - more_a:,} in {b}{rest}"
    )


def how_complete(held: Differences, native: _core.Diff, name_bytes: int, amounts: bool) -> Held:
    """Return the number of items held, distinct and exact, and the budget that would hold all."""
    distinct, n = native.n_distinct, len(held)
    exact, cut = int(held.exact.sum()), int(held.shortened.sum())
    if distinct is None or native.is_whole:
        return Held(n, None if distinct is None else n, exact, cut)
    needed = budget_for(1.1 * max(distinct, n), name_bytes, amounts)  # the estimate may be low
    return Held(n, max(round(distinct), n + 1), exact, cut, round_budget(needed))
