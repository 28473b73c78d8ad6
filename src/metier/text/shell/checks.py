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
LETTERS = 4
"""Letters of options that may stand together or apart; more of them are one long name."""
_CHANGING = frozenset(("rm", "rmdir", "mv", "tee", "touch", "truncate", "unlink", "shred", "patch", "ln", "chmod"))
_COPYING = frozenset(("cp", "install", "rsync"))
_IN_PLACE = frozenset(("sed", "gsed", "perl", "awk"))
_GIT_CHANGING = frozenset(("rm", "mv", "checkout", "restore", "clean"))


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


class CallCheck(CommandCheck, Protocol):
    """What a check says about commands, or about a path."""

    @property
    def path(self) -> str:
        """A path that must not be touched; empty: it is about a command."""
        ...

    @property
    def reading(self) -> bool:
        """Whether the path must not even be looked at."""
        ...


def check_words(check: CallCheck) -> str:
    """A check in plain words, the same for a person and for an agent whose call was denied."""
    if check.path:
        return f"`{check.path}` must not be {'read or changed' if check.reading else 'changed'}"
    program = " ".join(check.program)
    instead = f"; run `{check.instead}`" if check.instead else ""
    if check.needs:
        return f"`{program}` needs {_either(check.needs)}{instead}"
    if check.wrong:
        return f"`{program}` must not be given {_either(check.wrong)}{instead}"
    return f"`{program}` must not be run{instead}"


def _either(words: Sequence[str]) -> str:
    return " or ".join(f"`{word}`" for word in words)


def check_line(check: CommandCheck, line: str) -> Held | None:
    """How a command line stands to a check: violated if any of its commands violates it."""
    found = {check_command(check, command) for command in _commands(line)}
    return "violated" if "violated" in found else "obeyed" if "obeyed" in found else None


def check_command(check: CommandCheck, command: SimpleCommand) -> Held | None:
    """How one simple command stands to a check."""
    rest = arguments_after(check.program, command)
    if rest is None:
        return "obeyed" if _runs_instead(check, command) else None
    if asks_for_help(rest):
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
        if not rest or rest[0].removeprefix("./") != wanted.removeprefix("./"):
            return None
        rest = rest[1:]
    return (*options, *rest)


def has_argument(given: Sequence[str], wanted: str) -> bool:
    """Whether a word is among the arguments: as it is, with a value behind `=`, or as one of several letters."""
    return any(
        word == wanted or word.partition("=")[0] == wanted or (word.rstrip("/") or "/") == wanted for word in given
    ) or _has_letters(given, wanted)


def _has_letters(given: Sequence[str], wanted: str) -> bool:
    """Whether the letters of an option stand among those that are given: `-m` in `-am`, `-rf` in `-f -r`."""
    if not _is_letters(wanted):
        return False
    return set(wanted[1:]) <= {letter for word in given if _is_letters(word) for letter in word[1:]}


def _is_letters(word: str) -> bool:
    """Whether a word is one or more one-letter options."""
    return 1 < len(word) <= LETTERS + 1 and word[0] == "-" and word[1:].isalpha()


def named_paths(line: str) -> list[str]:
    """The words of a command line that can be paths, and the files that it reads from or writes to."""
    return [word for command in _commands(line) for word in (*command.arguments, *_files(command)) if " " not in word]


def changed_paths(line: str) -> list[str]:
    """The paths that a command line writes, moves or deletes, as far as its words say."""
    return [word for command in _commands(line) for word in paths_changed_by(command) if " " not in word]


def paths_changed_by(command: SimpleCommand) -> list[str]:
    """The paths that one command writes, moves or deletes, and other words that may stand for one."""
    found = [one.target for one in command.redirections if ">" in one.sign and not one.target.startswith("&")]
    if command.name in _COPYING:
        found += command.arguments[-1:]
    elif _changes(command):
        found += command.arguments
    return found


def _changes(command: SimpleCommand) -> bool:
    """Whether a command changes the files that it names."""
    if command.name in _IN_PLACE:
        return has_argument(command.arguments, "-i") or has_argument(command.arguments, "--in-place")
    told = next((word for word in command.arguments if not word.startswith("-")), "")
    return command.name in _CHANGING or (command.name == "git" and told in _GIT_CHANGING)


def _files(command: SimpleCommand) -> list[str]:
    """The files of a command's redirections."""
    return [one.target for one in command.redirections if "<<" not in one.sign and not one.target.startswith("&")]


def touches(folder: str, paths: Iterable[str]) -> bool:
    """Whether one of some paths is a folder or file, or lies in it."""
    return any(is_below(folder, path) for path in paths)


def is_below(folder: str, path: str) -> bool:
    """Whether a path is a folder or file, or lies in it, wherever the project is."""
    wanted = [part for part in folder.strip("/").split("/") if part not in ("", ".")]
    given = [part for part in path.split("/") if part not in ("", ".")]
    return any(given[at : at + len(wanted)] == wanted for at in range(len(given) - len(wanted) + 1))


def asks_for_help(arguments: Sequence[str]) -> bool:
    """Whether a command only asks what it could do."""
    return any(word in ("--help", "-h", "help", "--version") for word in arguments)


@lru_cache(maxsize=4096)
def _commands(line: str) -> tuple[SimpleCommand, ...]:
    return parse_commands(line[:LONGEST])
