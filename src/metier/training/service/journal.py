"""The journal of a training: what it got and the store has not taken in yet, as lines of JSON."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

from metier.context.state_folder import file_of
from metier.store.engines.line_journal import SUFFIX, LineJournal
from metier.store.tables.models import memo
from metier.store.tables.training import rollouts

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.context.context import Context
    from metier.store.tables.training.rollouts import Entry

MemoRow = tuple[str, bytes, str, str]


def memo_line(row: MemoRow) -> bytes:
    """A reply that is kept."""
    key, value, moment, workspace = row
    return json.dumps(["memo", key, value.decode("latin-1"), moment, workspace]).encode()


def rollout_line(entry: Entry) -> bytes:
    """A rollout that is kept."""
    return json.dumps(["rollout", *entry]).encode()


@contextmanager
def journal_of(ctx: Context, account: str) -> Generator[LineJournal]:
    """An account's journal. What a killed process left goes to the store first; the file stays after an error."""
    journal = LineJournal(file_of(ctx, account.replace(":", "-")).with_suffix(SUFFIX))
    keep = True
    try:
        _take_in(ctx, journal)
        yield journal
        keep = False
    finally:
        journal.close(keep=keep)


def _take_in(ctx: Context, journal: LineJournal) -> None:
    replies: list[MemoRow] = []
    entries: list[Entry] = []
    for line in journal.left():
        try:
            kind, *rest = json.loads(line)
            if kind == "memo":
                key, value, moment, workspace = map(str, rest)
                replies.append((key, value.encode("latin-1"), moment, workspace))
            else:
                key, case, skill, target, sample, body = rest
                entries.append((str(key), str(case), str(skill), str(target), int(sample), str(body)))
        except (ValueError, TypeError):  # the process was killed while it wrote this
            continue
    if replies or entries:
        with ctx.store.write() as transaction:
            memo.put_all(transaction, replies)
            rollouts.put_all(transaction, entries)
    for part in (0, 1):
        journal.clear(part)
