"""Run every method on the user's own files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.parts.common_options import json_option
from wmsketch.cli.parts.help_screen import HelpScreen
from wmsketch.cli.parts.learner_options import rule_options, take_learner_options
from wmsketch.cli.parts.reader_options import (
    ARRIVAL,
    files_argument,
    names_in,
    no_rows,
    note_lacked,
    note_rejects,
    open_input,
    reader_options,
    rejects_record,
    require_labels,
    require_positive,
    require_time_for,
    schema_of,
    take_reader_options,
)
from wmsketch.cli.parts.result_files import require_result_files
from wmsketch.methods import TWO_CLASSES

if TYPE_CHECKING:
    from wmsketch.results.contest import Contest, Optimum

EXAMPLES = """\b
Examples:
  wmsketch compare events.svm --budgets 2KiB,8KiB,32KiB
  wmsketch compare events.csv --label clicked --methods awm,hash --seeds 5 --plot methods.png
  wmsketch compare events.svm --methods awm,lr --optimum
"""
_SHOWN = (8, 32, 128, 512)
_RECALLED = (32, 128)
_AS_THEY_COME = {"method": "awm", "passes": 1, "shuffle": 0, "jobs": 1}  # how the rows are learned


@click.command(cls=HelpScreen, epilog=EXAMPLES)
@files_argument
@click.option("--budgets", metavar="B,B", default="2KiB,8KiB,32KiB", show_default=True, help="Bytes for each model.")
@click.option("--methods", metavar="M,M", default=",".join(TWO_CLASSES), show_default=True, help="Methods to compare.")
@click.option(
    "--seeds",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    help="Seeds for each method; medians are shown.",
)
@click.option(
    "--optimum",
    is_flag=True,
    help="Also compare with batch logistic regression over all rows. Keeps all rows in memory; needs scikit-learn.",
)
@rule_options
@reader_options
@click.option("--plot", metavar="PNG", type=click.Path(dir_okay=False), help="Draw a picture (needs matplotlib).")
@json_option
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def command(as_json: bool, quiet: bool, plot: str | None, optimum: bool, **options: Any) -> None:
    """Compare all methods on FILES, in one pass.

    The table has the online error, the recovery of the heaviest weights, the speed and the true bytes of every method
    at every budget. RelErr at K compares the K heaviest weights with those of the same rule without a limit (lr); 1 is
    perfect. It measures the cost of the budget, not whether the rule finds the right features. With --optimum, recall
    at K is the share of the K heaviest features of batch logistic regression that are among the method's own K.
    Wrong sign is the share of the method's K features that have the opposite sign there.
    """
    from wmsketch.cli.parts.first_pass import first_pass
    from wmsketch.cli.parts.output import print_json
    from wmsketch.cli.parts.progress import ProgressLine
    from wmsketch.readers import expand_paths
    from wmsketch.results.batch_optimum import require_scikit_learn
    from wmsketch.results.contest import NAME_SEED, Contest

    reader, rule = take_reader_options(options), take_learner_options(options)
    require_time_for(rule.get("half_life"), reader)
    if reader.get("time") == ARRIVAL:
        raise click.UsageError("--time now cannot be used here: all methods must learn the same times")
    chosen = first_pass(options["files"], reader, _AS_THEY_COME, {"method"})
    reader = chosen.reader
    rule["schema"] = schema_of(reader)
    if optimum:
        require_scikit_learn()
    methods, budgets = _methods(options["methods"]), names_in(options["budgets"])
    contest = Contest.of(methods, budgets, options["seeds"], rule, optimum=optimum)
    files = expand_paths(options["files"])
    require_result_files({"plot": plot, "rejects": reader.get("rejects")}, files)
    words = {"word_values": rule["schema"].word_values} if rule["schema"].text else {}
    with open_input(files, {**reader, **words, "name_seed": NAME_SEED}) as examples, ProgressLine(quiet) as progress:
        for block in examples:
            require_labels(block, files[block.position.file])
            contest.learn(block)
            progress.show(examples, block.position.rows)
    if not contest.examples:
        raise no_rows(files, examples.rejects)
    require_positive(examples, files)
    best = contest.optimum()
    rows = contest.rows(best)
    if plot:
        from wmsketch.cli.parts.picture import draw

        draw(rows, plot)
    if as_json:
        counts = {"examples": contest.examples, "features": contest.n_features, **contest.baseline()}
        if best:
            counts["optimum"] = {"C": best.found.c, "held_out_error": best.found.held_out_error}
        print_json({**counts, **rejects_record(examples.rejects), "notes": chosen.notes, "rows": rows})
    else:
        _print(contest, rows, best)
    for note in [] if quiet else chosen.notes:
        click.echo(f"note: {note}", err=True)
    note_rejects(examples.rejects, quiet)
    note_lacked(examples.lacked, quiet)


def _methods(text: str) -> list[str]:
    methods = names_in(text)
    for method in methods:
        if method not in TWO_CLASSES:
            raise click.BadParameter(f"{method!r} is not one of {', '.join(TWO_CLASSES)}", param_hint="--methods")
    return methods


def _print(contest: Contest, rows: list[dict[str, Any]], best: Optimum | None) -> None:
    from wmsketch.cli.parts.output import bytes_text, print_table

    baseline = contest.baseline()
    click.echo(
        f"{contest.examples:,} examples, {baseline['positives']:,} positive; {contest.n_features:,} distinct features\n"
        f"baseline error (commonest label) {baseline['majority_error_rate']:.2%}\n"
    )
    if best:
        click.echo(f"batch optimum: C {best.found.c:g}, held-out error {best.found.held_out_error:.2%}\n")
    recalls = [*(f"recall {k}" for k in _RECALLED), f"wrong sign {_RECALLED[-1]}"] if best else []
    headers = ["method", "budget", "bytes", "error", "AUC", *(f"RelErr {k}" for k in _SHOWN), *recalls, "ns/feature"]
    table = [
        [
            row["method"],
            bytes_text(row["budget_bytes"]) if row["budget_bytes"] else "no limit",
            f"{row['nbytes']:,}",
            f"{row['error_rate']:.2%}",
            _ratio(row["auc"]),
            *(_ratio(row["rel_err"].get(k)) for k in _SHOWN),
            *_recalled(row),
            f"{row['ns_per_feature']:.1f}",
        ]
        for row in rows
    ]
    print_table(headers, table, left=("method",))
    _print_plot(rows)


def _recalled(row: dict[str, Any]) -> list[str]:
    if "recall" not in row:
        return []
    return [*(_ratio(row["recall"][k]) for k in _RECALLED), _ratio(row["sign_errors"][_RECALLED[-1]])]


def _ratio(value: float | None) -> str:
    return "-" if value is None or value != value else f"{value:.3f}"


def _print_plot(rows: list[dict[str, Any]], width: int = 60) -> None:
    """Draw a line for each method, with a letter for each budget at its online error."""
    from wmsketch.cli.parts.output import bytes_text

    budgets = sorted({row["budget_bytes"] for row in rows if row["budget_bytes"]})
    letters = dict(zip(budgets, "abcdefghijklmnopqrstuvwxyz", strict=False)) | {None: "│"}
    low, high = min(row["error_rate"] for row in rows), max(row["error_rate"] for row in rows)
    span, longest = (high - low) or 1.0, max(len(row["method"]) for row in rows)
    lines = {row["method"]: [" "] * width for row in rows}
    for row in rows:
        at = round((row["error_rate"] - low) / span * (width - 1))
        every = lines.values() if row["budget_bytes"] is None else [lines[row["method"]]]
        for line in every:
            line[at] = letters.get(row["budget_bytes"], "?") if line[at] in " │" else "*"
    legend = [f"{letters.get(budget, '?')} {bytes_text(budget)}" for budget in budgets]
    legend += ["│ no limit"] if any(row["budget_bytes"] is None for row in rows) else []
    click.echo(f"\nonline error ({', '.join([*legend, '* more than one'])})")
    for method, line in lines.items():
        click.echo(f"  {method:<{longest}} {''.join(line).rstrip()}")
    scale = f"{low:.2%}" + f"{high:.2%}".rjust(width - len(f"{low:.2%}"))
    click.echo(f"  {'':<{longest}} {scale}")
