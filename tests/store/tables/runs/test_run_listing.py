"""Lists of runs on both engines: filters, counts, words; and whether anything changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.runs.derive import record_of
from metier.store.tables.pulse import pulse
from metier.store.tables.runs import full_text, runs
from metier.store.tables.runs.listing import RunFilter, count_agents, count_lines, list_lines, search_lines
from metier.types import Run, SkillTrace, ToolCall

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine
    from metier.types import Record

NOW = "2026-01-05T12:00:00.000000Z"
CALL = ToolCall(name="Bash", input="make", ok=False, error="no", skills=("odd_name",))


def sample(number: int) -> Record:
    run = Run(
        message=f"request {number}",
        status="completed" if number % 2 else "error",
        output="answer",
        session=f"s{number}",
        agent="codex" if number < 3 else "claude-code",
        started=f"2026-01-0{number + 1}T00:00:00Z",
        tools=(CALL,),
        skills=SkillTrace(path=("odd-name",) if number == 1 else ()),
    )
    return record_of(run, workspace="w", now=NOW)


def test_filters_counts_and_words(engine: Engine) -> None:
    with engine.write() as transaction:
        runs.keep(transaction, [sample(number) for number in range(6)])
        full_text.catch_up(transaction)
    with engine.read() as transaction:
        newest = list_lines(transaction, RunFilter())
        assert [one.session for one in newest] == ["s5", "s4", "s3", "s2", "s1", "s0"]
        assert (newest[0].steps, newest[0].failed_steps) == (1, 1)
        assert count_lines(transaction, RunFilter(agent="codex")) == 3
        assert count_lines(transaction, RunFilter(outcome="failed")) == 3
        assert count_lines(transaction, RunFilter(since="2026-01-04")) == 3
        assert count_lines(transaction, RunFilter(ids=(newest[2].id,))) == 1
        assert count_lines(transaction, RunFilter(ids=())) == 0
        assert dict(count_agents(transaction)) == {"codex": 3, "claude-code": 3}
        assert [one.session for one in search_lines(transaction, "request", RunFilter(agent="codex"), limit=2)] == [
            "s2",
            "s1",
        ]


def test_every_change_gives_another_pulse(engine: Engine) -> None:
    with engine.read() as transaction:
        before = pulse(transaction)
    with engine.write() as transaction:
        runs.keep(transaction, [sample(1)])
    with engine.read() as transaction:
        assert {name for name, now in pulse(transaction).items() if now != before[name]} == {"runs"}


def test_the_newest_runs_of_a_skill_are_those_that_every_filter_finds(engine: Engine) -> None:
    many = tuple(f"skill-{'x' * 40}-{number}" for number in range(40))
    paths = {0: ("a_skill", *many), 1: ("a_skill",), 2: ("aXskill",), 3: (), 4: many}
    made = [Run(message="m", external_id=str(n), skills=SkillTrace(path=paths[n % 5])) for n in range(60)]
    with engine.write() as transaction:
        runs.keep(transaction, [record_of(run, place, NOW) for run in made for place in ("w", "other")])
    with engine.read() as transaction:
        found = list_lines(transaction, RunFilter(skill="a_skill"))
        assert len(found) == 24
        assert found == list_lines(transaction, RunFilter(skill="a_skill", since="1970"))
        assert list_lines(transaction, RunFilter(skill="a_skill"), limit=3) == found[:3]
        assert list_lines(transaction, RunFilter(skill="a_skill"), below=found[5].sequence, limit=4) == found[6:10]
