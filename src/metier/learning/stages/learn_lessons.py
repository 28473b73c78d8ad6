"""The part of a pass that learns lessons: read new sessions with the net, add up, keep what is worth proposing."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from metier.events import Advanced, Began, Ended, Noted
from metier.learning.lessons.aggregate import in_order, lesson_id, lessons_from, merge
from metier.learning.lessons.checks import check_of
from metier.learning.lessons.problems import failing_tools, problem_of, problems_from
from metier.learning.lessons.session.net import mine_session
from metier.learning.lessons.vetting import citation_of, may_be_shown, without_contradictions, written_where
from metier.learning.stages.pages import cited_text, read_pages
from metier.store.tables import meta
from metier.store.tables.learning import lessons, members, patterns, sightings
from metier.store.tables.runs import runs

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from metier.context.context import Context
    from metier.events import Event
    from metier.types.lessons import Lesson, LessonCitation, Problem
    from metier.types.questions import Asker
    from metier.types.sightings import Catch, Said

TOGETHER = 400
"""Runs read and saved at a time, whole sessions."""
NAMED = 3
"""Lines of a model that were dropped and are named."""


def learn_lessons(
    ctx: Context, *, save: bool, asker: Asker | None = None
) -> Generator[Event, None, tuple[Lesson, ...]]:
    """Every lesson as it is now, in order; with `save`, kept. A model, if there is one, judges what the person said."""
    with ctx.store.read() as transaction:
        sessions = sightings.unread(transaction)
    total = sum(map(len, sessions))
    yield Began(stage="lessons", total=total)
    done = 0
    fresh: list[Catch] = []
    for batch in _batches(sessions):
        fresh += _read(ctx, batch, save=save)
        done += sum(map(len, batch))
        yield Advanced(stage="lessons", done=done, total=total)
    found = yield from _add_up(ctx, () if save else fresh, asker, save=save)
    for gone in _gone_facts(ctx, found) if save else ():
        yield Noted(stage="facts", text=f"Paused: {gone.text} {gone.note}. Decide: metier lessons show {gone.id[:8]}")
        found = [gone if one.id == gone.id else one for one in found]
    waiting = sum(one.is_open for one in found)
    yield Ended(stage="lessons", text=f"{waiting} lessons wait for a decision")
    return tuple(found)


def _gone_facts(ctx: Context, found: Sequence[Lesson]) -> list[Lesson]:
    """Lessons in use whose page no longer says what they rest on, paused."""
    if not any(one.status == "approved" for one in found):
        return []
    from metier.library.lessons import pause_gone_facts

    return list(pause_gone_facts(ctx))


def _batches(sessions: Sequence[list[str]]) -> Iterator[list[list[str]]]:
    batch: list[list[str]] = []
    for one in sessions:
        batch.append(one)
        if sum(map(len, batch)) >= TOGETHER:
            yield batch
            batch = []
    if batch:
        yield batch


def _read(ctx: Context, batch: Sequence[list[str]], *, save: bool) -> list[Catch]:
    """What some sessions show."""
    with ctx.store.read() as transaction:
        records = {one.id: one for one in runs.get_many(transaction, [run for session in batch for run in session])}
    kept = [[records[run] for run in session if run in records] for session in batch]
    found = [(session, mine_session(session)) for session in kept if session]
    if save:
        with ctx.store.write() as transaction:
            for session, catch in found:
                sightings.put(transaction, [one.id for one in session], session[0].sequence, catch)
    return [catch for _, catch in found]


def _add_up(
    ctx: Context, fresh: Sequence[Catch], asker: Asker | None, *, save: bool
) -> Generator[Event, None, list[Lesson]]:
    """The lessons from all that was kept and what is fresh; as they were where nothing has changed."""
    who = asker.name if asker else ""
    with ctx.store.read() as transaction:
        stored, basis = lessons.list_all(transaction), f"{sightings.fingerprint(transaction)} {who}".strip()
        if not fresh and meta.get(transaction, f"{meta.ADDED_UP}:{ctx.name}") == basis:
            return in_order(stored)
        caught = [*sightings.list_all(transaction), *fresh]
    new = lessons_from(chain.from_iterable(caught), ctx.name)
    left_out: list[str] = []
    pages = read_pages(ctx.root, left_out)
    for line in left_out:
        yield Noted(stage="pages", text=line)
    if asker is not None:
        said = list(chain.from_iterable(catch.said for catch in caught))
        new = yield from _judged(ctx, asker, new, said, pages, stored)
    programs = frozenset(chain.from_iterable(catch.programs for catch in caught))
    found = _kept(ctx, new, stored, pages, programs)
    if save:
        with ctx.store.write() as transaction:
            lessons.replace_proposals(transaction, found)
            meta.put(transaction, f"{meta.ADDED_UP}:{ctx.name}", basis)
        if any(one.status == "approved" for one in found):  # hooks tell nothing else
            from metier.library.delivery.notes_file import refresh_notes

            refresh_notes(ctx)
    return in_order(found)


def _kept(
    ctx: Context,
    new: Sequence[Lesson],
    stored: Sequence[Lesson],
    pages: Mapping[str, str],
    programs: frozenset[str],
) -> list[Lesson]:
    """The lessons that may be shown, beside those that a person has decided on, each with its check."""
    fit = [one for one in new if may_be_shown(one)]
    shown = [
        replace(one, already_written=written_where(one, pages) or one.already_written, cites=_citation(ctx, one))
        for one in fit
    ]
    named = [replace(one, workspace=ctx.name, id=lesson_id(ctx.name, one)) for one in shown]
    return without_contradictions([with_check(one, programs) for one in merge(stored, named, ctx.now())])


def _citation(ctx: Context, lesson: Lesson) -> LessonCitation | None:
    """What of the project's files a fact rests on."""
    if lesson.kind != "fact":
        return None
    return citation_of(lesson.text, lambda file: cited_text(ctx.root, file))


