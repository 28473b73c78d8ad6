"""The result of a selection: the skills for an agent, their text, and the record of every step."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from metier.selection.assembly.render import hand_over

if TYPE_CHECKING:
    from metier.selection.assembly.assemble import Activation, Assembled
    from metier.selection.assembly.render import Form
    from metier.selection.candidates.eligibility import LeftOut
    from metier.selection.choosing.model_call import Interaction
    from metier.selection.types import Choice, RatedSkill, SelectionStage, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The skills that were selected for a task, and how they were chosen. It is false when an agent gets no skill."""

    id: str
    """The id of the stored selection, which is later linked to its run; empty: none was stored."""
    task: Task
    choice: Choice
    assembled: Assembled
    """The skills that fit the budget."""
    budget: int
    embedder: str
    """The embedder that compared meanings."""
    library: str = ""
    """The version of the catalogue."""
    refused: tuple[LeftOut, ...] = ()
    """Candidates that may not be handed out, with the reason."""
    waiting: tuple[str, ...] = ()
    """Skills of the project that wait for a yes and are handed out nowhere until then."""
    notes: tuple[str, ...] = ()
    """What did not work as configured: a model that could not be asked, an embedder that failed."""
    seconds: float = 0.0
    is_paused: bool = False
    """Whether nothing is given because Metier is paused; the first note says so."""

    def __bool__(self) -> bool:
        return bool(self.assembled.skills)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the skills that the agent gets, in order."""
        return tuple(one.name for one in self.assembled.skills)

    def render(self, form: Form = "markdown") -> str:
        """The skills as text for an agent, within the budget; empty without skills."""
        return hand_over(self.choice.chosen, form, self.budget).text

    def as_json(self) -> dict[str, object]:
        """The skills with their content, and the record of every step."""
        return {
            "id": self.id,
            **as_json(self.choice, self.assembled),
            "refused": [{"name": one.name, "reason": one.reason} for one in self.refused],
            "waiting": list(self.waiting),
            "embedder": self.embedder,
            "library": self.library,
            "notes": list(self.notes),
            "seconds": round(self.seconds, 4),
        }


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


def _candidate(one: RatedSkill) -> dict[str, object]:
    return {
        "name": one.skill.name,
        "version": one.skill.version,
        "content_hash": one.skill.content_hash,
        "score": one.score,
        "probability": one.probability,
        "explored": one.explored,
        "parts": dict(one.parts),
    }


def _stage(one: SelectionStage) -> dict[str, object]:
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
