"""The update: from the chosen proposals to a candidate, with a status for every edit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.skills.document.frontmatter import read
from metier.skills.document.regions import scan, without_markers, without_region
from metier.skills.editing.edits import apply_to_package
from metier.skills.editing.patch_json import Proposal, ProposedPatch
from metier.training.proposing.answers import Rewritten
from metier.training.proposing.optimiser import OptimiserQuestion, prompt
from metier.training.proposing.prompt import document_of, fence, skill_text, with_document
from metier.training.proposing.proposals import Suggestion, Whole, dump
from metier.training.proposing.reflect import LONG

if TYPE_CHECKING:
    from metier.skills.editing.reports import EditReport
    from metier.skills.package import Package
    from metier.training.proposing.optimiser import Optimiser
    from metier.training.proposing.proposals import Bundle
    from metier.training.proposing.reflect import Setting
    from metier.training.spec import Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """A candidate, and what became of each edit."""

    package: Package
    reports: tuple[EditReport, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoUpdate:
    """There is no candidate, and why."""

    reason: str


def update(skill: Package, bundle: Bundle, desk: Optimiser, setting: Setting, spec: Spec) -> Updated | NoUpdate:
    """The candidate that the chosen proposals make of a skill."""
    match spec.editing.update:
        case "patch":
            return apply_edits(skill, bundle, strict=spec.editing.strict_edits)
        case "rewrite":
            return _rewritten(skill, bundle, desk, setting)
        case "full_rewrite":
            documents = [item.what.document for item in bundle.items if isinstance(item.what, Whole)]
            written = next((document for document in documents if document.strip()), None)
            return NoUpdate(reason="no document was proposed") if written is None else replace_document(skill, written)


def apply_edits(skill: Package, bundle: Bundle, *, strict: bool = False) -> Updated:
    """The skill after all edits in order, each on the result of the one before."""
    edits: tuple[Proposal, ...] = tuple(
        item.what for item in bundle.items if not isinstance(item.what, Suggestion | Whole)
    )
    done = apply_to_package(skill, ProposedPatch(edits=edits, reasoning=bundle.reasoning), strict=strict)
    return Updated(package=done.package, reports=done.reports)


def replace_document(skill: Package, document: str) -> Updated:
    """The skill with another document; its frontmatter stays if the new one has none, and so do protected regions."""
    old = document_of(skill)
    for kind in ("slow_update", "appendix"):
        document = without_region(document, kind)
    document = without_markers(document).strip() + "\n"
    start = read(skill.document).layout.body[0]
    if start and not read(document.encode("utf-8", "surrogateescape")).layout.body[0]:
        document = skill.document[:start].decode("utf-8", "surrogateescape") + document
    for region in sorted(scan(old).regions, key=lambda one: one.start):
        document = f"{document.rstrip()}\n\n{old[region.start : region.end]}\n"
    return Updated(package=with_document(skill, document))


def _rewritten(skill: Package, bundle: Bundle, desk: Optimiser, setting: Setting) -> Updated | NoUpdate:
    if not bundle.items:
        return NoUpdate(reason="no suggestion was left")
    suggestions = json.dumps([dump(item) for item in bundle.items], ensure_ascii=False, indent=1)
    text = prompt(
        "rewrite",
        skill=skill_text(skill),
        memory=setting.memory or "Nothing yet.",
        suggestions=fence("suggestions", suggestions),
    )
    asked = desk.one(OptimiserQuestion(stage="rewrite", prompt=text, kind=Rewritten, max_tokens=LONG))
    if asked.value is None or not asked.value.new_skill.strip():
        return NoUpdate(reason=asked.reason or "the rewrite is empty")
    return replace_document(skill, asked.value.new_skill)
