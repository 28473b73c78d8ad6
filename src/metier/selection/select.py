"""Select the skills for a task in six steps: catalogue, eligible, retrieve, choose, assemble, record."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from metier.config.switch import off_reason
from metier.errors import StoreError
from metier.formats.strict_json import clean
from metier.formats.value_json import dumps, loads
from metier.runs.live_run import note_selection
from metier.runs.record import why_closed
from metier.selection.assembly.assemble import assemble
from metier.selection.assembly.token_budget import ends
from metier.selection.candidates.retrieve import RetrievedSkills, retrieve
from metier.selection.candidates.reviewed import check_skills
from metier.selection.candidates.skill_pool import drain
from metier.selection.choosing.adviser import selection_model
from metier.selection.choosing.choose import Basis, choose, decision_key, without_withheld
from metier.selection.choosing.decision_memo import KeptDecision, decision_to_keep, recall_choice, selection_record
from metier.selection.hook_table import prepare_hooks
from metier.selection.index.entries import EMBEDDER_NAME, VERSION
from metier.selection.result import Selected
from metier.selection.trial_arms import assignments_of
from metier.selection.types import SelectionSettings, Task
from metier.selection.worth.link_runs import PAGE
from metier.selection.worth.outcomes import adjustments, update_worths
from metier.store.tables.models import memo
from metier.store.tables.selection import selections

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.context.context import Context
    from metier.models.model import Model
    from metier.selection.candidates.catalogue import Catalogue
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.types import Choice
    from metier.selection.worth.utility import Adjustment
    from metier.types.selections import Assignment

READ = 64_000
"""Characters of a task that are redacted for the record."""
QUERY = 8_000
"""Characters of a task that are kept in the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectOptions:
    """The task to select skills for, and how to select them."""

    text: str
    agent: str = ""
    path: str = ""
    exclude: frozenset[str] = frozenset()
    session: str = ""
    budget: int | None = None
    model: bool | Model = True
    settings: SelectionSettings | None = None
    keep: bool = True
    """Whether the selection is recorded; if not, nothing is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decision:
    choice: Choice
    found: RetrievedSkills
    to_keep: KeptDecision | None = None
    """What to store, so that the same task needs no second decision."""


def select(pool: SkillPool, options: SelectOptions) -> Selected:
    """Select the skills for a task and record the selection."""
    began, ctx = time.monotonic(), pool.ctx
    task, settings = task_of(ctx, options), settings_of(ctx, options)
    catalogue = pool.update_if_stale()
    if not ctx.config.enabled:
        options = replace(options, exclude=frozenset(catalogue.in_use), model=False)
    if options.keep:
        update_worths(ctx, most=1, waits=PAGE)
    with selection_model(ctx, model=options.model) as advice:
        basis = Basis(
            settings=settings,
            adviser=advice.adviser,
            is_local=options.model is False and bool(ctx.config.models.embed_model),
            records=adjustments(pool.library, pool.hashes),
        )
        decision = _decide(pool, catalogue, task, options, basis)
        if decision.found.changed:  # a skill was written meanwhile: decide again with the library as it is now
            catalogue = drain(pool.refresh(force=True))
            decision = _decide(pool, catalogue, task, options, basis)
    assigned, found = assignments_of(ctx, pool.hashes, options.agent, options.session), decision.found
    choice = without_withheld(decision.choice, assigned)
    assembled = assemble(choice.chosen, settings.token_budget)
    selection = _record(ctx, replace(decision, choice=choice), task, options, assigned)
    if selection:
        prepare_hooks(pool, catalogue, [one.skill for one in choice.chosen], basis.records)
    return Selected(
        id=selection,
        task=task,
        choice=choice,
        assembled=assembled,
        budget=settings.token_budget,
        embedder=found.embedder,
        library=catalogue.version,
        refused=found.left_out,
        waiting=catalogue.waiting,
        notes=tuple(note for note in (_pause_note(ctx), advice.note, *found.notes) if note),
        seconds=time.monotonic() - began,
        is_paused=not ctx.config.enabled,
    )


def _pause_note(ctx: Context) -> str:
    return "" if ctx.config.enabled else f"Nothing is given: {off_reason(ctx.settings)}"


def _decide(pool: SkillPool, catalogue: Catalogue, task: Task, options: SelectOptions, basis: Basis) -> _Decision:
    """Find the eligible skills, retrieve the best of them and choose; or repeat the decision that was stored."""
    eligible = pool.eligibility(catalogue, task, options.exclude.union(pool.ctx.config.selection.select_exclude))
    basis = replace(basis, library=_library_key(pool, catalogue, basis.records, eligible.mark))
    decision = _recall(pool, catalogue, decision_key(task, basis))
    if decision is None:
        found = retrieve(pool, task, eligible, catalogue, basis)
        choice = choose(task, found.scored, basis, found.pinned, found.note)
        to_keep = decision_to_keep(choice, (one.name for one in found.left_out)) if found.lasting else None
        decision = _Decision(choice=choice, found=found, to_keep=to_keep)
    stages = (eligible.skills.stage(decision.found.left_out), *decision.choice.stages)
    return replace(decision, choice=replace(decision.choice, stages=stages))


def _record(
    ctx: Context, decision: _Decision, task: Task, options: SelectOptions, assigned: tuple[Assignment, ...]
) -> str:
    """Store the selection, its query redacted, and the decision; returns its id, or "" when nothing was stored."""
    if not options.keep or why_closed(ctx):
        return ""
    selection = selection_record(
        decision.choice,
        replace(task, text=ends(ctx.redact(ends(task.text, READ)), QUERY)),
        selection=uuid4().hex,
        created=ctx.now(),
        session=ctx.redact(clean(options.session)),
        trials=assigned,
    )
    try:
        with ctx.store.write() as transaction:
            selections.put(transaction, selection)
            if decision.to_keep:
                memo.put(transaction, decision.choice.key, dumps(decision.to_keep).encode(), ctx.now())
    except StoreError:
        return ""
    note_selection(ctx, selection.id)
    return selection.id


def settings_of(ctx: Context, options: SelectOptions) -> SelectionSettings:
    """The workspace's settings for selection, or those in the options; a budget in the options always counts."""
    config = ctx.config
    settings = options.settings or SelectionSettings(
        top_k=config.selection.select_top_k,
        max_detailed=config.selection.select_max_detailed,
        token_budget=config.selection.select_budget,
        shortlist_timeout=config.selection.select_timeout,
        final_timeout=config.selection.select_timeout,
        thinking={"auto": None, "on": True, "off": False}[config.selection.select_thinking],
        explore_rate=config.selection.select_explore_rate,
    )
    return settings if options.budget is None else replace(settings, token_budget=options.budget)


