"""One look at a workspace: what is broken, and what waits for the person, each with the command that answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metier.hooks import spool
from metier.library.delivery.ways import ways_of
from metier.library.lessons import list_lessons
from metier.library.listing import list_skills
from metier.library.proposals.drafts import list_drafts
from metier.maintenance.doctor import check_spool, hurting_skills
from metier.runs.ingest import waiting_files
from metier.store.tables.runs import transcripts
from metier.text.counts import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.library.listing import Skill
    from metier.library.skills import Library
    from metier.types.lessons import Lesson


NAMED = 5
"""Skills that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusItem:
    """Something that is broken or waits."""

    group: Literal["broken", "waits"]
    what: str
    text: str
    command: str
    """What to do about it."""
    count: int = 1


def status_of(library: Library) -> tuple[StatusItem, ...]:
    """What is broken, then what waits. Reads only."""
    skills, lessons = list_skills(library), list_lessons(library.ctx)
    return (*_broken(library, skills, lessons), *_waiting(library, skills, lessons))


def _broken(library: Library, skills: Sequence[Skill], lessons: Sequence[Lesson]) -> Iterator[StatusItem]:
    ctx = library.ctx
    if ctx.lost:
        yield StatusItem(group="broken", what="store", text=ctx.loss_text, command="metier restore FILE")
    for check in (*check_spool(ctx.state), *hurting_skills(library)):
        if check.state != "ok":
            yield StatusItem(group="broken", what=check.name, text=check.text, command=check.fix)
    for skill in skills:
        if skill.problem:
            command = f"metier skills validate {skill.folder}"
            yield StatusItem(group="broken", what="skill", text=f"{skill.name}: {skill.problem}", command=command)
    ways = ways_of(ctx, lessons)
    for lesson in lessons:
        if (way := ways.get(lesson.id)) and not way.reaches:
            command = f"metier lessons show {lesson.id[:8]}"
            yield StatusItem(group="broken", what="rule", text=f"{lesson.text}: {way.text}", command=command)


def _waiting(library: Library, skills: Sequence[Skill], lessons: Sequence[Lesson]) -> Iterator[StatusItem]:
    ctx = library.ctx
    with ctx.store.read() as transaction:
        sessions = len(transcripts.waiting(transaction)) + len(waiting_files(ctx.state / spool.SPOOL))
    waiting = [one.name for one in skills if one.waits]
    names = ", ".join(waiting[:NAMED]) + " …" * (len(waiting) > NAMED)
    named = f"wait{'s' * (len(waiting) == 1)} for your yes: {names}"
    counts = (
        ("skill", len(waiting), named, "metier skills trust"),
        ("draft", len(list_drafts(library)), "to review", "metier drafts review"),
        ("lesson", sum(one.is_open for one in lessons), "to review", "metier lessons review"),
        ("session", sessions, "to take in", "metier learn"),
    )
    for what, count, rest, command in counts:
        if count:
            text = f"{plural(count, what)} {rest}"
            yield StatusItem(group="waits", what=what, text=text, command=command, count=count)
