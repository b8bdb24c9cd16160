"""The group of commands, and the handling of their errors."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from wmsketch import __version__
from wmsketch.cli.parts.errors import OptionNames, Stopped, message_and_status
from wmsketch.terminal import safe_stream

# No command multiplies matrices: BLAS threads would only slow down every start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
atexit.register(gc.freeze)  # the memory of a process that ends needs no search for cycles
_NEW_OBJECTS = 50_000  # until cycles are looked for: modules and answers have few, and many objects

# Each command with its line in the help, which is also the first of its own: the help loads no command.
COMMANDS = {
    "train": "Learn a model from FILES and print its heaviest features.",
    "predict": "Predict the label of each example of FILES, in order.",
    "top": "Print the heaviest features of MODEL, with 95 % error bars.",
    "inspect": "Print everything about MODEL except its weights.",
    "merge": "Merge MODELS of equal method, shape and seed into one.",
    "export": "Write MODEL as source code that predicts, for devices and browsers.",
    "size": "Convert between bytes, shapes and the theoretical error.",
    "compare": "Compare all methods on FILES, in one pass.",
    "explain": "Find what the slow, failed or expensive rows of FILES have in common.",
    "diff": "Find what differs most between the streams A and B, by rate.",
    "pmi": "Find the pairs of words, codes or lines of FILES that occur together more often than chance.",
    "show": "Print the answer of explain, diff or pmi whose counts are in FILE, as that command did.",
    "serve": "Start the live service: learn from many senders over HTTP, and show what it learned.",
    "watch": "Show what is different now in SOURCE: JSON lines from a file, - (stdin) or an address.",
    "reproduce": "Answer the questions of the paper's evaluation: all of them, or those named by NAME.",
}


def _set_debug(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.find_root().meta["wmsketch.debug"] = True


def _require_name(_: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Refuse an empty file name, as of a variable that is not set."""
    if value == "" or (isinstance(value, tuple) and "" in value):
        raise click.BadParameter("must be a file, got an empty name", param=parameter)
    return value


class Commands(click.Group):
    """Loads the file of a command on demand, and turns errors into one line and an exit status."""

    _invoked: click.Command | None = None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"wmsketch.cli.commands.{cmd_name}").command
        if not any(parameter.name == "debug" for parameter in command.params):
            command.params.append(_debug_option())
            for parameter in command.params:
                if isinstance(parameter.type, click.Path) and parameter.callback is None:
                    parameter.callback = _require_name
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            name, self._invoked, rest = super().resolve_command(ctx, args)
            return name, self._invoked, rest
        except click.UsageError as problem:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=2)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(problem.message + hint, ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        self._invoked = None
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader closed the pipe, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return 0
        return result

    def main(self, args: Sequence[str] | None = None, *arguments: Any, **more: Any) -> Any:
        given = list(sys.argv[1:] if args is None else args)
        gc.set_threshold(_NEW_OBJECTS)
        streams = sys.stdout, sys.stderr
        for stream in streams:
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # a name that cannot be shown must not end the command
        sys.stdout, sys.stderr = map(safe_stream, streams)  # names come from data
        try:
            status = super().main(given, *arguments, **{**more, "standalone_mode": False, "obj": tuple(given)})
        except (Exception, Stopped) as problem:  # every command ends here; --debug shows where it came from
            if "--debug" in given and not isinstance(problem, click.ClickException | click.Abort):
                raise
            message, status = message_and_status(problem, OptionNames.of(self._invoked))
            if meant := _meant(problem, given):
                message += f"; type: {meant}"
            if message:
                is_help = isinstance(problem, click.exceptions.NoArgsIsHelpError)
                click.echo(message if is_help else f"wmsketch: {message}", err=True)
        finally:
            sys.stdout, sys.stderr = streams
        sys.exit(status if isinstance(status, int) else 0)


def _meant(problem: BaseException, given: Sequence[str]) -> str:
    from wmsketch.cli.parts.corrected import corrected

    return corrected(problem, given)


def _debug_option() -> click.Option:
    return click.Option(
        ["--debug"], is_flag=True, expose_value=False, help="Show the traceback of an error.", callback=_set_debug
    )


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='To complete with TAB: eval "$(_WMSKETCH_COMPLETE=bash_source wmsketch)" (or zsh_source, fish_source).',
)
@click.version_option(__version__, prog_name="wmsketch")
def main() -> None:
    """Learn a linear classifier from a stream in a fixed number of bytes, and list its heaviest features by name.

    \b
      wmsketch train events.svm --budget 8KiB --save model.wms
      wmsketch top model.wms

    FILES are paths, globs or - (stdin), plain or compressed (.gz .bz2 .xz .zst), or addresses like redis://host/stream.
    """


main.params.append(_debug_option())
