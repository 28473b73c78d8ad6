"""A command line against a check: it does not apply, it is obeyed, or it is violated. Hooks decide by it, too."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol

from metier.text.shell.parse import parse_commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.text.shell.command import SimpleCommand

Held = Literal["obeyed", "violated"]
LONGEST = 20_000
"""Characters of a command line that are parsed."""
_VALUED = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--context", "--prefix", "--directory"))
"""Options before a subcommand that take a value."""


class CommandCheck(Protocol):
    """What a check says about commands."""

    @property
    def program(self) -> tuple[str, ...]:
        """The program and its subcommand."""
        ...

    @property
    def wrong(self) -> tuple[str, ...]:
        """Arguments that must not be there."""
        ...

    @property
    def needs(self) -> tuple[str, ...]:
        """Arguments of which one has to be there."""
        ...

    @property
    def instead(self) -> str:
        """What to run in its place."""
        ...


def check_line(check: CommandCheck, line: str) -> Held | None:
    """How a command line stands to a check: violated if any of its commands violates it."""
    found = {check_command(check, command) for command in _commands(line)}
    return "violated" if "violated" in found else "obeyed" if "obeyed" in found else None


def check_command(check: CommandCheck, command: SimpleCommand) -> Held | None:
    """How one simple command stands to a check."""
    rest = arguments_after(check.program, command)
    if rest is None:
        return "obeyed" if _runs_instead(check, command) else None
    if _asks(rest):
        return None
    if check.needs:
        return "obeyed" if any(has_argument(rest, word) for word in check.needs) else "violated"
    if check.wrong:
        return "violated" if any(has_argument(rest, word) for word in check.wrong) else "obeyed"
    return "violated"


def _runs_instead(check: CommandCheck, command: SimpleCommand) -> bool:
    """Whether a command is what should be run in the place of a program that should not."""
    instead = tuple(check.instead.split())[: len(check.program)]
    is_about_program = not check.wrong and not check.needs
    return is_about_program and bool(instead) and arguments_after(instead, command) is not None


def arguments_after(program: Sequence[str], command: SimpleCommand) -> tuple[str, ...] | None:
    """What a command is given beyond a program and its subcommands; None: it runs something else."""
    if not program or command.name != program[0]:
        return None
    rest = list(command.arguments)
    options: list[str] = []
    for wanted in program[1:]:
        while rest and rest[0].startswith("-") and rest[0] != wanted:
            options.append(rest[0])
            rest = rest[2:] if rest[0] in _VALUED else rest[1:]
        if not rest or rest[0] != wanted:
            return None
        rest = rest[1:]
    return (*options, *rest)


def has_argument(given: Sequence[str], wanted: str) -> bool:
    """Whether a word is among the arguments: as it is, with a value behind `=`, or as one of several letters."""
    return any(
        word == wanted
        or word.partition("=")[0] == wanted
        or (word.rstrip("/") or "/") == wanted
        or _has_letter(word, wanted)
        for word in given
    )


def _has_letter(word: str, wanted: str) -> bool:
    """Whether a word holds a one-letter option among others, as `-am` holds `-m`."""
    is_letters = len(word) > 1 and word[0] == "-" and word[1] != "-" and word[1:].isalpha()
    return is_letters and len(wanted) == 2 and wanted[0] == "-" and wanted[1] in word[1:]


def named_paths(line: str) -> list[str]:
    """The words of a command line that can be paths."""
    return [word for command in _commands(line) for word in command.arguments if " " not in word]


def touches(folder: str, paths: Iterable[str]) -> bool:
    """Whether one of some paths is a folder or file, or lies in it."""
    return any(is_below(folder, path) for path in paths)


def is_below(folder: str, path: str) -> bool:
    """Whether a path is a folder or file, or lies in it, wherever the project is."""
    wanted = [part for part in folder.strip("/").split("/") if part not in ("", ".")]
    given = [part for part in path.split("/") if part not in ("", ".")]
    return any(given[at : at + len(wanted)] == wanted for at in range(len(given) - len(wanted) + 1))


def _asks(arguments: Sequence[str]) -> bool:
    """Whether a command only asks what it could do."""
    return any(word in ("--help", "-h", "help", "--version") for word in arguments)


@lru_cache(maxsize=4096)
def _commands(line: str) -> tuple[SimpleCommand, ...]:
    return parse_commands(line[:LONGEST])
