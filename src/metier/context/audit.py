"""The audit log: who did what to the workspace, and why."""

from __future__ import annotations

import getpass
import re
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from metier.store.tables import audit
from metier.types.audit import AuditEntry

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.context.context import Context
    from metier.store.engines.engine import Transaction

ID = re.compile("[0-9a-f]{9,64}")

_ACTING: ContextVar[str] = ContextVar("acting", default="")


@contextmanager
def acting_as(name: str) -> Generator[None]:
    """Let everything done meanwhile count as a named person's: a server acts for whoever asked it."""
    before = _ACTING.set(name)
    try:
        yield
    finally:
        _ACTING.reset(before)


def note_action(transaction: Transaction, ctx: Context, action: str, subject: str, reason: str) -> None:
    """Add what the current user did to the audit log, in the transaction that does it."""
    entry = AuditEntry(happened=ctx.now(), actor=current_user(), action=action, subject=subject, reason=reason)
    audit.add(transaction, entry)


def subject_words(entry: AuditEntry) -> str:
    """What an action was done to, as people name it: a lesson by its words, of an id its start, no hashes."""
    first, _, rest = entry.subject.partition(" ")
    if "lesson" in entry.action and rest:
        return rest
    return first[:8] if ID.fullmatch(first) else first


def current_user() -> str:
    """Who acts: the person this process acts for, else the user who runs it."""
    if acting := _ACTING.get():
        return acting
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
