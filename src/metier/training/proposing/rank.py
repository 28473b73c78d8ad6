"""Ranking: which proposals are taken up when there are more than the step may make."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.training.proposing.answers import LearningRate, Ranking
from metier.training.proposing.edit_budget import clamp_budget
from metier.training.proposing.optimiser import OptimiserQuestion, prompt
from metier.training.proposing.prompt import cut_middle, fence, skill_text
from metier.training.proposing.proposals import dump

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.training.proposing.optimiser import Optimiser
    from metier.training.proposing.proposals import Bundle, ProposedChange
    from metier.training.proposing.reflect import Setting

SHOWN = 500
"""Characters of a proposal in the list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedBundle:
    """The proposals that are taken up, and why a call had to be done without."""

    bundle: Bundle
    budget: int | None
    problem: str = ""


def rank(bundle: Bundle, budget: int | None, desk: Optimiser, setting: Setting) -> RankedBundle:
    """At most `budget` proposals, the most important first; the first ones when nobody can say which; None: all."""
    if budget is None or len(bundle.items) <= budget:
        return RankedBundle(bundle=bundle, budget=budget)
    if budget <= 0:
        return RankedBundle(bundle=replace(bundle, items=()), budget=budget)
    asked = desk.one(ranking_question(bundle, budget, setting))
    indices = () if asked.value is None else valid_indices(asked.value.selected_indices, len(bundle.items), budget)
    problem = "" if indices else asked.reason or "it named no proposal"
    kept = tuple(bundle.items[index] for index in indices) or bundle.items[:budget]
    return RankedBundle(bundle=replace(bundle, items=kept), budget=budget, problem=problem)


def valid_indices(indices: Sequence[object], available: int, budget: int) -> tuple[int, ...]:
    """The indices that name a proposal, each once, at most `budget`."""
    found = dict.fromkeys(
        index for index in indices if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < available
    )
    return tuple(found)[:budget]


def decide_budget(bundle: Bundle, desk: Optimiser, setting: Setting, evidence: str) -> tuple[int, str]:
    """How many proposals the model wants to take up now, and why it did not say; nothing then."""
    text = prompt(
        "budget",
        skill=skill_text(setting.skill),
        evidence=evidence,
        memory=setting.memory or "Nothing yet.",
        meta=setting.meta or "Nothing yet.",
        proposals=fence("proposals", numbered_list(bundle.items)),
    )
    asked = desk.one(OptimiserQuestion(stage="budget", prompt=text, kind=LearningRate, max_tokens=2_048))
    said = None if asked.value is None else asked.value.learning_rate
    return clamp_budget(said, len(bundle.items)), asked.reason


def ranking_question(bundle: Bundle, budget: int, setting: Setting) -> OptimiserQuestion[Ranking]:
    """What the optimiser is asked to put in order."""
    text = prompt(
        "rank",
        skill=skill_text(setting.skill),
        budget=str(budget),
        count=str(len(bundle.items)),
        meta=setting.meta or "Nothing yet.",
        proposals=fence("proposals", numbered_list(bundle.items)),
    )
    return OptimiserQuestion(stage="rank", prompt=text, kind=Ranking, max_tokens=2_048)


def numbered_list(items: Sequence[ProposedChange]) -> str:
    """The proposals with their indices, counted from 0."""
    return "\n".join(
        f"[{index}] {cut_middle(json.dumps(dump(item), ensure_ascii=False), SHOWN)}" for index, item in enumerate(items)
    )
