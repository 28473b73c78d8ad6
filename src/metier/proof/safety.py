"""Only toward safety: what stops working is paused and a person is asked; nothing ships and nothing is approved here.

Three signs, each from runs since the person's last word: agents act against a lesson they were told and nobody objects;
calls violate a lesson more often than before; runs with a skill fail more often than before. A new model or a changed
project can be behind it. Facts whose citation is gone are paused when lessons are learned.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from metier.learning.stages.count_checks import count_check
from metier.library.changes import archive_skill
from metier.library.lessons import list_lessons, pause_lesson
from metier.library.listing import list_skills
from metier.proof.came_back import came_back
from metier.statistics.clustered import rate_change
from metier.store.tables import meta
from metier.store.tables.learning import told
from metier.store.tables.runs import runs
from metier.store.tables.selection import outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from metier.context.context import Context
    from metier.library.listing import Skill
    from metier.library.skills import Library
    from metier.statistics.clustered import Cluster, RateChange
    from metier.types.lessons import Lesson
    from metier.types.selections import GivenRun

LATELY = 14
"""Days that are held against the time before them."""
OVERRIDES = 3
"""Sessions in which a told lesson was passed over, from which on a person is asked."""
LEAST = 10
"""Calls, or runs, on either side."""
LOOKED = "proof.looked"
"""The fact that holds the day on which many runs were last read for this, one for each workspace."""
SURE = 0.99
"""Level of the interval: it is looked at every day, so it has to be surer than a single look."""


def pause_unsafe(library: Library) -> tuple[str, ...]:
    """Pause what the runs speak against; what was paused and why, with the undo.

    Overrides are looked for at every pass; what takes reading many runs, once a day.
    """
    ctx = library.ctx
    said = list(_pause_lessons(ctx, overridden))
    if not is_looked_at(ctx):
        said += [*_pause_lessons(ctx, less_obeyed), *_pause_skills(library)]
        with ctx.store.write() as transaction:
            meta.put(transaction, f"{LOOKED}:{ctx.name}", ctx.now()[:10])
    return tuple(said)


def is_looked_at(ctx: Context) -> bool:
    """Whether what is looked at once a day was looked at today."""
    with ctx.store.read() as transaction:
        return meta.get(transaction, f"{LOOKED}:{ctx.name}") == ctx.now()[:10]


def _pause_lessons(ctx: Context, sign: Callable[[Context, Lesson], str]) -> Iterator[str]:
    for lesson in list_lessons(ctx):
        if lesson.status == "approved" and lesson.check is not None and (why := sign(ctx, lesson)):
            pause_lesson(ctx, lesson.id, why)
            short = lesson.id[:8]
            yield f"Paused lesson {short} (“{lesson.text[:60]}”): {why}. Use it again: metier lessons approve {short}"


def overridden(ctx: Context, lesson: Lesson) -> str:
    """Why a lesson is passed over again and again; empty: it is not."""
    since = max(lesson.updated, lesson.approved)
    with ctx.store.read() as transaction:
        given = {one.session for one in told.since(transaction, since) if one.lesson == lesson.id}
    if len(given) < OVERRIDES:
        return ""
    counted = count_check(ctx, replace(lesson, approved=since), since=since)
    returns = came_back(ctx, lesson) if lesson.kind == "rule" else None
    objected = {one.session for one in returns.again} if returns else set[str]()
    passed = set(counted.against if counted else ()) & given - objected
    if len(passed) < OVERRIDES:
        return ""
    return f"agents were told it and acted against it in {len(passed)} sessions, and nobody objected"


def less_obeyed(ctx: Context, lesson: Lesson) -> str:
    """Why a lesson is obeyed less than before; empty: it is not, as far as the calls can tell."""
    since, border = max(lesson.updated, lesson.approved), _days_ago(ctx, LATELY)
    counted = count_check(ctx, replace(lesson, in_force=((border, ""),)), since=since) if since < border else None
    if counted is None or min(counted.before.applies, counted.after.applies) < LEAST:
        return ""
    found = rate_change(counted.sessions_before, counted.sessions_after, SURE)
    return f"it is violated more often than before ({_words(found)})" if found.interval.low > 0 else ""


def _pause_skills(library: Library) -> Iterator[str]:
    with library.ctx.store.read() as transaction:
        often = {name for name, sums in outcomes.tallies(transaction).items() if sums["selected"] >= 2 * LEAST}
    for skill in list_skills(library) if often else ():
        if skill.shadowed_by or (skill.name, skill.hash) not in often or skill.status not in ("active", "provisional"):
            continue
        why = failing_more(library, skill)
        if why and skill.origin == "manual":
            yield f"{skill.name}: {why}. It is yours, so it stays in use. Look at it: metier skills why {skill.name}"
        elif why:
            archive_skill(library, skill.name, f"paused: {why}")
            yield f"Paused {skill.name}: {why}. Undo: metier skills restore {skill.name}"


def failing_more(library: Library, skill: Skill) -> str:
    """Why runs with a skill go worse than before; empty: they do not, as far as they can tell."""
    last = library.find(skill.name).last()
    began = last.created if last is not None else ""
    with library.ctx.store.read() as transaction:
        since = [one for one in outcomes.given_runs(transaction, skill.name, skill.hash) if one.created > began]
        models = {one.id: one.run.model for one in runs.get_many(transaction, [one.run for one in since])}
    newest = models.get(since[-1].run, "") if since else ""
    by_model = [one for one in since if models.get(one.run) == newest]
    if newest and LEAST <= len(by_model) <= len(since) - LEAST:
        others = [one for one in since if models.get(one.run) != newest]
        return _why_worse(others, by_model, f"since {newest}")
    return _why_worse_lately(since, _days_ago(library.ctx, LATELY))


def _why_worse_lately(given: Sequence[GivenRun], border: str) -> str:
    before, after = [one for one in given if one.created < border], [one for one in given if one.created >= border]
    return "" if min(len(before), len(after)) < LEAST else _why_worse(before, after, "than before")


def _why_worse(before: Sequence[GivenRun], after: Sequence[GivenRun], than: str) -> str:
    found = _failures(before, after)
    return f"runs with it fail more often {than} ({_words(found)})" if found.interval.low > 0 else ""


def _failures(before: Sequence[GivenRun], after: Sequence[GivenRun]) -> RateChange:
    return rate_change(_by_session(before), _by_session(after), SURE)


def _by_session(given: Iterable[GivenRun]) -> list[Cluster]:
    """Failures and runs of each session."""
    every = list(given)
    count = Counter(one.session or one.run for one in every)
    failed = Counter(one.session or one.run for one in every if not one.went)
    return [(failed[name], total) for name, total in count.items()]


def _words(found: RateChange) -> str:
    return f"{found.before:.0%} then, {found.after:.0%} now; before and after, not causal"


def _days_ago(ctx: Context, days: int) -> str:
    moment = datetime.fromisoformat(ctx.now()) - timedelta(days=days)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
