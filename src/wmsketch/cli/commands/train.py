"""Learn a model from files."""

from __future__ import annotations

import signal
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from wmsketch.cli.parts.common_options import RowsOrTime, json_option, log_format_option, log_of, quiet_option
from wmsketch.cli.parts.error_report import baseline_of, errors_of
from wmsketch.cli.parts.errors import Failed, NoPositive, Stopped
from wmsketch.cli.parts.help_screen import HelpScreen
from wmsketch.cli.parts.learner_options import (
    classes_options,
    make_model,
    method_of,
    method_option,
    rule_options,
    seed_option,
    shape_options,
    ship_option,
    ship_rules,
    take_learner_options,
)
from wmsketch.cli.parts.number_report import number_notes
from wmsketch.cli.parts.reader_options import (
    files_argument,
    no_rows,
    noted_reader,
    notes_told,
    reader_options,
    rejects_record,
    require_other_file,
    require_same_rules,
    require_time_for,
    require_two_files,
    schema_of,
    take_reader_options,
)
from wmsketch.learners.models.introspection import (
    has_learned,
    is_multiclass,
    label_names_of,
    native_of,
    predicts_numbers,
    seen_positive,
)
from wmsketch.methods import method_name

if TYPE_CHECKING:
    from wmsketch.cli.parts.training import Training
    from wmsketch.learners.models.base import OnlineClassifier
    from wmsketch.results.score import Score

EXAMPLES = """\b
Examples:
  wmsketch train visits.csv --label bought
  wmsketch train day-*.csv.gz --label clicked --ignore id --save clicks.wms
  zcat log.vw.gz | wmsketch train - --json > report.json
  wmsketch train events.svm --budget 8KiB
  wmsketch train clicks.csv --label clicked --half-life 1h --time at
  wmsketch train big.svm --save big.wms --checkpoint-every 1000000
  wmsketch train big.svm --resume big.wms
  wmsketch train news.csv --label topic --text body
  wmsketch train big.csv --label clicked --jobs 4
  wmsketch train big.csv --label clicked --ship 8KiB --save small.wms
  wmsketch train houses.csv --label price --loss squared
"""


