"""The help of commands: in groups, each summary whole, and the likeliest command after a typing error."""

from __future__ import annotations

from difflib import get_close_matches
from inspect import cleandoc
from typing import TYPE_CHECKING

from typer.core import TyperGroup

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from typer._click import Command, HelpFormatter

GROUPS = {
    "Start": ("demo", "init", "uninit", "connect", "disconnect", "ui"),
    "Runs": ("record", "import", "runs"),
    "Learn": ("learn", "watch", "lessons", "checkup", "digest", "problems", "patterns"),
    "Skills": ("skills", "drafts", "review", "select", "mcp"),
    "Measure and improve": ("eval", "cases", "trial", "train"),
    "Many machines": ("serve", "sync", "fleet", "worker", "store"),
    "Look after it": ("status", "doctor", "where", "config", "models", "audit", "pause", "resume", "backup", "restore"),
}
"""Commands by what people want to do; one that stands in none is listed at the end."""
REST = "More"


def summary_of(text: str) -> str:
    """The first sentence of a help text, without what comes after a colon."""
    first = " ".join(cleandoc(text).partition("\n\n")[0].split())
    sentence = first.partition(". ")[0].rstrip(".")
    head, colon, _ = sentence.partition(": ")
    return head if colon and len(head) > 12 else sentence


def with_whole_summaries(command: Command) -> Command:
    """A command whose summary, and those of its own commands, are never cut off."""
    command.short_help = command.short_help or summary_of(command.help or "")
    if isinstance(command, TyperGroup):
        for one in command.commands.values():
            with_whole_summaries(one)
    return command


def write_groups(formatter: HelpFormatter, commands: Sequence[tuple[str, Command]]) -> None:
    """The list of commands, group by group, in one column of names."""
    width = max(len(name) for name, _ in commands)
    for title, rows in _grouped(commands):
        with formatter.section(title):
            formatter.write_dl([(name.ljust(width), command.get_short_help_str()) for name, command in rows])


def likeliest(typed: str, names: Iterable[str]) -> str:
    """What a person may have meant, as the end of a sentence; empty: nobody can tell."""
    found = get_close_matches(typed, list(names), n=2)
    return f" Did you mean {' or '.join(repr(one) for one in found)}?" if found else " See all: metier --help"


def _grouped(commands: Sequence[tuple[str, Command]]) -> Iterator[tuple[str, list[tuple[str, Command]]]]:
    known = {name for names in GROUPS.values() for name in names}
    for title, names in (*GROUPS.items(), (REST, tuple(name for name, _ in commands if name not in known))):
        rows = [(name, command) for name, command in commands if name in names]
        if rows:
            yield title, sorted(rows, key=lambda row: names.index(row[0]))
