"""A look at the sessions that a machine already has: read-only, without a workspace, within 25 seconds."""

from __future__ import annotations

import os
import secrets
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.capture.find_sessions import find_local_sessions, open_session
from metier.capture.source import Captured, Skipped
from metier.errors import UnreadableError
from metier.events import Advanced, Began, Ended, Noted
from metier.learning.lessons.aggregate import lessons_from
from metier.learning.lessons.checks import check_of
from metier.learning.lessons.remedies import by_trouble
from metier.learning.lessons.session.net import mine_session
from metier.learning.lessons.tally import Tally, tally
from metier.learning.lessons.vetting import may_be_shown, written_where
from metier.learning.lessons.wording import error_wording
from metier.learning.stages.installed_skills import installed_skills
from metier.learning.stages.pages import read_pages
from metier.redaction import Redactor
from metier.runs.derive import record_of
from metier.types.lessons import Lesson

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from pathlib import Path

    from metier.capture.source import Session, Source
    from metier.events import Event
    from metier.learning.stages.installed_skills import InstalledSkill
    from metier.types import Record
    from metier.types.sightings import Catch

SECONDS = 25.0
"""How long sessions are read; what is not read by then is left out, the oldest first."""
ERRORS = 5
"""Errors that are shown."""
COSTLY = 2
"""Sessions, or tries, from which on an error is worth showing."""
LINE = 400
"""Characters of a line of a project's page that is looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostlyError:
    """An error that was tried again and again."""

    program: str
    error: str
    sessions: int
    tries: int
    fix: str = ""
    """The lesson's line, where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViolatedLine:
    """A line of the project's own pages that agents did not follow."""

    where: str
    text: str
    tally: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """What the sessions of a machine show."""

    sessions: int = 0
    runs: int = 0
    left_out: int = 0
    """Sessions for which there was no time."""
    corrections: tuple[Lesson, ...] = ()
    errors: tuple[CostlyError, ...] = ()
    violated: tuple[ViolatedLine, ...] = ()
    proposals: tuple[Lesson, ...] = ()
    skills: tuple[InstalledSkill, ...] = ()
    """What an agent finds here already."""


def check_up(
    root: Path, environ: Mapping[str, str], *, everywhere: bool, clock: Callable[[], float] = time.monotonic
) -> Generator[Event, None, Checkup]:
    """Look at the newest sessions in a folder, or everywhere; nothing is written."""
    found = [
        (one.source, session)
        for one in find_local_sessions(root, environ, everywhere=everywhere)
        for session in one.sessions
    ]
    found.sort(key=lambda pair: _changed(pair[1]), reverse=True)
    yield Began(stage="checkup", total=len(found))
    began, number = clock(), 0
    records: list[list[Record]] = []
    left_out: list[str] = []
    for source, session in found:
        if clock() - began > SECONDS:
            break
        number += 1
        if runs := list(_records(source, session, left_out)):
            records.append(runs)
        yield Advanced(stage="checkup", done=number, total=len(found))
    yield Ended(stage="checkup", text=f"{len(records)} sessions")
    records.reverse()
    pages = read_pages(root, left_out)
    for line in left_out:
        yield Noted(stage="checkup", text=line)
    skills = tuple(installed_skills(root, environ, lambda: clock() - began <= SECONDS))
    return replace(_summed_up(records, pages), left_out=len(found) - number, skills=skills)


def _records(source: Source, session: Session, left_out: list[str]) -> Iterator[Record]:
    skipped: list[Skipped] = []
    try:
        with open_session(session, skipped) as files:
            for one in source.parse(files):
                if isinstance(one, Captured):
                    yield record_of(one.run, "", one.run.started or "")
    except UnreadableError as error:
        left_out.append(f"Left out {error.path}: {error.reason}.")
    left_out += [f"Left out {one.file}: {one.reason}." for one in skipped]


def _changed(session: Session) -> float:
    try:
        return os.path.getmtime(session.main)  # noqa: PTH204
    except OSError:
        return 0.0


def _summed_up(records: list[list[Record]], pages: Mapping[str, str]) -> Checkup:
    caught = [mine_session(session) for session in records]
    redact = Redactor(secrets.token_bytes(32)).redact
    lessons = [_redacted(one, redact) for one in lessons_from((one for catch in caught for one in catch), "")]
    shown = [one for one in lessons if may_be_shown(one) and not written_where(one, pages)]
    return Checkup(
        sessions=len(records),
        runs=sum(map(len, records)),
        corrections=tuple(one for one in shown if one.kind == "rule"),
        errors=tuple(_errors(caught, shown, redact)),
        violated=tuple(_violated(records, pages, caught)),
        proposals=tuple(shown[:ERRORS]),
    )


def _redacted(lesson: Lesson, redact: Callable[[str], str]) -> Lesson:
    quotes = tuple(replace(one, text=redact(one.text)) for one in lesson.quotes)
    return replace(lesson, text=redact(lesson.text), trigger=redact(lesson.trigger), quotes=quotes)


def _errors(caught: list[Catch], shown: list[Lesson], redact: Callable[[str], str]) -> Iterator[CostlyError]:
    """The errors that cost most tries, with what fixed them."""
    groups = by_trouble(one for catch in caught for one in catch.repairs)
    costs = sorted(groups, key=lambda group: (-sum(one.tries for one in group), group[0].error))
    fixes = {one.subject: one.text for one in shown if one.kind == "fix"}
    for group in costs[:ERRORS]:
        sessions = len({one.session for one in group})
        tries = sum(one.tries for one in group)
        if max(sessions, tries) >= COSTLY:
            wording = redact(error_wording([one.error for one in group], sessions))
            fix = next((text for text in fixes.values() if wording and wording in text), "")
            yield CostlyError(program=group[-1].program, error=wording, sessions=sessions, tries=tries, fix=fix)


def _violated(records: list[list[Record]], pages: Mapping[str, str], caught: list[Catch]) -> Iterator[ViolatedLine]:
    """The lines of the project's pages that can be checked and were violated."""
    programs = frozenset(program for catch in caught for program in catch.programs)
    for page, text in pages.items():
        for number, line in enumerate(text.splitlines(), start=1):
            said = line.strip(" -*#>")[:LINE]
            check = check_of(_as_rule(said), programs) if said else None
            if check is not None:
                counted = tally(check, (record for session in records for record in session))
                if counted.before.violated:
                    yield ViolatedLine(where=f"{page}:{number}", text=said, tally=counted)


def _as_rule(text: str) -> Lesson:
    return Lesson(id="", workspace="", kind="rule", text=text, subject="")