def task_of(ctx: Context, options: SelectOptions) -> Task:
    """The task, its path relative to the workspace."""
    path = options.path
    if Path(path).is_absolute():
        path = os.path.relpath(os.path.realpath(path), os.path.realpath(ctx.root))
    day = ctx.now()[:10]
    return Task(text=clean(options.text), agent=options.agent, path=path, workspace=ctx.name, day=day)


def _recall(pool: SkillPool, catalogue: Catalogue, key: str) -> _Decision | None:
    """The decision stored under a key, if exactly the same skills may be handed out and refused as then."""
    try:
        with pool.ctx.store.read() as transaction:
            data = memo.get(transaction, key)
        kept = loads(KeptDecision, data.decode()) if data else None
    except (StoreError, ValueError):
        return None
    if kept is None:
        return None
    names = {*(one.name for one in kept.chosen), *kept.refused}
    if not names <= catalogue.in_use.keys():
        return None
    checked = check_skills(pool, [catalogue.in_use[name] for name in names])
    if checked.changed or {one.name for one in checked.left_out} != set(kept.refused):
        return None
    choice = recall_choice(kept, key, checked.skills)
    embedder = pool.ctx.config.models.embed_model or EMBEDDER_NAME
    return choice and _Decision(choice=choice, found=RetrievedSkills(embedder=embedder, left_out=checked.left_out))


def _library_key(pool: SkillPool, catalogue: Catalogue, records: Mapping[str, Adjustment], eligible: str) -> str:
    """A hash of everything that a decision depends on, except the task and the settings."""
    known = sorted((name, one.factor, one.hurts) for name, one in records.items() if one.factor != 1.0)
    served = repr(sorted(pool.served.items()))
    settings = (pool.ctx.config.models.embed_model, pool.ctx.config.models.embed_url)
    parts = (catalogue.version, VERSION, *settings, repr(known), served, eligible)
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
