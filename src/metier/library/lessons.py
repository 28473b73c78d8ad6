"""A person's decision on lessons: approve, reject, edit, forget; each is reviewed, audited and can be undone."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.context.audit import YesWords, current_user, note_action, note_yes
from metier.errors import ConflictError, InputError, NotFoundError, RefusedError
from metier.formats.strict_json import clean
from metier.library.delivery.notes_file import in_use, lesson_seal, refresh_notes, restore_person_note
from metier.library.delivery.published import planned_page, write_page
from metier.library.delivery.ways import gone_words, still_cited
from metier.library.delivery.wording import how_to_check
from metier.store.tables.learning import lessons
from metier.text.shell.contradictions import forbidding_rule
from metier.types.lessons import Lesson

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.context.context import Context
    from metier.types.lessons import CheckStep, LessonCheck, LessonScope, LessonStatus

LONGEST = 400
"""Characters of a lesson's line."""
EDIT = "edit lesson"
"""What the audit log calls new words; behind it stands how far the check goes from then on."""
HIDDEN: tuple[LessonStatus, ...] = ("rejected", "forgotten")


def list_lessons(ctx: Context, *, every: bool = False) -> list[Lesson]:
    """What waits for a decision first, the strongest first, then what was approved; with `every` also the others."""
    with ctx.store.read() as transaction:
        found = lessons.list_all(transaction)
    shown = [one for one in found if every or one.status not in HIDDEN]
    return sorted(shown, key=lambda one: (not one.is_open, one.status != "approved", -one.strength, one.kind, one.text))


def get_lesson(ctx: Context, lesson: str) -> Lesson:
    """A lesson by its id, or the unique start of it."""
    with ctx.store.read() as transaction:
        found = lessons.starting_with(transaction, lesson) if lesson else []
    if not found:
        raise NotFoundError(f"There is no lesson '{lesson}' here. See all: metier lessons list --all")
    if len(found) > 1:
        raise NotFoundError(f"{len(found)} lessons start with '{lesson}'. Give more of the id.")
    return found[0]


def approve_lesson(
    ctx: Context, lesson: str, reason: str = "", step: CheckStep | None = None, scope: LessonScope | None = None
) -> Lesson:
    """Say yes to a lesson exactly as it stands; what review stops cannot be. `step`: how far its check goes.

    `scope`: where it holds; without one it is this project, unless it was approved for more before.
    """
    found = get_lesson(ctx, lesson)
    holds, check = _scope_of(found, scope), _check_of(ctx, found, step)
    if scope == "person":
        restore_person_note(ctx, found.id)
    same = (found.status, found.check, found.scope, found.seal) == ("approved", check, holds, lesson_seal(ctx, found))
    if same and still_cited(ctx, found):
        refresh_notes(ctx)
        return found
    _refuse_unsafe(found.text, check)
    in_use_now = [one for one in list_lessons(ctx, every=True) if one.status == "approved"]
    if rule := forbidding_rule(in_use_now, found):
        raise RefusedError(
            f"Your rule {rule.id[:8]} forbids what lesson {found.id[:8]} says to run: {rule.text}"
            f" Take the rule out of use first: metier lessons forget {rule.id[:8]}"
        )
    now = replace(found, status="approved", already_written="", check=check, approved=found.approved or ctx.now())
    now = replace(now, cites=now.cites if still_cited(ctx, now) else None, scope=holds)
    done = _decide(ctx, found, now, f"approve lesson ({check.step})" if check else "approve lesson", reason)
    _withdraw_forbidden(ctx, done)
    return done


def _withdraw_forbidden(ctx: Context, rule: Lesson) -> None:
    """Propose no longer what a rule forbids, and stop telling it; what was in use waits for the person's decision."""
    every = list_lessons(ctx, every=True)
    against = [one for one in every if forbidding_rule([rule], one) and one.status in ("proposed", "approved")]
    if any(one.status == "proposed" for one in against):
        with ctx.store.write() as transaction:
            lessons.replace_proposals(transaction, [one for one in every if one not in against])
    for one in against:
        if one.status == "approved":
            pause_lesson(ctx, one.id, f"your rule forbids it: {rule.text}")


def _scope_of(lesson: Lesson, scope: LessonScope | None) -> LessonScope:
    """Where a lesson is to hold; a fact holds in its project alone."""
    holds = scope or (lesson.scope if lesson.approved and lesson.status == "approved" else "project")
    if holds == "person" and lesson.kind == "fact":
        raise RefusedError(f"Lesson {lesson.id} is a fact about this project, so it cannot hold in all your projects.")
    return holds


