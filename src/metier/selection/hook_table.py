"""What hooks may hand out: the skills in use in one table, each with its finished text once it was found fit."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from metier import __version__
from metier.errors import StoreError
from metier.events import Advanced, Began, Ended
from metier.selection.assembly.render import HOOK_TOKENS, hand_over
from metier.selection.assembly.token_budget import tokens
from metier.selection.candidates.reviewed import fit
from metier.selection.types import Chosen, Settings, Task
from metier.selection.worth.outcomes import records
from metier.selection.worth.utility import UNKNOWN
from metier.store.tables.selection import hook_skills as skill_words
from metier.store.tables.selection import skill_index
from metier.store.tables.selection.hook_skills import HandOut, InUse

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Mapping

    from metier.events import Event
    from metier.selection.candidates.catalogue import Catalogue, Listed
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.types import Selectable
    from metier.selection.worth.utility import Adjustment
    from metier.store.engines.engine import Transaction

    Ready = dict[str, tuple[InUse, HandOut]]
    """Skills by name as hooks need them."""

AGENT = "claude-code"
"""Whose hooks take a text for the context."""
STAGE = "check skills"
STEP = 50
"""Skills looked at between two words about progress."""
CHECKED = f"{__version__} 1"
"""What looked at a skill, and in which form its text is; another version looks again."""


def records_of(pool: SkillPool) -> Mapping[str, Adjustment]:
    """What the runs of each skill say about it."""
    return records(pool.library, pool.hashes)


def follow(pool: SkillPool, catalogue: Catalogue, known: Mapping[str, Adjustment]) -> None:
    """Note which skills are in use now, and drop what is known of texts that no skill has any more."""
    with pool.ctx.store.read() as transaction:
        before = skill_words.list_all(transaction)
    may = _may(pool, catalogue)
    now = {name: _row(pool, one, known, may) for name, one in catalogue.listed.items()}
    changed = [one for name, one in now.items() if name not in before or _differ(one, before[name])]
    gone = before.keys() - now.keys()
    if not changed and not gone:
        return
    replaced = [one.content for name, one in before.items() if name not in now or now[name].hash != one.hash]
    with suppress(StoreError), pool.ctx.store.write() as transaction:  # else the next selection does it
        skill_words.put(transaction, changed)
        skill_words.forget(transaction, gone)
        skill_words.drop(transaction, skill_index.unused_contents(transaction, replaced))


def prepared(pool: SkillPool) -> Generator[Event, None, int]:
    """Look at every skill that nobody looked at yet, so that hooks can hand it out; returns how many those were."""
    catalogue = yield from pool.refreshed()
    if pool.ctx.config.store:  # a hook reads SQLite, and nothing else
        return 0
    pool.follow(records_of(pool))
    with pool.ctx.store.read() as transaction:
        rows = skill_words.list_all(transaction)
    names = [name for name, row in rows.items() if row.checked != CHECKED and row.factor and name in catalogue.listed]
    if not names:
        return 0
    yield Began(stage=STAGE, total=len(names))
    for start in range(0, len(names), STEP):
        part = [catalogue.listed[name] for name in names[start : start + STEP]]
        found = fit(pool, part)
        made = [finished(found.skills.get(one.skill.name), one.content) for one in part]
        with suppress(StoreError), pool.ctx.store.write() as transaction:
            skill_words.finish(transaction, made)
        yield Advanced(stage=STAGE, done=min(start + STEP, len(names)), total=len(names))
    yield Ended(stage=STAGE, text=f"{len(names)} skills looked at")
    return len(names)


def made_ready(
    pool: SkillPool, catalogue: Catalogue, skills: Iterable[Selectable], known: Mapping[str, Adjustment]
) -> Ready:
    """Skills that were just found fit as hooks need them, but for those that this process made ready before."""
    if pool.ctx.config.store:
        return {}
    may = _may(pool, catalogue)
    found: Ready = {}
    for one in skills:
        row = _row(pool, catalogue.listed[one.name], known, may)
        if pool.ready.get(one.name) != row:
            found[one.name] = row, finished(one, row.content)
    return found


def keep_ready(transaction: Transaction, ready: Ready) -> None:
    """Let hooks know of some skills, and keep their finished texts."""
    if ready:
        skill_words.put(transaction, [row for row, _ in ready.values()])
        skill_words.finish(transaction, [text for _, text in ready.values()])


def finished(skill: Selectable | None, content: skill_index.ContentKey) -> HandOut:
    """The text of a skill as a hook hands it out; none for a skill that is not fit."""
    if skill is None:
        return HandOut(content=content, checked=CHECKED)
    handed = hand_over((Chosen(skill=skill, activation_reason="score"),), AGENT, HOOK_TOKENS)
    text = str(json.loads(handed.text)["hookSpecificOutput"]["additionalContext"]) if handed.text else ""
    return HandOut(content=content, checked=CHECKED, text=text, tokens=tokens(text))


def _may(pool: SkillPool, catalogue: Catalogue) -> frozenset[str]:
    """The skills that hooks may hand out, by name."""
    task = Task(text="", agent=AGENT, workspace=pool.ctx.name)
    return pool.may(catalogue, task, frozenset(pool.ctx.config.selection.select_exclude)).names


def _row(pool: SkillPool, one: Listed, known: Mapping[str, Adjustment], may: Collection[str]) -> InUse:
    name = one.skill.name
    factor = known.get(name, UNKNOWN).factor * (Settings().cold_factor if one.skill.status == "cold" else 1.0)
    return InUse(
        name=name,
        hash=one.content.hash,
        document=one.document,
        stamp=pool.stamp(one.document),
        always=one.skill.pinned,
        factor=factor if name in may else 0.0,
    )


def _differ(one: InUse, other: InUse) -> bool:
    return (one.hash, one.document, one.stamp, one.always, one.factor) != (
        *(other.hash, other.document, other.stamp, other.always),
        other.factor,
    )
