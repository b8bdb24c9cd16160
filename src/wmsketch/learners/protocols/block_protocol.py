"""The part of a learner that takes what readers produce: blocks of rows, and whole files."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

from wmsketch import _core
from wmsketch.errors import ParameterError
from wmsketch.learners.rows.labels import Labels
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.learners.rows.whole_calls import SET_BY_CALLS, as_whole_call, whole_call
from wmsketch.readers import LabelNames

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wmsketch.learners.rows.files import Progress


class BlockProtocol:
    """Rows of files, whose labels stand in one of their columns."""

    if TYPE_CHECKING:
        _labels: Labels
        _labels_class: ClassVar[type[Labels]]
        _native: Any
        passes: int | None

        @property
        def _started(self) -> bool: ...
        def _start(self, *, named: bool, labels: Labels | None = None) -> None: ...
        def _learner(self) -> _core.Learner: ...
        def _shaped(self, learn: Callable[[], None]) -> None: ...

    @as_whole_call
    def _learn_block(
        self,
        block: _core.RowBlock,
        sample_weight: NDArray[np.float32] | None = None,
        times: NDArray[np.float64] | None = None,
        label_names: LabelNames | None = None,
    ) -> None:
        """Learn the rows of one block from `wmsketch.readers.open_examples`, in order.

        ``sample_weight`` and ``times`` replace those of the block; a row of weight 0 is skipped.
        ``label_names`` are the labels as the input writes them; predictions show them.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model._learn_block(_core.LibsvmParser().feed(b"1 7:2\\n-1 9:1\\n", True))
        >>> [row.feature for row in model.top()]
        [7, 9]
        """
        if not self._has_labels(block):
            raise ValueError("the rows have no labels to learn from")
        if not self._started:
            self._start(named=block.named, labels=self._labels_class.of_readers())
        self._require_kind(block)
        labels = copy.copy(self._labels)
        if label_names is not None:
            labels.rename(label_names)
        self._shaped(lambda: self._learn_labelled(block, sample_weight, times))
        self._labels = labels

    def _has_labels(self, block: _core.RowBlock) -> bool:
        return block.has_labels

    def _labels_in(self, block: _core.RowBlock) -> Any:
        """Return what the rows of a block are labelled with."""
        return block.labels

    def _learn_labelled(
        self, block: _core.RowBlock, weights: NDArray[np.float32] | None, times: NDArray[np.float64] | None
    ) -> None:
        self._learner().learn_block(block, weights, None, times)

    def _label_names(self) -> LabelNames | None:
        """The labels as the input wrote them; None where they did not come from files."""
        return self._labels.names if self._started else None

    def _require_kind(self, block: _core.RowBlock) -> None:
        """Refuse names in a model of numbered features, and the reverse: equal keys would mean different features."""
        native = self._learner()
        if native.decided and block.n_features and block.named != native.named:
            found, known = ("name", "number") if block.named else ("number", "name")
            raise ValueError(f"features come by {found}, but the model knows its own by {known}")

    def learn_file(
        self,
        source: Any,
        *,
        label: str | None = None,
        format: str | None = None,
        progress: Callable[[Progress], None] | bool = False,
        jobs: int = 1,
        **options: Any,
    ) -> Self:
        """Learn all rows of files or of a table, whose column ``label`` says what is to be predicted; returns itself.

        ``source`` is a path or several, globs among them; a data frame, an Arrow table or reader of record batches; a
        LazyFrame of polars; or an iterator of such tables, one of which is in memory at a time. ``format`` and the
        other options are those of `open_examples`; rules for columns become those of the model's schema. ``progress``
        is called with the rows and bytes read so far, or is True for a bar on stderr. A bad row is an error that names
        its place, and the model is as it was. ``jobs`` processes parse and learn lines of text at the same time, and
        their models are merged: see ``docs/scale.md``.

        >>> import pathlib, tempfile
        >>> from wmsketch import AWMSketch
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "sales.csv")
        ...     _ = path.write_text("price,city,sold\\n" + "2.5,Rome,yes\\n1,Oslo,no\\n" * 20)
        ...     model = AWMSketch("8KiB").learn_file(path, label="sold", positive="yes")
        >>> model.predict_one({"price": 2.5, "city": "Rome"}), model.n_seen_
        ('yes', 40)
        """
        from wmsketch.learners.rows.files import learn_from

        before = dict(self.__dict__)
        try:
            if self._started:
                self._native = self._native.copy()  # what was learned before an error is not kept
                self._labels = copy.copy(self._labels)
            rules = {} if label is None else {"label": label}
            model: Any = self  # this class is one of its bases
            learn_from(model, source, format, progress, {**options, **rules}, jobs)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def _fit_file(self, source: Any, label: str, positive: Any, shuffle: bool | None) -> Self:
        """Forget everything and learn a source of `learn_file`, ``passes`` times."""
        from wmsketch.learners.rows.files import fit_from

        if (self.passes or 1) > 1 and isinstance(source, Iterator):
            raise ParameterError("passes", "must be 1 for what can be read only once", self.passes)
        with whole_call(self, anew=True):
            for name in SET_BY_CALLS:
                self.__dict__.pop(name, None)
            model: Any = self  # this class is one of its bases
            fit_from(model, source, label, positive, shuffle)
        return self

    def _decision_function_block(self, block: _core.RowBlock) -> NDArray[np.float64]:
        """Return the margin of each row of a block: positive means the label +1."""
        self._require_kind(block)
        return self._learner().margins_block(block)

    def _seen_rows(self, block: _core.RowBlock) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float32]]:
        """Return starts, keys and values of the rows of a block as the model sees them."""
        native = self._learner()
        numbered = native.numbered_rows_of(block)
        return numbered or (block.starts, native.keys_of_block(block), native.values_of_block(block))

    def _keys_of_block(self, block: _core.RowBlock) -> NDArray[np.uint32]:
        """Return the keys of a block's features as the model takes them: names are hashed under its seed."""
        return self._learner().keys_of_block(block)

    def _right_answers(self, block: _core.RowBlock) -> NDArray[Any]:
        """Return the true answers to `_decision_function_block`: -1 or +1 for each row."""
        return block.labels
