"""Convert between bytes, shapes and the theoretical error."""

from __future__ import annotations

from typing import Any

import click

from wmsketch.cli.parts.common_options import json_option
from wmsketch.cli.parts.help_screen import HelpScreen
from wmsketch.cli.parts.learner_options import SHAPE_NAMES, make_model, shape_options
from wmsketch.learners.models.introspection import shape_of
from wmsketch.methods import LIMITED, METHODS, TWO_CLASSES, paper_bytes_of

MOST_CELLS = 2**31
EXAMPLES = """\b
Examples:
  wmsketch size --budget 8KiB                        the shapes that fit
  wmsketch size --depth 1 --width 1024 --active-set-size 512
  wmsketch size --epsilon .1 --delta .05 --n-features 1e6 --l2 1e-3
"""


def _count(_: click.Context, parameter: click.Parameter, value: float | None) -> int | None:
    """Convert a whole number that may be written 1e6."""
    if value is not None and not (1 <= value < 2**63 and value == int(value)):
        raise click.BadParameter(f"must be a whole number of at least 1, got {value:g}", param=parameter)
    return None if value is None else int(value)


@click.command(cls=HelpScreen, epilog=EXAMPLES)
@click.option("--method", type=click.Choice(TWO_CLASSES), help="Only this method.  [default: all]")
@shape_options
@click.option("--names", is_flag=True, help="Features have names, which take bytes too.")
@click.option(
    "--epsilon",
    type=float,
    help="Show the size that Theorem 1 requires for this error of a weight, in units of the l1 norm of w*.",
)
@click.option("--delta", type=float, default=0.05, show_default=True, help="Probability that the bound fails.")
@click.option("--n-features", type=float, callback=_count, help="Number of distinct features.")
@click.option("--l2", type=float, default=1e-6, show_default=True, help="L2 regularisation.")
@json_option
def command(
    method: str | None,
    names: bool,
    epsilon: float | None,
    delta: float,
    n_features: int | None,
    l2: float,
    as_json: bool,
    **shape: Any,
) -> None:
    """Convert between bytes, shapes and the theoretical error.

    "error" is the typical error of a weight outside the active set, in units of the l2 norm of all such weights:
    1/sqrt(width). "epsilon" is the bound of Theorem 1 in units of the l1 norm of w*, the best weights without a sketch,
    with the theorem's open constants set to 1. It is shown with --n-features, for shapes that the theorem covers.
    """
    from wmsketch.cli.parts.output import print_json

    if epsilon is not None:
        if n_features is None:
            raise click.UsageError("--epsilon needs --n-features")
        document: dict[str, Any] = _theory(epsilon, delta, n_features, l2)
    else:
        given = {name: shape[name] for name in SHAPE_NAMES if shape[name] is not None}
        rows = [_row(each, given, names) for each in _methods(method, given)]
        if n_features is not None:
            rows = [{**row, "epsilon": _epsilon(row, delta, n_features, l2)} for row in rows]
        document = {"rows": rows}
    if as_json:
        print_json(document)
    else:
        _print(document)


def _methods(method: str | None, given: dict[str, Any]) -> list[str]:
    """Return the methods that take all the options given, except the unlimited one, which has no size."""
    if method is not None:
        return [method]
    return [name for name in LIMITED if set(given) <= set(METHODS[name].parameters())]


def _row(method: str, given: dict[str, Any], named: bool) -> dict[str, Any]:
    from wmsketch.results.description import budget_bytes

    model = make_model(method, given)
    shape = shape_of(model, named=named)  # do not build the model: it may need more memory than there is
    known = METHODS[method].parameters()
    sizes = {
        name: getattr(shape, name) if name in known else None
        for name in ("depth", "width", "active_set_size", "name_bytes")
    }
    return {
        "method": method,
        **sizes,
        "nbytes": shape.nbytes,
        "paper_bytes": paper_bytes_of(
            shape.kind,
            shape.depth * shape.width,
            shape.active_set_size,
            adaptive=shape.step != "plain",
        ),
        "budget_bytes": budget_bytes(model),
        "error": shape.width**-0.5 if shape.width and METHODS[method].signed_cells else None,
    }


def _theory(epsilon: float, delta: float, n_features: int, l2: float) -> dict[str, Any]:
    from wmsketch.learners.sizes.theory import size_for

    size = size_for(epsilon, delta, n_features, l2)
    return {
        "epsilon": epsilon,
        "delta": delta,
        "n_features": n_features,
        "l2": l2,
        "k": size.k,
        "depth": size.depth,
        "width": size.width,
        "rows_asked": size.rows_asked,
        "examples": size.examples,
        "nbytes": 4 * size.depth * size.width,
    }


def _epsilon(row: dict[str, Any], delta: float, n_features: int, l2: float) -> float | None:
    """Return the bound of Theorem 1, for the WM-Sketch only; None if the theorem does not cover the shape."""
    from wmsketch.learners.sizes.theory import epsilon_for

    return epsilon_for(row["depth"], row["width"], delta, n_features, l2) if row["method"] == "wm" else None


def _print(document: dict[str, Any]) -> None:
    from wmsketch.cli.parts.output import bytes_text, print_facts, print_table

    if "rows" not in document:
        facts = {name: f"{value:,}" if isinstance(value, int) else f"{value:g}" for name, value in document.items()}
        print_facts({**facts, "nbytes": f"{document['nbytes']:,} ({bytes_text(document['nbytes'])})"})
        click.echo(
            "\nTheorem 1 with its open constants set to 1, in units of the l1 norm of w*:"
            "\nit shows how sizes grow, not how large they must be."
        )
        if document["depth"] < document["rows_asked"]:
            click.echo(
                "A sketch has at most 64 rows. The theorem requires more, so it guarantees nothing for this shape."
            )
        if document["depth"] * document["width"] > MOST_CELLS:
            click.echo(f"A sketch has at most {MOST_CELLS:,} cells: this one cannot be built.")
        return
    rows = document["rows"]
    headers = [name for name in rows[0] if name != "budget_bytes"]
    print_table(headers, [[_cell(row[name]) for name in headers] for row in rows], left=("method",))
    if "epsilon" in headers and all(row["epsilon"] is None for row in rows):
        click.echo(
            "\nepsilon: Theorem 1 covers none of these shapes."
            " It applies to the WM-Sketch, and requires a minimum width and depth."
        )


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}" if isinstance(value, float) else str(value)
