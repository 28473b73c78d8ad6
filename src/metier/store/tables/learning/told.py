"""Which lessons agents were told, as hooks noted it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.types.lessons import ToldLesson

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.store.engines.engine import Transaction
    from metier.types.lessons import ToldHow

COLUMNS = "lesson, session, request, how, created"


def add(transaction: Transaction, told: Iterable[ToldLesson]) -> None:
    """Keep what was told."""
    transaction.many(
        f"INSERT INTO told_lessons (workspace, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
        [(transaction.workspace, one.lesson, one.session, one.request, one.how, one.created) for one in told],
    )


def in_run(transaction: Transaction, session: str, request: str) -> list[ToldLesson]:
    """What was told in a session: for one request, and what stands for the whole session."""
    sql = (
        f"SELECT {COLUMNS} FROM told_lessons WHERE workspace = ? AND session = ? AND request IN ('', ?)"
        " ORDER BY created, lesson, how"
    )
    return [_told(row) for row in transaction.all(sql, (transaction.workspace, session, request))]


def since(transaction: Transaction, moment: str) -> list[ToldLesson]:
    """What was told since a moment, the oldest first."""
    sql = f"SELECT {COLUMNS} FROM told_lessons WHERE workspace = ? AND created >= ? ORDER BY created, lesson, how"
    return [_told(row) for row in transaction.all(sql, (transaction.workspace, moment))]


def of_lesson(transaction: Transaction, lesson: str) -> list[ToldLesson]:
    """When agents were told one lesson, the oldest first."""
    sql = f"SELECT {COLUMNS} FROM told_lessons WHERE workspace = ? AND lesson = ? ORDER BY created, how"
    return [_told(row) for row in transaction.all(sql, (transaction.workspace, lesson))]


def _told(row: tuple[object, ...]) -> ToldLesson:
    lesson, session, request, how, created = map(str, row)
    return ToldLesson(lesson=lesson, session=session, request=request, how=cast("ToldHow", how), created=created)
