"""What a source of runs is: the seam between other people's files and ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from metier.types import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """A run found in a file, and where it begins there."""

    run: Run
    file: str
    offset: int
    """Byte at which the run's first line begins; the greatest of a file's offsets is where to continue later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Something that was not imported, and why."""

    file: str
    line: int
    """Counted from 1; 0 speaks of the whole file."""
    reason: str


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

    @property
    def files(self) -> tuple[str, ...]:
        """All files, in the order `parse` wants them."""
        return (self.main, *self.others)


class Source(Protocol):
    """One agent's way to keep its sessions."""

    @property
    def name(self) -> str:
        """The word used on the command line: `claude-code`."""
        ...

    @property
    def title(self) -> str:
        """The name people know: `Claude Code`."""
        ...

    @property
    def proven(self) -> bool:
        """Whether the parser was held to real files, not to documentation alone."""
        ...

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:
        """Glob patterns of the files this agent writes on a machine."""
        ...

    def claims(self, path: str, head: bytes) -> bool:
        """Whether a file with this name and this beginning (64 KiB are enough) is of this source."""
        ...

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:
        """Group files into sessions; `head` gives the first 64 KiB of a path."""
        ...

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """The runs of one session, main file first; from byte `start` of it when it has grown. Never raises."""
        ...
