"""A program's yes by id alone: to a lesson, or to a draft, which ships."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypedDict, Unpack

from metier.errors import StoreError
from metier.library.decisions import find_proposal
from metier.library.lessons import approve_lesson
from metier.library.proposals.drafts import approve_draft, get_draft
from metier.proof.routing import apply_checked
from metier.selection.candidates.skill_pool import SkillPool
from metier.selection.hook_table import prepare_all_for_hooks

if TYPE_CHECKING:
    from metier.library.skills import Library
    from metier.types import Draft
    from metier.types.lessons import CheckStep, Lesson, LessonScope


class YesOptions(TypedDict, total=False):
    """What a yes may say beyond yes."""

    step: CheckStep
    """How far a lesson's check goes."""
    scope: LessonScope
    """Where a lesson holds."""
    despite_gate: bool
    """Ship a draft also if a gate rejected it."""
    take_over: bool
    """Ship a draft also if it takes requests from other skills."""


def approve_one(library: Library, proposal: str, reason: str = "", **how: Unpack[YesOptions]) -> Lesson | Draft:
    """Approve the lesson, or approve and ship the draft, of that id."""
    lesson, draft = find_proposal(library, proposal)
    if lesson is not None:
        return approve_lesson(library.ctx, lesson.id, reason, how.get("step"), how.get("scope"))
    done = approve_draft(library, draft, reason=reason, despite_gate=how.get("despite_gate", False))
    apply_checked(library, [done.id], take_over=how.get("take_over", False))
    with suppress(StoreError):  # the next command makes it ready for hooks
        for _ in prepare_all_for_hooks(SkillPool(library=library)):
            pass
    return get_draft(library, done.id)
