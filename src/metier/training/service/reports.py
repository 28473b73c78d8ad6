"""Trainings to look at: the list, one report, two of them side by side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from metier.errors import NotFoundError
from metier.statistics.intervals import paired_interval
from metier.statistics.signflip import sign_flip
from metier.store.tables.training import trainings
from metier.training.report.so_far import with_progress
from metier.training.service.order import unpack_package

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.store.tables.training.trainings import Training

Json = dict[str, object]
FOLDER = "trainings"
"""Where reports and trained packages are written, in the state folder."""
KEYS = ("run", "skill", "status", "scores", "decision", "rollouts", "calls", "tokens", "cost_usd", "created", "updated")


def newest_reports(ctx: Context, limit: int) -> list[Json]:
    """The newest trainings, each with its figures."""
    return [{key: value for key, value in one.items() if key in KEYS} for one in whole_reports(ctx, limit)]


def whole_reports(ctx: Context, limit: int) -> list[Json]:
    """The reports of the newest trainings."""
    with ctx.store.read() as transaction:
        found = trainings.list_newest(transaction, limit)
        kept = [(one, trainings.report_of(transaction, one.id)) for one in found]
    return [_whole(one, text) for one, text in kept]


def report_of(ctx: Context, training: str = "") -> Json:
    """The report of a training, the newest if none is named; of one under way, what is known so far."""
    with ctx.store.read() as transaction:
        if training:
            found = trainings.get(transaction, training)
        else:
            newest = trainings.list_newest(transaction, 1)
            if not newest:
                raise NotFoundError("There are no trainings yet. Begin one: metier train SKILL --cases FILE")
            found = newest[0]
        return _whole(found, trainings.report_of(transaction, found.id))


def compare_trainings(ctx: Context, one: str, other: str) -> Json:
    """Two trainings side by side, and the difference of their results on the held-out cases that both have."""
    first, second = report_of(ctx, one), report_of(ctx, other)
    before, after = _results(first), _results(second)
    shared = [case for case in before if case in after]
    differences = [after[case] - before[case] for case in shared]
    interval = paired_interval(differences)
    return {
        "one": {key: first.get(key) for key in KEYS},
        "other": {key: second.get(key) for key in KEYS},
        "cases": len(shared),
        "difference": sum(differences) / len(differences) if differences else None,
        "interval": [interval.low, interval.high] if differences else None,
        "p": min(1.0, 2 * min(sign_flip(differences), sign_flip([-one for one in differences]))) if shared else None,
    }


def start_document(ctx: Context, training: str) -> bytes:
    """The text that a training began with; empty if it is not kept."""
    with ctx.store.read() as transaction:
        kept = trainings.start_of(transaction, training)
    return unpack_package(kept).document if kept else b""


def _whole(training: Training, text: str) -> Json:
    """The kept report, with where the training stands now."""
    kept = cast("Json", json.loads(text)) if text else {}
    about: Json = {
        "run": training.id,
        "skill": training.skill,
        "base_hash": training.base_hash,
        "spec": json.loads(training.spec),
        "created": training.created,
    }
    now = {"status": training.status, "reason": training.reason, "updated": training.updated}
    return dict(with_progress({**about, **kept, **now}))


def _results(report: Json) -> dict[tuple[str, str], float]:
    """What the best skill of a training scored on each held-out case."""
    rows = cast("list[Json]", report.get("cases") or [])
    return {
        (str(row["split"]), str(row["case"])): float(cast("float", row["best"]))
        for row in rows
        if row.get("split") == "test" and isinstance(row.get("best"), int | float)
    }
