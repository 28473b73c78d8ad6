"""Trainings in the store: what each was given, how far it got, and its report."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

from metier.errors import NotFoundError
from metier.formats.value_json import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.store.engines.engine import Transaction

EVERY = 2**62
TrainingStatus = Literal["running", "stopped", "finished"]
"""`running` is also what a killed one is: the same command takes it up again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """One training of a skill: everything that determines it, and where it stands."""

    id: str
    """The hash of all that determines it: the same command is the same training."""
    workspace: str
    skill: str
    """The name of a skill of the library, or the path of a package."""
    base_hash: str
    """Of the package it began with."""
    spec: str
    """Canonical JSON of its settings."""
    target: str
    optimiser: str
    limits: str = ""
    """Canonical JSON of what it may spend; no part of its id, so that more can be given."""
    workers: int = 8
    seconds: float = 120.0
    """What one attempt may take."""
    commands: bool = False
    """Whether its cases may bring commands along."""
    source: str = ""
    """The file its cases came from."""
    order: str = "[]"
    """JSON: the ids of its cases in the order given."""
    known: str = "[]"
    """JSON: the edits that earlier trainings of this skill saw rejected, as they were when it began."""
    fresh: str = "[]"
    """JSON: hashes of the cases its result was confirmed with; empty as long as it was not."""
    look: int = 0
    """Which look at those cases that was, counted over all trainings of the workspace."""
    status: TrainingStatus = "running"
    reason: str = ""
    """Why it stopped."""
    created: str = ""
    updated: str = ""


def put(transaction: Transaction, training: Training, start: bytes) -> None:
    """Keep a training with the package it begins with; one that is known only changes where it stands."""
    transaction.all(
        "INSERT INTO trainings (id, workspace, skill, status, updated, body, start, report)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, '') ON CONFLICT (workspace, id) DO UPDATE SET status = excluded.status,"
        " updated = excluded.updated, body = excluded.body",
        (
            *(training.id, training.workspace, training.skill, training.status, training.updated),
            *(dumps(training), start),
        ),
    )


def save(transaction: Transaction, training: Training, report: str) -> None:
    """Write down where a training stands, and its report so far."""
    transaction.all(
        "UPDATE trainings SET status = ?, updated = ?, body = ?, report = ? WHERE id = ? AND workspace = ?",
        (training.status, training.updated, dumps(training), report, training.id, transaction.workspace),
    )


def remove(transaction: Transaction, training: str) -> None:
    """Take a training out, with its report."""
    transaction.all("DELETE FROM trainings WHERE id = ? AND workspace = ?", (training, transaction.workspace))


def list_newest(transaction: Transaction, limit: int = 50) -> list[Training]:
    """A workspace's trainings, the newest first."""
    sql = "SELECT body FROM trainings WHERE workspace = ? ORDER BY updated DESC, id LIMIT ?"
    return [loads(Training, row[0]) for row in transaction.all(sql, (transaction.workspace, limit))]


def get(transaction: Transaction, training: str) -> Training:
    """One training by its id or the beginning of it."""
    sql = "SELECT body FROM trainings WHERE workspace = ? AND id LIKE ? ORDER BY updated DESC LIMIT 2"
    rows = transaction.all(sql, (transaction.workspace, training + "%")) if training.isalnum() else []
    if not rows:
        raise NotFoundError(f"There is no training '{training}'. `metier train list` shows them all.")
    if len(rows) > 1:
        raise NotFoundError(f"More than one training begins with '{training}': give more of its id.")
    return loads(Training, rows[0][0])


def find(transaction: Transaction, training: str) -> Training | None:
    """The training of exactly this id, if there is one."""
    sql = "SELECT body FROM trainings WHERE id = ? AND workspace = ?"
    rows = transaction.all(sql, (training, transaction.workspace))
    return loads(Training, rows[0][0]) if rows else None


def reports(transaction: Transaction, skill: str) -> list[str]:
    """The reports of a skill's finished trainings, the oldest first."""
    sql = "SELECT report FROM trainings WHERE workspace = ? AND skill = ? AND status = 'finished' ORDER BY updated, id"
    return [str(row[0]) for row in transaction.all(sql, (transaction.workspace, skill))]


def count_look(transaction: Transaction, training: Training, fresh: Sequence[str]) -> Training:
    """The training with the number of its look at these cases, written down: the same one at every run of it."""
    if training.look:
        return training
    before = [
        one.look
        for one in list_newest(transaction, EVERY)
        if one.id != training.id and one.look and not set(fresh).isdisjoint(json.loads(one.fresh))
    ]
    now = replace(training, fresh=json.dumps(list(fresh)), look=1 + len(before))
    sql = "UPDATE trainings SET body = ? WHERE id = ? AND workspace = ?"
    transaction.all(sql, (dumps(now), now.id, transaction.workspace))
    return now


def start_of(transaction: Transaction, training: str) -> bytes:
    """The package a training began with, as it was handed in; empty when it is not kept."""
    sql = "SELECT start FROM trainings WHERE id = ? AND workspace = ?"
    rows = transaction.all(sql, (training, transaction.workspace))
    return bytes(cast("bytes", rows[0][0])) if rows else b""


def report_of(transaction: Transaction, training: str) -> str:
    """The report so far, as JSON; empty when there is none yet."""
    sql = "SELECT report FROM trainings WHERE id = ? AND workspace = ?"
    rows = transaction.all(sql, (training, transaction.workspace))
    return str(rows[0][0]) if rows else ""
