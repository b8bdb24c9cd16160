"""Which pairs belong together? Streaming pointwise mutual information in a fixed number of bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from wmsketch import _core
from wmsketch.apps.pmi_shape import Shape, choose_shape
from wmsketch.learners.awm import AWMSketch
from wmsketch.learners.checks import require_integer, require_real
from wmsketch.learners.options import Schedule

TOKENS = ("words", "whitespace", "lines")
WITHIN = ("line", "paragraph", "file")
SORTS = ("weight", "pmi", "low", "count", "-pmi")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two items and how much more often they stand together than chance would have it, as a natural logarithm.

    ``pmi`` is by counts of the pair and its items, ``low`` to ``high`` its 95 % range. ``count`` is a lower bound:
    occurrences since the pair was last found heavy. ``weight`` is the classifier's estimate of the PMI, which falls
    short of it while there were few occurrences: heavy pairs are both strong and sure. A pair that is not counted has
    its weight for PMI, and no upper bound.
    """

    pair: tuple[str, str]
    weight: float
    pmi: float
    low: float
    high: float
    count: int

    def as_record(self) -> dict[str, object]:
        """The row as JSON has it."""
        numbers = {"pmi": self.pmi, "low": self.low, "high": self.high, "weight": self.weight, "count": self.count}
        return {"pair": list(self.pair), **numbers}


@dataclass(frozen=True, slots=True)
class ExactPair:
    """A pair counted exactly, with the counts of its two items."""

    pair: tuple[str, str]
    pmi: float
    count: int
    counts: tuple[int, int]


