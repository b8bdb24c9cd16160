"""The options of the learner, and the model they describe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click

from wmsketch.cli.parts.common_options import together
from wmsketch.learners.protocols.options import Loss, NumberLoss, Step
from wmsketch.methods import METHODS

if TYPE_CHECKING:
    from wmsketch.learners.models.base import OnlineClassifier

NUMBER_LOSSES = get_args(NumberLoss)

shape_options = together(
    click.option("--budget", metavar="BYTES", help="Size of the model in bytes, like 8KiB.  [default: 32KiB]"),
    click.option("--depth", type=int, help="Rows of the sketch."),
    click.option("--width", type=int, help="Cells in each row of the sketch."),
    click.option("--active-set-size", type=int, help="Number of features with their own weight and name."),
    click.option("--top-k", type=int, help="Reserve slots for the K heaviest features."),
    click.option("--name-bytes", metavar="BYTES", help="Bytes of the budget for names."),
)
classes_options = together(
    click.option(
        "--max-classes", type=int, help="Maximum number of labels (multiclass only).  [default: 1 for each 256 bytes]"
    ),
    click.option(
        "--negatives", type=int, help="Learn each row against N sampled labels (multiclass only).  [default: all]"
    ),
)
rule_options = together(
    click.option(
        "--step",
        type=click.Choice(get_args(Step)),
        help="Step rule: plain (the paper's) or adaptive for each feature (default of awm).",
    ),
    click.option("--l2", type=float, help="L2 regularisation.  [default: 1e-6]"),
    click.option("--l1", type=float, help="L1 regularisation.  [default: 0]"),
    click.option("--eta0", type=float, help="Step size. Plain steps expect rows of l2 norm about 1.  [default: 0.1]"),
    click.option(
        "--loss",
        type=click.Choice([*get_args(Loss), *NUMBER_LOSSES]),
        help="squared, absolute and poisson predict a number, the others a class.  [default: logistic]",
    ),
    click.option(
        "--class-weight", metavar="W", help="balanced, the weight of the positive class, or NEGATIVE:POSITIVE."
    ),
    click.option(
        "--half-life",
        metavar="N|TIME",
        help="Halve the weight of old rows after N examples, or after a time like 10min (ms, s, min, h, d).",
    ),
)
SHAPE_NAMES = ("budget", "depth", "width", "active_set_size", "top_k", "name_bytes")
CLASSES_NAMES = ("max_classes", "negatives")
NAMES = (
    *SHAPE_NAMES,
    *CLASSES_NAMES,
    "step",
    "l2",
    "l1",
    "eta0",
    "loss",
    "class_weight",
    "half_life",
    "seed",
)

method_option = click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="awm",
    show_default=True,
    help="Learner; multiclass is for more than two labels, regression for numbers.",
)


class _Seed(click.IntRange):
    """A number, or "random": a seed that an attacker cannot predict."""

    name = "seed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, drawn if necessary."""
        from wmsketch.learners.sizes.seeds import drawn

        number: Any = drawn(value)
        return super().convert(number, param, ctx)


seed_option = click.option(
    "--seed", type=_Seed(0, 2**64 - 1), metavar="N|random", help="Seed of the hash functions.  [default: 0]"
)


def take_learner_options(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the learner's options from a command's options, and return those that were given."""
    given = {name: options.pop(name) for name in NAMES if name in options}
    given = {name: value for name, value in given.items() if value is not None}
    if "class_weight" in given:
        given["class_weight"] = parse_class_weight(given["class_weight"])
    if "half_life" in given:
        given["half_life"] = parse_half_life(given["half_life"])
    return given


def parse_class_weight(text: str) -> str | dict[int, float]:
    """Parse --class-weight.

    >>> parse_class_weight("balanced"), parse_class_weight("5"), parse_class_weight("0.5:2")
    ('balanced', {-1: 1.0, 1: 5.0}, {-1: 0.5, 1: 2.0})
    """
    if text == "balanced":
        return text
    negative, colon, positive = text.rpartition(":")
    try:
        return {-1: float(negative) if colon else 1.0, 1: float(positive)}
    except ValueError:
        raise click.BadParameter(
            f"must be 'balanced', a number or two like 1:5, got {text!r}", param_hint="--class-weight"
        ) from None


def parse_half_life(text: str) -> float | str:
    """Parse --half-life.

    >>> parse_half_life("10000"), parse_half_life("10min")
    (10000.0, '10min')
    """
    try:
        return float(text)
    except ValueError:
        return text


ship_option = click.option(
    "--ship",
    metavar="BYTES",
    help="Size of the finished model. It learns in --budget (default here: 16MiB), is reduced to these bytes, and "
    "learns all rows again: fewer errors than learning in so few bytes.",
)


def ship_rules(ship: str | None, method: str) -> dict[str, Any]:
    """Return the size in which a model learns that is shipped in another size; raise an error if it cannot be.

    >>> ship_rules("8KiB", "awm")
    {'budget': '16MiB'}
    """
    from wmsketch.learners.sizes.shipping import LEARNED_IN

    if ship is None:
        return {}
    if METHODS[method].kinds != METHODS["awm"].kinds:
        raise click.UsageError(f"--ship is for the AWM-Sketch: --method {method} cannot change its size")
    try:
        make_model(method, {"budget": ship})
    except ValueError as problem:
        raise click.BadParameter(str(problem), param_hint="--ship") from problem
    return {"budget": LEARNED_IN}


def method_of(options: dict[str, Any], given: set[str]) -> str:
    """Return the method; a loss that predicts a number is one of regression."""
    method: str = options["method"]
    if options.get("loss") not in NUMBER_LOSSES or method == "regression":
        return method
    if "method" in given:
        raise click.UsageError(f"--loss {options['loss']} predicts a number: --method {method} predicts a class")
    return "regression"


def make_model(method: str, learner: dict[str, Any]) -> OnlineClassifier:
    """Return a new model; raise an error for an option that the method does not have."""
    from wmsketch.learners.sizes.budget import DEFAULT_BUDGET

    known = METHODS[method].parameters()
    for name in learner:
        if name not in known:
            raise click.UsageError(f"--{name.replace('_', '-')} cannot be used with --method {method}")
    chooses = "budget" in known and not {"budget", "width", "active_set_size"} & set(learner)
    if "budget" in known and not {"width", "active_set_size"} & set(learner):
        learner = {"budget": DEFAULT_BUDGET, **learner}
    model: OnlineClassifier = METHODS[method].load_class()(**learner)
    if chooses:
        model.chooses_budget = True  # type: ignore[attr-defined]
    return model.check_parameters()
