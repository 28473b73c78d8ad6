"""`python -m metier.cli.reference`: print docs/cli.md, made from the commands themselves."""

from __future__ import annotations

import sys
from importlib.resources import files
from inspect import cleandoc
from typing import TYPE_CHECKING

import typer
from typer.core import TyperGroup

from metier.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typer._click import Command, Context

COMPLETION = frozenset({"install_completion", "show_completion"})
"""Options of `metier` itself that typer also hangs on sub-commands."""
INTRODUCTION = """\
# Commands

`make docs` generates this page from the commands; `metier COMMAND --help` shows the same text.

Data goes to standard output, messages to standard error. Exit code 0: done. 1: something was refused, even in part, or
the disk or the database failed. 2: the call or a setting is wrong. Every command that reads or writes runs takes
`--json` (see [machine-readable shapes](#machine-readable-shapes)). Colour is used on a terminal only, and never with
`NO_COLOR`. Commands that cannot be undone ask first; without a terminal they need `--yes`. A yes to a lesson, a draft
or a case takes a terminal and a word of what is shown; programs say it with `ws.approve`."""


def reference() -> str:
    """The whole page."""
    from typer._click import Context

    root = typer.main.get_command(app)
    parts = [INTRODUCTION, *_section(root, Context(root, info_name="metier"), top=True)]
    shapes = (files("metier.cli") / "shapes.md").read_text(encoding="utf-8")
    return "\n\n".join([*parts, shapes.rstrip()]) + "\n"


def _section(command: Command, ctx: Context, *, top: bool = False) -> Iterator[str]:
    """A command's heading, text, usage, parameters and example, then its sub-commands'."""
    text, _, example = cleandoc(command.help or "").partition("Example:")
    yield f"{'#' * max(2, ctx.command_path.count(' ') + 1)} {ctx.command_path}"
    yield text.strip()
    yield f"```text\n{_usage(command, ctx)}\n```"
    if rows := list(_parameters(command, ctx, top=top)):
        yield "\n".join(("| parameter | meaning |", "|---|---|", *rows))
    if example:
        yield f"Example:\n\n```sh\n{example.strip()}\n```"
    for child in _children(command, ctx):
        yield from _section(child.command, child)


def _children(command: Command, ctx: Context) -> Iterator[Context]:
    from typer._click import Context

    if isinstance(command, TyperGroup):
        for name in command.list_commands(ctx):
            child = command.get_command(ctx, name)
            if child is not None:
                yield Context(child, info_name=name, parent=ctx)


def _usage(command: Command, ctx: Context) -> str:
    pieces = [piece.replace("{", "").replace("}", "") for piece in command.collect_usage_pieces(ctx)]
    return " ".join((ctx.command_path, *pieces))


def _parameters(command: Command, ctx: Context, *, top: bool) -> Iterator[str]:
    for parameter in command.params:
        record = parameter.get_help_record(ctx)
        if record is not None and (top or parameter.name not in COMPLETION):
            names, meaning = (" ".join(text.replace("|", "\\|").split()) for text in record)
            yield f"| `{names}` | {meaning} |"


if __name__ == "__main__":
    sys.stdout.write(reference())
