"""Reminders: lapses in following a skill, each once in its protected appendix, never too many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.skills.document import appendix
from metier.training.proposing.answers import Consolidated
from metier.training.proposing.optimiser import OptimiserQuestion, prompt
from metier.training.proposing.prompt import document_of, fence, with_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.skills.package import Package
    from metier.training.proposing.optimiser import Optimiser
    from metier.training.spec import Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendixUpdate:
    """A skill with its reminders, and why a call had to be done without."""

    package: Package
    problem: str = ""


def with_appendix(skill: Package) -> Package:
    """The skill with an appendix, empty at first."""
    return with_document(skill, appendix.inject(document_of(skill)))


def add_notes(skill: Package, notes: Sequence[str], desk: Optimiser, spec: Spec) -> AppendixUpdate:
    """The skill with the reminders it does not have yet; above the threshold a model makes fewer of them."""
    document = appendix.append(document_of(skill), notes, limit=spec.reflection.max_notes)
    held = appendix.extract(document)
    if not 0 < spec.reflection.consolidate_above < len(held):
        return AppendixUpdate(package=with_document(skill, document))
    text = prompt("appendix", count=str(len(held)), notes=fence("notes", "\n".join(f"- {note}" for note in held)))
    asked = desk.one(OptimiserQuestion(stage="appendix", prompt=text, kind=Consolidated))
    fewer = appendix.unique(asked.value.appendix_notes) if asked.value else ()
    if not 0 < len(fewer) < len(held):
        return AppendixUpdate(
            package=with_document(skill, document), problem=asked.reason or "there were as many as before"
        )
    return AppendixUpdate(package=with_document(skill, appendix.replace(document, fewer)))
