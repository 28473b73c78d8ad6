"""Lessons in the store: whole values; a change names the text and status it expects to find."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from metier.errors import ConflictError
from metier.formats.value_json import dumps, loads
from metier.types.lessons import Lesson

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.store.engines.engine import Transaction

PUT = (
    "INSERT INTO lessons (workspace, id, status, body) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (workspace, id) DO UPDATE SET status = excluded.status, body = excluded.body"
)


def put(transaction: Transaction, lessons: Iterable[Lesson]) -> None:
    """Keep lessons as they are now."""
    transaction.many(PUT, [(transaction.workspace, one.id, one.status, dumps(one)) for one in lessons])


def list_all(transaction: Transaction) -> list[Lesson]:
    """Every lesson of a workspace, whatever its status."""
    sql = "SELECT body FROM lessons WHERE workspace = ? ORDER BY id"
    return [_lesson(str(row[0])) for row in transaction.all(sql, (transaction.workspace,))]


def starting_with(transaction: Transaction, prefix: str) -> list[Lesson]:
    """The lessons whose ids start with some characters."""
    sql = "SELECT body FROM lessons WHERE workspace = ? AND substr(id, 1, ?) = ? ORDER BY id"
    return [_lesson(str(row[0])) for row in transaction.all(sql, (transaction.workspace, len(prefix), prefix))]


def move(transaction: Transaction, before: Lesson, now: Lesson) -> None:
    """Store a decision on a lesson, provided it still is what the person looked at."""
    sql = "SELECT body FROM lessons WHERE workspace = ? AND id = ?"
    rows = transaction.all(sql, (transaction.workspace, before.id))
    found = _lesson(str(rows[0][0])) if rows else None
    if found is None or (found.text, found.status) != (before.text, before.status):
        raise ConflictError(f"Lesson {before.id} changed meanwhile. Look at it again: metier lessons show {before.id}")
    put(transaction, [now])


def forget_runs(transaction: Transaction, ids: Iterable[str]) -> None:
    """Take the words of removed runs out of every lesson; one that rests on nothing else goes with them."""
    gone = set(ids)
    for lesson in list_all(transaction):
        left = tuple(one for one in lesson.quotes if one.run not in gone)
        if len(left) == len(lesson.quotes):
            continue
        if left or lesson.by == "person":
            put(transaction, [replace(lesson, quotes=left)])
        else:
            transaction.all("DELETE FROM lessons WHERE workspace = ? AND id = ?", (transaction.workspace, lesson.id))


def replace_proposals(transaction: Transaction, lessons: Iterable[Lesson]) -> None:
    """Put these in the place of all proposals; decided ones are only updated, and a paused one may be asked again."""
    transaction.all("DELETE FROM lessons WHERE workspace = ? AND status = 'proposed'", (transaction.workspace,))
    decided = {
        str(row[0]): str(row[1])
        for row in transaction.all("SELECT id, status FROM lessons WHERE workspace = ?", (transaction.workspace,))
    }
    asked = ("paused", "proposed")
    put(
        transaction,
        [one for one in lessons if decided.get(one.id) in (None, one.status) or (decided[one.id], one.status) == asked],
    )


@lru_cache(maxsize=4096)
def _lesson(body: str) -> Lesson:
    """A stored lesson; whoever lists them often reads the same ones again and again."""
    return loads(Lesson, body)
