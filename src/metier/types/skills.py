"""The nouns of what ships: a version of a skill, and how the skill is doing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from metier.types.drafts import Finding, Provenance, SkillGuidance, StoredFile

NO_PROVENANCE = Provenance()
NO_GUIDANCE = SkillGuidance()

SkillOrigin = Literal["manual", "learned", "trained", "imported"]
SkillStatus = Literal["provisional", "active", "cold", "archived", "deleted"]
VersionAction = Literal[
    "found",
    "hand-edit",
    "hand-delete",
    "apply",
    "edit",
    "import",
    "rollback",
    "archive",
    "delete",
    "restore",
    "cool",
    "wake",
    "pin",
    "unpin",
]
"""What made a version; all from `archive` on leave the bytes as they are."""


AUTOMATIC = "metier"
"""Who decided where a gate let a change ship."""
_ACCEPTED = re.compile(r"(?:^|; )accept(?:_new_best)?: ")
"""A gate's yes in a receipt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One state of a skill package, kept byte for byte, and what brought it there."""

    skill: str
    root: str
    number: int
    hash: str
    action: VersionAction = "apply"
    status: SkillStatus = "active"
    """Archived and deleted: not in its root any more, only kept."""
    origin: SkillOrigin = "manual"
    actor: str = ""
    """Who decided on it; `AUTOMATIC`: a gate did. Earlier releases put the model that wrote it here."""
    summary: str = ""
    draft: str = ""
    step: str = ""
    """The training step, where training made it."""
    provenance: Provenance = NO_PROVENANCE
    guidance: SkillGuidance = NO_GUIDANCE
    """What the skill is for since then; empty: as before."""
    findings: tuple[Finding, ...] = ()
    receipt: str = ""
    """What the gate decided, and why."""
    gain: float | None = None
    """The gain over the version before, as it was measured; `proven_gain` is what may be shown."""
    parent: str = ""
    """The hash of the package it took the place of."""
    created: str = ""
    files: tuple[StoredFile, ...] = ()
    seal: str = ""
    """Of the person on whose machine it was reviewed or approved; without it, it is reviewed again before use."""

    @property
    def proven_gain(self) -> float | None:
        """The gain that its gate accepted; earlier releases kept gains that nobody had proven."""
        return self.gain if _ACCEPTED.search(self.receipt) else None

    @property
    def who(self) -> str:
        """Who decided on it, also where an earlier release put down the model that wrote it."""
        if not self.actor or self.actor != self.provenance.model:
            return self.actor
        return "a person" if "person" in self.receipt.partition(";")[0] else AUTOMATIC

    @property
    def out(self) -> bool:
        """Whether this version is kept only, out of every agent's sight."""
        return self.status in ("archived", "deleted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How a skill is doing."""

    skill: str
    workspace: str
    status: SkillStatus = "active"
    origin: SkillOrigin = "manual"
    uses: int = 0
    successes: int = 0
    failures: int = 0
    last_used: str = ""
    retention: float = 0.2
    pinned: bool = False
    guidance: SkillGuidance = NO_GUIDANCE
    """Its use cases, where to begin, and what to avoid, as the last applied draft says."""
    changed: str = ""
    """When its last version was made; an unused skill idles from there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageDecision:
    """The latest yes or no to the bytes of a package, whatever their folder is called."""

    hash: str
    allowed: bool
    action: str
    """What decided it, as the audit log says."""
    happened: str
    seal: str = ""
    """Of the person who said yes; empty for a no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """What is known about a package without reading it again."""

    fingerprint: str
    """Of the names, sizes and times of all its files; empty: to be read again next time."""
    hash: str = ""
    """Empty when it could not be read."""
    name: str = ""
    description: str = ""
    problem: str = ""
    """Why no agent can use it, and on which line; empty when one can."""
    version: int = 0
    """Its newest version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgingStep:
    """One skill's next step."""

    profile: Profile
    to: SkillStatus
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgingPass:
    """What one pass over all profiles did, or would do."""

    evaluated: int
    steps: tuple[AgingStep, ...] = ()
    woken: tuple[str, ...] = ()
    """Archived skills that were used all the same, so they are back."""

    @property
    def deleted(self) -> int:
        """How many left the disk."""
        return sum(step.to == "deleted" for step in self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredChange:
    """What became of a change that was found unfinished."""

    version: Version
    how: str
    """`finished`, `taken back`, or why it still waits."""