@dataclass(kw_only=True)
class PMI:
    """Learn the pointwise mutual information of pairs from a stream of items, in a fixed number of bytes.

    Items that stand within a window are a positive example of their pair, pairs with an item drawn from a sample of the
    stream are negative ones, and an AWM-Sketch tells the two apart: the weight of a pair tends to its PMI,
    log(p(u, v) / (p(u) p(v))). Pairs that are heavy enough to be held are counted, and all items are counted in a
    sketch, so that their PMI is known better than by the weight. ``nbytes`` counts sketches, names, windows, sample and
    counters, and never exceeds ``budget``.

    >>> pmi = PMI(seed=1)
    >>> pmi.learn_text("the prime minister met the mayor of new york and the queen met the minister\\n" * 200)
    >>> pmi.row("new", "york").pmi > 0.5 > 0 > pmi.row("the", "the").pmi
    True

    Parameters
    ----------
    budget: bytes, as a number or like ``"1MiB"``; without it the paper's shape (about 620 KB, more with ``groups``).
    window: how many items before it an item makes pairs with; the window_seconds at most before it, if given.
    directed: whether (u, v) and (v, u) are two pairs.
    token: ``"words"`` (letters and digits), ``"whitespace"``, ``"lines"``, or a regular expression.
    within: no window crosses a ``"line"`` (default), a ``"paragraph"`` (to a blank line), a ``"file"``.
    lowercase: whether case is folded in text.
    groups: how many groups of an event log have windows at the same time.
    subsample: thin out items more frequent than this share, as word2vec does; 0 keeps all.
    negatives, reservoir: random pairs for each real one, and how many items of the stream they are made of.
    width, active_set_size, eta0, l2, schedule: the sketch and its rule.
    exact: count all pairs exactly too, in memory without limit, to check small inputs.
    """

    budget: int | str | None = None
    window: int = 5
    window_seconds: float | None = None
    directed: bool = True
    token: str = "words"
    within: str | None = None
    lowercase: bool = True
    groups: int = 1
    subsample: float = 0.0
    negatives: int = 5
    reservoir: int | None = None
    width: int | None = None
    active_set_size: int | None = None
    eta0: float = 0.5
    l2: float = 1e-9
    schedule: Schedule = "optimal"
    seed: int = 0
    exact: bool = False

    _pairs: _core.Pairs = field(init=False, repr=False)
    _regex: _RegexLines | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        within = self.within or ("file" if self.token == "lines" else "line")
        if within not in WITHIN:
            raise ValueError(f"within must be one of {', '.join(WITHIN)}, got {self.within!r}")
        shape = choose_shape(self.budget, self.width, self.active_set_size, self.reservoir, self._nbytes_of)
        self._pairs = _core.Pairs(
            *self._configs(shape), self.token if self.token in TOKENS else "words", within, self.lowercase
        )
        if self.token not in TOKENS:
            self._regex = _RegexLines(self._pairs, self.token, within, self.lowercase)

    def _configs(self, shape: Shape) -> tuple[_core.PmiConfig, _core.Config]:
        model = AWMSketch(
            depth=1,
            width=shape.width,
            active_set_size=shape.active_set_size,
            name_bytes=shape.name_bytes,
            step="plain",  # the native learner's fast path for rows of one feature
            eviction="paper",
            eta0=self.eta0,
            l2=self.l2,
            schedule=self.schedule,
            seed=self.seed,
        )
        config = _core.PmiConfig(
            window=require_integer("window", self.window, 1, 1024),
            negatives=require_integer("negatives", self.negatives, 1, 1000),
            reservoir=shape.reservoir,
            reservoir_names=shape.reservoir_names,
            item_width=shape.item_width,
            directed=bool(self.directed),
            subsample=require_real("subsample", self.subsample),
            window_seconds=0.0 if self.window_seconds is None else _positive("window_seconds", self.window_seconds),
            groups=require_integer("groups", self.groups, 1, 2**20),
            seed=self.seed,
            exact=bool(self.exact),
        )
        return config, _core.Config(**model._config(named=True))

    def _nbytes_of(self, shape: Shape) -> int:
        config, model = self._configs(shape)
        return config.nbytes_with(model) + _core.TOKENIZER_BYTES

    # --- learning ---

    def learn_text(self, text: str | bytes) -> None:
        """Learn a whole text: its last token and its last window end with it.

        >>> pmi = PMI()
        >>> pmi.learn_text("Don't panic,\\nDON’T panic.")
        >>> pmi.row("don't", "panic").count
        2
        """
        self.learn_chunk(text)
        self.end_text()

    def learn_chunk(self, chunk: str | bytes) -> None:
        """Learn a piece of a text; the next one goes on behind it, and where it was cut changes nothing."""
        data = chunk.encode() if isinstance(chunk, str) else chunk
        if self._regex is not None:
            self._regex.learn(data)
        else:
            self._pairs.learn_text(data)

    def end_text(self) -> None:
        """End the text that `learn_chunk` got piece by piece."""
        if self._regex is not None:
            self._regex.end()
        else:
            self._pairs.end_text()

    def learn_items(self, items: Iterable[str]) -> None:
        """Learn a sequence of items as they are; windows do not reach into the next.

        >>> pmi = PMI(directed=False)
        >>> for _ in range(100):
        ...     pmi.learn_items(["disk full", "write failed"])
        ...     pmi.learn_items(["login", "logout"])
        >>> sorted(pmi.top(1)[0].pair) in (["disk full", "write failed"], ["login", "logout"])
        True
        """
        self._pairs.learn_items(list(items))

    def learn_block(
        self, block: _core.RowBlock, *, items: str = "", text: str = "", group: str = "", time: str = ""
    ) -> tuple[int, str] | None:
        """Learn a block of rows that `open_examples` gave with these columns as categories: items, or running text.

        Returns None, or the number of the first row that could not be learned, and why.
        """
        if text and self._regex is not None:
            for place in range(len(block.keys)):
                self._regex.learn(block.name(place).removeprefix(f"{text}=").encode())
                self._regex.end()
            return None
        learned, of, at = (f"{column}=" if column else "" for column in (items or text, group, time))
        return self._pairs.learn_block(block, learned, of, at, text=bool(text))

    # --- questions ---

    def top(self, k: int = 20, *, min_count: int = 1, sort: str = "weight") -> list[Pair]:
        """Return up to k of the pairs held, seen at least ``min_count`` times.

        ``sort`` is weight (strong and frequent ones first), pmi, low (the lower bound), count, or -pmi (those that
        avoid each other).
        """
        if sort not in SORTS:
            raise ValueError(f"sort must be one of {', '.join(SORTS)}, got {sort!r}")
        if self.problem is not None:
            return []
        rows = [row for row in map(_pair, self._pairs.rows()) if row.count >= min_count]
        name = sort.lstrip("-")
        rows.sort(key=lambda row: (getattr(row, name), row.pair), reverse=not sort.startswith("-"))
        wanted = [row for row in rows if row.pmi < 0] if sort == "-pmi" else rows
        return wanted[: require_integer("k", k, 0)]

    def row(self, u: str, v: str) -> Pair:
        """Return any pair: counted if it is among the heaviest, else what the sketch makes of it."""
        return _pair(self._pairs.row(u, v))

    def exact_row(self, u: str, v: str) -> ExactPair:
        """Return a pair as counted exactly; needs ``exact=True``."""
        return _exact(self._pairs.exact(u, v))

    def most_common(self, k: int = 20) -> list[ExactPair]:
        """Return the pairs that occur most often; needs ``exact=True``."""
        return [_exact(row) for row in self._pairs.most_common(require_integer("k", k, 0))]

    @property
    def problem(self) -> str | None:
        """Why there can be no ranking, or None.

        >>> pmi = PMI()
        >>> pmi.learn_text("never never never never")
        >>> pmi.problem
        'all 4 items are the same: a pair needs two to choose from'
        """
        if self.tokens == 0:
            return "no items yet"
        if self.pairs == 0:
            return f"{self.tokens:,} items, but never two in one window: there are no pairs"
        if self._pairs.distinct_in_sample == 1:
            return f"all {self.tokens:,} items are the same: a pair needs two to choose from"
        return None

    @property
    def tokens(self) -> int:
        """Items read."""
        return int(self._pairs.progress[0])

    @property
    def pairs(self) -> int:
        """Real pairs made of them."""
        return int(self._pairs.progress[2])

    @property
    def examples(self) -> int:
        """Real and random pairs learned."""
        return int(self._pairs.progress[3])

    @property
    def nbytes(self) -> int:
        """True bytes of all that stays: sketch, names, windows, sample, counters (not the exact counts)."""
        return self._pairs.nbytes


