"""What was last seen of each skill on disk, so that an unchanged one need not be read again."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.types.skills import Glance

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from metier.store.engines.engine import Transaction

PUT = (
    "INSERT INTO glances (workspace, root, skill, fingerprint, hash, name, description, problem, version)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace, root, skill) DO UPDATE SET"
    " fingerprint = excluded.fingerprint, hash = excluded.hash, name = excluded.name,"
    " description = excluded.description, problem = excluded.problem, version = excluded.version"
)


def list_all(transaction: Transaction, root: str) -> dict[str, Glance]:
    """The last glance at every skill of a root."""
    sql = (
        "SELECT skill, fingerprint, hash, name, description, problem, version FROM glances"
        " WHERE workspace = ? AND root = ?"
    )
    return {
        str(skill): Glance(
            fingerprint=str(fingerprint),
            hash=str(digest),
            name=str(name),
            description=str(description),
            problem=str(problem),
            version=cast("int", version),
        )
        for skill, fingerprint, digest, name, description, problem, version in transaction.all(
            sql, (transaction.workspace, root)
        )
    }


def put(transaction: Transaction, root: str, glances: Mapping[str, Glance]) -> None:
    """Remember the newest glance at some skills of a root."""
    rows = [
        (
            transaction.workspace,
            root,
            skill,
            one.fingerprint,
            one.hash,
            one.name,
            one.description,
            one.problem,
            one.version,
        )
        for skill, one in glances.items()
    ]
    transaction.many(PUT, rows)


def forget(transaction: Transaction, root: str, skills: Iterable[str]) -> None:
    """Forget skills that are not there any more."""
    rows = [(transaction.workspace, root, skill) for skill in skills]
    transaction.many("DELETE FROM glances WHERE workspace = ? AND root = ? AND skill = ?", rows)
