"""How each approved lesson reaches agents, in words; or why it does not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, assert_never

from metier.hooks.notes import still_says
from metier.library.delivery.channels import channels_of, trigger_word
from metier.library.delivery.notes_file import in_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.library.delivery.channels import Channel
    from metier.types.lessons import Lesson


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryWay:
    """How agents learn of a lesson."""

    channel: Channel | None
    """None: hooks do not tell it."""
    text: str
    """The same for people; where nothing reaches agents, why, and what to do."""
    reaches: bool = True


def ways_of(ctx: Context, lessons: Sequence[Lesson]) -> dict[str, DeliveryWay]:
    """The way of each approved lesson, by its id; all lessons of a workspace are needed, for room is limited."""
    approved = [one for one in lessons if one.status == "approved"]
    used = {one.id for one in in_use(ctx, approved)}
    told = [one for one in approved if one.id in used and not one.published]
    channels = channels_of(told)
    return {one.id: _way(ctx, one, used=one.id in used, channel=channels.get(one.id)) for one in approved}


def way_if_approved(ctx: Context, lesson: Lesson, lessons: Sequence[Lesson]) -> DeliveryWay:
    """How a lesson would reach agents if you approved it now, beside those that are approved."""
    told = [one for one in in_use(ctx, [one for one in lessons if one.status == "approved"]) if not one.published]
    asked = replace(lesson, status="approved", cites=lesson.cites if still_cited(ctx, lesson) else None)
    others = [one for one in told if one.id != lesson.id]
    channel = None if lesson.published else channels_of([*others, asked]).get(lesson.id)
    return _way(ctx, asked, used=True, channel=channel)


def still_cited(ctx: Context, lesson: Lesson) -> bool:
    """Whether the project still says what a lesson rests on."""
    return lesson.cites is None or still_says(str(ctx.root), lesson.cites.file, lesson.cites.says)


def holds_now(ctx: Context, lesson: Lesson) -> bool:
    """Whether a lesson has not expired, and the project still says what it rests on."""
    return still_cited(ctx, lesson) and not _is_expired(ctx, lesson)


def _is_expired(ctx: Context, lesson: Lesson) -> bool:
    return bool(lesson.expires) and lesson.expires < ctx.now()


def gone_words(lesson: Lesson) -> str:
    """What the project no longer says."""
    cites = lesson.cites
    if cites is None:
        return ""
    return f"{cites.file} no longer has {cites.says.rstrip(':')}" if cites.says else f"{cites.file} is gone"


def _way(ctx: Context, lesson: Lesson, *, used: bool, channel: Channel | None) -> DeliveryWay:
    if why := _why_not(ctx, lesson, used, channel):
        return DeliveryWay(channel=None, text=why, reaches=False)
    if lesson.published or channel is None:
        return DeliveryWay(channel=None, text=f"Agents read it in {lesson.published}.")
    return DeliveryWay(channel=channel, text=_words(lesson, channel))


def _why_not(ctx: Context, lesson: Lesson, used: bool, channel: Channel | None) -> str:  # noqa: FBT001
    """Why no agent learns of an approved lesson; empty: one does."""
    short = lesson.id[:8]
    if not used:
        return f"Not told: it was not approved by you on this machine. Approve it here: metier lessons approve {short}"
    if not still_cited(ctx, lesson):
        return f"Not told: {gone_words(lesson)}. Still right? metier lessons approve {short}"
    if lesson.published:
        return ""
    if _is_expired(ctx, lesson):
        return f"Not told: it expired on {lesson.expires[:10]}. It is told again once it was seen to work again."
    if channel is None and lesson.kind == "fix":
        return "Not told: no part of the error is the same each time, so nothing calls for it."
    if channel is None:
        return (
            "Not told: there is no room for it at a session's start, and it has no words that a request could hold. "
            f"Write it into the project's page: metier lessons publish {short}"
        )
    return ""


def _words(lesson: Lesson, channel: Channel) -> str:
    match channel:
        case "start":
            return "Agents see it when a session starts."
        case "prompt" if lesson.kind == "fact":
            return f"Agents see it with requests that mention “{trigger_word(lesson, channel)}”."
        case "prompt":
            words = ", ".join(trigger_word(lesson, channel).split())
            return (
                "There is no more room at a session's start: agents see it with requests that have two of these words: "
                f"{words}. Or write it into the project's page: metier lessons publish {lesson.id[:8]}"
            )
        case "before" if lesson.check is not None and lesson.check.step == "deny":
            return "A call that violates it is denied, with the reason."
        case "before":
            return "Agents are reminded when a call violates it."
        case "after":
            return "Agents see it when the error appears."
        case _:
            assert_never(channel)
