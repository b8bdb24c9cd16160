"""Which pairs occur together? Streaming pointwise mutual information in a fixed number of bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from wmsketch import _core
from wmsketch.apps.held import Held, round_budget, so_many
from wmsketch.apps.merging import merge_in_order, require_same_settings
from wmsketch.apps.pmi.reading import ReadsItems
from wmsketch.apps.pmi.regex import TOKENS, RegexLines
from wmsketch.apps.pmi.rows import ExactPair, Pair, exact_pair_of, pair_of
from wmsketch.apps.pmi.shape import PmiShape, budget_for, choose_pmi_shape
from wmsketch.errors import ParameterError
from wmsketch.learners.models.awm import AWMSketch
from wmsketch.learners.models.introspection import config_of
from wmsketch.learners.protocols.checks import require_integer, require_real
from wmsketch.learners.protocols.options import Schedule
from wmsketch.learners.rows.whole_calls import alone, both_alone
from wmsketch.learners.saving.saveable import Arrays, Document, Saveable, require_memory
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.learners.sizes.shapes import WAYS
from wmsketch.readers.variable_words import bytes_for_words
from wmsketch.records import shared_names, with_key

DEFAULT_BUDGET = "32MiB"  # finds nearly all pairs of high PMI in 5 million words: see docs/pmi.md
WITHIN = ("line", "paragraph", "file")
SORTS = ("weight", "pmi", "low", "count", "-pmi")


@dataclass(kw_only=True, eq=False)
class PMI(ReadsItems, Saveable):
    """Learn the pointwise mutual information of pairs from a stream of items, in a fixed number of bytes.

    Pairs of items within a window are positive examples. Pairs with an item drawn from a sample of the stream are
    negative examples. An AWM-Sketch separates the two: the weight of a pair tends to its PMI, log(p(u, v) / (p(u)
    p(v))). Pairs are also counted: all of them while there are free slots, later the heavy ones. All items are counted
    in a sketch. The PMI from these counts is more precise than the weight. ``held`` says how many pairs have a slot and
    how many counts are exact. ``nbytes`` includes sketches, names, windows, sample and counters, and never exceeds
    ``budget``.

    >>> pmi = PMI(seed=1)
    >>> pmi.learn_text("the prime minister met the mayor of new york and the queen met the minister\\n" * 200)
    >>> pmi.row("new", "york").pmi > 0.5 > 0 > pmi.row("the", "the").pmi
    True

    Parameters
    ----------
    budget: bytes, as a number or like ``"1MiB"``, for everything that stays.
    name_bytes: average bytes for the name of an item; by default 12, and 160 for lines and templates.
    half_life: counts are halved after this many items.
    at_least: the least count of the pairs that you will ask for. If not all pairs fit, slots go to pairs of this count
        and a few times as many, which takes fewer bytes than keeping all that exceed chance.
    window, window_seconds: an item forms pairs with this many items before it, at most so many seconds before.
    directed: whether (u, v) and (v, u) are two pairs.
    token: ``"words"`` (letters and digits), ``"whitespace"``, ``"lines"``, ``"templates"`` (of log lines), or a regular
        expression. Templates are made of the values of a column of items too.
    within: windows do not cross a ``"line"`` (default), a ``"paragraph"`` (ends at a blank line) or a ``"file"``.
    lowercase: whether to convert text to lower case.
    groups: maximum number of groups of an event log that have windows at the same time.
    subsample: subsample items more frequent than this share, like word2vec; 0 keeps all.
    negatives, reservoir: random pairs for each real one, and the number of items in the sample. Without random pairs
        (0) there is no classifier: pairs have no weight and the same counts, and learning takes a fraction of the time.
    width, active_set_size, eta0, l2, schedule: the sketch and its learning rule.
    seed: seed of the hashes, the sample and the random pairs.
    exact: also count all pairs exactly, without a memory limit, to check small inputs.
    variable_words: templates in which words vary, like ``user <word> left``; None: found in the first lines or rows.
    """

    budget: int | str = DEFAULT_BUDGET
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
    name_bytes: int | None = None
    half_life: int | None = None
    at_least: int | None = None
    variable_words: Sequence[str] | None = None

    _pairs: _core.Pairs = field(init=False, repr=False)
    _regex: RegexLines | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        self._start()

    def _start(self) -> None:
        within = self.within or ("file" if self.token in ("lines", "templates") else "line")
        if within not in WITHIN:
            raise ParameterError("within", f"must be one of {', '.join(WITHIN)}", self.within)
        self._pairs = _core.Pairs(
            *self._configs(self._shape(self.budget)),
            self.token if self.token in TOKENS else "words",
            within,
            self.lowercase,
        )
        self._pairs.replace_words(list(self.variable_words or ()))
        if self.token not in TOKENS:
            self._regex = RegexLines(self._pairs, self.token, within, self.lowercase)

    def _configs(self, shape: PmiShape) -> tuple[_core.PmiConfig, _core.Config]:
        seed = require_integer("seed", self.seed, 0, 2**64 - 1)
        model = AWMSketch(
            depth=1,
            width=shape.width,
            active_set_size=shape.active_set_size,
            name_bytes=0,
            step="plain",  # fast path of the core for rows of one feature
            eviction="paper",
            eta0=self.eta0,
            l2=self.l2,
            schedule=self.schedule,
            seed=seed,
        )
        config = _core.PmiConfig(
            window=require_integer("window", self.window, 1, 1024),
            negatives=require_integer("negatives", self.negatives, 0, 1000),
            reservoir=shape.reservoir,
            item_width=shape.item_width,
            lines=shape.lines,
            bound_width=shape.bound_width,
            names=shape.names,
            name_bytes=shape.names * shape.name_bytes,
            half_life=0 if self.half_life is None else require_integer("half_life", self.half_life, 1),
            at_least=0 if self.at_least is None else require_integer("at_least", self.at_least, 1, 2**24),
            directed=bool(self.directed),
            subsample=require_real("subsample", self.subsample),
            window_seconds=0.0 if self.window_seconds is None else _positive("window_seconds", self.window_seconds),
            groups=require_integer("groups", self.groups, 1, 2**20),
            seed=seed,
            exact=bool(self.exact),
        )
        if self.half_life is not None:
            model.half_life = float(self.half_life * self.window * (1 + self.negatives))  # in examples
        return config, _core.Config(**config_of(model, named=False))

    def _shape(self, budget: int | str) -> PmiShape:
        name_bytes = self.name_bytes or (160 if self.token in ("lines", "templates") else 12)
        require_integer("name_bytes", name_bytes, 5, 8192)
        if self.token == "templates":
            budget = parse_bytes(budget) - bytes_for_words(parse_bytes(budget))
        no_classifier = self.at_least is not None and self.negatives == 0
        width, active_set_size = (1, WAYS) if no_classifier else (self.width, self.active_set_size)
        more_bounds = self.at_least is not None
        return choose_pmi_shape(
            budget, width, active_set_size, self.reservoir, name_bytes, self._nbytes_of, more_bounds=more_bounds
        )

    def _nbytes_of(self, shape: PmiShape) -> int:
        config, model = self._configs(shape)
        return config.nbytes_with(model) + _core.TOKENIZER_BYTES

    # --- several passes ---

    @property
    def can_begin_again(self) -> bool:
        """Whether nothing was learned yet, and pairs can be counted in several passes: see `passes`."""
        return self.tokens == 0 and self.half_life is None and self.subsample == 0 and not self.exact

    @property
    def is_whole(self) -> bool:
        """Whether every pair so far has a slot."""
        return bool(self._pairs.is_whole)

    def passes(self) -> Iterator[bool]:
        """Start again, and yield before each of three passes over the same items; True before the last.

        The first counts items, the second finds the pairs that may have a high PMI, and the last counts these from
        their first occurrence on, so that their counts are exact.

        >>> pmi = PMI(budget="32KiB")
        >>> for _ in pmi.passes():
        ...     pmi.learn_text("tea and milk\\n" * 9)
        >>> pmi.row("tea", "milk").count
        9
        """
        self._start()
        for name in ("items", "candidates", "counts"):
            self._pairs.begin(name)
            yield name == "counts"
        self._pairs.begin("all")

    # --- questions ---

    @alone
    def top(self, k: int = 20, *, min_count: int = 1, sort: str = "low") -> list[Pair]:
        """Return up to k of the pairs held with a count of at least ``min_count``.

        ``sort`` is low (the lower bound of the PMI: strong and frequent pairs first), pmi, count, -pmi (lowest PMI
        first) or weight (that of the classifier, which depends on the order of the items).

        >>> pmi = PMI()
        >>> pmi.learn_text("new york and the queen met the king\\n" * 200)
        >>> len(pmi.top(3))
        3
        """
        if sort not in SORTS:
            raise ParameterError("sort", f"must be one of {', '.join(SORTS)}", sort)
        if sort == "weight" and self.negatives == 0:
            raise ParameterError("sort", "weight needs the classifier: set {negatives} to 5, as the paper does")
        if self.problem is not None:
            return []
        require_integer("k", k, 0)
        rows = [pair_of(row, self.half_life is None) for row in self._pairs.top(k, min_count, sort)]
        shared = shared_names([row.pair for row in rows], [row.key for row in rows])
        return [_with_key(row) if row.pair in shared else row for row in rows]

    @property
    @alone
    def held(self) -> Held:
        """The number of pairs held, distinct and exact, and the budget that would hold all.

        >>> pmi = PMI()
        >>> pmi.learn_text("tea and milk and tea")
        >>> pmi.held.line("pairs")
        'all 8 pairs are held: every count is exact'
        """
        n_held, distinct, whole, n_exact = self._pairs.held
        exact = n_exact if self.half_life is None else 0
        cut = self._pairs.n_cut
        if whole:
            return Held(n_held, n_held, exact, cut)
        needed = budget_for(1.1 * max(distinct, n_held), self._lines_of)  # the estimate may be low
        return Held(n_held, max(round(distinct), n_held + 1), exact, cut, round_budget(needed))

    def _lines_of(self, budget: int) -> int:
        try:
            return self._shape(budget).lines
        except ValueError:  # too small
            return 0

    @property
    def n_slots(self) -> int:
        """The number of pairs that the budget can hold."""
        return WAYS * self._shape(parse_bytes(self.budget)).lines

    def row(self, u: str, v: str) -> Pair:
        """Return any pair: its counts if it has a slot, otherwise the estimate of the sketch.

        >>> pmi = PMI()
        >>> pmi.learn_text("tea and milk")
        >>> pmi.row("tea", "milk").count
        1
        """
        return pair_of(self._pairs.row(u, v), self.half_life is None)

    def exact_row(self, u: str, v: str) -> ExactPair:
        """Return a pair with its exact count; needs ``exact=True``.

        >>> pmi = PMI(exact=True)
        >>> pmi.learn_text("tea and milk and tea")
        >>> pmi.exact_row("and", "tea").count
        2
        """
        return exact_pair_of(self._pairs.exact(u, v))

    def most_common(self, k: int = 20) -> list[ExactPair]:
        """Return the pairs that occur most often; needs ``exact=True``.

        >>> pmi = PMI(exact=True)
        >>> pmi.learn_text("tea and milk\\ntea and jam")
        >>> pmi.most_common(1)[0].pair
        ('tea', 'and')
        """
        return [exact_pair_of(row) for row in self._pairs.most_common(require_integer("k", k, 0))]

    @property
    @alone
    def problem(self) -> str | None:
        """Return why there is no ranking, or None.

        >>> pmi = PMI()
        >>> pmi.learn_text("never never never never")
        >>> pmi.problem
        'all 4 items are the same: a pair needs two different items'
        """
        if self.tokens == 0:
            return "no items yet"
        if self.pairs == 0:
            return f"{so_many(self.tokens, 'items')}, but never two in one window: there are no pairs"
        if self._pairs.distinct_in_sample == 1:
            return f"all {self.tokens:,} items are the same: a pair needs two different items"
        return None

    @property
    def tokens(self) -> int:
        """Items read."""
        return int(self._pairs.progress[0])

    @property
    def pairs(self) -> int:
        """The number of real pairs."""
        return int(self._pairs.progress[2])

    @property
    def examples(self) -> int:
        """The number of real and random pairs learned."""
        return int(self._pairs.progress[3])

    @property
    def nbytes(self) -> int:
        """True bytes of everything that stays: sketch, names, windows, sample, counters (not the exact counts)."""
        return self._pairs.nbytes + self._word_bytes

    # --- merging and saving ---

    def merge(self, other: PMI) -> Self:
        """Add the counts of another PMI with the same settings and seed; open windows end.

        >>> monday, tuesday = PMI(budget="1MiB"), PMI(budget="1MiB")
        >>> monday.learn_text("tea and milk")
        >>> tuesday.learn_text("tea and jam")
        >>> monday.merge(tuesday).row("tea", "and").count
        2
        """
        require_same_settings(self, other)
        with both_alone(self, other):
            self.share_words(other)
            merge_in_order(self, other, lambda one, second: one._pairs.merge(second._pairs))
        return self

    def _parameters(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init}

    def _document(self) -> Document:
        return self._parameters(), {}, self._pairs.state()

    def _restore(self, parameters: dict[str, Any], state: dict[str, Any], arrays: Arrays, n_bytes: int) -> None:
        require_memory(parse_bytes(parameters.get("budget", DEFAULT_BUDGET)), n_bytes)
        self.__init__(**parameters)  # type: ignore[misc]
        self._pairs.restore(arrays)


def _positive(name: str, value: float) -> float:
    number = require_real(name, value)
    if number <= 0:
        raise ParameterError(name, "must be above 0", value)
    return number


def _with_key(row: Pair) -> Pair:
    first, second = row.pair
    return replace(row, pair=(first, with_key(second, row.key)))
