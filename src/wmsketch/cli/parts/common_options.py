"""Options that mean the same in many commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from wmsketch.cli.parts.run_log import RunLog

Function = TypeVar("Function", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
quiet_option = click.option("--quiet", is_flag=True, help="No progress and no notes on stderr.")
log_format_option = click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the log lines of an endless run on stderr.",
)
delimiter_option = click.option("--delimiter", metavar="CHAR", help="Separator of csv columns.")
columns_option = click.option("--columns", metavar="A,B", help="Column names, for csv without a header.")


class RowsOrTime(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A number of rows, or a time with a unit: a pair of which one is None.

    >>> RowsOrTime().convert("1000", None, None), RowsOrTime().convert("30s", None, None)
    ((1000, None), (None, 30.0))
    """

    name = "rows or time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from wmsketch.learners.sizes.durations import seconds_of

        if isinstance(value, tuple):
            return value
        seconds = seconds_of(value)
        if seconds:
            return None, seconds
        if str(value).isdecimal() and int(value) > 0:
            return int(value), None
        return self.fail(f"must be a number of rows above 0, or a time like 30s, got {value!r}", param, ctx)


def together(*options: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Return a decorator that adds these options to a command, in this order."""

    def add(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return add


csv_options = together(delimiter_option, columns_option)


def log_of(options: dict[str, Any]) -> RunLog | None:
    """Return the log of a run that reads from an address; files have nothing to say."""
    from wmsketch.readers.sources.address import Address

    if not any(isinstance(file, Address) for file in options["files"]):
        return None
    from wmsketch.cli.parts.run_log import RunLog

    return RunLog(options["log_format"], options["quiet"])