@click.command(cls=HelpScreen, epilog=EXAMPLES)
@files_argument
@method_option
@shape_options
@classes_options
@rule_options
@seed_option
@click.option(
    "--passes",
    type=click.IntRange(1),
    help="Number of times to learn the rows.  [default: several for small tables, else 1]",
)
@click.option(
    "--holdout",
    metavar="0.1|N",
    help="Hold out a share of the rows, or the last N, and score the finished model on them.",
)
@click.option(
    "--shuffle",
    metavar="[ROWS]",
    is_flag=False,
    flag_value=100_000,
    type=click.IntRange(0),
    help="Shuffle the rows within a window of ROWS; 0 keeps their order.  [default: tables in files are shuffled]",
)
@ship_option
@reader_options
@click.option("--top", type=click.IntRange(0), default=20, show_default=True, help="Heaviest features to report.")
@click.option("--save", type=click.Path(dir_okay=False), help="Write the model to this file, even if interrupted.")
@click.option(
    "--checkpoint-every",
    metavar="ROWS|TIME",
    type=RowsOrTime(),
    help="Also write the model every so many rows, or every 30s.  [default for endless input: 30s]",
)
@click.option(
    "--resume",
    metavar="FILE",
    type=click.Path(),
    help="Continue the interrupted training of this model, and save it there (or to --save).",
)
@click.option("--start-from", metavar="MODEL", type=click.Path(), help="Start from the weights of this model.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of processes that parse and learn in parallel; their models are merged.",
)
@log_format_option
@json_option
@quiet_option
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Learn a model from FILES and print its heaviest features.

    The model is a linear classifier in a fixed number of bytes. Each example is predicted before it is learned; the
    error of these predictions is the online error. Two values of the label are two classes, more are many. With
    --loss squared, absolute or poisson the label is a number, and the model predicts it.
    """
    from wmsketch.cli.parts.interrupts import Interrupts
    from wmsketch.cli.parts.progress import ProgressLine

    log = log_of(options)
    with log or nullcontext():  # a server that is awaited is told of
        training = _training(context, options)
    training.log = log
    began = time.perf_counter()
    stopped: Stopped | None = None
    score: Score | None = None
    with Interrupts() as interrupts:
        try:
            with ProgressLine(options["quiet"]) as progress, log or nullcontext():
                score = training.run(progress, interrupts)
        except Stopped as signalled:
            stopped = signalled
        except NoPositive:
            raise
        except (Failed, ValueError, OSError) as problem:  # keep what was learned before a bad line
            interrupts.finish()
            _offer_many_classes(training, problem)
            _save_before_failing(training, problem)
            raise
        if not has_learned(training.model) and stopped is None:
            raise no_rows(training.plan.files, training.rejects)
        interrupts.finish()
        saved, not_saved = _try_to_save(training)
    if has_learned(training.model):
        notes = _notes(training)
        _report(training, score, time.perf_counter() - began, notes, options)
        for note in [] if options["quiet"] else notes:
            click.echo(f"note: {note}", err=True)
    if not_saved is not None:
        raise not_saved
    if stopped is not None:
        raise _explained(stopped, training, saved)
    if saved and not options["quiet"]:
        click.echo(f"saved to {training.save_path}", err=True)


def _offer_many_classes(training: Training, problem: Exception) -> None:
    from wmsketch.readers import BadInput

    asks = isinstance(problem, BadInput) and problem.code in ("third_label", "which_positive")
    if asks and not is_multiclass(training.model):
        problem.add_note("--method multiclass learns any number of labels")


_RUNS = 8.0  # step size of the intercept's shift in units of eta0: at most 10, and about 5 if labels cluster


def _notes(training: Training) -> list[str]:
    """Return what was assumed, which rows were skipped, and which columns are doubtful."""
    notes = [*training.notes, *_label_notes(training)]
    columns = (*training.rejects.assumed, *training.column_notes())
    return [*notes, *training.rejects.notes(), *notes_told(columns), *training.lacked]


def _label_notes(training: Training) -> list[str]:
    """Note unusual labels: one class only, or long runs of one label."""
    model = training.model
    if predicts_numbers(model):
        return number_notes(model)
    if is_multiclass(model):
        only = len(model.classes_) == 1
        return ["there is only one label, so there is nothing to learn"] if only else []
    n_seen, n_positive = seen_positive(model)
    intercept_speed = native_of(model).state_number("intercept_speed")  # the whole state would load numpy
    if n_positive in (0, n_seen):
        missing = "positive" if n_positive == 0 else "negative"
        return [f"there is no {missing} example, so the model knows only one class"]
    if intercept_speed is not None and intercept_speed > _RUNS:
        return [
            "labels are sorted or come in long runs, so the online error is too low and the model is biased toward the "
            "last labels; --shuffle shuffles the rows"
        ]
    return []


def _training(context: click.Context, options: dict[str, Any]) -> Training:
    from wmsketch.cli.parts.first_pass import FirstPass, first_pass, without_auto
    from wmsketch.cli.parts.model_files import open_model, open_note, require_no_other_content, require_place
    from wmsketch.cli.parts.plan import Plan
    from wmsketch.cli.parts.training import Training, go_on

    if options["checkpoint_every"] and not (options["save"] or options["resume"]):
        raise click.UsageError("--checkpoint-every needs --save FILE")
    if options["resume"] and options["start_from"]:
        raise click.UsageError("--resume and --start-from cannot be combined")
    given = {name for name in options if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    options["method"] = method_of(options, given)
    given_reader, learner = take_reader_options(options), take_learner_options(options)
    reader = given_reader
    base = options["resume"] or options["start_from"]
    note = open_note(base) if base else {}
    if options["start_from"]:
        reader = {**noted_reader(note), **reader}
    chosen = FirstPass(reader, passes=options["passes"] or 1, shuffle=options["shuffle"])
    if base is None:
        auto, reader = without_auto(options["files"], reader)
        chosen = first_pass(options["files"], reader, options, given)
        if auto:
            chosen.take_pairs(options["files"], learner, options["holdout"])
        reader = chosen.reader
    order = {"holdout": options["holdout"], "shuffle": chosen.shuffle or None, "ship": options["ship"]}
    plan = Plan.of(options["files"], reader, chosen.passes, **order)
    if base is None:
        learner = {**ship_rules(options["ship"], chosen.method), **chosen.learner, **learner}
        learner |= {"passes": plan.passes, "schema": schema_of(reader)}
        training = Training(make_model(chosen.method, learner), plan, notes=chosen.notes, order=chosen.order())
    else:
        model = open_model(base)
        _require_same_rule(base, model, learner, options["method"] if "method" in given else None)
        other = Training(model, plan, features=None, settles=False)
        training = go_on(base, model, note, plan, given) if options["resume"] else other
        require_same_rules(base, model.schema_.rules, given_reader)
    require_time_for(training.model.half_life, training.plan.reader)
    training.save_path = options["save"] or options["resume"]
    if training.save_path is not None:
        require_place(training.save_path)
        require_other_file(training.save_path, plan.files)
        training.replaces = Path(training.save_path).exists()
    require_two_files(save=training.save_path, rejects=reader.get("rejects"))
    if training.save_path is not None:
        require_no_other_content(training.save_path)
    if "rejects" in reader and base is not None:
        require_other_file(reader["rejects"], [base], "is the model")
    every = options["checkpoint_every"]
    training.checkpoint_every, training.checkpoint_seconds = every or (None, None)
    training.jobs = options["jobs"]
    if training.jobs > 1:
        _require_shardable(training, options)
        training.features = None  # the shards do not count them
    return training


def _require_shardable(training: Training, options: dict[str, Any]) -> None:
    """Reject options that do not work with several processes."""
    from wmsketch.learners.shards.processes import require_shardable

    for name in ("resume", "checkpoint_every", "holdout", "shuffle", "ship"):
        if options[name] is not None:
            raise click.UsageError(f"--jobs and --{name.replace('_', '-')} cannot be combined")
    if (options["passes"] or 1) > 1:
        raise click.UsageError("--jobs and --passes cannot be combined")
    require_shardable(training.model, training.plan.reader)


def _require_same_rule(path: str, model: Any, learner: dict[str, Any], method: str | None) -> None:
    has = model.get_params()
    if method is not None and method != method_name(model):
        raise click.UsageError(f"--method is {method_name(model)} in {path}; got {method}")
    for name, value in learner.items():
        if has.get(name) != value:
            raise click.UsageError(f"--{name.replace('_', '-')} is {has.get(name)!r} in {path}; got {value!r}")


def _report(training: Training, score: Score | None, seconds: float, notes: list[str], options: dict[str, Any]) -> None:
    from wmsketch.cli.parts.held_features import held_features
    from wmsketch.cli.parts.output import bytes_text, print_heavy_features, print_json, printable
    from wmsketch.learners.sizes.resize import shard_bytes
    from wmsketch.results.description import memory, parameters
    from wmsketch.results.heavy_features import as_records, heavy_features

    model = training.model
    keeps_keys = native_of(model).keeps_keys
    rows = heavy_features(model, options["top"]) if keeps_keys else []
    fared, bytes_ = training.fared(), memory(model)
    features = held_features(model, training.features)
    if options["as_json"]:
        document = {
            **fared,
            **_two_labels(model),
            **bytes_,
            "seconds": seconds,
            "method": method_name(model),
            "params": parameters(model),
        }
        if features:
            document["features"] = features.as_record()
        held = {**({"holdout": score.as_record()} if score else {}), **rejects_record(training.rejects)}
        shards = {"jobs": training.jobs, "shard_bytes": shard_bytes(model)} if training.jobs > 1 else {}
        print_json(
            {**document, **shards, **held, "notes": [*filter(None, [training.order]), *notes], "top": as_records(rows)}
        )
        return
    if options["top"] and keeps_keys:
        print_heavy_features(rows)
        click.echo()
    elif options["top"]:
        click.echo(f"--method {method_name(model)} stores no features, so it cannot list the heaviest\n")
    budget = f" of {bytes_['budget_bytes']:,}" if bytes_["budget_bytes"] else ""
    classes = f" of {fared['classes']:,} classes" if "classes" in fared else ""
    click.echo(
        f"{fared['examples']:,} examples{classes}, {fared['features_seen']:,} features in {seconds:.2f} s; "
        f"online {errors_of(fared)}"
    )
    click.echo(baseline_of(fared))
    if two := _two_labels(model):
        click.echo(
            f"  positive label {printable(two['positive'])} in {fared['positives']:,} rows, negative label "
            f"{printable(two['negative'])} in {fared['negatives']:,}"
        )
    if training.order:
        click.echo(f"  {training.order}")
    if training.jobs > 1:
        wide = bytes_text(shard_bytes(model))
        click.echo(
            f"  merged from {training.jobs} shards: close to one run, not equal; online error of shards of {wide}"
        )
    if score:
        click.echo(f"held out {score.examples:,} rows: {errors_of(score.as_record())}")
        click.echo(baseline_of(score.as_record()))
    cut = native_of(model).names_shortened
    shortened = f"; {cut:,} name{'s' * (cut != 1)} shortened" if cut else ""
    click.echo(f"model {bytes_['nbytes']:,}{budget} bytes ({bytes_text(bytes_['nbytes'])}){shortened}")
    if features:
        click.echo(features.line())


def _two_labels(model: OnlineClassifier) -> dict[str, str]:
    """Return the positive and the negative label as written in the files; nothing for many classes."""
    names = None if is_multiclass(model) or predicts_numbers(model) else label_names_of(model)
    return {} if names is None else dict(zip(("negative", "positive"), names.shown(), strict=True))


def _try_to_save(training: Training) -> tuple[bool, OSError | ValueError | None]:
    """Save if requested. Report a failure after the results, so that they are not lost."""
    try:
        return training.save(), None
    except (OSError, ValueError) as problem:
        return False, problem


def _save_before_failing(training: Training, problem: Exception) -> None:
    if not has_learned(training.model) or not training.position.rows:
        return
    try:
        if training.save(training.partial_path()):
            place = training.partial_path()
            unchanged = "" if place == training.save_path else f"; {training.save_path} is unchanged"
            rows = training.position.rows
            problem.add_note(f"the model of the {rows:,} rows before the error is saved to {place}{unchanged}")
    except (OSError, ValueError) as another:
        if str(another) != str(problem):
            problem.add_note(f"and {getattr(another, 'strerror', None) or another}")


def _explained(stopped: Stopped, training: Training, saved: bool) -> Stopped:
    name = signal.Signals(stopped.signal_number).name
    path = training.save_path
    end = f"saved to {path}; continue with --resume {path}" if saved else "nothing was saved: no --save was given"
    if training.jobs > 1:
        end = "nothing was saved, because the shards of --jobs are merged at the end"
    return Stopped(stopped.signal_number, f"stopped by {name} after {training.position.rows:,} rows; {end}")
