"""Patterns, findings and drafts: what runs teach, what is wrong with a text, and a proposed change to a skill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PatternStatus = Literal["forming", "ready", "retired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """Runs with one reusable meaning."""

    id: str
    workspace: str
    label: str
    summary: str
    runs: tuple[str, ...] = ()
    """Successful runs, oldest first."""
    successes: int = 0
    failures: int = 0
    winning_path: tuple[str, ...] = ()
    late_added: tuple[str, ...] = ()
    trigger: str = ""
    reason: str = ""
    status: PatternStatus = "forming"
    created: str = ""
    updated: str = ""

    @property
    def success_ratio(self) -> float:
        """Successes among all evidence; 0 when there is none."""
        evidence = self.successes + self.failures
        return self.successes / evidence if evidence else 0.0


Severity = Literal["info", "low", "medium", "high", "critical"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Why something may not ship, where, and what to do about it."""

    rule: str
    severity: Severity
    reason: str
    fix: str = ""
    tag: str = ""
    file: str = ""
    line: int = 0
    span: tuple[int, int] = (0, 0)
    """Characters of the file, the first and the one behind the last; (0, 0): the file as a whole."""
    excerpt: str = ""


DraftKind = Literal["create", "append", "replace", "merge"]
DraftType = Literal["workflow", "shortcut"]
DraftStatus = Literal["candidate", "quarantined", "accepted", "rejected", "superseded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What taught a draft: the runs, their verdicts, the model and prompt that wrote it, the training it comes from."""

    runs: tuple[str, ...] = ()
    model: str = ""
    prompt_hash: str = ""
    training: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillGuidance:
    """What a skill is for, where to begin, and what to leave: proposed by a draft, kept by the skill's profile."""

    use_cases: tuple[str, ...] = ()
    """What the skill is meant for."""
    entry_path: tuple[str, ...] = ()
    """Which skills to begin with."""
    avoid: tuple[str, ...] = ()
    """Ways that were tried and should not be taken again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One file of a kept package, and the object that holds its bytes."""

    path: str
    object: str
    """SHA-256 of the bytes."""
    size: int
    executable: bool = False
    mode: int = 0
    """Who may read and write it, where that was seen; no part of the package's hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A proposed change to a skill package."""

    id: str
    workspace: str
    target: str
    kind: DraftKind
    type: DraftType
    summary: str
    body: str = ""
    files: tuple[StoredFile, ...] = ()
    """The whole proposed package, where the draft is one and not a text: an import, a trained candidate."""
    beside: tuple[tuple[str, str], ...] = ()
    """Further files of a new skill, path and text: its example, its scripts."""
    parcel: str = ""
    """The object that holds the file it was imported from, with the history that came along."""
    base_hash: str = ""
    """The version the draft was made against; empty for a new skill."""
    hash: str = ""
    """Of the package as it would ship; what a person approves is bound to it."""
    pattern: str = ""
    ratio: float | None = None
    """The pattern's success ratio when the draft was made of it."""
    basis: str = ""
    """Stands for all it was last held against; the same again: there is nothing to look at again."""
    matched: tuple[str, ...] = ()
    guidance: SkillGuidance = SkillGuidance()
    provenance: Provenance = Provenance()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    needs_approval: bool = False
    approved: str = ""
    """The hash a person said yes to; worth nothing for any other."""
    approver: str = ""
    seal: str = ""
    """The approver's seal under it: a yes that came along with somebody's files has none."""
    objection: str = ""
    """What a gate measured against exactly this text; shipping it all the same needs a second, explicit yes."""
    status: DraftStatus = "candidate"
    created: str = ""
    updated: str = ""
