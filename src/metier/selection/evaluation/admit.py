"""The check before a skill is admitted: its neighbours' tasks are asked without it and with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from metier.errors import InputError
from metier.runs.queries import list_runs
from metier.selection.candidates.skill_pool import everything
from metier.selection.evaluation.admission import Probe, admission, probes_of
from metier.selection.evaluation.bench import asked, basis_of, bench, plain
from metier.selection.evaluation.files import package_from, queries_from, skills_from

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from metier.context.context import Context
    from metier.events import Event
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.evaluation.admission import Admission
    from metier.selection.evaluation.bench import Bench
    from metier.selection.types import Selectable

NEIGHBOURS = 12
"""Skills nearest to a newcomer whose tasks are asked."""
REQUESTS = 20
"""Requests that a skill served, the newest, which are asked again."""
LOOKED_AT = 2_000
"""Runs in which they are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Newcomer:
    """A skill that wants to be admitted, and what it is held against."""

    folder: str
    queries: str = ""
    """A file of labelled queries; empty: what its neighbours say of themselves and have served."""
    skills: str = ""
    """A folder or a file of skills; empty: the workspace's own library."""


def admitted(newcomer: Newcomer, pool: SkillPool | None) -> Generator[Event, None, Admission]:
    """Which tasks of other skills the newcomer would take over."""
    skill = plain(_packed(newcomer.folder))
    if newcomer.skills:
        library = yield from skills_from(newcomer.skills)
    else:
        library = (yield from everything(pool)) if pool else ()
    there = yield from bench(library, basis_of(pool.ctx if pool else None))
    if newcomer.queries:
        probes = yield from _labelled(newcomer.queries, skill, there)
    else:
        probes = _near(skill, there, served(pool.ctx) if pool else {})
    queries = [one.query for one in probes]
    before = yield from asked(there, queries, NEIGHBOURS)
    after = yield from asked(there.with_skill(skill), queries, NEIGHBOURS)
    return admission(skill.name, probes, before, after)


def served(ctx: Context) -> Mapping[str, Sequence[str]]:
    """What was asked in runs that went well, by the skills that did the work; the newest first."""
    found: dict[str, list[str]] = {}
    for record in list_runs(ctx, LOOKED_AT):
        for skill in record.used if record.success else ():
            asked_for = found.setdefault(skill, [])
            if len(asked_for) < REQUESTS:
                asked_for.append(record.run.message)
    return found


def _packed(folder: str) -> Selectable:
    path = Path(folder).expanduser().absolute()
    if path.name in ("SKILL.md", "Skill.md", "skill.md"):
        path = path.parent
    skill = package_from(path)
    if not skill.body and not skill.description:
        raise InputError(f"{folder} holds no skill: there is no SKILL.md with a text in it.")
    return skill


def _labelled(file: str, skill: Selectable, there: Bench) -> Generator[Event, None, tuple[Probe, ...]]:
    """Queries that another skill of the library serves, and this one does not."""
    queries = yield from queries_from(file)
    return tuple(
        Probe(query=query, source="query")
        for query in queries
        if skill.name not in query.gold and any(name in there.skills for name in query.gold)
    )


def _near(skill: Selectable, there: Bench, requests: Mapping[str, Sequence[str]]) -> tuple[Probe, ...]:
    """What the skills nearest to this one are for."""
    hits = there.index.search(f"{skill.name} {skill.description}", NEIGHBOURS + 1)
    near = [there.skills[hit.name] for hit in hits if hit.name != skill.name][:NEIGHBOURS]
    return tuple(probe for one in near for probe in probes_of(one, requests.get(one.name, ())))
