"""Decisions on lessons and drafts: the same services as `metier lessons` and `metier drafts`, each with its undo."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from metier.errors import ConflictError, InputError, RefusedError, StoreError
from metier.learning.stages.reword_lesson import reword_lesson
from metier.library.changes import archive_skill, rollback_skill
from metier.library.delivery.wording import lost_step_words
from metier.library.lessons import (
    approve_lesson,
    forget_lesson,
    get_lesson,
    pause_lesson,
    reject_lesson,
    reject_lessons,
    reopen_lesson,
    restore_lesson,
    restore_lessons,
)
from metier.library.proposals.drafts import (
    approve_draft,
    get_draft,
    get_open_draft,
    reject_draft,
    reject_drafts,
    reopen_draft,
    reopen_drafts,
    stopped_by,
)
from metier.library.proposals.edit_draft import edit_draft, take_back_edit
from metier.proof.routing import apply_checked
from metier.web.answers import Done, action_route

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.types.lessons import CheckStep, Lesson
    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard

STEPS: dict[str, CheckStep] = {"observe": "observe", "remind": "remind", "deny": "deny"}
MOST = 2000
"""Lessons or drafts decided on at once."""


def approve_a_lesson(board: Dashboard, ask: Ask) -> Done:
    """Say yes to a lesson as it was shown; in the person's own words if they changed it."""
    before = _seen_lesson(board, ask)
    text, step = ask.sent("text").strip(), _step(ask)
    if text and text != before.text:
        reword_lesson(board.context, before.id, text)
    now = get_lesson(board.context, before.id)
    now = approve_lesson(board.context, before.id, ask.sent("reason"), step if now.check is not None else None)
    return _decided(board, before, f"Approved: {now.text}", f"metier lessons forget {now.id[:8]}")


def reject_a_lesson(board: Dashboard, ask: Ask) -> Done:
    """Say no to a lesson."""
    before = _seen_lesson(board, ask)
    reject_lesson(board.context, before.id, ask.sent("reason"))
    return _decided(board, before, f"Rejected: {before.text}", f"metier lessons approve {before.id[:8]}")


def reject_many(board: Dashboard, ask: Ask) -> Done:
    """Say no to many lessons and drafts at once; one undo lets all of them wait again."""
    lessons, drafts = _named_ids(ask, "lessons"), _named_ids(ask, "drafts")
    if not lessons and not drafts:
        raise InputError("Name the lessons or drafts to reject.")
    library = board.ws.library
    no_drafts = reject_drafts(library, drafts, ask.sent("reason")) if drafts else []
    no_lessons = reject_lessons(board.context, lessons, ask.sent("reason")) if lessons else []

    def undo() -> str:
        restore_lessons(board.context, no_lessons)
        reopen_drafts(library, no_drafts)
        return f"{_counted(len(no_lessons), len(no_drafts))} wait for a decision again."

    said = f"Rejected {_counted(len(no_lessons), len(no_drafts))}."
    return Done(said=said, undo=undo, later="/?show=rejected")


def _named_ids(ask: Ask, name: str) -> list[str]:
    """The ids that an action was sent."""
    ids = ask.body.get(name, [])
    if not isinstance(ids, list) or len(cast("list[object]", ids)) > MOST:
        raise InputError(f"Name the {name} in a list of at most {MOST}.")
    return [str(one) for one in cast("list[object]", ids)]


def _counted(lessons: int, drafts: int) -> str:
    """How many lessons and drafts, in words."""
    parts = ((lessons, "lesson"), (drafts, "draft"))
    words = [f"{number:,} {word}{'' if number == 1 else 's'}" for number, word in parts if number]
    return " and ".join(words) or "nothing"


def edit_a_lesson(board: Dashboard, ask: Ask) -> Done:
    """Put a lesson into the person's own words; its status stays."""
    before = _seen_lesson(board, ask)
    now = reword_lesson(board.context, before.id, ask.sent("text"))
    said = " ".join(part for part in (f"Changed: {now.text}", lost_step_words(before, now)) if part)
    return _decided(board, before, said, f"metier lessons edit {now.id[:8]} TEXT")


def forget_a_lesson(board: Dashboard, ask: Ask) -> Done:
    """Take a lesson out of use."""
    before = _seen_lesson(board, ask)
    forget_lesson(board.context, before.id, ask.sent("reason"))
    return _decided(board, before, f"Out of use: {before.text}", f"metier lessons approve {before.id[:8]}")


def pause_a_lesson(board: Dashboard, ask: Ask) -> Done:
    """Stop telling a lesson for now."""
    before = _seen_lesson(board, ask)
    pause_lesson(board.context, before.id, ask.sent("reason"))
    return _decided(board, before, f"Paused: {before.text}", f"metier lessons approve {before.id[:8]}")


