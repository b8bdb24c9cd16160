"""Turn errors into one line and an exit status: 1 bad data, 2 bad usage."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import click

from wmsketch.errors import CodedError, ParameterError

BAD_DATA = 1
BAD_USAGE = 2


class Stopped(BaseException):
    """A signal ended the command; the message says what was saved.

    It may arrive anywhere, so it is no Exception, as KeyboardInterrupt is none: code that handles an Exception, like
    that of threading which starts a thread, must let it pass.
    """

    def __init__(self, signal_number: int, message: str = "stopped") -> None:
        super().__init__(message)
        self.signal_number = signal_number


class Failed(click.ClickException):
    """Bad data, with a complete message."""

    exit_code = BAD_DATA


class NoPositive(Failed):
    """The positive label never occurred."""


class OptionNames:
    """Writes parameters as the options of a command. A parameter without an option keeps its name.

    >>> say = OptionNames({"half_life": "--half-life"})
    >>> say("half_life"), say("half_life", "1h"), say("", "1h"), say("project")
    ('--half-life', '--half-life 1h', '1h', 'project')
    >>> OptionNames({"text": "--text"})("text", ["a b", "c"])
    "--text 'a b,c'"
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options

    @classmethod
    def of(cls, command: click.Command | None) -> OptionNames:
        """Return the option names of a command."""
        options = [each for each in command.params if isinstance(each, click.Option)] if command else []
        return cls({each.name: max(each.opts, key=len) for each in options if each.name})

    def __contains__(self, parameter: object) -> bool:
        return parameter in self._options

    def __call__(self, parameter: str, *value: object) -> str:
        said = [_quoted(",".join(map(in_list, each))) if isinstance(each, list) else str(each) for each in value]
        return " ".join(filter(None, [self._options.get(parameter, parameter), *said]))


_NO_OPTIONS = OptionNames({})
BUDGET_OPTION = OptionNames({"budget": "--budget"})


def message_and_status(problem: BaseException, say: OptionNames = _NO_OPTIONS) -> tuple[str, int]:
    """Return the message and the exit status; `say` names the parameters.

    >>> message_and_status(FileNotFoundError(2, "no such file", "x.svm"))
    ('x.svm: no such file', 1)
    >>> message_and_status(ParameterError("l2", "must be at least 0", -1.0), OptionNames({"l2": "--l2"}))
    ('--l2 must be at least 0, got -1.0', 2)
    """
    message, status = _message_and_status(problem, say)
    ways = [" ".join([say(name, *value), words]).strip() for name, value, words in _ways_out(problem) if name in say]
    if ways:
        message += f" ({', '.join(ways)})"
    return "; ".join([message, *getattr(problem, "__notes__", [])]), status


def _ways_out(problem: BaseException) -> list[tuple[str, tuple[object, ...], str]]:
    """Return settings that help with a bad row: the parameter, its value, and what it does."""
    if not isinstance(problem, CodedError):
        return []
    fault, name, value = problem.code, getattr(problem, "name", ""), getattr(problem, "value", "")
    skip: tuple[str, tuple[object, ...], str] = ("bad_rows", ("skip",), "skips such rows")
    if fault == "column":
        option = getattr(problem, "option", "")
        lists = option not in NOT_LISTS
        typed: object = [value] if lists else _quoted(value)
        return [(option, (typed,), "")] if value and option not in ("where", "outlier") else []
    if fault == "label":
        return [("missing_label", ("skip",), "skips such rows")]
    if fault == "which_positive":
        return [("positive", ("VALUE",), "")]
    if fault == "encoding":
        if value:
            return [("encoding", (value,), "reads it")]
        return [("encoding", ("cp1252",), "reads Windows text"), skip]
    if fault not in ("row", "value", "shape", "third_label"):
        return []
    ways = [skip]
    if value and value.isprintable() and len(value) <= _LONGEST_WORD:
        ways.append(("na", ([value],), "reads it as missing"))
    if name:
        ways.append(("categorical", ([name],), "reads the column as text"))
    return ways


_LONGEST_WORD = 24
NOT_LISTS = ("label", "weight", "time", "split", "where", "outlier")  # options that do not name a list of columns


def _quoted(text: str) -> str:
    """Quote a text for a shell, if necessary."""
    import shlex  # only errors need it

    return shlex.quote(text)


def in_list(name: str) -> str:
    """Quote a name for a list of names, if necessary."""
    plain = name == name.strip() and not set(name) & {",", '"'}
    return name if plain else '"' + name.replace('"', '""') + '"'


def _message_and_status(problem: BaseException, say: OptionNames) -> tuple[str, int]:
    if isinstance(problem, click.Abort):
        return "interrupted", 130
    if isinstance(problem, Stopped):
        return str(problem), 128 + problem.signal_number
    if isinstance(problem, click.exceptions.NoArgsIsHelpError):
        return problem.format_message(), BAD_USAGE
    if isinstance(problem, click.UsageError):
        return _usage(problem), BAD_USAGE
    if isinstance(problem, click.ClickException):
        return one_line(problem.format_message()), problem.exit_code
    if isinstance(problem, OSError):
        return _system(problem), BAD_DATA
    if isinstance(problem, ImportError):
        return f"{problem.name or 'a package'} is not installed: {one_line(str(problem))}", BAD_USAGE
    if isinstance(problem, MemoryError):
        return "out of memory", BAD_DATA
    if isinstance(problem, CodedError):
        return one_line(problem.told(say)), BAD_USAGE if isinstance(problem, ParameterError) else BAD_DATA
    if isinstance(problem, (ValueError, TypeError)):
        # subclasses come from readers and model files; a plain error names a parameter
        return one_line(str(problem)), BAD_USAGE if type(problem) in (ValueError, TypeError) else BAD_DATA
    return f"internal error: {type(problem).__name__}: {one_line(str(problem))} (--debug shows where)", BAD_DATA


def input_names(files: Iterable[str]) -> str:
    """Return the names of inputs as in the errors of readers.

    >>> input_names(["a.csv", "-"])
    'a.csv, stdin'
    """
    return ", ".join("stdin" if file == "-" else file for file in files)


def one_line(text: str) -> str:
    """Return the text without line breaks."""
    return " ".join(text.split("\n")).strip()


def _system(problem: OSError) -> str:
    reason = problem.strerror or str(problem)
    reason = reason[:1].lower() + reason[1:]
    return f"{os.fspath(problem.filename)}: {reason}" if problem.filename else reason


def _usage(problem: click.UsageError) -> str:
    command = problem.ctx.command_path.removeprefix("wmsketch").strip() if problem.ctx else ""
    hint = f" (see wmsketch {command} --help)".replace("  ", " ")
    return one_line(problem.format_message()) + hint
