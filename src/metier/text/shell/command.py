"""A simple command: one program with its arguments, as a shell would start it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Joint = Literal["", "|", "&&", "||", ";", "&"]
"""The sign between a command and the one before it; a new line counts as `;`, the first command has none."""
_PLAIN_NAME = re.compile(r"[\w./~+@%:,\\\[-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of a command line as the program gets it: quotes are off, known variables are filled in."""

    text: str
    quoted: bool = False
    """Some of it stood in quotes or behind a backslash."""
    dynamic: bool = False
    """Some of it is known only when it runs: `$NAME`, `$(…)`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirection:
    """Where a command reads from or writes to."""

    sign: str
    """`>`, `>>`, `<`, `2>`, `&>`, `<<`, `<<<` …"""
    target: str
    """A file, `&1`, the word of a here-document, or the text of a here-string."""
    body: str = ""
    """The text of a here-document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimpleCommand:
    """One program with its arguments; a command that another one starts (`sudo make`) is a command of its own."""

    program: str = ""
    """As written, without quotes; empty: the command only sets variables or redirects."""
    arguments: tuple[str, ...] = ()
    assignments: tuple[tuple[str, str], ...] = ()
    """Variables set before the program (`CI=1 make`), or by the line itself."""
    redirections: tuple[Redirection, ...] = ()
    joint: Joint = ""
    pipe: int = 0
    """Its place in a pipeline, 0 for the first."""
    depth: int = 0
    """How many substitutions, sub-shells and other commands it stands in."""
    inside: str = ""
    """What starts it, if not the line itself: `$()`, `()`, `sudo`, `xargs`, `bash -c`, `uv run` …"""
    unclear: str = ""
    """Why it is not certain what is run; empty: it is."""

    @property
    def name(self) -> str:
        """The program without its folder: `git` of `/usr/bin/git`."""
        return self.program.replace("\\", "/").rstrip("/").rpartition("/")[2].removesuffix(".exe")

    @property
    def words(self) -> tuple[str, ...]:
        """The program and its arguments."""
        return (self.program, *self.arguments) if self.program else ()


def is_plain_name(text: str) -> bool:
    """Whether a word can be the name of a program as it stands, with nothing to expand."""
    return _PLAIN_NAME.fullmatch(text) is not None


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as text."""
    return frozenset(text.split())
