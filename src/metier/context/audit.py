"""The audit log: who did what to the workspace, and why."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

from metier.store.tables import audit

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.store.engines.engine import Transaction


def note_action(transaction: Transaction, ctx: Context, action: str, subject: str, reason: str) -> None:
    """Add what the current user did to the audit log, in the transaction that does it."""
    entry = audit.AuditEntry(happened=ctx.now(), actor=current_user(), action=action, subject=subject, reason=reason)
    audit.add(transaction, entry)


def current_user() -> str:
    """The name of the user who runs this process."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
