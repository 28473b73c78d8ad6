"""Problems from the store: patterns that fail too often, and errors that keep coming back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.learning.lessons.problems import failing_tools, problem_of, problems_from
from metier.learning.lessons.session.mine import from_text
from metier.store.tables.learning import members, patterns, sightings
from metier.store.tables.runs import runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.types.lessons import Problem

LOOKED_AT = 500
"""Runs whose tools are looked at, the newest."""
NEWEST = 50
"""Failed runs of a pattern that are looked at, the newest."""


def find_problems(ctx: Context) -> list[Problem]:
    """Work that keeps failing, what fails in most sessions first."""
    needed = ctx.config.learning.min_success_ratio
    found: list[Problem] = []
    with ctx.store.read() as transaction:
        for pattern in patterns.list_all(transaction):
            if pattern.failures and pattern.success_ratio < needed and pattern.status != "retired":
                failed = members.newest(transaction, pattern.id, success=False, limit=NEWEST)
                problem = problem_of(pattern, runs.get_many(transaction, failed))
                found += [problem] if problem else []
        repairs = [one for text in sightings.list_all(transaction) for one in from_text(text).repairs]
        newest = runs.page(transaction, limit=LOOKED_AT)
    found += [*problems_from(repairs), *failing_tools(newest[::-1])]
    return sorted(found, key=lambda one: (-one.sessions, one.label))


def external_ids(ctx: Context, found: Sequence[Problem]) -> dict[str, list[str]]:
    """The ids that the agents gave to the failed runs, by problem."""
    with ctx.store.read() as transaction:
        every = {one.id: one for one in runs.get_many(transaction, [run for each in found for run in each.failed])}
    return {one.id: [every[run].run.external_id or run for run in one.failed if run in every] for one in found}
