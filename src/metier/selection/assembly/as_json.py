"""A selection as JSON, in the shape that `metier select --json` prints."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.selection.assembly.assemble import Activation, Assembled
    from metier.selection.choosing.model_call import Interaction
    from metier.selection.types import Choice, Considered, Stage


def as_json(choice: Choice, assembled: Assembled) -> dict[str, object]:
    """The skills with their content, and the record of every step."""
    return {
        "skills": [_skill(one) for one in assembled.skills],
        "candidates": [_candidate(one) for one in choice.candidates],
        "stages": [_stage(one) for one in choice.stages],
        "interactions": [_interaction(one) for one in choice.interactions],
        "withheld": list(choice.withheld),
        "left_out": [{"name": one.name, "reason": one.reason} for one in assembled.left_out],
    }


def _skill(one: Activation) -> dict[str, object]:
    return {
        "name": one.name,
        "content": one.content,
        "version": one.version,
        "content_hash": one.content_hash,
        "activation_reason": one.activation_reason,
        "tool_hints": list(one.tool_hints),
        "score": one.score,
        "files": list(one.files),
        "truncated": not one.whole,
    }


def _candidate(one: Considered) -> dict[str, object]:
    return {
        "name": one.skill.name,
        "version": one.skill.version,
        "content_hash": one.skill.content_hash,
        "score": one.score,
        "probability": one.probability,
        "explored": one.explored,
        "parts": dict(one.parts),
    }


def _stage(one: Stage) -> dict[str, object]:
    passed = len(one.kept) if one.passed is None else one.passed
    return {
        "stage": one.stage,
        "by": one.by,
        "considered": one.considered,
        "passed": passed,
        "kept": list(one.kept),
        "note": one.note,
    }


def _interaction(one: Interaction) -> dict[str, object]:
    return {
        "stage": one.stage,
        "model": one.model,
        "provider": one.provider,
        "messages": [{"role": message.role, "content": message.text} for message in one.messages],
        "reply": one.reply,
        "finish": one.finish,
        "usage": asdict(one.usage) if one.usage else None,
        "seconds": one.seconds,
        "problem": one.problem,
    }
