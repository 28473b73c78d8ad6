"""Aggregation: many patches become one, level by level, failures before successes."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.training.proposing.answers import Patched, Rewritten, Suggestions
from metier.training.proposing.optimiser import Question, prompt
from metier.training.proposing.prompt import fenced, shown_skill
from metier.training.proposing.proposals import NOTHING, Answered, Bundle, bundle_of, dump
from metier.training.proposing.reflect import LONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.training.proposing.optimiser import Desk
    from metier.training.proposing.reflect import Setting
    from metier.training.spec import Spec

Side = list[Bundle]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """One bundle made of many, and why a call on the way had to be done without."""

    bundle: Bundle
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging:
    """Merges the bundles of one step; what cannot be merged is put one after the other."""

    desk: Desk
    setting: Setting
    spec: Spec

    def merge(self, failures: Sequence[Bundle], successes: Sequence[Bundle]) -> Merged:
        """One bundle: failures by themselves, successes by themselves, then both; nobody is asked about one alone."""
        return self.merge_sets([(failures, successes)])[0]

    def merge_sets(self, sets: Sequence[tuple[Sequence[Bundle], Sequence[Bundle]]]) -> tuple[Merged, ...]:
        """The same for several sets of failures and successes, side by side."""
        problems: list[list[str]] = [[] for _ in sets]
        both, level = self._each_side(sets, problems)
        merged = self._level([[one] if one else [] for one in both], level + 1, problems)
        return tuple(
            Merged(bundle=one[0] if one else NOTHING, problems=tuple(why))
            for one, why in zip(merged, problems, strict=True)
        )

    def _each_side(
        self, sets: Sequence[tuple[Sequence[Bundle], Sequence[Bundle]]], problems: list[list[str]]
    ) -> tuple[list[Side], int]:
        """What failures and successes come to by themselves, level by level, and the last level."""
        sides: list[Side] = [[bundle for bundle in side if bundle.items] for both in sets for side in both]
        level, sizes = 0, [group_size(len(side), self.spec) for side in sides]
        while any(len(side) > 1 for side in sides):
            level += 1
            groups = [_grouped(side, size) for side, size in zip(sides, sizes, strict=True)]
            sides = self._level(groups, level, [problems[where // 2] for where in range(len(sides))])
        pairs = zip(sides[::2], sides[1::2], strict=True)
        return [[side[0] for side in pair if side and side[0].items] for pair in pairs], level

    def _level(self, groups: list[list[Side]], level: int, problems: list[list[str]]) -> list[Side]:
        """Each side with every group made one bundle, and what went wrong there; all calls are under way together."""
        questions = {
            (where, index): question(group, self.setting, self.spec, level)
            for where, side in enumerate(groups)
            for index, group in enumerate(side)
            if len(group) > 1 and any(bundle.items for bundle in group)  # all of it may have been merged away
        }
        answered = dict(zip(questions, self.desk.gather(tuple(questions.values())), strict=True))
        for (where, _), asked in answered.items():
            problems[where] += [asked.reason] if asked.value is None else []
        return [
            [
                combined(group, answered[where, index].value, level) if (where, index) in answered else group[0]
                for index, group in enumerate(side)
            ]
            for where, side in enumerate(groups)
        ]


def _grouped(side: Side, size: int) -> list[Side]:
    return [side[start : start + size] for start in range(0, len(side), size)]


def group_size(count: int, spec: Spec) -> int:
    """How many of so many are merged by one call at every level: by the square root there are never more than two."""
    rooted = spec.root_groups and count > spec.merge_group
    return math.isqrt(count - 1) + 1 if rooted else spec.merge_group


def combined(group: Sequence[Bundle], answer: Answered | None, level: int) -> Bundle:
    """The group as one bundle: as the model says, or all of it in order when the model says nothing."""
    items = tuple(item for bundle in group for item in bundle.items)
    if answer is None:
        kept = tuple(item if item.level else replace(item, level=level) for item in items)
        return Bundle(items=kept, reasoning="not merged: put one after the other")
    source = "failure" if any(item.source == "failure" for item in items) else "success"
    return bundle_of(answer, source, support=max(item.support for item in items), level=level)


def question(group: Sequence[Bundle], setting: Setting, spec: Spec, level: int) -> Question[Answered]:
    """What the optimiser is asked to make one of."""
    patches = [{"reasoning": bundle.reasoning, "proposals": [dump(item) for item in bundle.items]} for bundle in group]
    text = prompt(
        "merge",
        form=prompt(f"merge_{spec.update}"),
        count=str(len(group)),
        level=str(level),
        skill=shown_skill(setting.skill),
        meta=setting.meta or "Nothing yet.",
        patches=fenced("patches", json.dumps(patches, ensure_ascii=False, indent=1)),
    )
    limit = LONG if spec.update == "full_rewrite" else 4_096
    return Question(stage="merge", prompt=text, kind=_kind(spec), max_tokens=limit)


def _kind(spec: Spec) -> type[Answered]:
    match spec.update:
        case "patch":
            return Patched
        case "rewrite":
            return Suggestions
        case "full_rewrite":
            return Rewritten
