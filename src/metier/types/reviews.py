"""What review answers with: a status, its findings, what a change newly allows, and what a person has to decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from metier.types.drafts import Draft, Finding, Severity

Status = Literal["candidate", "quarantined"]
ORDER: tuple[Severity, ...] = ("info", "low", "medium", "high", "critical")
"""Severities from the mildest to the worst."""
OPEN = ("candidate", "quarantined")
"""Statuses of drafts that wait for a decision."""
FAILED = "apply-failed"
"""The rule of a finding that says why a draft could not be shipped."""
BLOCKING: Severity = "high"
"""From this severity on, what was reviewed may not ship."""


@dataclass(frozen=True, slots=True, order=True)
class Program:
    """A program that is run."""

    name: str


@dataclass(frozen=True, slots=True, order=True)
class Host:
    """A host on the network."""

    name: str


@dataclass(frozen=True, slots=True, order=True)
class Install:
    """Something that is brought in and can then be run."""

    command: str


@dataclass(frozen=True, slots=True, order=True)
class NetworkUse:
    """A command that reaches the network, whether or not it says where."""

    command: str


@dataclass(frozen=True, slots=True, order=True)
class TrustChange:
    """A change of what is trusted: hooks, checks, registries, remotes, certificates, rights."""

    what: str


@dataclass(frozen=True, slots=True, order=True)
class UnreadCommand:
    """A command of which one cannot tell beforehand what it runs."""

    command: str


@dataclass(frozen=True, slots=True, order=True)
class OutsidePath:
    """A path outside the workspace."""

    path: str


@dataclass(frozen=True, slots=True, order=True)
class SecretName:
    """A secret that is used by its name."""

    name: str


@dataclass(frozen=True, slots=True, order=True)
class Tool:
    """A tool of the agent."""

    name: str


@dataclass(frozen=True, slots=True, order=True)
class Persistence:
    """Something that outlives the task."""

    what: str


@dataclass(frozen=True, slots=True, order=True)
class StandingOrder:
    """An order that holds from now on."""

    text: str


Capability = (
    Program
    | Host
    | Install
    | NetworkUse
    | TrustChange
    | UnreadCommand
    | OutsidePath
    | SecretName
    | Tool
    | Persistence
    | StandingOrder
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """One thing that a change newly allows."""

    capability: Capability
    words: str
    """What it means, for a person who decides."""
    covered: bool = False
    """Whether the evidence itself used it successfully in enough sessions."""


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


def may_ship(draft: Draft) -> bool:
    """Whether a draft needs nobody's approval any more; shipping checks whose approval it is."""
    if draft.approved and draft.approved == draft.hash:
        return draft.status in OPEN
    return (draft.status == "candidate" or only_failed(draft)) and not (draft.needs_approval or draft.objection)


def only_failed(draft: Draft) -> bool:
    """Whether the only thing that blocks a draft is that shipping it failed the last time."""
    blocking = {one.rule for one in draft.findings if blocks(one)}
    return draft.status == "quarantined" and blocking == {FAILED}
