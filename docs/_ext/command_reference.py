"""The directive `commands`: every command with its options, from the commands themselves."""

import inspect

import click
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from wmsketch.cli.main import main


def _usage(name: str, command: click.Command, context: click.Context) -> str:
    return f"wmsketch {name} {' '.join(command.collect_usage_pieces(context))}"


def lines_of(name: str, command: click.Command) -> list[str]:
    """Return the section of a command as reStructuredText."""
    context = click.Context(command, info_name=name, parent=click.Context(main, info_name="wmsketch"))
    title = f"wmsketch {name}"
    lines = [f".. _command-{name}:", "", title, "-" * len(title), ""]
    lines += _literal(_usage(name, command, context)) + _paragraphs(command.help or "")
    records = [record for p in command.get_params(context) if (record := p.get_help_record(context))]
    for option, text in records:
        lines += [f"``{option}``", f"   {_plain(text)}", ""]
    lines += _paragraphs(command.epilog or "")
    return lines


def _plain(text: str) -> str:
    """Text that has no markup of its own."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("*", "\\*").replace("`", "\\`").replace("_ ", "\\_ ")


def _literal(text: str) -> list[str]:
    return ["::", "", *(f"    {line}" for line in text.split("\n")), ""]


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a help text; one after \\b keeps its lines."""
    lines: list[str] = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        keeps = paragraph.startswith("\b\n")
        lines += _literal(paragraph.removeprefix("\b\n")) if keeps else [_plain(paragraph), ""]
    return lines


class Commands(SphinxDirective):
    """Put the sections of all commands here."""

    def run(self) -> list[nodes.Node]:
        context = click.Context(main, info_name="wmsketch")
        lines: list[str] = []
        for name in main.list_commands(context):
            command = main.get_command(context, name)
            assert command is not None
            lines += lines_of(name, command)
        section = nodes.section()
        section.document = self.state.document
        self.state.nested_parse(
            StringList(lines, source="wmsketch.cli"), self.content_offset, section, match_titles=True
        )
        return section.children


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
