"""Small facts about the store itself, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.store.engines.engine import Transaction


ADOPTED = "workspace.adopted"
"""Name of the workspace that a restored database came from, until its rows are taken over."""
ERASING = "retention.erasing"
"""Set while removed text still has to be wiped."""
BEGUN = "state.begun"
"""When this database was first opened."""
LOST = "state.lost"
"""When it was found that the database before this one was lost, until a person decides what becomes of that."""
COPYING = "copy."
"""How the names of facts begin about a copy into this store that is not finished."""
COPIED_FROM = f"{COPYING}from"
"""The place that an unfinished copy is of."""
CONTENT = (
    "runs",
    "drafts",
    "patterns",
    "lessons",
    "selectable",
    "memo",
    "trainings",
    "profiles",
    "glances",
    "skill_texts",
    "audit",
)
"""Tables that tell whether anything was kept yet."""
ADDED_UP = "lessons.added_up"
"""What lessons were last made of; one row for each workspace."""
TIDIED = "retention.tidied"
"""Day on which limits were last enforced; one row for each workspace."""


def get(transaction: Transaction, name: str, default: str = "") -> str:
    """The value of a fact."""
    rows = transaction.all("SELECT value FROM meta WHERE name = ?", (name,))
    return str(rows[0][0]) if rows else default


def put(transaction: Transaction, name: str, value: str) -> None:
    """Set a fact."""
    transaction.all(
        "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def starting_with(transaction: Transaction, beginning: str) -> list[tuple[str, str]]:
    """The facts whose names begin so, with their values."""
    rows = transaction.all("SELECT name, value FROM meta WHERE name LIKE ? ORDER BY name", (f"{beginning}%",))
    return [(str(name), str(value)) for name, value in rows]


def drop(transaction: Transaction, name: str) -> None:
    """Forget a fact."""
    transaction.all("DELETE FROM meta WHERE name = ?", (name,))


def forget_copying(transaction: Transaction) -> None:
    """Drop what was noted about a copy into this store: it is finished."""
    transaction.all("DELETE FROM meta WHERE name LIKE ?", (f"{COPYING}%",))


def has_content(transaction: Transaction) -> bool:
    """Whether anything was kept in this database yet, by any workspace."""
    return any(transaction.all(f"SELECT 1 FROM {table} LIMIT 1") for table in CONTENT)


def forget_derived(transaction: Transaction) -> None:
    """Drop what was worked out from other rows and would be believed: texts for hooks, kept answers and reviews."""
    for table in ("selectable", "memo", "glances"):
        transaction.all(f"DELETE FROM {table}")