def _pair(row: tuple[str, str, bool, float, float, float, float, int]) -> Pair:
    u, v, shortened, weight, pmi, low, high, count = row
    return Pair((u, v + "…" * shortened), weight, pmi, low, high, count)


def _exact(row: tuple[str, str, int, int, int, float]) -> ExactPair:
    u, v, count, u_count, v_count, pmi = row
    return ExactPair((u, v), pmi, count, (u_count, v_count))


def _positive(name: str, value: float) -> float:
    number = require_real(name, value)
    if number <= 0:
        raise ValueError(f"{name} must be above 0, got {value}")
    return number


class _RegexLines:
    """Cuts text by a regular expression, a line at a time."""

    def __init__(self, pairs: _core.Pairs, token: str, within: str, lowercase: bool) -> None:
        try:
            self._find = re.compile(token).finditer
        except re.error as problem:
            raise ValueError(f"token must be one of {', '.join(TOKENS)} or a regular expression: {problem}") from None
        self._pairs = pairs
        self._within = within
        self._lowercase = lowercase
        self._rest = b""  # a line whose end has not come

    def learn(self, chunk: bytes) -> None:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._learn_line(line)

    def end(self) -> None:
        rest, self._rest = self._rest, b""
        self._learn_line(rest)
        self._pairs.learn_items([], end=True)

    def _learn_line(self, line: bytes) -> None:
        text = line.decode(errors="replace")
        if self._lowercase:
            text = text.lower()
        tokens = [match[0] for match in self._find(text) if match[0]]
        ends = self._within == "line" or (self._within == "paragraph" and not tokens)
        self._pairs.learn_items(tokens, end=ends)
