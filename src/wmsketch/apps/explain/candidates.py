"""Which attributes a second pass counts: those that most outliers have in a first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmsketch import _core
from wmsketch.learners.rows.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def candidates_of(
    stream: _core.AttributeStream, most: int, both_sides: bool = False
) -> tuple[NDArray[np.uint64], float]:
    """Return the ids of up to `most` attributes and conjunctions, and the most outliers that any other may have.

    They are those of the most outliers, or with `both_sides` of the most rows. Conjunctions come with their parts, and
    take at most half.
    """
    snapshot: Any = stream.held()
    held = snapshot[0]
    inside = held["slot"] < 0xFFFFFFFF  # bins of numbers have their own counts
    rows = held["outliers"] + held["outliers_missed_about"]
    if both_sides:
        rows = rows + held["inliers"] + held["inliers_missed_about"]
    outliers = np.where(inside, rows, -1.0)
    ranked = np.lexsort((held["id"], -outliers))
    ranked = ranked[outliers[ranked] > 0]
    singles = ranked[held["order"][ranked] == 1]
    longer = ranked[held["order"][ranked] > 1]
    chosen = list(singles[: most if not len(longer) else max(most - len(longer), most // 2)])
    kept = {int(held["slot"][place]) for place in chosen}
    for order in (2, 3):
        for place in longer[held["order"][longer] == order]:
            if len(chosen) >= most:
                break
            if int(held["left"][place]) in kept and int(held["right"][place]) in kept:
                chosen.append(place)
                kept.add(int(held["slot"][place]))
    left = np.setdiff1d(singles, np.array(chosen, dtype=singles.dtype))
    high = held["outliers"] + held["outliers_missed"]
    rest = max(float(stream.coverage[4]), float(high[left].max(initial=0.0)))
    return np.ascontiguousarray(held["id"][np.array(chosen, dtype=np.int64)], dtype=np.uint64), rest
