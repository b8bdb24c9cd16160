"""What `train` and `compare` find out by themselves in a first pass over their files, and say in notes."""

from __future__ import annotations

import shlex
from dataclasses import field
from typing import Any

from wmsketch.cli.parts.errors import Failed, in_list
from wmsketch.cli.parts.reader_options import ARRIVAL, notes_told
from wmsketch.late import dataclass
from wmsketch.learners.rows.shuffled import passes_over, window_rows
from wmsketch.methods import METHODS
from wmsketch.readers import expand_paths, open_examples
from wmsketch.readers.condition import in_quotes
from wmsketch.readers.open_stream import Paths
from wmsketch.readers.restating import columns_that_tell
from wmsketch.readers.schema import AUTO
from wmsketch.readers.survey import MOST_LABELS, Survey, can_read_twice, survey

_CLASSES, _BYTES_OF_A_LABEL = 64, 12  # half of the classes that the default budget reserves, and the bytes of each
_HOW_TO_READ = ("format", "delimiter", "columns", "quoting", "decimal", "thousands", "encoding", "na", "bad_rows")
_FEW_NUMBERS = 10  # labels that are numbers, and more than these, are hardly classes


@dataclass
class FirstPass:
    """Choices that no option made: reader options, the learner, shuffling and passes; `notes` say them."""

    reader: dict[str, Any]
    method: str = "awm"
    learner: dict[str, Any] = field(default_factory=dict)
    passes: int = 1
    shuffle: int | None = None
    notes: list[str] = field(default_factory=list)
    chose_order: bool = False
    within: str = ""

    def take_pairs(self, files: tuple[str, ...], learner: dict[str, Any], holdout: str | None) -> None:
        """Find the interactions that pay, without the rows of the holdout, and say which."""
        from wmsketch.cli.parts.holdout import make_holdout
        from wmsketch.cli.parts.learner_options import make_model
        from wmsketch.cli.parts.reader_options import schema_of
        from wmsketch.learners.rows.found_pairs import find_pairs

        def make(pairs: list[str]) -> Any:
            schema = schema_of({**self.reader, "interactions": pairs})
            return make_model(self.method, {**self.learner, **learner, "schema": schema})

        if self.method == "multiclass":
            self.notes.append(
                "--interactions auto finds none: it looks for them with two classes, or a number to predict"
            )
            return
        given = list(self.reader.get("interactions", ()))
        reading = {name: value for name, value in self.reader.items() if name not in ("interactions", "rejects")}
        if reading.get("time") == ARRIVAL:
            del reading["time"]
        reading["numeric_label"] = METHODS[self.method].numeric
        found = find_pairs(make, expand_paths(list(files)), given, make_holdout(holdout).lessons, **reading)
        self.reader["interactions"] = [*given, *found.pairs]
        looked = f"of {found.looked_at:,} pairs of columns of categories in the first {found.rows:,} rows"
        if not found.rows:
            self.notes.append("--interactions auto looks for none in so few rows")
        elif not found.pairs:
            self.notes.append(f"no interaction pays on rows held out, {looked}")
        for pair, gain in zip(found.pairs, found.gains, strict=True):
            self.notes.append(
                f"the interaction {pair} saves {gain:.1%} of the loss of rows held out, {looked} "
                f"(--interactions {shlex.quote(pair)} takes it without a search)"
            )

    def order(self) -> str:
        """Return in which order, and how often, the rows are learned, if not once as they come."""
        times = f"learned {self.passes} times" if self.passes > 1 else "learned"
        if self.chose_order:
            return f"rows were {times} in shuffled order{self.within} (--shuffle 0 --passes 1: once, as they come)"
        return ""


