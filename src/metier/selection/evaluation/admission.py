"""The check before a skill is admitted: its neighbours' tasks are asked without it and with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from metier.errors import InputError
from metier.runs.queries import list_runs
from metier.selection.candidates.skill_pool import skills_with_bodies
from metier.selection.evaluation.eval_library import ask_queries, build_eval_library, eval_basis, without_scope
from metier.selection.evaluation.files import package_from, queries_from, skills_from
from metier.selection.evaluation.labelled_queries import Query

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from metier.context.context import Context
    from metier.events import Event
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.evaluation.eval_library import EvalLibrary
    from metier.selection.evaluation.evaluate import SelectionAnswer
    from metier.selection.types import Selectable

Source = Literal["query", "description", "request"]
SHORTEST = 12
"""Characters below which a sentence says too little to be a task."""
LONGEST = 400
"""Characters of a sentence or a request that are taken as one."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？])")
_WHEN = re.compile(
    r"(?:and\s+|also\s+)?use(?:\s+(?:it|this|this skill))?\s+(?:when|whenever|for|to|if)\b[:\s]*", re.IGNORECASE
)
_NOT = re.compile(r"(?:do\s+)?(?:not|never|don't)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskProbe:
    """A task that a skill of the library serves, and where it is known from."""

    query: Query
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Takeover:
    """A task whose first choice was the skill that serves it, and is the newcomer now."""

    probe: TaskProbe
    skill: str
    """The neighbour that came first before."""
    still: bool
    """Whether the neighbour is activated all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What a newcomer would do to the tasks of its neighbours."""

    skill: str
    neighbours: tuple[str, ...]
    probes: int
    taken: tuple[Takeover, ...]

    @property
    def accepted(self) -> bool:
        """Whether it takes nothing over."""
        return not self.taken


def probes_of(skill: Selectable, requests: Iterable[str] = ()) -> tuple[TaskProbe, ...]:
    """The tasks a skill is for in its own words, sentence by sentence, and requests that it served; each once."""
    found: dict[str, TaskProbe] = {}
    said = [(_task(one), "description") for one in _SENTENCE.split(skill.description)]
    asked = [(" ".join(one.split())[:LONGEST], "request") for one in requests]
    for text, source in (*said, *asked):
        if len(text) >= SHORTEST and not _NOT.match(text):
            query = Query(text=text, gold=(skill.name,), kind=source)
            found.setdefault(text, TaskProbe(query=query, source="request" if source == "request" else "description"))
    return tuple(found.values())


def _task(sentence: str) -> str:
    """A sentence of a description as somebody would say it who has the task: without *use when*."""
    text = " ".join(sentence.split())
    said = _WHEN.match(text)
    return text[said.end() if said else 0 :][:LONGEST].rstrip(".")


def admission(
    newcomer: str, probes: Sequence[TaskProbe], before: Sequence[SelectionAnswer], after: Sequence[SelectionAnswer]
) -> Admission:
    """Which tasks the newcomer takes over, from the answers without it and with it."""
    taken = [
        Takeover(probe=probe, skill=_first_of(was), still=_first_of(was) in now.chosen)
        for probe, was, now in zip(probes, before, after, strict=True)
        if _first_of(was) in probe.query.gold and _first_of(now) == newcomer and newcomer not in probe.query.gold
    ]
    names = dict.fromkeys(name for probe in probes for name in probe.query.gold)
    return Admission(skill=newcomer, neighbours=tuple(names), probes=len(probes), taken=tuple(taken))


def _first_of(said: SelectionAnswer) -> str:
    """The first choice: of what was chosen, else of the candidates."""
    return next(iter((*said.chosen, *said.retrieved)), "")


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


def check_admission(newcomer: Newcomer, pool: SkillPool | None) -> Generator[Event, None, Admission]:
    """Which tasks of other skills the newcomer would take over."""
    skill = without_scope(_read_newcomer(newcomer.folder))
    if newcomer.skills:
        library = yield from skills_from(newcomer.skills)
    else:
        library = (yield from skills_with_bodies(pool)) if pool else ()
    there = yield from build_eval_library(library, eval_basis(pool.ctx if pool else None))
    if newcomer.queries:
        probes = yield from _labelled_probes(newcomer.queries, skill, there)
        return (yield from _asked_twice(skill, there, probes))
    return (yield from admit(skill, there, served_requests(pool.ctx) if pool else {}))


def admit(
    skill: Selectable, there: EvalLibrary, requests: Mapping[str, Sequence[str]]
) -> Generator[Event, None, Admission]:
    """Which tasks a skill would take over from its neighbours, by what these say of themselves and have served."""
    return (yield from _asked_twice(skill, there, _neighbour_probes(skill, there, requests)))


def _asked_twice(
    skill: Selectable, there: EvalLibrary, probes: Sequence[TaskProbe]
) -> Generator[Event, None, Admission]:
    queries = [one.query for one in probes]
    before = yield from ask_queries(there, queries, NEIGHBOURS)
    after = yield from ask_queries(there.with_skill(skill), queries, NEIGHBOURS)
    return admission(skill.name, probes, before, after)


def served_requests(ctx: Context) -> Mapping[str, Sequence[str]]:
    """What was asked in runs that went well, by the skills that did the work; the newest first."""
    found: dict[str, list[str]] = {}
    for record in list_runs(ctx, LOOKED_AT):
        for skill in record.used if record.success else ():
            asked_for = found.setdefault(skill, [])
            if len(asked_for) < REQUESTS:
                asked_for.append(record.run.message)
    return found


def _read_newcomer(folder: str) -> Selectable:
    path = Path(folder).expanduser().absolute()
    if path.name in ("SKILL.md", "Skill.md", "skill.md"):
        path = path.parent
    skill = package_from(path)
    if not skill.body and not skill.description:
        raise InputError(f"{folder} holds no skill: there is no SKILL.md with a text in it.")
    return skill


def _labelled_probes(file: str, skill: Selectable, there: EvalLibrary) -> Generator[Event, None, tuple[TaskProbe, ...]]:
    """Queries that another skill of the library serves, and this one does not."""
    queries = yield from queries_from(file)
    return tuple(
        TaskProbe(query=query, source="query")
        for query in queries
        if skill.name not in query.gold and any(name in there.skills for name in query.gold)
    )


def _neighbour_probes(
    skill: Selectable, there: EvalLibrary, requests: Mapping[str, Sequence[str]]
) -> tuple[TaskProbe, ...]:
    """What the skills nearest to this one are for."""
    hits = there.index.search(f"{skill.name} {skill.description}", NEIGHBOURS + 1)
    near = [there.skills[hit.name] for hit in hits if hit.name != skill.name][:NEIGHBOURS]
    return tuple(probe for one in near for probe in probes_of(one, requests.get(one.name, ())))
