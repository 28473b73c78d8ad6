"""Aggregation: many patches become one, level by level, failures before successes."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.training.proposing.answers import Patched, Rewritten, Suggestions
from metier.training.proposing.optimiser import OptimiserQuestion, prompt
from metier.training.proposing.prompt import fence, skill_text
from metier.training.proposing.proposals import NOTHING, Answered, Bundle, bundle_of, dump
from metier.training.proposing.reflect import LONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.training.proposing.optimiser import Optimiser
    from metier.training.proposing.reflect import Setting
    from metier.training.spec import Spec

Side = list[Bundle]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedBundle:
    """One bundle made of many, and why a call on the way had to be done without."""

    bundle: Bundle
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregator:
    """Merges the bundles of one step; what cannot be merged is put one after the other."""

    desk: Optimiser
    setting: Setting
    spec: Spec

    def merge(self, failures: Sequence[Bundle], successes: Sequence[Bundle]) -> MergedBundle:
        """One bundle: failures by themselves, successes by themselves, then both; nobody is asked about one alone."""
        problems: list[str] = []
        sides: list[Side] = [[bundle for bundle in side if bundle.items] for side in (failures, successes)]
        level = 0
        while any(len(side) > 1 for side in sides):
            level += 1
            sides = self._level([_grouped(side, self.spec.editing.merge_group) for side in sides], level, problems)
        both = [side[0] for side in sides if side and side[0].items]
        (merged,) = self._level([[both] if both else []], level + 1, problems)
        return MergedBundle(bundle=merged[0] if merged else NOTHING, problems=tuple(problems))

    def _level(self, groups: list[list[Side]], level: int, problems: list[str]) -> list[Side]:
        """Each side with every group made one bundle, and what went wrong there; all calls are under way together."""
        questions = {
            (where, index): merge_question(group, self.setting, self.spec, level)
            for where, side in enumerate(groups)
            for index, group in enumerate(side)
            if len(group) > 1 and any(bundle.items for bundle in group)  # all of it may have been merged away
        }
        answered = dict(zip(questions, self.desk.gather(tuple(questions.values())), strict=True))
        problems += [asked.reason for asked in answered.values() if asked.value is None]
        return [
            [
                combine_bundles(group, answered[where, index].value, level) if (where, index) in answered else group[0]
                for index, group in enumerate(side)
            ]
            for where, side in enumerate(groups)
        ]


def _grouped(side: Side, size: int) -> list[Side]:
    return [side[start : start + size] for start in range(0, len(side), size)]


def combine_bundles(group: Sequence[Bundle], answer: Answered | None, level: int) -> Bundle:
    """The group as one bundle: as the model says, or all of it in order when the model says nothing."""
    items = tuple(item for bundle in group for item in bundle.items)
    if answer is None:
        kept = tuple(item if item.level else replace(item, level=level) for item in items)
        return Bundle(items=kept, reasoning="not merged: put one after the other")
    source = "failure" if any(item.source == "failure" for item in items) else "success"
    return bundle_of(answer, source, support=max(item.support for item in items), level=level)


def merge_question(group: Sequence[Bundle], setting: Setting, spec: Spec, level: int) -> OptimiserQuestion[Answered]:
    """What the optimiser is asked to make one of."""
    patches = [{"reasoning": bundle.reasoning, "proposals": [dump(item) for item in bundle.items]} for bundle in group]
    text = prompt(
        "merge",
        form=prompt(f"merge_{spec.editing.update}"),
        count=str(len(group)),
        level=str(level),
        skill=skill_text(setting.skill),
        meta=setting.meta or "Nothing yet.",
        patches=fence("patches", json.dumps(patches, ensure_ascii=False, indent=1)),
    )
    limit = LONG if spec.editing.update == "full_rewrite" else 4_096
    return OptimiserQuestion(stage="merge", prompt=text, kind=_kind(spec), max_tokens=limit)


def _kind(spec: Spec) -> type[Answered]:
    match spec.editing.update:
        case "patch":
            return Patched
        case "rewrite":
            return Suggestions
        case "full_rewrite":
            return Rewritten
