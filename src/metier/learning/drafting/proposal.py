"""What drafting hands on: a proposed change to one skill, before anybody has looked at it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.skills.document.whole import complete_document, is_whole, name_in, with_name
from metier.skills.names import name_problem, slug
from metier.types import Draft, DraftKind, DraftType, Finding, Pattern, Provenance, SkillGuidance

if TYPE_CHECKING:
    from metier.learning.drafting.similar_skills import Place
    from metier.skills.package import Package

ORIGIN = "metier.origin"
"""The key under `metadata` that tells where a skill came from, also where its history is not at hand."""
LEARNED = f'metadata:\n  {ORIGIN}: "learned"\n'
"""What the frontmatter of a learned skill says of it."""
HEURISTIC = "heuristic"
"""The name of the drafter that needs no model."""
AFTER = f"{HEURISTIC} after "
"""Stands before a model's name where the heuristic drafted because the model's answer could not be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposed change to a skill, with what a reviewer wants to know about it."""

    target: str
    kind: DraftKind
    type: DraftType
    summary: str
    """For a person, in a line."""
    body: str
    beside: tuple[tuple[str, str], ...] = ()
    """Further files of a new skill, path and text."""
    uses: tuple[str, ...] = ()
    """What the skill is meant for."""
    entry_path: tuple[str, ...] = ()
    """Which skills to begin with."""
    avoid: tuple[str, ...] = ()
    """Ways that were tried and should not be taken again."""
    matched: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    model: str = ""
    """Who wrote it; empty: the drafter that was asked."""
    prompt_hash: str = ""


def draft_of(proposal: Proposal, pattern: Pattern, now: str, base_hash: str = "") -> Draft:
    """The proposal as a draft of its pattern, with what taught it; the same proposal has the same id."""
    provenance = Provenance(runs=pattern.runs, model=proposal.model, prompt_hash=proposal.prompt_hash)
    parts = (pattern.workspace, pattern.id, proposal.target, proposal.kind, base_hash, proposal.body)
    parts += tuple(text for file in proposal.beside for text in file)
    return Draft(
        id=sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:12],
        workspace=pattern.workspace,
        target=proposal.target,
        kind=proposal.kind,
        type=proposal.type,
        summary=proposal.summary,
        body=proposal.body,
        beside=proposal.beside,
        base_hash=base_hash,
        pattern=pattern.id,
        matched=proposal.matched,
        guidance=SkillGuidance(use_cases=proposal.uses, entry_path=proposal.entry_path, avoid=proposal.avoid),
        provenance=provenance,
        findings=proposal.findings,
        notes=(*_guidance(proposal), *proposal.notes),
        created=now,
        updated=now,
    )


def _guidance(proposal: Proposal) -> tuple[str, ...]:
    """What a draft is for, where to begin and what to avoid, as notes for the person who decides."""
    found = [f"Use: {use}" for use in proposal.uses]
    if proposal.entry_path and proposal.entry_path != (proposal.target,):
        found.append(f"Begin with: {' -> '.join(proposal.entry_path)}")
    return (*found, *(f"Avoid: {one}" for one in proposal.avoid))


@dataclass(frozen=True, slots=True, kw_only=True)
class There:
    """What exists under a proposal's target name."""

    here: Package | None = None
    """In the workspace."""
    elsewhere: Package | None = None
    """Only globally or built in."""
    place: Place = "global"


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalised:
    """A proposal that fits, and what it changes."""

    proposal: Proposal
    copied: Package | None = None
    """The whole skill from elsewhere that is to be copied into the workspace before the change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A proposal that cannot be carried out, and why."""

    reason: str


def normalise(proposal: Proposal, there: There) -> Normalised | Refusal:
    """The proposal as it can be applied: created where nothing is, appended where a fragment meets a skill.

    A skill that exists only elsewhere is never hidden by a stub: the change goes into a copy of the whole of it.
    """
    if there.here is not None:
        return Normalised(proposal=_on_existing(proposal))
    if there.elsewhere is not None:
        return _on_copy(proposal, there.elsewhere, there.place)
    return Normalised(proposal=_on_missing(proposal))


def _on_existing(proposal: Proposal) -> Proposal:
    if is_whole(proposal.body):
        return _found(proposal) if proposal.kind == "create" else proposal
    if proposal.kind == "create":
        return _changed(proposal, "append", f"{proposal.target} exists: create with a fragment became append")
    if proposal.kind == "replace":
        return _changed(proposal, "append", "replace with a fragment would lose the rest: it became append")
    return proposal


def _on_missing(proposal: Proposal) -> Proposal:
    if proposal.kind != "create":
        proposal = _changed(proposal, "create", f"{proposal.target} is not there: {proposal.kind} became create")
    if name_problem(proposal.target):
        name = slug(proposal.target)
        note = f"{proposal.target[:80]!r} is no name for a skill: it became {name}"
        entry = tuple(name if one == proposal.target else one for one in proposal.entry_path)
        proposal = replace(proposal, target=name, entry_path=entry, notes=_noted(proposal, note))
    if not is_whole(proposal.body):
        body = complete_document(proposal.body, proposal.target, _title(proposal), _description(proposal))
        return replace(proposal, body=body, notes=_noted(proposal, "the fragment became a full document"))
    if (said := name_in(proposal.body)) != proposal.target:
        note = f"the document named {said[:80] or 'no skill'}: it names {proposal.target} now"
        return replace(proposal, body=with_name(proposal.body, proposal.target), notes=_noted(proposal, note))
    return proposal


def _on_copy(proposal: Proposal, skill: Package, place: Place) -> Normalised | Refusal:
    where = "built in" if place == "built-in" else "there globally"
    if not skill.document:
        return Refusal(reason=f"{proposal.target} is {where}, but has no document to build on.")
    if is_whole(proposal.body) and proposal.kind in ("create", "replace"):
        return Refusal(
            reason=f"{proposal.target} is {where}; another document of that name would hide it. "
            "Append to it, merge with it, or choose another name."
        )
    fitting = _on_existing(proposal)
    note = f"{proposal.target} is {where}: the change goes into a copy of the whole skill in this workspace"
    return Normalised(proposal=replace(fitting, notes=_noted(fitting, note)), copied=skill)


def _changed(proposal: Proposal, kind: DraftKind, note: str) -> Proposal:
    return replace(proposal, kind=kind, notes=_noted(proposal, note))


def _found(proposal: Proposal) -> Proposal:
    finding = Finding(
        rule="create-on-existing",
        severity="high",
        reason=f"The draft is to create {proposal.target}, which exists.",
        fix="Append to it, merge with it or replace it.",
        file="SKILL.md",
    )
    return replace(proposal, findings=tuple(dict.fromkeys((*proposal.findings, finding))))


def _noted(proposal: Proposal, note: str) -> tuple[str, ...]:
    """The notes with one more, each once."""
    return tuple(dict.fromkeys((*proposal.notes, note)))


def _title(proposal: Proposal) -> str:
    text = proposal.target.replace("-", " ")
    return text[:1].upper() + text[1:]


def _description(proposal: Proposal) -> str:
    """What the skill is for, from what the proposal says of itself."""
    if not proposal.uses:
        return proposal.summary or _title(proposal)
    first, *more = (use.rstrip(".") for use in proposal.uses)
    return f"{first}. Use when asked for: {'; '.join(more)}." if more else f"{first}."
