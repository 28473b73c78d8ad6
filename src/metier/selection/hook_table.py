"""Prepare the table that hooks read: the skills in use, each with its finished text once it passed review."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from metier import __version__
from metier.errors import StoreError
from metier.events import Advanced, Began, Ended
from metier.hooks.agents import AGENTS
from metier.selection.assembly.render import HOOK_TOKENS, hand_over
from metier.selection.assembly.token_budget import tokens
from metier.selection.candidates.reviewed import check_skills
from metier.selection.types import ChosenSkill, SelectionSettings, Task
from metier.selection.worth.link_runs import PAGE
from metier.selection.worth.outcomes import adjustments, update_worths
from metier.selection.worth.utility import UNKNOWN
from metier.store.tables.selection import hook_skills, skill_index
from metier.store.tables.selection.hook_skills import HandOut, InUse

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from metier.events import Event
    from metier.selection.candidates.catalogue import Catalogue, CatalogueEntry
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.types import Selectable
    from metier.selection.worth.utility import Adjustment

BODY = 2_000
"""Characters of a skill's text up to which a hook gives all of it."""
FORM = "claude-code"
"""The form of the text that hooks add to the context."""
STAGE = "check skills"
STEP = 50
"""Skills that are checked between two progress events."""
CHECKED = f"{__version__} 1"
"""The version of the check and of the text's form; a skill that another version checked is checked again."""


def prepare_hooks(
    pool: SkillPool, catalogue: Catalogue, skills: Sequence[Selectable], records: Mapping[str, Adjustment]
) -> None:
    """Write skills that just passed review into the hooks' table, except those this process wrote before."""
    if pool.ctx.config.store or not skills:  # hooks read SQLite only
        return
    eligible = _eligible_agents(pool, catalogue)
    rows = [_row(catalogue.in_use[one.name], records, eligible) for one in skills]
    fresh = [(row, one) for row, one in zip(rows, skills, strict=True) if pool.hook_rows.get(row.name) != row]
    if not fresh:
        return
    with suppress(StoreError):  # the next selection tries again
        with pool.ctx.store.write() as transaction:
            hook_skills.put(transaction, [row for row, _ in fresh])
            hook_skills.finish(transaction, [hook_text(one, row.content) for row, one in fresh])
        pool.hook_rows |= {row.name: row for row, _ in fresh}


def prepare_all_for_hooks(pool: SkillPool) -> Generator[Event, None, int]:
    """Check every skill that was not checked yet, so that hooks can hand it out; returns how many were checked."""
    catalogue = yield from pool.refresh()
    if pool.ctx.config.store:  # hooks read SQLite only
        return 0
    update_worths(pool.ctx, most=1, waits=PAGE)
    names = update_hook_table(pool, catalogue, adjustments(pool.library, pool.hashes))
    if not names:
        return 0
    yield Began(stage=STAGE, total=len(names))
    for start in range(0, len(names), STEP):
        part = [catalogue.in_use[name] for name in names[start : start + STEP]]
        checked = check_skills(pool, part)
        if checked.busy:  # the next call goes on from here
            break
        texts = [hook_text(checked.skills.get(one.skill.name), one.content) for one in part]
        with suppress(StoreError), pool.ctx.store.write() as transaction:
            hook_skills.finish(transaction, texts)
        yield Advanced(stage=STAGE, done=min(start + STEP, len(names)), total=len(names))
    yield Ended(stage=STAGE, text=f"Checked {len(names)} skills")
    return len(names)


def update_hook_table(pool: SkillPool, catalogue: Catalogue, records: Mapping[str, Adjustment]) -> list[str]:
    """List the skills that are in use now, and drop the texts that no skill has any more.

    Returns the skills that hooks may hand out once they are checked.
    """
    with pool.ctx.store.read() as transaction:
        before = hook_skills.list_all(transaction)
    eligible = _eligible_agents(pool, catalogue)
    now = {name: _row(one, records, eligible) for name, one in catalogue.in_use.items()}
    changed = [one for name, one in now.items() if _differ(one, before.get(name))]
    checked = {name for name, one in before.items() if name in now and _is_checked(now[name], one)}
    pool.hook_rows |= {name: now[name] for name in checked if not _differ(now[name], before[name])}
    unchecked = [name for name, one in now.items() if one.factor and name not in checked]
    gone = before.keys() - now.keys()
    if not changed and not gone:
        return unchecked
    replaced = [one.content for name, one in before.items() if name not in now or now[name].hash != one.hash]
    with suppress(StoreError), pool.ctx.store.write() as transaction:  # the next call tries again
        hook_skills.put(transaction, changed)
        hook_skills.forget(transaction, gone)
        hook_skills.drop(transaction, skill_index.unused_contents(transaction, replaced))
    return unchecked


def hook_text(skill: Selectable | None, content: skill_index.ContentKey) -> HandOut:
    """The text of a skill as a hook hands it out; empty for a skill that did not pass review.

    A long one is given by name, description and path, unless it is pinned: a prompt is no place for it unasked.
    """
    if skill is None:
        return HandOut(content=content, checked=CHECKED)
    if not skill.pinned and len(skill.body) > BODY:
        skill = replace(skill, body=f"{skill.description}\n\nRead {skill.folder}/SKILL.md before you begin.")
    handed = hand_over((ChosenSkill(skill=skill, activation_reason="score"),), FORM, HOOK_TOKENS)
    text = str(json.loads(handed.text)["hookSpecificOutput"]["additionalContext"]) if handed.text else ""
    return HandOut(content=content, checked=CHECKED, text=text, tokens=tokens(text))


def _eligible_agents(pool: SkillPool, catalogue: Catalogue) -> dict[str, tuple[str, ...]]:
    """For each skill that hooks may hand out, the agents that may get it."""
    hidden = frozenset(pool.ctx.config.selection.select_exclude)
    found: dict[str, tuple[str, ...]] = {}
    for agent in AGENTS:
        task = Task(text="", agent=agent, workspace=pool.ctx.name)
        for name in pool.eligibility(catalogue, task, hidden).names:
            found[name] = (*found.get(name, ()), agent)
    return found


def _row(one: CatalogueEntry, records: Mapping[str, Adjustment], eligible: Mapping[str, tuple[str, ...]]) -> InUse:
    name = one.skill.name
    cold = SelectionSettings().cold_factor if one.skill.status == "cold" else 1.0
    return InUse(
        name=name,
        hash=one.content.hash,
        document=one.document,
        stamp=one.stamp,
        always=one.skill.pinned,
        factor=records.get(name, UNKNOWN).factor * cold if name in eligible else 0.0,
        agents="" if eligible.get(name, AGENTS) == AGENTS else f",{','.join(eligible[name])},",
    )


def _is_checked(one: InUse, before: InUse) -> bool:
    """Whether the finished text in the table still holds."""
    return before.checked == CHECKED and (one.hash, one.always) == (before.hash, before.always)


def _differ(one: InUse, other: InUse | None) -> bool:
    return other is None or (one.hash, one.document, one.stamp, one.always, one.factor, one.agents) != (
        *(other.hash, other.document, other.stamp, other.always),
        *(other.factor, other.agents),
    )
