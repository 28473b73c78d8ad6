"""Which runs are evidence for a pass of learning, and why the others are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.runs.derive import is_heartbeat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.types import Record

ALIVE = "heartbeat_ok"
"""The whole answer of an agent that only says it is alive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A run that teaches nothing in this pass, and why."""

    run: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sifted:
    """Runs parted into evidence and the rest."""

    kept: tuple[Record, ...]
    rejected: tuple[Rejection, ...]


def sift(records: Iterable[Record], workspace: str) -> Sifted:
    """The records that are evidence, in their order, and every other one with its reason."""
    kept: list[Record] = []
    rejected: list[Rejection] = []
    for record in records:
        reason = rejection(record, workspace)
        if reason is None:
            kept.append(record)
        else:
            rejected.append(Rejection(run=record.id, reason=reason))
    return Sifted(kept=tuple(kept), rejected=tuple(rejected))


def rejection(record: Record, workspace: str) -> str | None:
    """Why a run is no evidence, the first reason that holds; None: it is."""
    if record.workspace != workspace:
        return "not a run of this workspace"
    if record.success is None:
        return "success unknown"
    if record.state == "clustered":
        return "already clustered"
    return emptiness(record) if is_claimed(record) else heartbeat(record) or _unnamed(record)


def emptiness(record: Record) -> str | None:
    """Why a run shows nothing of the work it claims to have done; None: it shows something."""
    if reason := heartbeat(record) or _unnamed(record):
        return reason
    return None if record.run.output.strip() else "claimed success without a final output"


def heartbeat(record: Record) -> str | None:
    """How a run shows that it only says the agent is alive; None: it does not."""
    if is_heartbeat(record.run):
        return "heartbeat session"
    return "heartbeat answer" if record.run.output.strip().casefold() == ALIVE else None


def _unnamed(record: Record) -> str | None:
    return None if record.summary.strip() else "no summary"


def is_claimed(record: Record) -> bool:
    """Whether the success is only the agent's own word: nobody outside has stated it."""
    return record.success is True and record.run.outcome is None
