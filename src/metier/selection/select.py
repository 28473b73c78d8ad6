"""Selecting: from a task to the skills an agent gets, and the record of how that came about."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from metier.errors import StoreError
from metier.formats.strict_json import clean
from metier.formats.value_json import dumps, loads
from metier.runs.live_run import note_selection
from metier.runs.record import why_closed
from metier.selection.assembly.assemble import assemble
from metier.selection.assembly.token_budget import ends
from metier.selection.candidates.retrieve import Found, retrieved
from metier.selection.candidates.reviewed import fit
from metier.selection.candidates.skill_pool import drained
from metier.selection.choosing.choose import Basis, choose, key_of
from metier.selection.choosing.decision_memo import Kept, kept, recalled, recorded
from metier.selection.choosing.model import advised
from metier.selection.hook_table import keep_ready, made_ready, records_of
from metier.selection.index.entries import EMBEDDER, VERSION
from metier.selection.result import Selected
from metier.selection.types import Settings, Task
from metier.store.tables.models import memo
from metier.store.tables.selection import selections

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.context.context import Context
    from metier.models.model import Model
    from metier.selection.candidates.catalogue import Catalogue
    from metier.selection.candidates.eligibility import LeftOut
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.hook_table import Ready
    from metier.selection.types import Choice
    from metier.selection.worth.utility import Adjustment
    from metier.types import Selection

READ = 64_000
"""Characters of a task that are redacted for the record."""
QUERY = 8_000
"""Characters of a task that are kept in the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What skills are wanted for."""

    text: str
    agent: str = ""
    path: str = ""
    exclude: frozenset[str] = frozenset()
    session: str = ""
    budget: int | None = None
    model: bool | Model = True
    settings: Settings | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decision:
    choice: Choice
    found: Found
    kept: Kept | None = None
    """What to keep of it for the next time."""


def select(pool: SkillPool, wanted: Wanted) -> Selected:
    """The skills for a task: candidates, the best of them, the model's or the score's choice, as much as fits."""
    began = time.monotonic()
    settings = settings_of(pool.ctx, wanted)
    task = _task(pool.ctx, wanted)
    catalogue = pool.current()
    with advised(pool.ctx, model=wanted.model) as advice:
        basis = Basis(settings=settings, adviser=advice.adviser, records=records_of(pool))
        decision = _decided(pool, task, catalogue, wanted, basis)
        if decision.found.changed:  # somebody wrote meanwhile: once more, with what is there now
            catalogue = drained(pool.refreshed(force=True))
            decision = _decided(pool, task, catalogue, wanted, basis)
    choice, found = decision.choice, decision.found
    ready = made_ready(pool, catalogue, [one.skill for one in choice.chosen], basis.records)
    selection = _selection(pool.ctx, choice, task, wanted, settings.withhold_rate)
    stored = _stored(pool, selection, decision, ready)
    if stored:
        note_selection(pool.ctx, selection.id)
    return Selected(
        id=selection.id if stored else "",
        task=task,
        choice=choice,
        assembled=assemble(choice.chosen, settings.token_budget),
        budget=settings.token_budget,
        embedder=found.embedder,
        library=catalogue.version,
        refused=found.left_out,
        notes=tuple(note for note in (advice.note, *found.notes) if note),
        seconds=time.monotonic() - began,
    )


def settings_of(ctx: Context, wanted: Wanted) -> Settings:
    """The workspace's settings for selection, or those handed in; a budget that is named counts either way."""
    config = ctx.config
    settings = wanted.settings or Settings(
        top_k=config.selection.select_top_k,
        max_detailed=config.selection.select_max_detailed,
        token_budget=config.selection.select_budget,
        shortlist_timeout=config.selection.select_timeout,
        final_timeout=config.selection.select_timeout,
        thinking={"auto": None, "on": True, "off": False}[config.selection.select_thinking],
        explore_rate=config.selection.select_explore_rate,
        withhold_rate=config.selection.select_withhold_rate,
    )
    return settings if wanted.budget is None else replace(settings, token_budget=wanted.budget)


