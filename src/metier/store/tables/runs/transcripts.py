"""Transcript files: where each one ended when it was last read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from metier.store.engines.engine import Transaction

COLUMNS = "workspace, path, source, session, position, size, fingerprint, state, seen"
State = Literal["waiting", "read", "refused"]
WHOLE, LEFT_OUT = "whole", "programs"
"""The last word of a fingerprint: all of the file was read, or what a program asked was left out, as settings say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptFile:
    """A transcript that was read up to a position, or that waits to be read."""

    workspace: str
    path: str
    source: str
    session: str = ""
    position: int = 0
    size: int = 0
    fingerprint: str = ""
    """What the files looked like when they were read; of a refused one, why it is not read."""
    state: State = "waiting"
    seen: str = ""

    @property
    def content(self) -> list[str]:
        """The part of the fingerprint that changes with the file."""
        return self.fingerprint.split(" ")[:3]

    @property
    def extent(self) -> str:
        """How much of the file was read; empty: a release before this one read it."""
        return next(iter(self.fingerprint.split(" ")[3:]), "")


def put(transaction: Transaction, file: TranscriptFile) -> None:
    """Remember where a file ended."""
    transaction.all(
        f"INSERT INTO files ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace, path) DO UPDATE SET"
        " source = excluded.source, session = excluded.session, position = excluded.position, size = excluded.size,"
        " fingerprint = excluded.fingerprint, state = excluded.state, seen = excluded.seen",
        (
            *(file.workspace, file.path, file.source, file.session, file.position, file.size),
            *(file.fingerprint, file.state, file.seen),
        ),
    )


def put_waiting(transaction: Transaction, file: TranscriptFile) -> None:
    """Note that a file has something new to read; how far it was read stays as it is, and one that was refused, too."""
    transaction.all(
        f"INSERT INTO files ({COLUMNS}) VALUES (?, ?, ?, ?, 0, 0, '', 'waiting', ?) ON CONFLICT (workspace, path)"
        " DO UPDATE SET state = 'waiting', seen = excluded.seen WHERE files.state <> 'refused'",
        (file.workspace, file.path, file.source, file.session, file.seen),
    )


def forget_positions(transaction: Transaction) -> None:
    """Let every file be read again from its beginning, should it be imported again."""
    sql = "UPDATE files SET position = 0, fingerprint = '' WHERE workspace = ? AND state <> 'refused'"
    transaction.all(sql, (transaction.workspace,))


def get(transaction: Transaction, path: str) -> TranscriptFile | None:
    """What is known of a file."""
    sql = f"SELECT {COLUMNS} FROM files WHERE workspace = ? AND path = ?"
    return next((_file(row) for row in transaction.all(sql, (transaction.workspace, path))), None)


def count_left_out(transaction: Transaction) -> int:
    """Files of which something was left out because a program asked it."""
    sql = "SELECT COUNT(*) FROM files WHERE workspace = ? AND fingerprint LIKE ?"
    return cast("int", transaction.all(sql, (transaction.workspace, f"% {LEFT_OUT}"))[0][0])


def waiting(transaction: Transaction, state: State = "waiting") -> list[TranscriptFile]:
    """Files with something new to read, or those in another state, by path."""
    sql = f"SELECT {COLUMNS} FROM files WHERE workspace = ? AND state = ? ORDER BY path"
    return [_file(row) for row in transaction.all(sql, (transaction.workspace, state))]


def _file(row: tuple[object, ...]) -> TranscriptFile:
    return TranscriptFile(
        workspace=str(row[0]),
        path=str(row[1]),
        source=str(row[2]),
        session=str(row[3]),
        position=cast("int", row[4]),
        size=cast("int", row[5]),
        fingerprint=str(row[6]),
        state=cast("State", row[7]),
        seen=str(row[8]),
    )
