"""What a source is: it reads the session files of one agent and yields runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from metier.types import Run


HEADLESS = "record_headless"
"""The setting without which sessions that a program started are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """A run that was found in a file, and the byte where it begins."""

    run: Run
    file: str
    offset: int
    """The byte where the run's first line begins; the next import continues at the largest offset of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Something that was not imported, and why."""

    file: str
    line: int
    """The line number, from 1; 0 means the whole file."""
    reason: str
    setting: str = ""
    """The setting that left it out and that a person can change; empty: none did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewound:
    """The file cannot be continued from the given offset: read it again from its beginning."""

    file: str
    reason: str


Found = Captured | Skipped | Rewound


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The files of one session: the main one first, then those of its sub-agents."""

    main: str
    others: tuple[str, ...] = ()
    origin: tuple[str, ...] = ()
    """The folders in one of which its files lie after links are resolved; none given: the main file's own folder."""

    @property
    def files(self) -> tuple[str, ...]:
        """All files, in the order that `parse` expects."""
        return (self.main, *self.others)


class Source(Protocol):
    """Reads the session files of one agent; a class with these properties and methods is enough."""

    @property
    def name(self) -> str:
        """The name on the command line, such as `claude-code`."""
        ...

    @property
    def title(self) -> str:
        """The name in messages to people, such as `Claude Code`."""
        ...

    @property
    def proven(self) -> bool:
        """Whether the parser was tested with real files; False if it was written from documentation only."""
        ...

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:
        """Glob patterns for the files that this agent writes; `metier import` searches them."""
        ...

    def claims(self, path: str, head: bytes) -> bool:
        """Whether this source can read a file, by its path and its first 64 KiB."""
        ...

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:
        """Group files into sessions; `head` returns the first 64 KiB of a file."""
        ...

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """Yield the runs of one session and what was skipped; never raise.

        The first of `files` is the main file. It is read from byte `start` on, which is not 0 if the file grew.
        """
        ...
