"""What the model is asked in either stage: the task and the skills as data, cut to a size that is always bounded."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from metier.formats.strict_json import clean
from metier.models.model import Message, Request
from metier.prompts import load, render
from metier.selection.assembly.token_budget import cut, ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.selection.types import Selectable, Settings

TASK = 8_000
"""Characters of a task the model is shown."""
DESCRIPTION = 1_024
"""Characters of a description the model is shown: as many as the standard allows."""
LEAST_BODY = 1_000


def shortlist_question(task: str, skills: Sequence[Selectable], settings: Settings) -> Request:
    """Which of these are worth reading, by name and description."""
    shown = [{"name": skill.name, "description": cut(skill.description, DESCRIPTION)} for skill in skills]
    text = render(
        _prompt("shortlist"), limit=str(settings.max_detailed), skills=_data(shown), task=_data(ends(task, TASK))
    )
    return _asked("shortlist", text, settings.shortlist_timeout, settings)


def final_question(task: str, skills: Sequence[Selectable], settings: Settings) -> Request:
    """Which of these to activate, by their bodies; more of them than usual share the room of the usual number."""
    room = settings.body_limit * settings.max_detailed // max(len(skills), settings.max_detailed)
    limit = max(LEAST_BODY, room)
    shown = [
        {
            "name": skill.name,
            "description": cut(skill.description, DESCRIPTION),
            "content": cut(skill.body, limit),
        }
        for skill in skills
    ]
    text = render(_prompt("final"), skills=_data(shown), task=_data(ends(task, TASK)))
    return _asked("final", text, settings.final_timeout, settings)


@cache
def prompts_hash() -> str:
    """Stands for the words of both prompts."""
    return sha256((_prompt("shortlist") + "\0" + _prompt("final")).encode()).hexdigest()[:16]


def _asked(stage: Literal["shortlist", "final"], text: str, timeout: float, settings: Settings) -> Request:
    return Request(
        messages=(Message(text=text),),
        temperature=0.0,
        max_tokens=settings.max_tokens,
        timeout=timeout,
        stage=stage,
        thinking=settings.thinking,
    )


def _data(value: object) -> str:
    """A value as JSON between tags; no text in it can close them."""
    return clean(json.dumps(value, ensure_ascii=False, indent=1)).replace("</", "<\\/")


@cache
def _prompt(name: Literal["shortlist", "final"]) -> str:
    return load("metier.selection", name)
