"""When the model changes: what was proven on another one is provisional on this one until it is measured there.

Provisional means: what was measured on the other model no longer lifts the skill's score, its status says so, and a
person is asked for a trial. It stays in use. Where its trial shows on this very model that it hurts, it is paused.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

from metier.errors import NotFoundError
from metier.library.changes import archive_skill, change_status, list_versions
from metier.proof.receipts import proven_models, receipts_of
from metier.proof.trials.trials import list_trials
from metier.runs.queries import list_runs
from metier.selection.worth.outcomes import ELSEWHERE
from metier.store.tables import meta
from metier.store.tables.selection import outcomes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.context.context import Context
    from metier.library.skills import Library
    from metier.types.skills import Version

NEWEST, LEAST = 50, 10
"""Runs that name their model, the newest, and how many of them a model needs to be the one in use."""
SEEN = "proof.model"
"""The fact that holds what was last looked at, one for each workspace."""
WHY = "provisional on"
"""How the reason of a version begins that this module wrote."""
_DATE = re.compile(r"-(?:\d{8}|latest)$")


def model_in_use(ctx: Context) -> str:
    """The model of most of the newest runs; empty: too few name one."""
    named = [_plain(one.run.model) for one in list_runs(ctx, 4 * NEWEST) if one.run.model][:NEWEST]
    model, count = Counter(named).most_common(1)[0] if named else ("", 0)
    return model if count >= LEAST else ""


def follow_model(library: Library) -> tuple[str, ...]:
    """Bring the standing of every skill that was measured in line with the model in use; what changed, in sentences."""
    ctx, model = library.ctx, model_in_use(library.ctx)
    ended = sum(one.status != "running" for one in list_trials(ctx))
    with ctx.store.read() as transaction:
        last = meta.get(transaction, f"{SEEN}:{ctx.name}")
        used = {name for name, _ in outcomes.tallies(transaction)}
    stamp = f"{model} {ended} {len(used)}"
    if not model or stamp == last:
        return ()
    elsewhere: dict[str, str] = {}
    said: list[str] = []
    for skill in sorted({*used, *(one.skill for one in list_trials(ctx))}):
        said += _follow(library, skill, model, elsewhere)
    with ctx.store.write() as transaction:
        meta.put(transaction, f"{ELSEWHERE}:{ctx.name}", json.dumps(elsewhere, sort_keys=True))
        meta.put(transaction, f"{SEEN}:{ctx.name}", stamp)
    return tuple(said)


def _follow(library: Library, skill: str, model: str, elsewhere: dict[str, str]) -> Iterator[str]:
    """What becomes of one skill; notes in `elsewhere` the text that was measured on another model only."""
    try:
        versions = list_versions(library, skill)
    except NotFoundError:  # it is gone; its counts stay
        return
    last = versions[-1] if versions else None
    if last is None or last.out:
        return
    receipts = receipts_of(library, skill, versions)
    proven = proven_models(receipts)
    here = next((one for one in receipts if _plain(one.model) == model), None)
    if here is not None and here.standing == "harmful":
        archive_skill(library, skill, f"paused: it hurts on {model} ({here.why})")
        yield f"Paused {skill}: it hurts on {model} ({here.why}). Undo: metier skills restore {skill}"
    elif model in map(_plain, proven):
        yield from _proven_again(library, skill, last, model)
    elif proven and "" not in proven:
        elsewhere[skill] = last.hash
        yield from _provisional(library, skill, last, f"{WHY} {model}: proven on {', '.join(proven)} only")


def _provisional(library: Library, skill: str, last: Version, why: str) -> Iterator[str]:
    if last.status != "active":
        return
    change_status(library.ctx, library.find(skill), last, "cool", status="provisional", why=why)
    yield f"{skill} is {why}. It stays in use. Find out whether it helps there: metier trial start {skill}"


def _proven_again(library: Library, skill: str, last: Version, model: str) -> Iterator[str]:
    if last.status != "provisional" or not last.summary.startswith(WHY):
        return
    change_status(library.ctx, library.find(skill), last, "wake", status="active", why=f"proven on {model}")
    yield f"{skill} is active again: it is proven on {model}, which your runs use now."


def _plain(model: str) -> str:
    """A model's name without its date."""
    return _DATE.sub("", model)
