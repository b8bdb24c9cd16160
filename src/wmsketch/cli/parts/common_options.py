"""Options that mean the same in many commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
quiet_option = click.option("--quiet", is_flag=True, help="No progress and no notes on stderr.")
delimiter_option = click.option("--delimiter", metavar="CHAR", help="Separator of csv columns.")
columns_option = click.option("--columns", metavar="A,B", help="Column names, for csv without a header.")


def csv_options(function: Function) -> Function:
    """Add the options that say how csv has its columns."""
    return delimiter_option(columns_option(function))
