"""What only the person decides: commands and files of Metier from which an agent's own calls are kept.

A speed bump, and no boundary: it sees what stands on a command line, not what a script does. The boundary is the
agent's sandbox.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.hooks.process import Payload
    from metier.text.shell.command import SimpleCommand

WORD = "metier"
"""The word that stands in every call that could be about it; the launcher always looks for it."""
DECIDING = (
    ("cases", "accept"),
    ("cases", "review"),
    ("config", "set"),
    ("config", "unset"),
    ("drafts", "apply"),
    ("drafts", "approve"),
    ("drafts", "review"),
    ("init",),
    ("lessons", "approve"),
    ("lessons", "edit"),
    ("lessons", "review"),
    ("pause",),
    ("restore",),
    ("skills", "rollback"),
    ("skills", "trust"),
    ("uninit",),
)
"""The commands by which a person decides."""
VALUED = ("-w", "--workspace", "--set")
"""Options before the command that take a value."""
ANSWERS = "questions"
"""The folder of a project's state into which agents do write: their answers to the questions of `metier learn`."""
SHOWN = 300
"""Characters of a command that are repeated."""


def words_to_find(state: str) -> tuple[str, ...]:
    """One of these words stands in every call that could be about Metier's commands or its state."""
    home = os.path.dirname(os.path.realpath(state))
    return (WORD,) if WORD in home else (WORD, os.path.basename(home))


def refusal_of(tops: Sequence[str], folder: str, payload: Payload) -> str:
    """Why an agent's call is stopped, in one line; empty: it is not. `tops`: the folders of state and of settings."""
    from metier.hooks.calls import asked_text, edited_paths, line_of

    said = asked_text(payload)
    if not any(word in said for top in tops for word in words_to_find(os.path.join(top, "x"))):
        return ""
    for path in edited_paths(payload):
        if _is_kept(tops, folder, path):
            return _kept_text(path)
    return next(_refused(tops, folder, line), "") if (line := line_of(payload)) else ""


def _refused(tops: Sequence[str], folder: str, line: str) -> Iterator[str]:
    """Why each command of a line that is stopped is stopped; `cd` changes what its paths mean."""
    from shlex import join

    from metier.text.shell.checks import LONGEST, paths_changed_by
    from metier.text.shell.parse import parse_commands

    for command in parse_commands(line[:LONGEST]):
        if _decides(command):
            said = " ".join(join((WORD, *command.arguments)).split())[:SHOWN]
            yield f"Not run: only the person decides this. They run it in their own terminal: {said}"
        for path in paths_changed_by(command):
            if _is_kept(tops, folder, path):
                yield _kept_text(path)
        if command.name in ("cd", "pushd") and command.arguments:
            folder = _place(folder, command.arguments[-1])


def _decides(command: SimpleCommand) -> bool:
    """Whether a command is one of the table; asking it for help is not, and neither is a dry run."""
    from metier.text.shell.checks import asks_for_help

    rest = command.arguments
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in VALUED else rest[1:]
    if command.name != WORD or asks_for_help(rest) or "--dry-run" in rest:
        return False
    return any(rest[: len(one)] == one for one in DECIDING)


def _is_kept(tops: Sequence[str], folder: str, path: str) -> bool:
    """Whether a path lies among Metier's own files; answers of agents lie in a folder of a project's state."""
    place = _place(folder, path) + os.sep
    within = [place[len(top) :] for one in tops if place.startswith(top := os.path.realpath(one) + os.sep)]
    return any(rest.split(os.sep)[1:2] != [ANSWERS] for rest in within)


def _place(folder: str, path: str) -> str:
    """Where a path of a command leads."""
    return os.path.realpath(os.path.join(folder, os.path.expanduser(os.path.expandvars(path))))


def _kept_text(path: str) -> str:
    return f"Not run: {path[:SHOWN]} is one of Metier's own files, which only the person changes."