def _check_of(ctx: Context, lesson: Lesson, step: CheckStep | None) -> LessonCheck | None:
    """The check of a lesson, which goes as far as is wanted; unsaid, as far as this person agreed to before."""
    if step is None:
        return replace(lesson.check, step="observe") if lesson.check and not in_use(ctx, [lesson]) else lesson.check
    if lesson.check is None:
        raise RefusedError(f"Calls cannot be held to lesson {lesson.id[:8]}. {how_to_check(lesson)}")
    return replace(lesson.check, step=step)


def reject_lesson(ctx: Context, lesson: str, reason: str = "") -> Lesson:
    """Say no to a lesson; it is kept, and neither it nor another one on its subject is proposed again."""
    found = get_lesson(ctx, lesson)
    return _decide(ctx, found, replace(found, status="rejected"), "reject lesson", reason)


def reject_lessons(ctx: Context, wanted: Sequence[str], reason: str = "") -> list[Lesson]:
    """Say no to many proposals in one step; returns them as they were before. What was decided already stays."""
    known = {one.id: one for one in list_lessons(ctx) if one.is_open}
    found = [known[one] for one in dict.fromkeys(wanted) if one in known]
    _decide_all(ctx, [(one, replace(one, status="rejected")) for one in found], "reject lesson", reason)
    return found


def restore_lessons(ctx: Context, before: Sequence[Lesson]) -> None:
    """Take a decision on many proposals back in one step."""
    now = {one.id: one for one in list_lessons(ctx, every=True)}
    changed = [(now[one.id], one) for one in before if one.id in now and now[one.id].status != one.status]
    _decide_all(ctx, changed, "take back decision on lesson", "")


def forget_lesson(ctx: Context, lesson: str, reason: str = "") -> Lesson:
    """Take an approved lesson out of use."""
    found = get_lesson(ctx, lesson)
    return _decide(ctx, found, replace(found, status="forgotten"), "forget lesson", reason)


def pause_lesson(ctx: Context, lesson: str, reason: str = "") -> Lesson:
    """Stop using an approved lesson until the person has thought about it."""
    found = get_lesson(ctx, lesson)
    if found.status not in ("approved", "paused"):
        raise RefusedError(f"Lesson {found.id} is not in use: it is {found.status}.")
    return _decide(ctx, found, replace(found, status="paused"), "pause lesson", reason)


def reopen_lesson(ctx: Context, lesson: str) -> Lesson:
    """Put a decided lesson back to review: it waits for a decision again, and agents are not told it meanwhile."""
    found = get_lesson(ctx, lesson)
    if found.status == "proposed":
        raise ConflictError(f"Lesson {found.id} waits for a decision already. Nothing was changed.")
    now = replace(found, status="proposed", approved="", already_written="")
    return _decide(ctx, found, now, "put lesson back to review", "")


def restore_lesson(ctx: Context, before: Lesson) -> Lesson:
    """Take a decision back: the lesson is again what it was before."""
    found = get_lesson(ctx, before.id)
    if (found.status, found.text, found.check) == (before.status, before.text, before.check):
        return found
    return _decide(ctx, found, before, "take back decision on lesson", "")


def pause_gone_facts(ctx: Context) -> list[Lesson]:
    """Stop telling facts whose file no longer says what they rest on; each waits for the person's decision."""
    with ctx.store.read() as transaction:
        found = lessons.list_all(transaction)
    gone = [one for one in found if one.status == "approved" and not still_cited(ctx, one)]
    return [pause_lesson(ctx, one.id, gone_words(one)) for one in gone]


def publish_lesson(ctx: Context, lesson: str, page: str) -> Lesson:
    """Put an approved lesson into Metier's block of a page, or with no page take it out of it."""
    found = get_lesson(ctx, lesson)
    if page and not in_use(ctx, [found]):
        raise RefusedError(f"You have not approved lesson {found.id}. Approve it: metier lessons approve {found.id}")
    if page and not is_for_page(found):
        instead = f" Only count such calls first: metier lessons approve {found.id[:8]} --count" * (found.kind != "fix")
        why = "told when a call or an error calls for it, so it is not for a page"
        raise RefusedError(f"Lesson {found.id[:8]} is {why}.{instead}")
    action = f"publish lesson in {page}" if page else "unpublish lesson"
    return _decide(ctx, found, replace(found, published=page), action, "")


