"""Row-level security on PostgreSQL: roles that read the rows of some workspaces, and see nothing of any other.

The role that owns the tables, with which Metier itself works, sees everything as before. Tables whose rows do not say
whose they are, and those that hold tokens, are given to nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.store.engines.engine import Transaction

POLICY = "metier_readers"
OWN_RUNS = "EXISTS (SELECT 1 FROM runs WHERE runs.key = substr(verdicts.run, 17) || substr(verdicts.run, 1, 16))"
"""A verdict belongs to its run; the server shows a reader only runs that it may see."""
WITHHELD = frozenset({"access_tokens", "reader_roles", "reservations", "job_inputs", "job_results"})
"""Tables of workspaces that no reader needs."""


def allow_reader(transaction: Transaction, role: str, tables: Iterable[str]) -> bool:
    """Let a role read this workspace's rows; says whether there is such a role."""
    if not _names(transaction, "SELECT rolname FROM pg_roles WHERE rolname = ?", role):
        return False
    transaction.all(
        "INSERT INTO reader_roles (workspace, role) VALUES (?, ?) ON CONFLICT (workspace, role) DO NOTHING",
        (transaction.workspace, role),
    )
    _say(transaction, "GRANT USAGE ON SCHEMA metier TO %I", role)
    _protect(transaction, "reader_roles", "role = current_user", role)
    mine = "workspace IN (SELECT workspace FROM reader_roles WHERE role = current_user)"
    for table in tables:
        _protect(transaction, table, OWN_RUNS if table == "verdicts" else mine, role)
    return True


def stop_reader(transaction: Transaction, role: str) -> bool:
    """Let a role read this workspace's rows no longer; says whether it could."""
    sql = "DELETE FROM reader_roles WHERE workspace = ? AND role = ? RETURNING role"
    return bool(transaction.all(sql, (transaction.workspace, role)))


def list_readers(transaction: Transaction) -> list[str]:
    """The roles that may read this workspace's rows."""
    sql = "SELECT role FROM reader_roles WHERE workspace = ? ORDER BY role"
    return [str(row[0]) for row in transaction.all(sql, (transaction.workspace,))]


def _protect(transaction: Transaction, table: str, rule: str, role: str) -> None:
    """Show a table's rows by a rule to all but their owner, and let a role look."""
    transaction.all(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    transaction.all(f"DROP POLICY IF EXISTS {POLICY} ON {table}")
    transaction.all(f"CREATE POLICY {POLICY} ON {table} FOR SELECT USING ({rule})")
    _say(transaction, f"GRANT SELECT ON {table} TO %I", role)


def _say(transaction: Transaction, statement: str, role: str) -> None:
    """Run a statement with a role's name in it, quoted by the server."""
    (quoted,) = _names(transaction, "SELECT format('%%I', ?::text)", role)
    transaction.all(statement.replace("%I", quoted))


def _names(transaction: Transaction, sql: str, value: str) -> list[str]:
    return [str(row[0]) for row in transaction.all(sql, (value,))]