def _judged(
    ctx: Context,
    asker: Asker,
    new: Sequence[Lesson],
    said: Sequence[Said],
    pages: Mapping[str, str],
    stored: Sequence[Lesson],
) -> Generator[Event, None, list[Lesson]]:
    """The lessons with the model's rules in the place of quotes; the quotes stay where nobody answered."""
    from metier.context.models.estimate import cost_words
    from metier.learning.lessons.judging.by_model import judge_rules, questions_for

    rejected = [one.text for one in stored if one.status == "rejected"]
    questions = questions_for(said, pages, rejected)
    if not questions:
        return list(new)
    asked = f"{cost_words(ctx, asker.name, questions)}; what was answered before costs nothing"
    yield Noted(stage="learn", text=f"Asking {asker.name} which of {len(said)} sentences are rules: {asked}.")
    judged = judge_rules(asker, said, pages, rejected)
    for reason in judged.dropped[:NAMED]:
        yield Noted(stage="lessons", text=f"Dropped a line of the model: {reason}")
    if judged.outage:
        yield Noted(stage="learn", text=f"No rules by the model, your own quotes instead: {judged.outage}")
        return list(new)
    others = [one for one in new if one.kind != "rule"]
    return sorted([*others, *judged.lessons], key=lambda one: (-one.strength, one.kind, one.text))


def with_check(lesson: Lesson, programs: frozenset[str]) -> Lesson:
    """The lesson with its check; one that a person has agreed to a step for keeps it as they saw it."""
    if lesson.status == "approved" and lesson.check is not None and lesson.check.step != "observe":
        return lesson
    found = check_of(lesson, programs)
    if found is None:
        return replace(lesson, check=None)
    return replace(lesson, check=replace(found, step=lesson.check.step if lesson.check else found.step))


LOOKED_AT = 500
"""Runs whose tools are looked at, the newest."""
NEWEST = 50
"""Failed runs of a pattern that are looked at, the newest."""


def find_problems(ctx: Context) -> list[Problem]:
    """Work that keeps failing, what fails in most sessions first."""
    needed = ctx.config.learning.min_success_ratio
    found: list[Problem] = []
    with ctx.store.read() as transaction:
        for pattern in patterns.list_all(transaction):
            if pattern.failures and pattern.success_ratio < needed and pattern.status != "retired":
                failed = members.newest(transaction, pattern.id, success=False, limit=NEWEST)
                problem = problem_of(pattern, runs.get_many(transaction, failed))
                found += [problem] if problem else []
        repairs = sightings.list_repairs(transaction)
        newest = runs.page(transaction, limit=LOOKED_AT)
    found += [*problems_from(repairs), *failing_tools(newest[::-1])]
    return sorted(found, key=lambda one: (-one.sessions, one.label))


def external_ids(ctx: Context, found: Sequence[Problem]) -> dict[str, list[str]]:
    """The ids that the agents gave to the failed runs, by problem."""
    with ctx.store.read() as transaction:
        every = {one.id: one for one in runs.get_many(transaction, [run for each in found for run in each.failed])}
    return {one.id: [every[run].run.external_id or run for run in one.failed if run in every] for one in found}
