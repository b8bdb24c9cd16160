"""Interactions found, not given: pairs of columns whose values together tell more about the label than each alone.

A model without them learns a part of the first rows. Its errors are compared with chance in each pair of values, for
all pairs of columns: this costs one look at the rows. The few most suspicious pairs are then tried: a model with the
pair learns the same rows, and must predict the rows held out better, beyond noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.learners.rows.shuffled import passes_over, shuffled, window_rows
from wmsketch.readers import open_examples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wmsketch._core import RowBlock
    from wmsketch.readers import LabelNames

    Numbers = NDArray[np.float64]

_LEARNED = 2 / 3  # of the rows; the rest is held out
_MOST_COLUMNS, _MOST_VALUES = 40, 1000
_FEWEST_ROWS = 5  # of a pair of values, to be compared with chance
_MOST_TRIED, _MOST_FOUND = 6, 3
_LEVEL = 0.05  # the probability that any pair pays by chance
_LEAST_GAIN = 0.002  # of the loss


@dataclass(frozen=True)
class FoundPairs:
    """The pairs that pay, like ``"origin:carrier"``, the part of the loss that each saves, and what was looked at."""

    pairs: tuple[str, ...] = ()
    gains: tuple[float, ...] = ()
    looked_at: int = 0
    rows: int = 0


def find_pairs(
    make: Callable[[list[str]], Any],
    source: Any,
    given: list[str],
    lessons: Callable[[Iterable[RowBlock]], Iterable[Any]] | None = None,
    **reading: Any,
) -> FoundPairs:
    """Find pairs of columns that pay on rows held out of the first ones.

    `make` returns a new model with interactions, of which some are `given`; `reading` are options of `open_examples`.
    `lessons` returns blocks and their weights, which are 0 for rows that must not be used. Columns of categories are
    looked at, up to 40 of them. Models of many classes find none.
    """

    def first_rows(pairs: list[str]) -> tuple[RowBlock, LabelNames] | None:
        blocks, weights, n_rows = [], [], 0
        with open_examples(source, **reading, interactions=[*given, *pairs]) as examples:
            for block, weight, *_ in lessons(examples) if lessons else ((block, None) for block in examples):
                blocks.append(block)
                weights.append(weight)
                n_rows += len(block)
                if n_rows >= window_rows(blocks[0].n_features / max(1, len(blocks[0]))):
                    break
            return (shuffled(blocks, weights, 0).block, examples.labels) if n_rows else None

    def losses(pairs: list[str]) -> tuple[Any, RowBlock, Numbers]:
        rows = first_rows(pairs)
        assert rows is not None
        model, (block, labels) = make([*given, *pairs]), rows
        learned, held_out = _parts(block)
        for _ in range(passes_over(len(learned), block.n_features / len(block))):
            model._learn_block(learned, label_names=labels)
        return model, block, _losses(model, held_out)

    rows = first_rows([])
    if rows is None or rows[0].has_classes or len(rows[0]) < 100:
        return FoundPairs()
    model, block, before = losses([])
    candidates, looked_at = _suspicious(model, _parts(block)[0], {*given})
    needed = NormalDist().inv_cdf(1 - _LEVEL / _MOST_TRIED)
    pairs: list[str] = []
    gains: list[float] = []
    for pair in candidates[:_MOST_TRIED]:
        after = losses([*pairs, pair])[2]
        saved = before - after
        noise = float(saved.std()) / len(saved) ** 0.5
        gain = float(saved.mean() / max(before.mean(), 1e-12))
        if saved.mean() > needed * noise and gain > _LEAST_GAIN:
            pairs, gains, before = [*pairs, pair], [*gains, gain], after
        if len(pairs) == _MOST_FOUND:
            break
    return FoundPairs(tuple(pairs), tuple(gains), looked_at, len(block))


def _parts(block: RowBlock) -> tuple[RowBlock, RowBlock]:
    middle = int(_LEARNED * len(block))
    return block.part(0, middle), block.part(middle, len(block))


def _used(block: RowBlock) -> NDArray[np.bool_]:
    weights = block.weights
    return weights != 0 if len(weights) else np.full(len(block), True)


def _losses(model: Any, block: RowBlock) -> Numbers:
    """Return the loss of each row: log loss, or the squared error of a number."""
    margins, answers = model._decision_function_block(block), model._right_answers(block)
    losses: Numbers = np.square(margins - answers) if block.has_targets else np.logaddexp(0.0, -margins * answers)
    return losses[_used(block)]


def _suspicious(model: Any, block: RowBlock, known: set[str]) -> tuple[list[str], int]:
    """Return the pairs of columns whose pairs of values have errors beyond chance, the most suspicious first."""
    margins, answers = model._decision_function_block(block), model._right_answers(block)
    if block.has_targets:
        errors = answers - margins
        chance = np.full(len(errors), max(float(np.mean(np.square(errors))), 1e-12))
    else:
        probabilities = 1 / (1 + np.exp(-np.clip(margins, -30, 30)))
        errors, chance = (answers > 0) - probabilities, np.maximum(probabilities * (1 - probabilities), 1e-6)
    codes = _codes(block, combined=bool(known))
    alone = {name: _beyond_chance(code, errors, chance) for name, code in codes.items()}
    found = []
    for left, right in combinations(codes, 2):
        if known & {f"{left}:{right}", f"{right}:{left}"} or ":" in left + right:
            continue
        both = codes[left] * (codes[right].max() + 1) + codes[right]
        both[(codes[left] < 0) | (codes[right] < 0)] = -1
        squares, n = _beyond_chance(both, errors, chance)
        squares, n = (squares - alone[left][0] - alone[right][0], n - alone[left][1] - alone[right][1])
        if n > 0 and squares > n + 3 * (2 * n) ** 0.5:
            found.append((n - squares, f"{left}:{right}"))
    return [pair for _, pair in sorted(found)], len(codes) * (len(codes) - 1) // 2


def _beyond_chance(code: NDArray[np.int64], errors: Numbers, chance: Numbers) -> tuple[float, int]:
    """Return the sum over all values of (sum of errors)^2 / its variance by chance, and the number of values."""
    has = code >= 0
    _, places, counts = np.unique(code[has], return_inverse=True, return_counts=True)
    enough = counts >= _FEWEST_ROWS
    sums, variances = np.bincount(places, errors[has])[enough], np.bincount(places, chance[has])[enough]
    return float(np.sum(np.square(sums) / variances)), int(enough.sum())


def _codes(block: RowBlock, combined: bool) -> dict[str, NDArray[np.int64]]:
    """Return a number for the value of each row in each column of categories, -1 where it is missing."""
    n, begin, end = len(block), int(block.starts[0]), int(block.starts[-1])
    keys, first, places = np.unique(block.keys[begin:end], return_index=True, return_inverse=True)
    names = map(block.name, (first + begin).tolist())
    columns = ["" if "=" not in name or (combined and "&" in name) else name.partition("=")[0] for name in names]
    rows = np.repeat(np.arange(n), np.diff(block.starts))
    values: dict[str, list[int]] = {}
    for number, column in enumerate(columns):
        if column:
            values.setdefault(column, []).append(number)
    codes: dict[str, NDArray[np.int64]] = {}
    for column, numbers in values.items():
        if not 2 <= len(numbers) <= _MOST_VALUES:
            continue
        codes_of = np.full(len(keys), -1)
        codes_of[numbers] = np.arange(len(numbers))
        mine = codes_of[places] >= 0
        if np.bincount(rows[mine], minlength=n).max() > 1:
            continue  # a text, or a list
        code = np.full(n, -1)
        code[rows[mine]] = codes_of[places[mine]]
        code[~_used(block)] = -1
        codes[column] = code
    fewest = sorted(codes, key=lambda name: (int(codes[name].max()), name))[:_MOST_COLUMNS]
    return {name: codes[name] for name in sorted(fewest)}
