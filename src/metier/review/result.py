"""What review answers with: a status, the findings behind it, and what a person has to decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from metier.review.capabilities import Addition
    from metier.types import Finding, Severity

Status = Literal["candidate", "quarantined"]
ORDER: tuple[Severity, ...] = ("info", "low", "medium", "high", "critical")
"""Severities from the mildest to the worst."""
BLOCKING: Severity = "high"
"""From this severity on, what was reviewed may not ship."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The answer to one question: may this ship?"""

    status: Status
    findings: tuple[Finding, ...] = ()
    """The worst first, then by file and place."""
    additions: tuple[Addition, ...] = ()
    """What the change newly allows, in plain words."""
    asks: tuple[str, ...] = ()
    """What it asks to be allowed to do that a person should know before a yes, in plain words."""
    needs_approval: bool = False
    """Whether a person has to agree, whatever the mode: something is newly allowed that the evidence does not cover."""


def rank(severity: Severity) -> int:
    """A severity as a number; worse is more."""
    return ORDER.index(severity)


def blocks(finding: Finding) -> bool:
    """Whether a finding alone keeps a package from shipping."""
    return rank(finding.severity) >= rank(BLOCKING)