def edit_lesson(ctx: Context, lesson: str, text: str, check: LessonCheck | None = None) -> Lesson:
    """Put a lesson into a person's own words; an approved one stays approved, for the words are theirs.

    Calls are held to `check` from then on, as far as its step says.
    """
    found = get_lesson(ctx, lesson)
    said = " ".join(ctx.redact(clean(text)).split())
    if not said:
        raise InputError("A lesson needs words. Take it out of use: metier lessons forget " + found.id)
    if len(said) > LONGEST:
        raise InputError(f"A lesson is one line of at most {LONGEST} characters; this has {len(said)}.")
    _refuse_unsafe(said, check)
    action = f"{EDIT} ({check.step})" if check else EDIT
    return _decide(ctx, found, replace(found, text=said, by="person", check=check), action, said)


def _decide(ctx: Context, found: Lesson, now: Lesson, action: str, reason: str) -> Lesson:
    return _decide_all(ctx, [(found, now)], action, reason)[0]


def _decide_all(ctx: Context, changes: Sequence[tuple[Lesson, Lesson]], action: str, reason: str) -> list[Lesson]:
    """Write decisions down together; those on more than one lesson may concern no published page."""
    said = ctx.redact(clean(reason))
    changes = [(found, replace(now, in_force=_periods(found, now, ctx.now()))) for found, now in changes]
    done = [(found, _settled(ctx, now, "" if action.startswith(EDIT) else said)) for found, now in changes]
    pages = {
        page: planned_page(ctx, page, now) for found, now in done for page in (found.published, now.published) if page
    }
    with ctx.store.write() as transaction:
        for found, now in done:
            lessons.move(transaction, found, now)
            if now.seal and now.seal != found.seal:
                yes = YesWords(about=now.text, undo=f"metier lessons forget {now.id[:8]}")
                note_yes(transaction, ctx, action, f"{found.id} {found.text}", said, yes)
            else:
                note_action(transaction, ctx, action, f"{found.id} {found.text}", said)
    for page, content in pages.items():
        write_page(ctx, page, content)
    refresh_notes(ctx)
    return [now for _, now in done]


def _periods(found: Lesson, now: Lesson, moment: str) -> tuple[tuple[str, str], ...]:
    """When a lesson was in use, after a decision; one that waits again for its first yes never was."""
    if not now.approved:
        return ()
    before, after = found.status == "approved", now.status == "approved"
    known = found.periods if before or found.in_force else ()
    if known and before and not after:
        return (*known[:-1], (known[-1][0], moment))
    return (*known, (moment, "")) if after and not before else known


def _settled(ctx: Context, lesson: Lesson, note: str) -> Lesson:
    """A lesson as it is after a decision: who took it, when, under which seal."""
    now = replace(lesson, note=note or lesson.note, updated=ctx.now(), decided_by=current_user())
    now = replace(now, seal=lesson_seal(ctx, now) if now.status == "approved" else "")
    return replace(now, published=now.published if now.status == "approved" and not _is_held(now) else "")


def published_pages(ctx: Context) -> set[str]:
    """The pages in whose block a lesson stands."""
    with ctx.store.read() as transaction:
        return {one.published for one in lessons.list_all(transaction) if one.published}


def tell_anew(ctx: Context, pages: Iterable[str]) -> None:
    """Bring hooks and pages in line with the lessons that are left; a block that was changed by hand stays."""
    nothing = Lesson(id="", workspace=ctx.name, kind="rule", text="", subject="")
    for page in pages:
        with suppress(RefusedError):
            write_page(ctx, page, planned_page(ctx, page, nothing))
    refresh_notes(ctx)


def is_for_page(lesson: Lesson) -> bool:
    """Whether a lesson can stand in a page: no call and no error calls for it."""
    return lesson.kind != "fix" and not _is_held(lesson)


def _is_held(lesson: Lesson) -> bool:
    """Whether a hook reminds or denies by a lesson: that is its one channel then."""
    return lesson.check is not None and lesson.check.step != "observe"


def _refuse_unsafe(text: str, check: LessonCheck | None) -> None:
    """Refuse what review stops: the line, and the command that agents are told to run instead."""
    from metier.review.review import review_line
    from metier.types.reviews import blocks

    lines = (text, f"Run `{check.instead}`.") if check and check.instead else (text,)
    stopped = [one for line in lines for one in review_line(line).findings if blocks(one)]
    if stopped:
        raise RefusedError(
            f"Review stops this lesson ({stopped[0].rule}): {stopped[0].reason} Edit it: metier lessons edit ID"
        )
