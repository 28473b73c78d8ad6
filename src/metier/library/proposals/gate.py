"""The gate's seam: something that can tell whether a learned change helps, asked before it ships."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from metier.types.trials import Decision

if TYPE_CHECKING:
    from metier.skills.package import Package
    from metier.types import Draft

PASSING = ("accept_new_best", "accept", "force_accept")
"""Decisions that let a change ship."""
DOUBT = "not proven: "
"""How the note on a draft begins whose gate could not tell."""
UNJUDGED = Decision(action="uninformative", reason="no gate could judge")
UNCONFIRMED = Decision(action="force_accept", reason="confirmation is switched off")
BY_PERSON = Decision(action="force_accept", reason="a person applied it")


class ShipGate(Protocol):
    """Decides on one change."""

    def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:
        """Whether what comes after is better than what was before."""
        ...


class NoCases:
    """The gate of work that nobody has cases for: it cannot tell, and says so. Such a draft waits for a person."""

    def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:  # noqa: ARG002
        """Nothing is known."""
        return UNJUDGED


class NoConfirmation:
    """Lets everything ship that review lets through, as provisional: for measuring review alone, not for work."""

    def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:  # noqa: ARG002
        """Yes, whatever it is."""
        return UNCONFIRMED


_ACTION = re.compile(r"(^|; )(force_accept|accept_new_best|accept|reject|uninformative): ")
_WORDS = {"accept_new_best": "passed: ", "accept": "passed: ", "reject": "rejected: ", "uninformative": "not proven: "}


def receipt_words(receipt: str) -> str:
    """A receipt as a person reads it: what a person decided stands for itself."""
    return _ACTION.sub(lambda found: found[1] + _WORDS.get(found[2], ""), receipt)


def receipt_of(decision: Decision) -> str:
    """A decision as a version's history keeps it."""
    return f"{decision.action}: {decision.reason}"
