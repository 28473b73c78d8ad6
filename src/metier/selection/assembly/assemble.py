"""What is handed to the agent: bodies in order, as many as fit; files are listed and read on demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.selection.assembly.token_budget import WIDEST, cut_to_tokens, fits, tokens
from metier.selection.candidates.eligibility import LeftOut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.selection.types import ActivationReason, ChosenSkill

FRAME = 80
"""Tokens set aside for what stands around each body: name, version, folder."""
LEAST = 150
"""Tokens of a body below which a piece of it is of no use."""
FILES = 20
"""Files of a skill that are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """A skill as an agent gets it."""

    name: str
    content: str
    version: str
    content_hash: str
    activation_reason: ActivationReason
    tool_hints: tuple[str, ...] = ()
    score: float = 0.0
    files: tuple[str, ...] = ()
    folder: str = ""
    whole: bool = True
    """Whether `content` is the entire body; otherwise it ends with the mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """The skills that fit, and those left out with the reason."""

    skills: tuple[Activation, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def body_of(document: bytes) -> str:
    """The text of a skill's document without its frontmatter; any bytes have one, if only an empty one."""
    from metier.skills.document.frontmatter import split

    start, end = split(document).body
    return document[start:end].decode("utf-8", "replace").strip()


def assemble(chosen: Sequence[ChosenSkill], budget: int) -> Assembled:
    """The chosen skills in their order; what is too long is cut, but leaves a little room for those behind it."""
    costs = [_frame(one) + tokens(one.skill.body[: WIDEST * (LEAST + 1)]) for one in chosen]
    kept: list[Activation] = []
    left: list[LeftOut] = []
    room = budget
    for at, one in enumerate(chosen):
        if not one.skill.body.strip():
            left.append(LeftOut(name=one.skill.name, reason="its body is empty"))
            continue
        reserved = sum(min(cost, LEAST + FRAME) for cost in costs[at + 1 :])
        share = max(min(room, LEAST + _frame(one)), room - reserved)
        content = _fitting(one.skill.body, share - _frame(one))
        if not content:
            left.append(LeftOut(name=one.skill.name, reason=f"no room: {max(0, room):,} tokens are left"))
            continue
        room -= tokens(content) + _frame(one)
        kept.append(_activation(one, content))
    return Assembled(skills=tuple(kept), left_out=tuple(left))


def _fitting(body: str, room: int) -> str:
    """The body, a useful piece of it, or nothing."""
    if fits(body, room):
        return body
    return cut_to_tokens(body, room) if room >= LEAST else ""


def _frame(one: ChosenSkill) -> int:
    return FRAME + sum(tokens(file) + 6 for file in one.skill.files[:FILES])


def _activation(one: ChosenSkill, content: str) -> Activation:
    skill = one.skill
    return Activation(
        name=skill.name,
        content=content,
        version=skill.version,
        content_hash=skill.content_hash,
        activation_reason=one.activation_reason,
        tool_hints=skill.tool_hints,
        score=one.score,
        files=skill.files,
        folder=skill.folder,
        whole=content == skill.body,
    )
