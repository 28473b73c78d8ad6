"""Selection put to the test: a library is asked labelled queries, and what it says is held against the labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.selection.candidates.skill_pool import skills_with_bodies
from metier.selection.evaluation.eval_library import ask_queries, build_eval_library, eval_basis
from metier.selection.evaluation.evaluate import CUTS, compare, evaluate
from metier.selection.evaluation.files import basis_from, queries_from, shipped_skills, skills_from, skills_once

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from metier.events import Event
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.evaluation.eval_library import EvalLibrary
    from metier.selection.evaluation.evaluate import Comparison, Evaluation, SelectionAnswer
    from metier.selection.evaluation.labelled_queries import Query
    from metier.selection.types import Selectable


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalPlan:
    """What is to be measured."""

    queries: str = ""
    """A file of labelled queries; empty: the shipped ones."""
    skills: str = ""
    """A folder or a file of skills; empty: the workspace's own library."""
    compare: str = ""
    """Another library, or a file of settings (`.toml`), to hold against it."""
    cuts: tuple[int, ...] = CUTS


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSide:
    """One library under one set of settings, and how it did."""

    name: str
    skills: int
    answers: tuple[SelectionAnswer, ...]
    evaluation: Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that was measured."""

    queries: tuple[Query, ...]
    cuts: tuple[int, ...]
    side: EvalSide
    other: EvalSide | None = None
    comparison: Comparison | None = None
    notes: tuple[str, ...] = ()


def measure_selection(plan: EvalPlan, pool: SkillPool | None) -> Generator[Event, None, Report]:
    """Ask every query, and every query again where there is something to compare with."""
    queries = yield from queries_from(plan.queries)
    skills = yield from library_of(plan, pool)
    there = yield from build_eval_library(skills, eval_basis(pool.ctx if pool else None))
    side = yield from _side(plan.skills or ("library" if plan.queries else "sample skills"), there, queries, plan.cuts)
    report = Report(queries=queries, cuts=plan.cuts, side=side, notes=_unknown(plan, queries, there))
    if not plan.compare:
        return report
    if plan.compare.endswith(".toml"):
        against = replace(there, basis=basis_from(plan.compare, there.basis))
    else:
        others = yield from skills_from(plan.compare)
        against = yield from build_eval_library(others, there.basis)
    other = yield from _side(plan.compare, against, queries, plan.cuts)
    difference = compare(queries, side.answers, other.answers, plan.cuts)
    return replace(report, other=other, comparison=difference)


def library_of(plan: EvalPlan, pool: SkillPool | None) -> Generator[Event, None, tuple[Selectable, ...]]:
    """The skills to choose from; shipped queries bring their own."""
    given: tuple[Selectable, ...] = ()
    if plan.skills:
        given = yield from skills_from(plan.skills)
    elif pool:
        given = yield from skills_with_bodies(pool)
    if plan.queries:
        return given
    return skills_once((*(yield from shipped_skills()), *given))


def _side(
    name: str, there: EvalLibrary, queries: Sequence[Query], cuts: tuple[int, ...]
) -> Generator[Event, None, EvalSide]:
    answers = yield from ask_queries(there, queries, max(cuts))
    return EvalSide(name=name, skills=len(there.skills), answers=answers, evaluation=evaluate(queries, answers, cuts))


def _unknown(plan: EvalPlan, queries: Sequence[Query], there: EvalLibrary) -> tuple[str, ...]:
    """What is to be said of queries whose right skill is not in the library."""
    lost = [query for query in queries if query.gold and not any(name in there.skills for name in query.gold)]
    if not lost:
        return ()
    first = f"the first: {plan.queries}:{lost[0].line} wants {', '.join(lost[0].gold)}"
    return (
        f"{len(lost)} of {len(queries)} queries want a skill that is not in the library; {first}. All count as missed.",
    )