def approve_a_draft(board: Dashboard, ask: Ask) -> Done:
    """Approve a draft exactly as it was shown, and ship it."""
    library = board.ws.library
    shown = get_open_draft(library, ask.id("draft"))
    if shown.status == "quarantined" and ask.body.get("despite_review") is not True:
        raise RefusedError(f"Review stopped this draft: {stopped_by(shown)}. Nothing was changed.")
    draft = approve_draft(
        library,
        shown.id,
        seen=ask.sent("hash"),
        reason=ask.sent("reason"),
        despite_gate=ask.body.get("despite_gate") is True,
    )
    (version,), _ = apply_checked(library, [draft.id])
    prepare_agents(board)

    def undo() -> str:
        if version.parent:
            back = rollback_skill(library, version.skill, None)
            said = f"{back.skill} is back at what it was (v{back.number})."
        else:
            archive_skill(library, version.skill, "")
            said = f"{version.skill} is archived: no agent sees it."
        prepare_agents(board)
        return said

    word = "rollback" if version.parent else "archive"
    said = f"Shipped {version.skill} v{version.number}."
    return Done(said=said, undo=undo, command=f"metier skills {word} {version.skill}")


def reject_a_draft(board: Dashboard, ask: Ask) -> Done:
    """Say no to a draft."""
    done = reject_draft(board.ws.library, ask.id("draft"), ask.sent("reason"))

    def undo() -> str:
        reopen_draft(board.ws.library, done.id)
        return f"The draft for {done.target} waits for a decision again."

    return Done(said=f"Rejected the draft for {done.target}.", undo=undo, command=f"metier drafts reopen {done.id}")


def reopen_a_lesson(board: Dashboard, ask: Ask) -> Done:
    """Put a decided lesson back to review."""
    before = get_lesson(board.context, ask.id("lesson"))
    now = reopen_lesson(board.context, before.id)
    done = _decided(board, before, f"Waits for a decision again: {now.text}", "")
    return done if ask.body.get("stay") is True else replace(done, go=f"/?item={now.id}")


def reopen_a_draft(board: Dashboard, ask: Ask) -> Done:
    """Put a rejected draft back to review."""
    library = board.ws.library
    now = reopen_draft(library, ask.id("draft"))

    def undo() -> str:
        reject_draft(library, now.id, "")
        return f"The draft for {now.target} is rejected again."

    said = f"The draft for {now.target} waits for a decision again."
    return Done(said=said, undo=undo, go=f"/?item={now.id}")


def edit_a_draft(board: Dashboard, ask: Ask) -> Done:
    """Change a draft's text; it is reviewed again and waits for a yes."""
    library = board.ws.library
    before = get_draft(library, ask.id("draft"))
    if before.hash != ask.sent("hash"):
        raise ConflictError("The draft changed meanwhile. Look at it again.")
    now = edit_draft(library, before.id, ask.sent("document"))
    if now.id == before.id:
        return Done(said="Nothing was changed.")

    def undo() -> str:
        take_back_edit(library, before, now.id)
        return f"The draft for {before.target} is as it was."

    said = f"Saved as a new draft for {now.target}. Look once more, then say yes or no."
    return Done(said=said, undo=undo, command=f"metier drafts reject {now.id}", go=f"/?item={now.id}")


def prepare_agents(board: Dashboard) -> None:
    """Let agents' hooks hand out the skills as they are now."""
    with suppress(StoreError):  # the next command tries again
        for _ in board.ws.index_skills():
            pass


def _seen_lesson(board: Dashboard, ask: Ask) -> Lesson:
    """The lesson of the address, provided it still says what the person saw."""
    found = get_lesson(board.context, ask.id("lesson"))
    if (seen := ask.sent("seen")) and seen != found.text:
        raise ConflictError(f"The lesson changed meanwhile; it says now: {found.text}")
    return found


def _decided(board: Dashboard, before: Lesson, said: str, command: str) -> Done:
    def undo() -> str:
        now = restore_lesson(board.context, before)
        waits = "waits for a decision again" if now.status == "proposed" else f"is {now.status} again"
        return f"The lesson {waits}: {now.text}"

    return Done(said=said, undo=undo, command=command)


def _step(ask: Ask) -> CheckStep | None:
    """How far a check goes; None: as it is."""
    step = ask.sent("step")
    if step and step not in STEPS:
        raise InputError("A check counts, reminds or denies.")
    return STEPS.get(step)


_ACTIONS: dict[str, Callable[[Dashboard, Ask], Done]] = {
    "/lessons/{lesson}/approve": approve_a_lesson,
    "/lessons/{lesson}/reject": reject_a_lesson,
    "/lessons/{lesson}/edit": edit_a_lesson,
    "/lessons/{lesson}/forget": forget_a_lesson,
    "/lessons/{lesson}/pause": pause_a_lesson,
    "/lessons/{lesson}/reopen": reopen_a_lesson,
    "/review/reject": reject_many,
    "/drafts/{draft}/approve": approve_a_draft,
    "/drafts/{draft}/reject": reject_a_draft,
    "/drafts/{draft}/reopen": reopen_a_draft,
    "/drafts/{draft}/edit": edit_a_draft,
}
ROUTES = tuple(action_route(path, act) for path, act in _ACTIONS.items())
