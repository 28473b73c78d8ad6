"""The audit log: who did what to the workspace, and why."""

from __future__ import annotations

import getpass
import os
import re
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal, NamedTuple

from metier.context.seen_agents import agent_signs, agent_titles
from metier.hooks.yeses import keep_yes
from metier.store.tables import audit
from metier.text.visible import visible
from metier.types.audit import AuditEntry

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.context.context import Context
    from metier.store.engines.engine import Transaction

ID = re.compile("[0-9a-f]{9,64}")

YesWay = Literal["terminal", "dashboard", "program"]
LONGEST = 200
"""Characters of what was approved that are told."""
_ACTING: ContextVar[str] = ContextVar("acting", default="")
_WAY: ContextVar[YesWay] = ContextVar("way", default="program")


class YesWords(NamedTuple):
    """A yes as a person is told it."""

    about: str
    """What it was said to: a lesson's line, the name of a skill."""
    undo: str
    """The command that takes it back."""


@contextmanager
def acting_as(name: str) -> Generator[None]:
    """Let everything done meanwhile count as a named person's: a server acts for whoever asked it."""
    before = _ACTING.set(name)
    try:
        yield
    finally:
        _ACTING.reset(before)


@contextmanager
def yes_by(way: YesWay) -> Generator[None]:
    """Let every yes that is said meanwhile count as said in a terminal or in the dashboard."""
    before = _WAY.set(way)
    try:
        yield
    finally:
        _WAY.reset(before)


def note_action(transaction: Transaction, ctx: Context, action: str, subject: str, reason: str) -> None:
    """Add what the current user did to the audit log, in the transaction that does it."""
    entry = AuditEntry(happened=ctx.now(), actor=current_user(), action=action, subject=subject, reason=reason)
    audit.add(transaction, entry)


def note_yes(transaction: Transaction, ctx: Context, action: str, subject: str, reason: str, said: YesWords) -> None:
    """Add a yes to the audit log, with how it came; one that a person may not know of is told at a session's start."""
    entry = AuditEntry(
        happened=ctx.now(),
        actor=current_user(),
        action=action,
        subject=subject,
        reason=reason,
        way=_WAY.get(),
        seen=" ".join(agent_signs(os.environ)),
    )
    audit.add(transaction, entry)
    if words := way_words(entry):
        moment = ctx.clock().astimezone().strftime("%H:%M on %Y-%m-%d")
        line = visible(" ".join(f"Metier: approved {words} at {moment}: {said.about[:LONGEST].rstrip('.')}".split()))
        with suppress(OSError):  # the audit log has it
            keep_yes(str(ctx.state), f"{line}. Undo: {said.undo}")


def way_words(entry: AuditEntry) -> str:
    """How a yes came, where a person may not know of it: a program gave it, or it came from inside an agent."""
    program, agents = "by a program" * (entry.way == "program"), agent_titles(entry.seen)
    return f"{program}{', ' * bool(program and agents)}{f'from inside {agents}' if agents else ''}"


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
