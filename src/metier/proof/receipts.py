"""Receipts per model: what is proven on one model is provisional on another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metier.proof.trials.state import shown, trial_by_model
from metier.proof.trials.trials import list_trials
from metier.runs.queries import list_runs
from metier.statistics.two_arms import ALPHA

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.library.skills import Library
    from metier.types.skills import Version

NEWEST = 200
"""Runs whose models count as in use."""
_TARGET = re.compile(r"(?:^|; )accept(?:_new_best)?: .*?(?:replay on|; on) (\S+?(?: \S+?)?)(?=[:,;](?:\s|$)|$)")
"""The target in a gate's receipt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReceipt:
    """What is known of a skill on one model or target."""

    model: str
    standing: Literal["proven", "harmful", "provisional"]
    why: str


def receipts_of(library: Library, skill: str, versions: Sequence[Version]) -> tuple[ModelReceipt, ...]:
    """What is proven of a skill's current text, by model; models in use without a receipt are provisional."""
    current = versions[-1].hash if versions else ""
    found = {one.model: one for one in (*receipts_of_gates(versions, current), *_from_trials(library, skill, current))}
    used = {one.run.model for one in list_runs(library.ctx, NEWEST) if one.run.model}
    open_ones = [ModelReceipt(model=one, standing="provisional", why="nothing was measured on it") for one in used]
    return tuple(sorted({one.model: one for one in (*open_ones, *found.values())}.values(), key=lambda one: one.model))


def proven_models(receipts: Sequence[ModelReceipt]) -> tuple[str, ...]:
    """The models on which a skill is proven; an empty one stands for a target that names none, such as an agent."""
    return tuple(sorted({_model_of(one.model) for one in receipts if one.standing == "proven"}))


def _model_of(name: str) -> str:
    """The model of a receipt: runs name it, a target of one model too, an agent or a command does not."""
    kind, is_target, rest = name.partition("=")
    if not is_target and kind not in ("chat", "callable"):
        return name
    return rest.partition("@")[0].rpartition(":")[2] if kind in ("chat", "completion") else ""


def receipts_of_gates(versions: Sequence[Version], current: str) -> Iterator[ModelReceipt]:
    """What gates have proven of the current text, by target."""
    for one in versions:
        target = _TARGET.search(one.receipt) if one.hash == current else None
        if target:
            yield ModelReceipt(model=target[1].strip(), standing="proven", why=f"gate of version {one.number}")


def _from_trials(library: Library, skill: str, current: str) -> Iterator[ModelReceipt]:
    """The trial's outcomes model by model; each has to show it alone."""
    for trial in reversed([one for one in list_trials(library.ctx) if one.skill == skill and one.hash == current]):
        for model, state in trial_by_model(library.ctx, trial).items():
            standing = (
                "proven"
                if state.result.helps * ALPHA >= 1
                else "harmful"
                if state.result.hurts * ALPHA >= 1
                else "provisional"
            )
            yield ModelReceipt(model=model, standing=standing, why=f"trial: {shown(state)}")
