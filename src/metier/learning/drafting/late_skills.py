"""Skills that came into a run's context only on the way: what a draft says of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.runs.derive import valid_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.drafting.phrases import Phrases
    from metier.types import Pattern

_TRIGGER = re.compile(r"[A-Za-z][\w.:-]{0,63}")


def names_in(names: Sequence[str]) -> tuple[str, ...]:
    """The names that can be those of skills: what runs call so is not always one."""
    return tuple(name for name in names if valid_name(name))


def trigger_of(pattern: Pattern) -> str:
    """What brought late skills into the context, where that is a plain word; else nothing."""
    return pattern.trigger if _TRIGGER.fullmatch(pattern.trigger) else ""


def late_lines(say: Phrases, names: Sequence[str], trigger: str, parts: Sequence[str] = ()) -> list[str]:
    """What to load, or to do where it is a part of the skill, at once: so far it came in only on the way."""
    why = say.of_skills.on_the_way[bool(trigger)].format(f"`{trigger}`")
    return [
        f"- {(say.of_skills.late_part if name in parts else say.of_skills.late).format(f'`{name}`', why)}"
        for name in names
    ]


def detours(say: Phrases, pattern: Pattern) -> tuple[str, ...]:
    """The skills that runs began with before they had the right ones, as something to avoid."""
    late = names_in(pattern.late_added)
    first = names_in(pattern.winning_path)[: -len(late)] if late else ()
    return (say.of_skills.at_once.format(" -> ".join(first), " -> ".join(late)),) if first else ()
