"""Drafts of a pass put into the store, many at a time; one that cannot be kept takes none of the others with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from metier.context.audit import note_action
from metier.learning.next_step import Generate, Refresh
from metier.learning.stages.learn_history import approved_as
from metier.library.proposals.proposals import OPEN
from metier.store.tables.shipping import drafts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.store.engines.engine import Transaction
    from metier.types import Draft


class Written(NamedTuple):
    """A draft, the step it was written for, and those its pattern has already."""

    draft: Draft
    step: Generate | Refresh
    earlier: Sequence[Draft]

    @property
    def is_new(self) -> bool:
        """Whether there is anything to keep."""
        return not (isinstance(self.step, Refresh) and self.draft == self.step.draft)


def saved(ctx: Context, written: Sequence[Written]) -> list[Draft | Exception]:
    """Each draft as it was kept, or why it was not: all in one transaction, and each in its own where that fails."""
    if len(written) > 1:
        try:
            return list(_kept(ctx, written))
        except Exception:  # noqa: BLE001, S110 - whose fault it is shows when they are kept one by one
            pass
    found: list[Draft | Exception] = []
    for one in written:
        try:
            found += _kept(ctx, [one])
        except Exception as error:  # noqa: BLE001 - it is handed over with its draft
            found.append(error)
    return found


def _kept(ctx: Context, written: Sequence[Written]) -> list[Draft]:
    if not any(one.is_new for one in written):
        return [one.draft for one in written]
    with ctx.store.write() as transaction:
        return [_put(transaction, ctx, one) if one.is_new else one.draft for one in written]


def _put(transaction: Transaction, ctx: Context, written: Written) -> Draft:
    """Keep a draft; those of its pattern that waited for a decision are superseded by a new one."""
    draft = written.draft
    for old in written.earlier:
        if old.id == draft.id:  # somebody may have said yes to these very bytes a moment ago
            draft = approved_as(drafts.get(transaction, old.id), draft)
            drafts.move(transaction, draft, expected=old.status, hash_=old.hash)
        elif isinstance(written.step, Generate) and old.status in OPEN:
            now = replace(old, status="superseded", updated=ctx.now())
            drafts.move(transaction, now, expected=old.status, hash_=old.hash)
    drafts.put(transaction, draft)
    note_action(transaction, ctx, "draft", f"{draft.id} {draft.hash}", f"{draft.status}: {draft.summary}")
    return draft
