"""What the net keeps of a session: a remedy for an error, a command that works, something the person said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

How = Literal["instead", "before", "named", "together", "folder", "after", "none"]
"""How an error went away: another command, one run before it, one that the error names, one on the same line, from
another folder, something else that the program was told to do; or nobody saw how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A command that failed, and what made it work."""

    run: str
    session: str
    moment: str
    program: str
    """The head of the command that failed."""
    error: str
    """The line that says what went wrong."""
    failed: str
    fix: str = ""
    """The command that made it work; empty: nobody saw one."""
    how: How = "none"
    tries: int = 1
    """Calls until it worked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """A command of a session, how often it went well and how often not."""

    run: str
    session: str
    moment: str
    command: str
    ok: int = 0
    failed: int = 0
    whole: bool = True
    """It was run as it stands here; otherwise always with files or names that are left out."""
    slot: str = ""
    """What was left out each time: `PATH`, or nothing that has one name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A sentence of the person that may be meant for next time."""

    run: str
    session: str
    moment: str
    text: str
    cues: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    """What it is about: stems of its content words."""
    before: str = ""
    """The agent's act before it."""
    reply: str = ""
    """The agent's first answer to it."""


Sighting = Repair | Worked | Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch:
    """All that the net found in a session."""

    repairs: tuple[Repair, ...] = ()
    worked: tuple[Worked, ...] = ()
    said: tuple[Said, ...] = ()
    programs: tuple[str, ...] = ()
    """What was run, each program once."""

    def __iter__(self) -> Iterator[Sighting]:
        """Every sighting, whatever it is."""
        yield from (*self.repairs, *self.worked, *self.said)
