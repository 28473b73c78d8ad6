"""The gate of a pass of learning: a draft is replayed on cases that a person accepted, within the budget of the day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.errors import RefusedError
from metier.library.listing import result_of
from metier.proof.replay.gate import LEAST, ReplayOptions, cases_for, decide_by_replay
from metier.training.scoring.registry import settings_of
from metier.training.targets.recipients import missing_consent
from metier.types.trials import Decision

if TYPE_CHECKING:
    from metier.library.skills import Library
    from metier.skills.package import Package
    from metier.types import Draft
    from metier.types.trials import Case

ANSWERED = frozenset(("all", "exact", "contains", "section", "regex", "rubric"))
"""Kinds of scorers that an answer of a model is enough for: no command is run by itself, and no tool called."""


class ReviewedCases:
    """Tries a draft with the configured model; where it cannot, it says why, and the draft waits for a person."""

    def __init__(self, library: Library, options: ReplayOptions | None = None) -> None:
        self._library = library
        self._options = options or ReplayOptions()

    def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:
        """What the replay says, or why there was none."""
        fitting, _ = cases_for(self._library, draft, after)
        cases = tuple(one for one in fitting if _is_answered(one))
        if why := self._why_not(len(cases)):
            return Decision(action="uninformative", reason=f"uninformative: {why}")
        try:
            return result_of(decide_by_replay(self._library, before, after, cases, self._options))
        except RefusedError as error:
            return Decision(action="uninformative", reason=f"uninformative: {error}")

    def _why_not(self, cases: int) -> str:
        """Why nothing is tried; empty: it is."""
        models = self._library.ctx.config.models
        if not cases:
            return "no accepted case fits it (metier cases build)"
        if cases < LEAST:
            return (
                f"{cases} accepted case{'' if cases == 1 else 's'} fit it, and {LEAST} are needed (metier cases build)"
            )
        if self._options.target == "chat" and not models.model:
            return f"{cases} accepted cases fit it, and there is no model to try them with (metier models)"
        if command := missing_consent(self._library.ctx, self._options.target, self._options.judge):
            return f"{cases} accepted cases fit it, and may not be sent ({command})"
        if models.budget_usd <= 0:
            return f"{cases} accepted cases fit it, and the budget of a day is 0 (budget_usd)"
        return ""


def _is_answered(case: Case) -> bool:
    """Whether an answer alone shows how well a case was done."""
    return all(str(one.get("kind")) in ANSWERED for one in settings_of(case))
