"""Drafts in the store: whole values; a change names the status it expects to find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.errors import ConflictError, NotFoundError
from metier.formats.value_json import dumps, loads
from metier.types import Draft, DraftStatus

if TYPE_CHECKING:
    from metier.store.engines.engine import Transaction


def put(transaction: Transaction, draft: Draft) -> None:
    """Store a new draft, or one whose content changed."""
    transaction.all(
        "INSERT INTO drafts (id, workspace, target, status, body) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET target = excluded.target, status = excluded.status, body = excluded.body",
        (draft.id, draft.workspace, draft.target, draft.status, dumps(draft)),
    )


def move(transaction: Transaction, draft: Draft, *, expected: DraftStatus, hash_: str | None = None) -> None:
    """Store a draft in its new status, provided nobody moved it from the expected one, or changed it, meanwhile."""
    found = get(transaction, draft.id)
    if hash_ is not None and found.hash != hash_:
        raise ConflictError(f"Draft '{draft.id}' was changed by somebody else meanwhile. Look at it again.")
    if found.status != expected:
        raise ConflictError(f"Draft '{draft.id}' is {found.status} by now, not {expected}. Look at it again.")
    put(transaction, draft)


def get(transaction: Transaction, draft: str) -> Draft:
    """One draft by its id."""
    rows = transaction.all("SELECT body FROM drafts WHERE id = ? AND workspace = ?", (draft, transaction.workspace))
    if not rows:
        raise NotFoundError(f"There is no draft '{draft}' here.")
    return loads(Draft, rows[0][0])


def starting_with(transaction: Transaction, prefix: str) -> list[Draft]:
    """The drafts whose ids start with some characters, oldest first."""
    sql = "SELECT body FROM drafts WHERE workspace = ? AND substr(id, 1, ?) = ? ORDER BY sequence"
    rows = transaction.all(sql, (transaction.workspace, len(prefix), prefix))
    return [loads(Draft, row[0]) for row in rows]


def list_everywhere(transaction: Transaction) -> list[Draft]:
    """The drafts of every workspace that shares this store."""
    return [loads(Draft, row[0]) for row in transaction.all("SELECT body FROM drafts ORDER BY sequence")]


def list_all(transaction: Transaction) -> list[Draft]:
    """A workspace's drafts, oldest first."""
    rows = transaction.all("SELECT body FROM drafts WHERE workspace = ? ORDER BY sequence", (transaction.workspace,))
    return [loads(Draft, row[0]) for row in rows]