def _task(ctx: Context, wanted: Wanted) -> Task:
    path = wanted.path
    if Path(path).is_absolute():
        path = os.path.relpath(os.path.realpath(path), os.path.realpath(ctx.root))
    day = ctx.now()[:10]
    return Task(text=clean(wanted.text), agent=wanted.agent, path=path, workspace=ctx.name, day=day)


def _decided(pool: SkillPool, task: Task, catalogue: Catalogue, wanted: Wanted, basis: Basis) -> _Decision:
    """The decision kept from before, or a new one."""
    may = pool.may(catalogue, task, wanted.exclude.union(pool.ctx.config.selection.select_exclude))
    basis = replace(basis, library=_library(pool, catalogue, basis.records, may.mark))
    key = key_of(task, basis)
    before = _recalled(pool, key, catalogue)
    if before:
        choice, refused = before
        known = Found(embedder=pool.ctx.config.models.embed_model or EMBEDDER.name, left_out=refused)
        return _Decision(choice=replace(choice, stages=(may.found.stage(refused), *choice.stages)), found=known)
    found = retrieved(pool, task, may, catalogue, basis)
    choice = _with_notes(choose(task, found.scored, basis, found.pinned), found)
    again = kept(choice, (one.name for one in found.left_out)) if found.lasting else None
    stages = (may.found.stage(found.left_out), *choice.stages)
    return _Decision(choice=replace(choice, stages=stages), found=found, kept=again)


def _with_notes(choice: Choice, found: Found) -> Choice:
    """The choice with what compared meanings in its record, where that is not the built-in embedder as ever."""
    said = "; ".join(found.notes) or ("" if found.embedder == EMBEDDER.name else f"compared by {found.embedder}")
    if not said:
        return choice
    first, *others = choice.stages
    return replace(choice, stages=(replace(first, note="; ".join(filter(None, (first.note, said)))), *others))


def _library(pool: SkillPool, catalogue: Catalogue, records: Mapping[str, Adjustment], names: str) -> str:
    """Stands for all that a decision depends on beside task and settings."""
    known = sorted((name, one.factor, one.hurts) for name, one in records.items() if one.factor != 1.0)
    served = repr(sorted(pool.served.items()))
    settings = (pool.ctx.config.models.embed_model, pool.ctx.config.models.embed_url)
    parts = (catalogue.version, VERSION, *settings, repr(known), served, names)
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _recalled(pool: SkillPool, key: str, catalogue: Catalogue) -> tuple[Choice, tuple[LeftOut, ...]] | None:
    """The decision that is kept under a key, if those may still be handed out who were, and those not who were not."""
    try:
        with pool.ctx.store.read() as transaction:
            data = memo.get(transaction, key)
        before = loads(Kept, data.decode()) if data else None
    except (StoreError, ValueError):
        return None
    if before is None:
        return None
    names = {*(one.name for one in before.chosen), *before.withheld, *before.refused}
    if not names <= catalogue.listed.keys():
        return None
    found = fit(pool, [catalogue.listed[name] for name in names])
    if found.changed or {one.name for one in found.left_out} != set(before.refused):
        return None
    choice = recalled(before, key, found.skills)
    return (choice, found.left_out) if choice else None


def _selection(ctx: Context, choice: Choice, task: Task, wanted: Wanted, withhold_rate: float) -> Selection:
    """The selection as it is kept, its query redacted."""
    query = ends(ctx.redact(ends(task.text, READ)), QUERY)
    return recorded(
        choice,
        replace(task, text=query),
        selection=uuid4().hex,
        created=ctx.now(),
        session=ctx.redact(clean(wanted.session)),
        withhold_rate=withhold_rate,
    )


def _stored(pool: SkillPool, selection: Selection, decision: _Decision, ready: Ready) -> bool:
    """Store a selection, the decision, and its skills for hooks in one transaction; False: nothing is recorded."""
    if why_closed(pool.ctx):
        return False
    try:
        with pool.ctx.store.write() as transaction:
            selections.put(transaction, selection)
            if decision.kept:
                value = dumps(decision.kept).encode()
                memo.put(transaction, decision.choice.key, value, pool.ctx.now())
            keep_ready(transaction, ready)
    except StoreError:
        return False
    pool.ready |= {name: row for name, (row, _) in ready.items()}
    return True
