"""A store of the version before gets the indexes that lists of runs use, and its runs are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.runs.derive import record_of
from metier.store.engines.migrate import known_migrations, migrate
from metier.store.tables.runs import runs
from metier.store.tables.runs.listing import RunFilter, list_lines
from metier.types import Run

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine

NOW = "2026-01-05T12:00:00.000000Z"
LONG = "x" * 20_000
"""Longer than an entry of an index may be."""


def test_a_store_of_the_version_before_lists_its_runs(bare_engine: Engine) -> None:
    before = [one for one in known_migrations() if one.name != "run_filters"][: _number() - 1]
    migrate(bare_engine, NOW, before)
    with bare_engine.write() as transaction:
        runs.keep(transaction, [record_of(Run(message="a", session="s1", agent="codex"), workspace="w", now=NOW)])
    migrate(bare_engine, NOW)
    with bare_engine.write() as transaction:
        runs.keep(transaction, [record_of(Run(message="b", session=LONG, agent=LONG), workspace="w", now=NOW)])
    with bare_engine.read() as transaction:
        assert [one.session for one in list_lines(transaction, RunFilter(agent="codex", session="s1"))] == ["s1"]
        assert [one.session for one in list_lines(transaction, RunFilter(agent=LONG, session=LONG))] == [LONG]
        assert list_lines(transaction, RunFilter(agent=LONG[:-1])) == []


def _number() -> int:
    return next(one.number for one in known_migrations() if one.name == "run_filters")
