"""Cases from runs: build proposals, and a person's decision on each. Nothing that nobody accepted is ever tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from metier.context.audit import YesWords, note_action, note_yes
from metier.errors import NotFoundError
from metier.learning.stages.learn_lessons import find_problems
from metier.proof.replay.mine import NoCase, case_of
from metier.proof.replay.sides import with_sides
from metier.runs.queries import list_runs
from metier.store.tables.runs import runs, verdicts
from metier.store.tables.training import cases
from metier.store.tables.training.cases import CaseStatus, suite_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.types import Record
    from metier.types.trials import Case

STATUSES: tuple[CaseStatus, ...] = get_args(CaseStatus)
LOOKED_AT = 500
"""Runs that become cases at a time, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltCases:
    """What came of an attempt to make cases."""

    new: tuple[Case, ...]
    known: int
    """Runs that are a case already, whatever was decided on it."""
    skipped: tuple[NoCase, ...]


def list_cases(ctx: Context, status: CaseStatus) -> list[Case]:
    """The cases of a status, by id."""
    with ctx.store.read() as transaction:
        return cases.list_all(transaction, suite_of(status))


def build_cases(ctx: Context, *, problem: str = "", limit: int = LOOKED_AT, rubric: bool = False) -> BuiltCases:
    """Propose cases from the newest runs, or from the runs of a problem; what was decided before stays decided."""
    records = _problem_runs(ctx, problem) if problem else list_runs(ctx, limit)
    known = [case for status in STATUSES for case in list_cases(ctx, status)]
    taken = {case.origin for case in known}
    fresh = [one for one in records if f"run:{one.id}" not in taken]
    went = _outcomes(ctx, fresh)
    made = [case_of(one, success=went[one.id], rubric=rubric) for one in fresh]
    new = with_sides([one for one in made if not isinstance(one, NoCase)], known)
    if new:
        with ctx.store.write() as transaction:
            cases.put(transaction, suite_of("proposed"), new)
    skipped = tuple(one for one in made if isinstance(one, NoCase))
    return BuiltCases(new=tuple(new), known=len(records) - len(fresh), skipped=skipped)


def find_case(ctx: Context, name: str) -> tuple[Case, CaseStatus]:
    """A case by its id, or the unique start of it, with its status."""
    every: list[tuple[Case, CaseStatus]] = [(case, status) for status in STATUSES for case in list_cases(ctx, status)]
    found = [one for one in every if one[0].id.startswith(name)]
    exact = [one for one in found if one[0].id == name]
    if len(exact or found) != 1 or not name:
        why = (
            f"{len(found)} cases start with '{name}'. Give more of the id." if found else f"There is no case '{name}'."
        )
        raise NotFoundError(f"{why} See all: metier cases list --all")
    return (exact or found)[0]


def decide_case(ctx: Context, name: str, status: CaseStatus, reason: str = "") -> Case:
    """Accept a case, so that it may be tried and spend money, or reject it; each undoes the other."""
    case, before = find_case(ctx, name)
    if before != status:
        with ctx.store.write() as transaction:
            cases.move(transaction, case, suite_of(before), suite_of(status))
            verb = {"accepted": "accept", "rejected": "reject", "proposed": "reopen"}[status]
            if status == "accepted":
                yes = YesWords(about=f"case {case.id}", undo=f"metier cases reject {case.id}")
                note_yes(transaction, ctx, f"{verb} case", case.id, ctx.redact(reason), yes)
            else:
                note_action(transaction, ctx, f"{verb} case", case.id, ctx.redact(reason))
    return case


def _problem_runs(ctx: Context, problem: str) -> list[Record]:
    """The failed runs of a problem."""
    found = [one for one in find_problems(ctx) if one.id.startswith(problem)]
    if len(found) != 1:
        raise NotFoundError(f"There is no problem '{problem}' here. See all: metier problems")
    with ctx.store.read() as transaction:
        return runs.get_many(transaction, list(found[0].failed))


def _outcomes(ctx: Context, records: Sequence[Record]) -> dict[str, bool | None]:
    """How runs went: by their verdicts, else by what was stated."""
    with ctx.store.read() as transaction:
        said = verdicts.get_many(transaction, [one.id for one in records])
    return {one.id: said[one.id].success if one.id in said else one.success for one in records}
