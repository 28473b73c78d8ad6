"""Ranking: which proposals are taken up when there are more than the step may make."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.training.proposing.answers import LearningRate, Ranking
from metier.training.proposing.edit_budget import clamped
from metier.training.proposing.optimiser import Question, prompt
from metier.training.proposing.prompt import bounded, fenced, shown_skill
from metier.training.proposing.proposals import dump

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.training.proposing.optimiser import Desk
    from metier.training.proposing.proposals import Bundle, Proposed
    from metier.training.proposing.reflect import Setting

SHOWN = 500
"""Characters of a proposal in the list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The proposals that are taken up, and why a call had to be done without."""

    bundle: Bundle
    budget: int | None
    problem: str = ""


def rank(bundle: Bundle, budget: int | None, desk: Desk, setting: Setting) -> Chosen:
    """At most `budget` proposals, the most important first; the first ones when nobody can say which; None: all."""
    if budget is None or len(bundle.items) <= budget:
        return Chosen(bundle=bundle, budget=budget)
    if budget <= 0:
        return Chosen(bundle=replace(bundle, items=()), budget=budget)
    asked = desk.one(ranking_question(bundle, budget, setting))
    indices = () if asked.value is None else valid(asked.value.selected_indices, len(bundle.items), budget)
    problem = "" if indices else asked.reason or "it named no proposal"
    kept = tuple(bundle.items[index] for index in indices) or bundle.items[:budget]
    return Chosen(bundle=replace(bundle, items=kept), budget=budget, problem=problem)


def valid(indices: Sequence[object], available: int, budget: int) -> tuple[int, ...]:
    """The indices that name a proposal, each once, at most `budget`."""
    found = dict.fromkeys(
        index for index in indices if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < available
    )
    return tuple(found)[:budget]


def decide_budget(bundle: Bundle, desk: Desk, setting: Setting, evidence: str) -> tuple[int, str]:
    """How many proposals the model wants to take up now, and why it did not say; nothing then."""
    text = prompt(
        "budget",
        skill=shown_skill(setting.skill),
        evidence=evidence,
        memory=setting.memory or "Nothing yet.",
        meta=setting.meta or "Nothing yet.",
        proposals=fenced("proposals", listed(bundle.items)),
    )
    asked = desk.one(Question(stage="budget", prompt=text, kind=LearningRate, max_tokens=2_048))
    said = None if asked.value is None else asked.value.learning_rate
    return clamped(said, len(bundle.items)), asked.reason


def ranking_question(bundle: Bundle, budget: int, setting: Setting) -> Question[Ranking]:
    """What the optimiser is asked to put in order."""
    text = prompt(
        "rank",
        skill=shown_skill(setting.skill),
        budget=str(budget),
        count=str(len(bundle.items)),
        meta=setting.meta or "Nothing yet.",
        proposals=fenced("proposals", listed(bundle.items)),
    )
    return Question(stage="rank", prompt=text, kind=Ranking, max_tokens=2_048)


def listed(items: Sequence[Proposed]) -> str:
    """The proposals with their indices, counted from 0."""
    return "\n".join(
        f"[{index}] {bounded(json.dumps(dump(item), ensure_ascii=False), SHOWN)}" for index, item in enumerate(items)
    )
