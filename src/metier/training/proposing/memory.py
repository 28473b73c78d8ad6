"""What a run remembers for its proposers: the steps of this epoch, and every edit a gate rejected."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.skills.editing.patch_json import Fields, MalformedEdit, fields_of
from metier.training.proposing.prompt import cut_middle
from metier.training.proposing.proposals import Suggestion, Whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.training.proposing.proposals import ProposedChange
    from metier.types.trials import Action

SHOWN = 200
"""Characters of a target or a content."""
PATTERNS = 12
"""Failure patterns of one step that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedEdit:
    """An edit that a gate rejected, and what it would have cost; kept from run to run."""

    op: str
    target: str
    content: str
    loss: float
    """What the current skill scored, less what the candidate scored."""
    together: int = 1
    """How many edits the candidate had: the loss is theirs together."""
    file: str = "SKILL.md"

    def line(self) -> str:
        """For the proposer."""
        where = f" at {cut_middle(self.target, SHOWN)!r}" if self.target else ""
        file = "" if self.file == "SKILL.md" else f" in {self.file}"
        others = f", with {self.together - 1} others" if self.together > 1 else ""
        return f"{self.op}{file}{where}: {cut_middle(self.content, SHOWN)!r} (lost {self.loss:.4f}{others})"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastStep:
    """One earlier step of this epoch."""

    step: int
    action: Action | None
    """None: there was nothing to judge."""
    failed: int
    total: int
    patterns: tuple[str, ...] = ()

    def line(self) -> str:
        """For the proposer."""
        action = self.action or "nothing to judge"
        lines = [f"step {self.step}: {action}, {self.failed} of {self.total} cases failed"]
        lines += [f"  - {cut_middle(' '.join(pattern.split()), SHOWN)}" for pattern in self.patterns]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What proposers are told about the past."""

    past: tuple[PastStep, ...] = ()
    rejected: tuple[RejectedEdit, ...] = ()
    """All of them, the oldest first, those of earlier runs included."""

    def after(self, past: PastStep, rejected: Iterable[RejectedEdit] = ()) -> Memory:
        """The memory after a step."""
        short = replace(past, patterns=past.patterns[:PATTERNS])
        return replace(self.with_rejected(rejected), past=(*self.past, short))

    def with_rejected(self, rejected: Iterable[RejectedEdit]) -> Memory:
        """The memory with more that was rejected; what was rejected again stands where it was rejected last."""
        kept = {_same(one): one for one in self.rejected}
        for one in rejected:
            kept.pop(_same(one), None)
            kept[_same(one)] = one
        return replace(self, rejected=tuple(kept.values()))

    def next_epoch(self) -> Memory:
        """The memory without the steps; what was rejected stays."""
        return replace(self, past=())

    def text(self, recall: int) -> str:
        """For the proposer; empty when there is nothing to tell."""
        parts: list[str] = []
        if self.past:
            parts.append("Earlier steps of this epoch:\n" + "\n".join(one.line() for one in self.past))
        shown = self.rejected[max(0, len(self.rejected) - recall) :] if recall else ()
        if shown:
            parts.append(
                "Edits that were tried and made it no better:\n" + "\n".join(f"- {one.line()}" for one in shown)
            )
        return "\n\n".join(parts)


def rejected_of(items: Iterable[ProposedChange], loss: float) -> tuple[RejectedEdit, ...]:
    """The proposals of a rejected candidate as they are remembered."""
    known = [fields for item in items if (fields := _fields(item))]
    return tuple(
        RejectedEdit(op=one.op, target=one.target, content=one.content, file=one.file, loss=loss, together=len(known))
        for one in known
    )


def _fields(item: ProposedChange) -> Fields | None:
    match item.what:
        case MalformedEdit():
            return None
        case Suggestion(title=title, instruction=instruction):
            return Fields(op="suggestion", target=title, content=instruction, file="SKILL.md")
        case Whole(document=document):
            return Fields(op="rewrite", target="", content=document[:SHOWN], file="SKILL.md")
        case edit:
            return fields_of(edit)


def _same(one: RejectedEdit) -> tuple[str, str, str, str]:
    return one.op, one.target, one.content, one.file
