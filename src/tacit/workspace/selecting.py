"""Selecting: from a task to the skills an agent gets, and the record of how that came about."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from tacit.errors import StoreError
from tacit.selection.assemble import assemble
from tacit.selection.choosing import Basis, choose, key_of
from tacit.selection.cutting import ends
from tacit.selection.eligible import eligible
from tacit.selection.entries import EMBEDDER, VERSION
from tacit.selection.memory import Kept, kept, recalled, recorded
from tacit.selection.values import Settings, Task
from tacit.store import memo, selections
from tacit.store.codec import dumps, loads
from tacit.strict import clean
from tacit.workspace.record import closed_by
from tacit.workspace.recording import served_by
from tacit.workspace.select_asking import advised
from tacit.workspace.select_fit import fit
from tacit.workspace.select_hooks import note_fit, records_of
from tacit.workspace.select_result import Selected
from tacit.workspace.select_retrieve import Found, retrieved
from tacit.workspace.select_stock import drained

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tacit.models.model import Model
    from tacit.selection.eligible import Eligible
    from tacit.selection.utility import Adjustment
    from tacit.selection.values import Choice, Selectable
    from tacit.workspace.catalogue import Catalogue
    from tacit.workspace.workspace import Workspace

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


def select(ws: Workspace, wanted: Wanted) -> Selected:
    """The skills for a task: candidates, the best of them, the model's or the score's choice, as much as fits."""
    began = time.monotonic()
    settings = settings_of(ws, wanted)
    task = _task(ws, wanted)
    catalogue = ws.stock.current()
    with advised(ws, model=wanted.model) as advice:
        basis = Basis(settings=settings, adviser=advice.adviser, records=records_of(ws, catalogue))
        decision = _decided(ws, task, catalogue, wanted, basis)
        if decision.found.changed:  # somebody wrote meanwhile: once more, with what is there now
            catalogue = drained(ws.stock.refreshed(force=True))
            decision = _decided(ws, task, catalogue, wanted, basis)
    choice, found = decision.choice, decision.found
    selection = _recorded(ws, decision, task, wanted, settings)
    if selection:
        served_by(ws, selection)
        _for_hooks(ws, catalogue, found, basis.records)
    return Selected(
        id=selection,
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


def settings_of(ws: Workspace, wanted: Wanted) -> Settings:
    """The workspace's settings for selection, or those handed in; a budget that is named counts either way."""
    config = ws.config
    settings = wanted.settings or Settings(
        top_k=config.select_top_k,
        max_detailed=config.select_max_detailed,
        token_budget=config.select_budget,
        shortlist_timeout=config.select_timeout,
        final_timeout=config.select_timeout,
        thinking={"auto": None, "on": True, "off": False}[config.select_thinking],
        explore_rate=config.select_explore_rate,
        withhold_rate=config.select_withhold_rate,
    )
    return settings if wanted.budget is None else replace(settings, token_budget=wanted.budget)


def _task(ws: Workspace, wanted: Wanted) -> Task:
    path = wanted.path
    if Path(path).is_absolute():
        path = os.path.relpath(os.path.realpath(path), os.path.realpath(ws.root))
    day = ws.now()[:10]
    return Task(text=clean(wanted.text), agent=wanted.agent, path=path, workspace=ws.name, day=day)


def _decided(ws: Workspace, task: Task, catalogue: Catalogue, wanted: Wanted, basis: Basis) -> _Decision:
    """The decision kept from before, or a new one."""
    may = eligible(catalogue.skills, task, wanted.exclude | set(ws.config.select_exclude))
    may = replace(may, left_out=(*may.left_out, *catalogue.unread))
    basis = replace(basis, library=_library(ws, catalogue, basis.records, may))
    key = key_of(task, basis)
    before = _recalled(ws, key, catalogue)
    if before:
        known = Found(embedder=ws.config.embed_model or EMBEDDER.name)
        return _Decision(choice=replace(before, stages=(may.stage(), *before.stages)), found=known)
    found = retrieved(ws, task, may, catalogue, basis)
    choice = _with_notes(choose(task, found.scored, basis, found.pinned), found)
    again = kept(choice) if not found.notes and not found.left_out else None
    refused = found.refused
    shown = replace(
        may,
        skills=tuple(one for one in may.skills if one.name not in refused),
        left_out=(*found.left_out, *may.left_out),
    )
    return _Decision(choice=replace(choice, stages=(shown.stage(), *choice.stages)), found=found, kept=again)


def _with_notes(choice: Choice, found: Found) -> Choice:
    """The choice with what compared meanings in its record, where that is not the built-in embedder as ever."""
    said = "; ".join(found.notes) or ("" if found.embedder == EMBEDDER.name else f"compared by {found.embedder}")
    if not said:
        return choice
    first, *others = choice.stages
    return replace(choice, stages=(replace(first, note="; ".join(filter(None, (first.note, said)))), *others))


def _library(ws: Workspace, catalogue: Catalogue, records: Mapping[str, Adjustment], may: Eligible) -> str:
    """Stands for all that a decision depends on beside task and settings."""
    known = sorted((name, one.factor, one.hurts) for name, one in records.items() if one.factor != 1.0)
    names = sorted(one.name for one in may.skills)
    served = repr(sorted(ws.stock.served.items()))
    settings = (ws.config.embed_model, ws.config.embed_url)
    parts = (catalogue.version, VERSION, *settings, repr(known), served, "\n".join(names))
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _for_hooks(ws: Workspace, catalogue: Catalogue, found: Found, records: Mapping[str, Adjustment]) -> None:
    """Let hooks know of the skills as they are now; what cannot be noted is noted next time."""
    with suppress(StoreError):
        ws.stock.follow(records)
        if not ws.config.store:
            note_fit(ws, catalogue, [one.skill for one in found.scored])


def _recalled(ws: Workspace, key: str, catalogue: Catalogue) -> Choice | None:
    """The decision that is kept under a key, if all its skills may still be handed out."""
    try:
        with ws.engine.read() as transaction:
            data = memo.get(transaction, key)
        before = loads(Kept, data.decode()) if data else None
    except (StoreError, ValueError):
        return None
    if before is None:
        return None
    names = {*(one.name for one in before.chosen), *before.withheld}
    if not names <= catalogue.listed.keys():
        return None
    skills: Mapping[str, Selectable] = fit(ws, [catalogue.listed[name] for name in names]).skills
    return recalled(before, key, skills)


def _recorded(ws: Workspace, decision: _Decision, task: Task, wanted: Wanted, settings: Settings) -> str:
    """Store the selection, its query redacted, and the decision; the id, or nothing where nothing is recorded."""
    if closed_by(ws):
        return ""
    query = ends(ws.redact(ends(task.text, READ)), QUERY)
    selection = recorded(
        decision.choice,
        replace(task, text=query),
        selection=uuid4().hex,
        created=ws.now(),
        session=ws.redact(clean(wanted.session)),
        withhold_rate=settings.withhold_rate,
    )
    try:
        with ws.engine.write() as transaction:
            selections.put(transaction, selection)
            if decision.kept:
                value = dumps(decision.kept).encode()
                memo.put(transaction, decision.choice.key, value, ws.now(), ws.name)
    except StoreError:
        return ""
    return selection.id