def without_auto(files: tuple[str, ...], reader: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
    """Return whether interactions are to be found, and the options of the reader with those that are given."""
    given = reader.get("interactions", ())
    if AUTO not in given:
        return False, reader
    if not can_read_twice(expand_paths(list(files))):
        raise Failed("--interactions auto needs files, which can be read twice; name pairs of columns: A:B")
    return True, {**reader, "interactions": [pair for pair in given if pair != AUTO]}


def first_pass(files: tuple[str, ...], reader: dict[str, Any], options: dict[str, Any], given: set[str]) -> FirstPass:
    """Read the files once, unless they are pipes, and choose what the options leave open."""
    chosen = FirstPass({"missing_label": "skip", **reader}, options["method"])
    numeric = METHODS[chosen.method].numeric
    chosen.passes, chosen.shuffle = options["passes"] or 1, options["shuffle"] or None
    paths = expand_paths(list(files))
    if not can_read_twice(paths):
        return chosen
    plain = {name: value for name, value in reader.items() if not (name == "time" and value == ARRIVAL)}
    found = survey(paths, **plain, numeric_label=numeric)
    if not numeric:
        _choose_labels(chosen, found, files, given)
    if found.table:
        _leave_out(chosen, found)
        _note_telling(chosen, found, paths)
        if not {"half_life", "time"} & given and options["jobs"] == 1:  # otherwise the order is meant
            _choose_order(chosen, found, options)
    return chosen


def _choose_labels(chosen: FirstPass, found: Survey, files: tuple[str, ...], given: set[str]) -> None:
    has_method, has_classes = "method" in given, "max_classes" in given
    reader, n = chosen.reader, len(found.labels)
    if "positive" in reader or (has_method and chosen.method == "multiclass"):
        return
    if n > MOST_LABELS:
        column = reader.get("label", "the label")
        condition = shlex.quote(f"{in_quotes(column)}>p90")
        predicts = "--loss squared predicts the number, " if found.numeric else ""
        raise Failed(
            f"{files[0]}: the label {column!r} has more than {MOST_LABELS} different values, like "
            f"{', '.join(found.words[:3])}, so they are no classes; --positive VALUE learns one of them against all "
            f"others, {predicts}and large ones are explained by: "
            f"wmsketch explain {shlex.quote(files[0])} --outlier {condition}"
        )
    if found.only_word is not None:
        raise Failed(
            f"{files[0]}: the label {reader.get('label', '')!r} is {found.only_word!r} in every row that has one, so "
            f"there is nothing to tell apart (--positive {shlex.quote(found.only_word)} learns it all the same)"
        )
    if n > 2 and not has_method:
        chosen.method = "multiclass"
        n_bytes = sum(len(text.encode()) for text in found.labels)
        if n_bytes > _CLASSES * _BYTES_OF_A_LABEL and not has_classes:  # long labels take the bytes of several
            chosen.learner["max_classes"] = n_bytes // _BYTES_OF_A_LABEL + n + 1
        predicts = "; --loss squared predicts the number" if found.numeric and n > _FEW_NUMBERS else ""
        chosen.notes.append(f"the label has {n} values, so a model of {n} classes is learned "
                            f"(--positive VALUE learns one of them against the others{predicts})")  # fmt: skip
    elif n == 2 and (positive := found.positive()) is not None:
        negative = found.words[0]
        reader["positive"] = positive
        chosen.notes.append(
            f"{positive!r} is the positive label, {negative!r} the negative one (--positive {shlex.quote(negative)} "
            "reverses them)"
        )


def _leave_out(chosen: FirstPass, found: Survey) -> None:
    reader = chosen.reader
    ignored = reader.get("ignore", [])
    left_out = [note for note in found.numbering if note.column not in ignored]
    if not left_out:
        return
    reader["ignore"] = [*ignored, *(note.column for note in left_out)]
    chosen.notes += notes_told(left_out)


def _note_telling(chosen: FirstPass, found: Survey, paths: Paths) -> None:
    """Note columns that may restate the label, like the minutes late of a flight that is late or not."""
    label = chosen.reader.get("label")
    if label is None or len(found.labels) != 2:
        return
    plain = {name: value for name, value in chosen.reader.items() if name in _HOW_TO_READ}
    with open_examples(paths, **plain, depth=1) as examples:
        first = next(examples, None)
    ignored = chosen.reader.get("ignore", ())
    told = [name for name in columns_that_tell(first, label) if name not in ignored] if first is not None else []
    if told:
        names, tells = ", ".join(map(repr, told)), "column {} tells" if len(told) == 1 else "columns {} each tell"
        option = shlex.quote(",".join(map(in_list, told)))
        chosen.notes.append(
            f"the {tells.format(names)} the label of every row looked at; if that restates it, --ignore {option} "
            "leaves it out"
        )


def _choose_order(chosen: FirstPass, found: Survey, options: dict[str, Any]) -> None:
    """Shuffle the rows, as many at a time as memory allows, and learn a small file several times."""
    if options["shuffle"] is not None or found.rows < 2:
        return
    width = found.features / max(1, found.first_rows)
    chosen.shuffle = window_rows(width)
    chosen.within = "" if found.rows <= chosen.shuffle else f" within windows of {chosen.shuffle:,} rows"
    chosen.chose_order = True
    if options["passes"] is None:
        chosen.passes = passes_over(found.rows, width)
