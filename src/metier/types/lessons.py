"""Lessons: one line each that is worth knowing next time, with the words it rests on; and problems that stay open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from metier.types.runs import Origin  # noqa: TC001 - the store reads by these types

LessonKind = Literal["rule", "fix", "fact"]
LessonStatus = Literal["proposed", "approved", "paused", "rejected", "forgotten"]
LessonScope = Literal["person", "project", "team"]
CheckStep = Literal["observe", "remind", "deny"]
ToldHow = Literal["start", "prompt", "remind", "deny", "fix"]
"""When an agent was told a lesson: at a session's start, with a request, for a call, in its place, after an error."""
EpisodeOutcome = Literal["good", "corrected", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words of a run that a lesson rests on, as they stand there."""

    run: str
    text: str
    origin: Origin
    session: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonCheck:
    """A lesson as a test on calls: a command that must not be run so, or a path that must not be touched."""

    program: tuple[str, ...] = ()
    """The program and its subcommand; empty: it is about a path."""
    wrong: tuple[str, ...] = ()
    """Arguments that must not be there; with neither these nor `needs`, the command itself must not be run."""
    needs: tuple[str, ...] = ()
    """Arguments of which one has to be there."""
    path: str = ""
    reading: bool = True
    """Whether a path must not even be looked at; otherwise it must not be changed."""
    instead: str = ""
    """What to run in its place."""
    step: CheckStep = "observe"
    """How far it goes: it counts, it reminds, or it denies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonCitation:
    """A file of the project that a fact rests on, and the text in it that has to be there; empty: the file alone."""

    file: str
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One line worth knowing next time, with its evidence."""

    id: str
    workspace: str
    kind: LessonKind
    text: str
    subject: str
    """What it is about, in a form that two wordings of it share."""
    scope: LessonScope = "project"
    trigger: str = ""
    """A text that calls for it when it appears: a part of an error, a program, a word of a request."""
    status: LessonStatus = "proposed"
    strength: float = 0.0
    """From 0 to 1: how much speaks for it, for ranking."""
    sessions: int = 0
    """Different sessions that show it; copies of a message count once."""
    quotes: tuple[Quote, ...] = ()
    check: LessonCheck | None = None
    """What calls can be held to; None: it cannot be checked."""
    cites: LessonCitation | None = None
    """What of the project it rests on, looked at again whenever it is told; None: its runs alone."""
    expires: str = ""
    """When it has to be seen again; empty: never."""
    already_written: str = ""
    """Where the project says it already, as `file:line`; empty: nowhere."""
    by: str = "heuristic"
    """What found it: `heuristic`, `model:NAME`, or `person`."""
    note: str = ""
    """Why it was rejected or changed, as the person said."""
    created: str = ""
    updated: str = ""
    approved: str = ""
    """When a person said yes; empty: nobody has."""
    in_force: tuple[tuple[str, str], ...] = ()
    """From when to when it was in use; while it is, the last period has no end."""
    decided_by: str = ""
    seal: str = ""
    """The seal of the person who said yes, under exactly what they saw."""
    published: str = ""
    """The project's page in which it stands, in Metier's block; empty: agents are told it."""

    @property
    def periods(self) -> tuple[tuple[str, str], ...]:
        """From when to when it was in use; where nobody wrote that down, since the yes."""
        return self.in_force or (((self.approved, ""),) if self.approved else ())

    @property
    def is_open(self) -> bool:
        """Whether it waits for a person's decision."""
        return self.status == "proposed" and not self.already_written

    @property
    def is_quote(self) -> bool:
        """Whether it is a person's own words, unchanged."""
        return self.kind == "rule" and self.by == "heuristic"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldLesson:
    """A lesson that an agent was told."""

    lesson: str
    session: str
    request: str
    """The request it was told for, as selections name it; empty: the whole session."""
    how: ToldHow
    created: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A task of a session with the replies and corrections that belong to it."""

    session: str
    runs: tuple[str, ...]
    """The task's run first."""
    outcome: EpisodeOutcome = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Work that keeps failing: nothing to teach yet, something to look at."""

    id: str
    label: str
    failed: tuple[str, ...]
    """Runs that failed, oldest first."""
    sessions: int
    error: str = ""
    """The commonest error."""
    rule: str = ""
    """What was broken in them, as far as anybody said: a reason that agents gave in runs that went well."""
