"""Whose sessions a trial can use: agents that have the skill from the hook alone, and how often it is due there."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from metier.errors import RefusedError
from metier.hooks.agents import AGENTS, is_from_a_person
from metier.hooks.rank import choose_skills
from metier.proof.infrastructure import failed_outside
from metier.runs.queries import list_runs
from metier.selection.worth.outcomes import update_worths
from metier.store.tables.runs import runs, verdicts
from metier.store.tables.selection import selections

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from metier.context.context import Context
    from metier.library.skills import FoundSkill
    from metier.types import Record, Run, Selection

DAYS = 28
"""Days that are looked back."""
LOOKED_AT = 1_000
"""Runs that are looked at, the newest."""
DATABASE = "metier.db"
SHARED = ".agents/skills"
OWN = {
    "claude-code": (".claude/skills",),
    "codex": (SHARED, ".codex/skills"),
    "copilot": (SHARED, ".claude/skills", ".github/skills", ".copilot/skills"),
}
"""The folders in which agents look for skills themselves, in a project and in the home folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DueRate:
    """How often a skill is due, and how these runs went."""

    sessions: int
    """Sessions in which the hook would have given it."""
    days: float
    judged: int
    succeeded: int

    @property
    def a_day(self) -> float:
        """Sessions a day."""
        return self.sessions / self.days

    @property
    def time(self) -> str:
        """The time that was looked at, in words."""
        return "the last day" if round(self.days) == 1 else f"the last {round(self.days)} days"

    @property
    def success(self) -> float:
        """The success rate of these runs; a half where nothing is known."""
        return (self.succeeded + 1) / (self.judged + 2)


def withheld_agents(ctx: Context, found: FoundSkill) -> tuple[str, ...]:
    """The agents that have a skill from Metier alone; RefusedError when none does.

    The hook gives skills from a local database; in a shared store `metier select` does, to agents of any name.
    """
    agents = tuple(agent for agent in AGENTS if not _seen_in(ctx, found, agent))
    if ctx.config.store:
        agents += tuple(sorted({one.agent for one in _given(ctx, found.skill) if one.agent} - {*AGENTS}))
    if not agents:
        where = ", ".join(dict.fromkeys(_seen_in(ctx, found, agent) for agent in AGENTS))
        raise RefusedError(
            f"{found.skill} cannot be withheld: agents find it in {where} themselves. A trial needs a skill that only"
            " the hook gives: take the link in .claude/skills away, or keep the skill in a folder of its own"
            " (setting skill_roots)."
        )
    return agents


def _seen_in(ctx: Context, found: FoundSkill, agent: str) -> str:
    """The folder in which an agent finds a skill itself; empty: in none."""
    name, real = found.skill.rpartition("/")[2], os.path.realpath(found.folder)
    places = [base / folder for folder in OWN[agent] for base in (ctx.root, ctx.home)]
    places += [Path(ctx.claude_home) / "skills"] if agent == "claude-code" and ctx.claude_home else []
    there = [place for place in places if os.path.realpath(place / name) == real]
    if not there:
        return ""
    near = there[0].is_relative_to(ctx.root)
    return str(there[0].relative_to(ctx.root)) if near else str(there[0])


def due_rate(ctx: Context, skill: str, agents: Sequence[str]) -> DueRate:
    """How often a skill was due in the last weeks: the hook's own choice on every request, asked again."""
    since = datetime.fromisoformat(ctx.now()) - timedelta(days=DAYS)
    if ctx.config.store:
        return _given_rate(ctx, skill, agents, since)
    newest = [one for one in list_runs(ctx, LOOKED_AT) if _moment(one) >= since]
    oldest = min(map(_moment, newest), default=since)
    days = max(1.0, (datetime.fromisoformat(ctx.now()) - oldest).total_seconds() / 86_400)
    first: dict[str, Record] = {}
    with closing(sqlite3.connect(f"file:{ctx.state / DATABASE}?mode=ro", uri=True, isolation_level=None)) as connection:
        for one in reversed(newest):
            agent, session = one.run.agent, one.run.session
            if agent not in agents or not _may_open(one.run, first):
                continue
            _, chosen = choose_skills(connection, ctx.name, agent, one.run.message)
            if chosen is not None and chosen.name == skill:
                first[session] = one
    known = _known_outcomes(ctx, list(first.values()))
    return DueRate(sessions=len(first), days=min(days, DAYS), judged=len(known), succeeded=sum(known))


def _given_rate(ctx: Context, skill: str, agents: Sequence[str], since: datetime) -> DueRate:
    """How often a skill was given, as the selections of the last weeks say: no hook can be asked again here."""
    name = skill.rpartition("/")[2]
    update_worths(ctx)
    with ctx.store.read() as transaction:
        every = [one for one in selections.list_all(transaction, LOOKED_AT) if _since(one.created) >= since]
    oldest = min((_since(one.created) for one in every), default=since)
    days = max(1.0, (datetime.fromisoformat(ctx.now()) - oldest).total_seconds() / 86_400)
    given = [one for one in reversed(every) if one.session and one.agent in agents and _has(one, name)]
    first = {one.session: one for one in reversed(given)}
    with ctx.store.read() as transaction:
        served = runs.get_many(transaction, [one.run for one in first.values() if one.run])
    known = _known_outcomes(ctx, served)
    return DueRate(sessions=len(first), days=min(days, DAYS), judged=len(known), succeeded=sum(known))


def _known_outcomes(ctx: Context, records: Sequence[Record]) -> list[bool]:
    """How runs went, as far as it is known and the work decided it."""
    with ctx.store.read() as transaction:
        said = verdicts.get_many(transaction, [one.id for one in records])
    went = [said[one.id].success if one.id in said else one.success for one in records if not failed_outside(one.run)]
    return [one for one in went if one is not None]


def _given(ctx: Context, skill: str) -> list[Selection]:
    """The newest selections with a skill."""
    with ctx.store.read() as transaction:
        every = selections.list_all(transaction, LOOKED_AT)
    return [one for one in every if _has(one, skill.rpartition("/")[2])]


def _has(selection: Selection, skill: str) -> bool:
    return skill in selection.chosen or skill in {one.skill for one in selection.withheld}


def _since(created: str) -> datetime:
    return datetime.fromisoformat(created)


def _may_open(run: Run, known: Container[str]) -> bool:
    """Whether a person begins a session with a run."""
    return bool(run.session) and run.session not in known and is_from_a_person(run.message)


def _moment(record: Record) -> datetime:
    moment = datetime.fromisoformat(record.run.started or record.recorded)
    return moment if moment.tzinfo else datetime.fromisoformat(record.recorded)
