"""What a training says about the skill it made: its gain on fresh cases, and what each line is worth."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from metier.errors import NotFoundError
from metier.store.tables.training import trainings
from metier.types.trials import Decision

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from metier.context.context import Context
    from metier.types import Draft

Json = dict[str, object]
SHOWN = 3
"""Lines that a receipt names."""
WIDE = 48
"""Characters of one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingReceipt:
    """What a training brought, as far as its report says."""

    training: str = ""
    skill_hash: str = ""
    """Of the skill it is true of."""
    step: int = 0
    """The one after which the skill was the best."""
    gain: float | None = None
    """On the cases that nothing had looked at; None: not proven."""
    lines: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What is known of each added line, by its text."""
    is_proven: bool = False
    """Whether its last gate accepted the whole; if not, what a line is worth was measured in the training alone."""


NO_RECEIPT = TrainingReceipt()


def training_receipt(ctx: Context, training: str) -> TrainingReceipt:
    """What a training brought; nothing where it is not known here."""
    if not training:
        return NO_RECEIPT
    with ctx.store.read() as transaction:
        try:
            found = trainings.get(transaction, training)
        except NotFoundError:
            return NO_RECEIPT
        report = cast("Json", json.loads(trainings.report_of(transaction, found.id) or "{}"))
    scores = cast("Json", report.get("scores") or {})
    is_proven = cast("Json", report.get("decision") or {}).get("action") == "accept"
    lines = cast("list[Json]", report.get("attribution") or [])
    return TrainingReceipt(
        training=found.id,
        skill_hash=str(report.get("skill_hash") or ""),
        step=cast("int", report.get("best_step") or 0),
        gain=cast("float | None", scores.get("confirm")) if is_proven else None,
        lines={str(one["line"]): one for one in lines},
        is_proven=is_proven,
    )


def training_receipts(ctx: Context, names: Iterable[str]) -> dict[str, TrainingReceipt]:
    """The same of several trainings, by their ids."""
    return {name: training_receipt(ctx, name) for name in dict.fromkeys(names) if name}


def proven_decision(ctx: Context, draft: Draft) -> Decision | None:
    """What the last gate of a draft's training said in its favour, with the target it was proven on."""
    if not draft.provenance.training:
        return None
    with ctx.store.read() as transaction:
        try:
            training = trainings.get(transaction, draft.provenance.training)
        except NotFoundError:
            return None
        report = cast("Json", json.loads(trainings.report_of(transaction, training.id) or "{}"))
    decided = cast("Json", report.get("decision") or {})
    if report.get("skill_hash") != draft.hash or decided.get("action") != "accept":
        return None
    lines = best_lines(cast("list[Json]", report.get("attribution") or []))
    worth = f"; points by line: {lines}" if lines else ""
    reason = f"{decided['reason']}{worth}; on {report['target']}, training {training.id}"
    return Decision(action="accept", reason=reason)


def best_lines(lines: Iterable[Json]) -> str:
    """The lines that are worth the most, for a receipt; empty where nothing is known of any."""
    known = [one for one in lines if one.get("effect") is not None]
    known.sort(key=lambda one: -cast("float", one["effect"]))
    return ", ".join(f"“{_short(str(one['line']))}” {points(one)}" for one in known[:SHOWN])


def points(line: Json) -> str:
    """What a line is worth, with its interval."""
    low, high = cast("list[float]", line.get("interval") or [0.0, 0.0])
    shared = f" with {line['others']} other edits" if line.get("others") else ""
    return f"{100 * cast('float', line['effect']):+.1f} ({100 * low:+.1f} to {100 * high:+.1f}){shared}"


def _short(text: str) -> str:
    return text if len(text) <= WIDE else text[: WIDE - 1] + "…"
