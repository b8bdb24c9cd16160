"""Convert between bytes, shapes and the error that theory promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.parts.learner_options import METHODS, SHAPE_NAMES, make_model, shape_options

if TYPE_CHECKING:
    from wmsketch.learners.shapes import Shape

EXAMPLES = """\b
Examples:
  wmsketch size --budget 8KiB                        the shapes that fit
  wmsketch size --depth 1 --width 1024 --active-set-size 512
  wmsketch size --epsilon .1 --delta .05 --n-features 1e6 --l2 1e-3
"""


def _count(_: click.Context, parameter: click.Parameter, value: float | None) -> int | None:
    """A whole number that may be written 1e6."""
    if value is not None and not (1 <= value < 2**63 and value == int(value)):
        raise click.BadParameter(f"must be a whole number of at least 1, got {value:g}", param=parameter)
    return None if value is None else int(value)


@click.command(epilog=EXAMPLES)
@click.option("--method", type=click.Choice(list(METHODS)), help="Only this method; all without it.")
@shape_options
@click.option("--names", is_flag=True, help="Features come by name, and names take bytes too.")
@click.option("--epsilon", type=float, help="Error of a weight, in units of ||w||_1: the size that theory asks for.")
@click.option("--delta", type=float, default=0.05, show_default=True, help="Probability that the bound fails.")
@click.option("--n-features", type=float, callback=_count, help="Number of distinct features.")
@click.option("--l2", type=float, default=1e-6, show_default=True, help="L2 regularisation.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
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
    """Convert between bytes, shapes and the error of theory.

    "error" is the usual error of a weight outside the active set, in units of the l2 norm of all such weights:
    1/sqrt(width). "epsilon" is Theorem 1's bound in units of ||w||_1, with its open constants set to 1; it is shown
    with --n-features.
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
    """The methods that have all options that were given; the unlimited one has no size."""
    import wmsketch

    if method is not None:
        return [method]
    every = [name for name in METHODS if name != "lr"]
    return [name for name in every if set(given) <= set(getattr(wmsketch, METHODS[name])._parameter_names())]


def _row(method: str, given: dict[str, Any], named: bool) -> dict[str, Any]:
    from wmsketch.results.description import budget_bytes

    model = make_model(method, given)
    shape = model._shape(named)  # the model itself is not built: its bytes may be more than there are
    known = model._parameter_names()
    sizes = {
        name: getattr(shape, name) if name in known else None
        for name in ("depth", "width", "active_set_size", "name_bytes")
    }
    return {
        "method": method,
        **sizes,
        "nbytes": shape.nbytes,
        "paper_bytes": _paper_bytes(shape),
        "budget_bytes": budget_bytes(model),
        "error": shape.width**-0.5 if shape.width and method != "count-min" else None,
    }


def _paper_bytes(shape: Shape) -> int:
    """The paper's cost: 4 bytes for each cell, and for each identifier, weight and auxiliary value of a key held."""
    squares = int(shape.step != "plain")  # a sum for each weight: of cells where those hold all weights
    all_in_cells = shape.kind in ("wm", "hashed")
    values = {"probabilistic": 3, "space_saving": 3, "count_min": 3}.get(shape.kind, 2) + squares * (not all_in_cells)
    cells = 1 + squares * all_in_cells
    return 4 * cells * shape.depth * shape.width + 4 * values * shape.active_set_size


def _theory(epsilon: float, delta: float, n_features: int, l2: float) -> dict[str, Any]:
    from wmsketch.learners.theory import size_for

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
    """The least epsilon whose Theorem 1 asks for no more cells than there are; None where even 1 asks for more."""
    from wmsketch.learners.theory import size_for

    if row["method"] not in ("wm", "awm"):
        return None
    cells = row["depth"] * row["width"]
    low, high = 1e-4, 1 - 1e-9
    if size_for(high, delta, n_features, l2).k > cells:
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if size_for(middle, delta, n_features, l2).k <= cells else (middle, high)
    return high


def _print(document: dict[str, Any]) -> None:
    from wmsketch.cli.parts.output import bytes_text, print_facts, print_table

    if "rows" not in document:
        facts = {name: f"{value:,}" if isinstance(value, int) else f"{value:g}" for name, value in document.items()}
        print_facts({**facts, "nbytes": f"{document['nbytes']:,} ({bytes_text(document['nbytes'])})"})
        click.echo(
            "\nTheorem 1 with its open constants set to 1: read it as how sizes grow, not how large they must be."
        )
        return
    rows = document["rows"]
    headers = [name for name in rows[0] if name != "budget_bytes"]
    print_table(headers, [[_cell(row[name]) for name in headers] for row in rows], left=("method",))
    if "epsilon" in headers and all(row["epsilon"] is None for row in rows):
        click.echo("\nepsilon: Theorem 1 promises nothing below 1 at this size, with its open constants set to 1")


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}" if isinstance(value, float) else str(value)
