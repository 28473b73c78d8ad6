"""The runs of one skill, also in a store of the version before and with more skills than an index can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.runs.derive import record_of
from metier.store.engines.migrate import known_migrations, migrate
from metier.store.tables.runs import runs
from metier.store.tables.runs.listing import RunFilter, count_lines, list_lines
from metier.types import Run, SkillTrace

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine
    from metier.types import Record

NOW = "2026-01-05T12:00:00.000000Z"


def record(message: str, *skills: str) -> Record:
    return record_of(Run(message=message, skills=SkillTrace(path=skills)), workspace="w", now=NOW)


def test_the_runs_of_a_skill_are_listed_and_counted(bare_engine: Engine) -> None:
    number = next(one.number for one in known_migrations() if one.name == "runs_of_a_skill")
    migrate(bare_engine, NOW, known_migrations()[: number - 1])
    with bare_engine.write() as transaction:
        runs.keep(transaction, [record("a", "deploy"), record("b", "deploy-2"), record("c")])
    migrate(bare_engine, NOW)
    many = [f"skill-{number:064}" for number in range(100)]
    with bare_engine.write() as transaction:
        runs.keep(transaction, [record("d", "notes", "deploy"), record("e", *many, "deploy"), record("f", *many)])
    with bare_engine.read() as transaction:
        found = list_lines(transaction, RunFilter(skill="deploy"))
        assert [one.summary for one in found] == ["e", "d", "a"]
        assert count_lines(transaction, RunFilter(skill="deploy")) == 3
        assert [one.summary for one in list_lines(transaction, RunFilter(skill="deploy"), below=found[1].sequence)] == [
            "a"
        ]
        assert list_lines(transaction, RunFilter(skill="deploy", agent="codex")) == []
