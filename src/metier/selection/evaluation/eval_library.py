"""A library indexed in memory, to be asked many queries in a row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from metier.events import Advanced, Began, Ended
from metier.selection.choosing.choose import Basis, choose
from metier.selection.evaluation.evaluate import SelectionAnswer
from metier.selection.index.entries import entry_of
from metier.selection.index.index import SkillIndex
from metier.selection.types import ScoredSkill, SelectionSettings, Task

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from metier.context.context import Context
    from metier.events import Event
    from metier.selection.evaluation.labelled_queries import Query
    from metier.selection.index.entries import IndexEntry
    from metier.selection.types import Selectable

STEP = 20
"""Queries, or skills, between two events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalLibrary:
    """A library ready to be asked."""

    skills: Mapping[str, Selectable]
    index: SkillIndex
    basis: Basis

    def answer(self, text: str, depth: int) -> SelectionAnswer:
        """What selection says to a request, with so many candidates, and how long it took."""
        began = perf_counter()
        hits = self.index.search(text, max(depth, self.basis.settings.top_k))
        found = [ScoredSkill(skill=self.skills[hit.name], score=hit.score, parts=hit.parts) for hit in hits]
        middle = perf_counter()
        choice = choose(Task(text=text), found, self.basis)
        ended = perf_counter()
        return SelectionAnswer(
            retrieved=tuple(hit.name for hit in hits[:depth]),
            chosen=tuple(one.skill.name for one in choice.chosen),
            probability=max((one.probability for one in choice.candidates), default=0.0),
            retrieve_ms=1000 * (middle - began),
            choose_ms=1000 * (ended - middle),
        )

    def with_skill(self, skill: Selectable) -> EvalLibrary:
        """The same library with one more skill, or another in its place; the index is the same one, and grows."""
        self.index.add(skill.name, entry_of(skill))
        return replace(self, skills={**self.skills, skill.name: skill})


def eval_basis(ctx: Context | None) -> Basis:
    """The settings of a workspace, or the defaults; without a model, and with nothing left to chance."""
    from metier.selection.select import SelectOptions, settings_of

    settings = settings_of(ctx, SelectOptions(text="")) if ctx else SelectionSettings()
    return Basis(settings=replace(settings, explore_rate=0.0))


def build_eval_library(skills: Iterable[Selectable], basis: Basis) -> Generator[Event, None, EvalLibrary]:
    """The index of these skills; whom and what they are meant for, and whether they are pinned, plays no part here."""
    there = {skill.name: without_scope(skill) for skill in skills}
    yield Began(stage="index", total=len(there))
    entries: list[tuple[str, IndexEntry]] = []
    for name, skill in there.items():
        entries.append((name, entry_of(skill)))
        if len(entries) % STEP == 0:
            yield Advanced(stage="index", done=len(entries), total=len(there))
    index = SkillIndex.of(entries)
    yield Ended(stage="index", text=f"{len(there)} skills")
    return EvalLibrary(skills=there, index=index, basis=basis)


def without_scope(skill: Selectable) -> Selectable:
    """A skill that comes into question for any task, as any other does."""
    return replace(skill, status="active", shadowed=False, agents=(), paths=(), workspaces=(), pinned=False)


def ask_queries(
    there: EvalLibrary, queries: Sequence[Query], depth: int
) -> Generator[Event, None, tuple[SelectionAnswer, ...]]:
    """What selection says to every query."""
    yield Began(stage="ask", total=len(queries))
    if queries:
        there.answer(queries[0].text, depth)  # what is made at the first question only is no part of any figure
    answers: list[SelectionAnswer] = []
    for query in queries:
        answers.append(there.answer(query.text, depth))
        if len(answers) % STEP == 0:
            yield Advanced(stage="ask", done=len(answers), total=len(queries))
    yield Ended(stage="ask", text=f"{len(answers)} queries")
    return tuple(answers)
