"""Trials in the store, the sessions that take part, and the order in which their outcomes became known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple, cast

from metier.errors import ConflictError
from metier.formats.value_json import dumps, loads
from metier.store.tables import meta
from metier.types.proof import Trial

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.store.engines.engine import Transaction
    from metier.types.selections import Arm, Assignment

KEY = "trials.key"
"""The fact that holds the key of a shared store's trials."""
MOVED = "trials.moved"
"""The fact that holds which sessions entered trials in the store that this one is a copy of."""
OWN_FACTS = (KEY, MOVED)
"""The facts about a store's trials that are made for each store and not copied."""
SESSIONS = (
    "SELECT t.session, t.arm, t.selection, t.position, coalesce(o.run, ''), o.went, t.entered FROM trial_sessions t"
    " LEFT JOIN outcomes o ON o.selection = t.selection AND o.skill = ? WHERE t.trial = ? ORDER BY t.entered, t.session"
)


class TrialSession(NamedTuple):
    """A session of a trial: its arm, and what became of the first run in which the skill was due."""

    session: str
    arm: Arm
    selection: str
    position: int | None
    """Its place among the outcomes that are known; None: it does not count yet."""
    run: str
    went: bool | None
    entered: int = 0
    """Its place among the sessions that entered the trial."""


class MovedSessions(NamedTuple):
    """The sessions of a trial that entered it in another store: their sides were checked there, under its key."""

    last: int = 0
    """The place of the last one."""
    wrong: tuple[str, ...] = ()
    """Those whose side was not the one that the key gave."""


def make_key(transaction: Transaction, key: bytes) -> None:
    """Give a store that many machines share a key for its trials; one that has a key keeps it."""
    transaction.all("INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", (KEY, key.hex()))


def shared_key(transaction: Transaction) -> bytes:
    """The key of the store's trials; empty: none was started yet."""
    return bytes.fromhex(meta.get(transaction, KEY))


def moved_sessions(transaction: Transaction) -> dict[str, MovedSessions]:
    """Which sessions entered their trials in another store, by trial."""
    found: dict[str, tuple[int, list[str]]] = json.loads(meta.get(transaction, MOVED, "{}"))
    return {trial: MovedSessions(last, tuple(wrong)) for trial, (last, wrong) in found.items()}


def list_everywhere(transaction: Transaction) -> list[Trial]:
    """The trials of all workspaces of a store, by id."""
    return [loads(Trial, row[0]) for row in transaction.all("SELECT body FROM trials ORDER BY id")]


def side_of(transaction: Transaction, trial: str, session: str) -> str:
    """The side on which a session entered a trial; empty: it has not."""
    rows = transaction.all("SELECT arm FROM trial_sessions WHERE trial = ? AND session = ?", (trial, session))
    return str(rows[0][0]) if rows else ""


def put(transaction: Transaction, trial: Trial) -> None:
    """Keep a trial as it is now."""
    agents = f",{','.join(trial.agents)},"
    transaction.all(
        "INSERT INTO trials (id, workspace, skill, hash, agents, status, body) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET status = excluded.status, body = excluded.body",
        (trial.id, trial.workspace, trial.skill, trial.hash, agents, trial.status, dumps(trial)),
    )


def end(transaction: Transaction, trial: Trial) -> None:
    """Store how a trial ended; another process may have ended it first, and that stands."""
    rows = transaction.all(
        "SELECT status FROM trials WHERE id = ? AND workspace = ?", (trial.id, transaction.workspace)
    )
    if not rows or rows[0][0] != "running":
        raise ConflictError(f"The trial of {trial.skill} has ended meanwhile. See: metier trial status {trial.skill}")
    put(transaction, trial)


def list_all(transaction: Transaction) -> list[Trial]:
    """The trials of a workspace, the newest first."""
    sql = "SELECT body FROM trials WHERE workspace = ?"
    found = [loads(Trial, row[0]) for row in transaction.all(sql, (transaction.workspace,))]
    return sorted(found, key=lambda one: (one.started, one.id), reverse=True)


def enter(transaction: Transaction, session: str, selection: str, assigned: Iterable[Assignment]) -> None:
    """Note the arms of a session; its first selection counts, and a session never changes sides."""
    for one in assigned:
        rows = transaction.all("SELECT coalesce(max(entered), 0) + 1 FROM trial_sessions WHERE trial = ?", (one.trial,))
        transaction.all(
            "INSERT INTO trial_sessions (trial, session, arm, selection, entered) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (trial, session) DO NOTHING",
            (one.trial, session, one.arm, selection, rows[0][0]),
        )


def sessions(transaction: Transaction, trial: Trial) -> list[TrialSession]:
    """The sessions of a trial in the order in which they entered it."""
    rows = transaction.all(SESSIONS, (trial.skill, trial.id))
    return [
        TrialSession(
            session=str(session),
            arm=cast("Arm", arm),
            selection=str(selection),
            position=cast("int | None", position),
            run=str(run),
            went=None if went is None else bool(went),
            entered=cast("int", entered),
        )
        for session, arm, selection, position, run, went, entered in rows
    ]


def place(transaction: Transaction, trial: str, sessions: Sequence[str]) -> None:
    """Give sessions whose outcome has become known the next places."""
    rows = transaction.all("SELECT coalesce(max(position), 0) FROM trial_sessions WHERE trial = ?", (trial,))
    last = cast("int", rows[0][0])
    transaction.many(
        "UPDATE trial_sessions SET position = ? WHERE trial = ? AND session = ? AND position IS NULL",
        [(last + at, trial, session) for at, session in enumerate(sessions, 1)],
    )
