"""What hooks may hand out: the skills in use in one table, each with its finished text once it was found fit."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from tacit import __version__
from tacit.errors import StoreError
from tacit.events import Advanced, Began, Ended
from tacit.selection.cutting import tokens
from tacit.selection.eligible import eligible
from tacit.selection.rendering import HOOK_TOKENS, hand_over
from tacit.selection.utility import UNKNOWN
from tacit.selection.values import Chosen, Settings, Task
from tacit.store import skill_index, skill_words
from tacit.store.skill_words import HandOut, InUse
from tacit.workspace.outcomes import records
from tacit.workspace.select_fit import fit

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping

    from tacit.events import Event
    from tacit.selection.utility import Adjustment
    from tacit.selection.values import Selectable
    from tacit.workspace.catalogue import Catalogue
    from tacit.workspace.workspace import Workspace

AGENT = "claude-code"
"""Whose hooks take a text for the context."""
STAGE = "check skills"
STEP = 50
"""Skills looked at between two words about progress."""
CHECKED = f"{__version__} 1"
"""What looked at a skill, and in which form its text is; another version looks again."""


def records_of(ws: Workspace, catalogue: Catalogue) -> Mapping[str, Adjustment]:
    """What the runs of each skill say about it."""
    return records(ws, {name: one.skill.content_hash for name, one in catalogue.listed.items()})


def follow(ws: Workspace, catalogue: Catalogue, known: Mapping[str, Adjustment]) -> None:
    """Note which skills are in use now, and drop what is known of texts that no skill has any more."""
    with ws.engine.read() as transaction:
        before = skill_words.listed(transaction, ws.name)
    now = {one.name: one for one in _in_use(ws, catalogue, known)}
    changed = [one for name, one in now.items() if name not in before or _differ(one, before[name])]
    gone = before.keys() - now.keys()
    if not changed and not gone:
        return
    replaced = [one.content for name, one in before.items() if name not in now or now[name].hash != one.hash]
    with suppress(StoreError), ws.engine.write() as transaction:  # else the next selection does it
        skill_words.put(transaction, ws.name, changed)
        skill_words.forget(transaction, ws.name, gone)
        skill_words.drop(transaction, skill_index.unused(transaction, replaced))


def prepared(ws: Workspace) -> Generator[Event, None, int]:
    """Look at every skill that nobody looked at yet, so that hooks can hand it out; returns how many those were."""
    catalogue = yield from ws.stock.refreshed()
    if ws.config.store:  # a hook reads SQLite, and nothing else
        return 0
    ws.stock.follow(records_of(ws, catalogue))
    with ws.engine.read() as transaction:
        rows = skill_words.listed(transaction, ws.name)
    names = [name for name, row in rows.items() if row.checked != CHECKED and row.factor and name in catalogue.listed]
    if not names:
        return 0
    yield Began(stage=STAGE, total=len(names))
    for start in range(0, len(names), STEP):
        part = [catalogue.listed[name] for name in names[start : start + STEP]]
        found = fit(ws, part)
        made = [finished(found.skills.get(one.skill.name), one.content) for one in part]
        with suppress(StoreError), ws.engine.write() as transaction:
            skill_words.finish(transaction, ws.name, made)
        yield Advanced(stage=STAGE, done=min(start + STEP, len(names)), total=len(names))
    yield Ended(stage=STAGE, text=f"{len(names)} skills looked at")
    return len(names)


def note_fit(ws: Workspace, catalogue: Catalogue, skills: Iterable[Selectable]) -> None:
    """Keep the finished texts of skills that were just found fit, for those that have none yet."""
    with ws.engine.read() as transaction:
        wanted = [one for one in skills if one.name in catalogue.listed]
        contents = {one.name: catalogue.listed[one.name].content for one in wanted}
        open_ones = skill_words.unchecked(transaction, ws.name, contents.values(), CHECKED)
    made = [finished(one, contents[one.name]) for one in wanted if contents[one.name] in open_ones]
    if made:
        with suppress(StoreError), ws.engine.write() as transaction:
            skill_words.finish(transaction, ws.name, made)


def finished(skill: Selectable | None, content: skill_index.Content) -> HandOut:
    """The text of a skill as a hook hands it out; none for a skill that is not fit."""
    if skill is None:
        return HandOut(content=content, checked=CHECKED)
    handed = hand_over((Chosen(skill=skill, activation_reason="score"),), AGENT, HOOK_TOKENS)
    text = str(json.loads(handed.text)["hookSpecificOutput"]["additionalContext"]) if handed.text else ""
    return HandOut(content=content, checked=CHECKED, text=text, tokens=tokens(text))


def _in_use(ws: Workspace, catalogue: Catalogue, known: Mapping[str, Adjustment]) -> Iterable[InUse]:
    task = Task(text="", agent=AGENT, workspace=ws.name)
    may = {one.name for one in eligible(catalogue.skills, task, ws.config.select_exclude).skills}
    cold = Settings().cold_factor
    for name, one in catalogue.listed.items():
        factor = known.get(name, UNKNOWN).factor * (cold if one.skill.status == "cold" else 1.0)
        yield InUse(
            name=name,
            hash=one.content.hash,
            document=one.document,
            stamp=ws.stock.stamp(one.document),
            always=one.skill.pinned,
            factor=factor if name in may else 0.0,
        )


def _differ(one: InUse, other: InUse) -> bool:
    return (one.hash, one.document, one.stamp, one.always, one.factor) != (
        *(other.hash, other.document, other.stamp, other.always),
        other.factor,
    )
