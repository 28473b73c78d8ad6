"""A proposal by its id alone, whether it is a lesson or a draft; and the no to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from metier.errors import NotFoundError
from metier.library.lessons import get_lesson, reject_lesson
from metier.library.proposals.drafts import get_draft, reject_draft

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.library.skills import Library
    from metier.types import Draft
    from metier.types.lessons import Lesson


T = TypeVar("T")


def reject(library: Library, proposal: str, reason: str = "") -> Lesson | Draft:
    """Reject the lesson or the draft of that id."""
    lesson, draft = find_proposal(library, proposal)
    if lesson is not None:
        return reject_lesson(library.ctx, lesson.id, reason)
    return reject_draft(library, draft, reason)


def find_proposal(library: Library, proposal: str) -> tuple[Lesson | None, str]:
    """The lesson, or the id of the draft, that an id or the start of one stands for."""
    lesson = _or_none(lambda: get_lesson(library.ctx, proposal))
    draft = _or_none(lambda: get_draft(library, proposal))
    if lesson is None and draft is None:
        raise NotFoundError(
            f"There is neither a lesson nor a draft '{proposal}' here. See metier lessons list, metier drafts list"
        )
    if lesson is not None and draft is not None:
        raise NotFoundError(f"A lesson and a draft start with '{proposal}'. Give more of the id.")
    return lesson, draft.id if draft is not None else ""


def _or_none(find: Callable[[], T]) -> T | None:
    try:
        return find()
    except NotFoundError:
        return None
