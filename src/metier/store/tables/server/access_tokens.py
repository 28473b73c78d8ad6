"""Tokens of a server: only their hashes are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.store.engines.engine import Row, Transaction

COLUMNS = "id, name, role, hash, created, expires, revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """A token as it is kept: whose it is and what it may do, not what it is."""

    id: str
    name: str
    role: str
    hash: str
    created: str
    expires: str = ""
    """When it ends; empty: never."""
    revoked: str = ""
    """When it was taken back; empty: it was not."""

    def is_good(self, now: str) -> bool:
        """Whether it still counts."""
        return not self.revoked and (not self.expires or now < self.expires)


def add(transaction: Transaction, token: AccessToken) -> None:
    """Keep a new token."""
    transaction.all(
        f"INSERT INTO access_tokens (workspace, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            transaction.workspace,
            *(token.id, token.name, token.role, token.hash, token.created, token.expires, token.revoked),
        ),
    )


def get(transaction: Transaction, token: str) -> AccessToken | None:
    """The token of an id."""
    sql = f"SELECT {COLUMNS} FROM access_tokens WHERE workspace = ? AND id = ?"
    rows = transaction.all(sql, (transaction.workspace, token))
    return _token(rows[0]) if rows else None


def list_all(transaction: Transaction) -> list[AccessToken]:
    """Every token of the workspace, the oldest first."""
    sql = f"SELECT {COLUMNS} FROM access_tokens WHERE workspace = ? ORDER BY created, id"
    return [_token(row) for row in transaction.all(sql, (transaction.workspace,))]


def revoke(transaction: Transaction, token: str, now: str) -> None:
    """Take a token back; the row stays, for the record."""
    sql = "UPDATE access_tokens SET revoked = ? WHERE workspace = ? AND id = ? AND revoked = ''"
    transaction.all(sql, (now, transaction.workspace, token))


def _token(row: Row) -> AccessToken:
    token, name, role, digest, created, expires, revoked = map(str, row)
    return AccessToken(id=token, name=name, role=role, hash=digest, created=created, expires=expires, revoked=revoked)
