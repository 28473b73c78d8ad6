"""The gate's seam: something that can tell whether a learned change helps, asked before it ships."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from metier.types.trials import Decision

if TYPE_CHECKING:
    from metier.skills.package import Package
    from metier.types import Draft

PASSING = ("accept_new_best", "accept", "force_accept", "uninformative")
"""Decisions that let a change ship; an uninformative one as provisional."""


UNJUDGED = Decision(action="uninformative", reason="no gate could judge")


class ShipGate(Protocol):
    """Decides on one change."""

    def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:
        """Whether what comes after is better than what was before."""
        ...


class NoCases:
    """The gate of work that nobody has cases for: it cannot tell, and says so."""

    def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:  # noqa: ARG002
        """Nothing is known: what ships is provisional."""
        return UNJUDGED


def receipt_of(decision: Decision) -> str:
    """A decision as a version's history keeps it."""
    return f"{decision.action}: {decision.reason}"
