"""The first question: which of many skills are worth reading, by name and description."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, cast

from metier.formats.strict_json import clean
from metier.models.model import Message, Request
from metier.prompts import load, render
from metier.selection.assembly.token_budget import cut, ends
from metier.selection.choosing.model_call import call_model
from metier.selection.types import SelectionStage

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from metier.selection.choosing.model_call import Adviser, Interaction
    from metier.selection.types import RatedSkill, Selectable, SelectionSettings, StageName, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class StageAnswer:
    """What came of one question: the names, or None when the score has to decide, and the records."""

    names: tuple[str, ...] | None
    stage: SelectionStage
    interaction: Interaction


def ask_shortlist(
    task: Task, candidates: Sequence[RatedSkill], settings: SelectionSettings, adviser: Adviser
) -> StageAnswer:
    """At most `max_detailed` names by the model's choice, and the one to be explored among them."""
    question = shortlist_question(task.text, [one.skill for one in candidates], settings)
    return ask_stage("shortlist", question, candidates, adviser)


def needs_shortlist(count: int, settings: SelectionSettings) -> bool:
    """Whether there are too many candidates to read all their bodies at once."""
    return count > settings.max_detailed and count >= settings.one_call_below


def with_explored(
    names: tuple[str, ...], candidates: Sequence[RatedSkill], settings: SelectionSettings
) -> tuple[str, ...]:
    """The first names of a shortlist, and in the last place the one to be explored if it is not there yet."""
    explored = next((one.skill.name for one in candidates if one.explored), "")
    kept = names[: settings.max_detailed]
    if not kept or not explored or explored in kept or settings.max_detailed == 1:
        return kept
    return (*kept[: settings.max_detailed - 1], explored)


def ask_stage(stage: StageName, question: Request, candidates: Sequence[RatedSkill], adviser: Adviser) -> StageAnswer:
    """The known names in the model's answer to one question, or why the score has to decide."""
    outcome = call_model(adviser, question)
    known = {one.skill.name for one in candidates}
    answer = None if outcome.text is None else read_names(outcome.text, known)
    if isinstance(answer, KnownNames):
        note = f"dropped: {', '.join(answer.dropped)}" if answer.dropped else ""
        record = SelectionStage(stage=stage, by="model", considered=len(known), kept=answer.names, note=note)
        return StageAnswer(names=answer.names, stage=record, interaction=outcome.interaction)
    why = answer.reason if answer else outcome.interaction.problem
    record = SelectionStage(
        stage=stage, by="model", considered=len(known), note=f"no usable answer: {why}; the score decides"
    )
    return StageAnswer(names=None, stage=record, interaction=replace(outcome.interaction, problem=why))


KEYS = ("skills", "selected_skills", "activated_skills", "selected")
"""Where an object may hold the list; the first that does counts."""
LONGEST = 200_000
"""Characters of an answer that is looked at; more is no list of names."""
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"(`{3,}|~{3,})(?:(?:json)?[ \t]*(?=[\[{])|[^\n`]*\n)")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownNames:
    """The known names of an answer, and what was dropped from it."""

    names: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    """Invented names, and what is no name, as short texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """An answer that is neither a list of names nor an object that holds one."""

    reason: str


def read_names(text: str, known: Collection[str]) -> KnownNames | Unreadable:
    """The known names in an answer; an empty list is an answer, too."""
    if len(text) > LONGEST:
        return Unreadable(reason=f"the answer has {len(text):,} characters")
    plain = _unfenced(_THOUGHT.sub("", text).strip().removeprefix("\ufeff"))
    try:
        value: object = json.loads(plain)
    except (ValueError, RecursionError):
        return Unreadable(reason="the answer is no JSON" if plain else "the answer is empty")
    found = _list(value)
    return Unreadable(reason="the answer holds no list of names") if found is None else _known(found, known)


def _unfenced(text: str) -> str:
    """What stands in the code fence around a text, or the text."""
    opening = _FENCE.match(text)
    if not opening or not text.endswith(opening[1]):
        return text
    return text[opening.end() : -len(opening[1])].strip()


def _list(value: object) -> list[object] | None:
    if isinstance(value, list):
        return cast("list[object]", value)
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return next((cast("list[object]", fields[key]) for key in KEYS if isinstance(fields.get(key), list)), None)
    return None


def _known(found: list[object], known: Collection[str]) -> KnownNames:
    kept: dict[str, None] = {}
    dropped: list[str] = []
    for item in found:
        if isinstance(item, str) and (name := item.strip()) in known and name:
            kept[name] = None
        elif not isinstance(item, str) or item.strip():
            dropped.append(clean(item[:80]) if isinstance(item, str) else type(item).__name__)
    return KnownNames(names=tuple(kept), dropped=tuple(dropped[:20]))


TASK = 8_000
"""Characters of a task the model is shown."""
DESCRIPTION = 1_024
"""Characters of a description the model is shown: as many as the standard allows."""
LEAST_BODY = 1_000


def shortlist_question(task: str, skills: Sequence[Selectable], settings: SelectionSettings) -> Request:
    """Which of these are worth reading, by name and description."""
    shown = [{"name": skill.name, "description": cut(skill.description, DESCRIPTION)} for skill in skills]
    text = render(
        _prompt("shortlist"), limit=str(settings.max_detailed), skills=_data(shown), task=_data(ends(task, TASK))
    )
    return _request("shortlist", text, settings.shortlist_timeout, settings)


def final_question(task: str, skills: Sequence[Selectable], settings: SelectionSettings) -> Request:
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
    return _request("final", text, settings.final_timeout, settings)


@cache
def prompts_hash() -> str:
    """Stands for the words of both prompts."""
    return sha256((_prompt("shortlist") + "\0" + _prompt("final")).encode()).hexdigest()[:16]


def _request(stage: Literal["shortlist", "final"], text: str, timeout: float, settings: SelectionSettings) -> Request:
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
