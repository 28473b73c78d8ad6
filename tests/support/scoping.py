"""A transaction as another workspace that shares the store would have it."""

from __future__ import annotations

from copy import copy
from typing import TypeVar

from metier.store.engines.engine import Transaction

T = TypeVar("T", bound=Transaction)


def in_workspace(transaction: T, workspace: str) -> T:
    """The same transaction, scoped to another workspace."""
    other = copy(transaction)
    other.workspace = workspace
    return other
