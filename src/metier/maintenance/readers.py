"""Who else may read a workspace in a shared store: roles of the database that see its rows, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.context.audit import note_action
from metier.errors import ConfigError, NotFoundError
from metier.store.copying.shape import known_tables
from metier.store.tables import row_security

if TYPE_CHECKING:
    from metier.context.context import Context


def readable_tables() -> list[str]:
    """The tables that a reader is shown its workspace's rows of."""
    mine = [table.name for table in known_tables() if "workspace" in table.columns]
    return [*(name for name in mine if name not in row_security.WITHHELD), "verdicts"]


def allow_reader(ctx: Context, role: str) -> None:
    """Let a role of the database read this workspace's rows."""
    _check_shared(ctx)
    with ctx.store.write() as transaction:
        if not row_security.allow_reader(transaction, role, readable_tables()):
            raise NotFoundError(f"The database has no role '{role}'. Make one first: CREATE ROLE … LOGIN")
        note_action(transaction, ctx, "allow reader", role, "row-level security")


def stop_reader(ctx: Context, role: str) -> None:
    """Let a role read this workspace's rows no longer."""
    _check_shared(ctx)
    with ctx.store.write() as transaction:
        if not row_security.stop_reader(transaction, role):
            raise NotFoundError(f"The role '{role}' cannot read this workspace.")
        note_action(transaction, ctx, "stop reader", role, "row-level security")


def list_readers(ctx: Context) -> list[str]:
    """The roles that may read this workspace's rows."""
    _check_shared(ctx)
    with ctx.store.read() as transaction:
        return row_security.list_readers(transaction)


def _check_shared(ctx: Context) -> None:
    if not ctx.config.store:
        raise ConfigError("The store of this workspace is a file: who may read it is up to its folder's permissions.")
