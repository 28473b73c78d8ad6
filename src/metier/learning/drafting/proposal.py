"""What drafting hands on: a proposed change to one skill, before anybody has looked at it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from metier.types import Draft, DraftKind, DraftType, Finding, Pattern, Provenance

HEURISTIC = "heuristic"
"""The name of the drafter that needs no model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposed change to a skill, with what a reviewer wants to know about it."""

    target: str
    kind: DraftKind
    type: DraftType
    summary: str
    """For a person, in a line."""
    body: str
    uses: tuple[str, ...] = ()
    """What the skill is meant for."""
    entry_path: tuple[str, ...] = ()
    """Which skills to begin with."""
    avoid: tuple[str, ...] = ()
    """Ways that were tried and should not be taken again."""
    matched: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    model: str = HEURISTIC
    prompt_hash: str = ""


def draft_of(proposal: Proposal, pattern: Pattern, now: str, base_hash: str = "") -> Draft:
    """The proposal as a draft of its pattern, with what taught it; the same proposal has the same id."""
    provenance = Provenance(runs=pattern.runs, model=proposal.model, prompt_hash=proposal.prompt_hash)
    parts = (pattern.workspace, pattern.id, proposal.target, proposal.kind, base_hash, proposal.body)
    return Draft(
        id=sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:12],
        workspace=pattern.workspace,
        target=proposal.target,
        kind=proposal.kind,
        type=proposal.type,
        summary=proposal.summary,
        body=proposal.body,
        base_hash=base_hash,
        pattern=pattern.id,
        matched=proposal.matched,
        provenance=provenance,
        findings=proposal.findings,
        notes=(*_guidance(proposal), *proposal.notes),
        created=now,
        updated=now,
    )


def _guidance(proposal: Proposal) -> tuple[str, ...]:
    """What a draft has no field of its own for, as notes."""
    found = [f"Use: {use}" for use in proposal.uses]
    if proposal.entry_path:
        found.append(f"Entry path: {' -> '.join(proposal.entry_path)}")
    return (*found, *(f"Avoid: {one}" for one in proposal.avoid))
