"""Which pattern each run went to, on both engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoping import in_workspace

from metier.runs.derive import record_of
from metier.store.tables.learning import members, patterns
from metier.store.tables.runs import runs
from metier.types import Pattern, Run
from metier.types.grouping import Member

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine, Transaction

NOW = "2026-01-05T12:00:00Z"


def recorded(transaction: Transaction, count: int) -> list[str]:
    made = [record_of(Run(message=f"m{n}", external_id=str(n), session="s"), "w", NOW) for n in range(count)]
    runs.keep(transaction, made)
    return [one.id for one in made]


def member(run: str, sequence: int, *, success: bool = True, path: tuple[str, ...] = (), pattern: str = "p") -> Member:
    return Member(run=run, pattern=pattern, sequence=sequence, success=success, path=path, reason="why")


def test_a_member_comes_back_and_its_run_is_clustered(engine: Engine) -> None:
    with engine.write() as transaction:
        (run,) = recorded(transaction, 1)
        made = member(run, 1, path=("a-skill", "ünï"))
        members.put(transaction, [made])
        assert members.get(transaction, run) == made
        assert members.of_pattern(transaction, "p") == [made]
        assert members.of_pattern(in_workspace(transaction, "other"), "p") == []
        assert runs.get(transaction, run).state == "clustered"
        assert runs.new_runs(transaction) == []


def test_a_run_is_in_one_pattern_at_a_time(engine: Engine) -> None:
    with engine.write() as transaction:
        (run,) = recorded(transaction, 1)
        members.put(transaction, [member(run, 1)])
        members.put(transaction, [member(run, 1, pattern="q", success=False)])
        assert members.of_pattern(transaction, "p") == []
        assert [one.success for one in members.of_pattern(transaction, "q")] == [False]


def test_the_newest_of_a_kind_come_oldest_first(engine: Engine) -> None:
    with engine.write() as transaction:
        ids = recorded(transaction, 6)
        members.put(transaction, [member(run, n, success=n != 4) for n, run in enumerate(ids)])
        assert members.newest(transaction, "p", success=True, limit=3) == [ids[2], ids[3], ids[5]]
        assert members.newest(transaction, "p", success=False, limit=3) == [ids[4]]
        assert members.newest(transaction, "q", success=True, limit=3) == []


def test_paths_count_those_of_successes_only(engine: Engine) -> None:
    with engine.write() as transaction:
        ids = recorded(transaction, 5)
        paths = [("a",), ("a",), ("a", "b"), (), ("a",)]
        made = [member(run, n, path=path, success=n < 4) for n, (run, path) in enumerate(zip(ids, paths, strict=True))]
        members.put(transaction, made)
        assert members.paths(transaction, "p") == {("a",): 2, ("a", "b"): 1}


def test_a_run_that_changes_or_goes_leaves_its_pattern_which_is_to_be_counted_anew(engine: Engine) -> None:
    pattern = Pattern(id="p", workspace="w", label="l", summary="s", successes=3)
    with engine.write() as transaction:
        ids = recorded(transaction, 3)
        patterns.put(transaction, pattern)
        members.put(transaction, [member(run, n) for n, run in enumerate(ids)])
        assert patterns.stale(transaction) == []
        runs.remove(transaction, ids[:1], NOW)
        assert members.get(transaction, ids[0]) is None
        assert patterns.stale(transaction) == [pattern]
        patterns.put(transaction, pattern, counted=False)
        assert patterns.stale(transaction) == [pattern]
        patterns.put(transaction, pattern)
        assert patterns.stale(transaction) == []
        runs.set_success(transaction, ids[1], False)
        assert members.get(transaction, ids[1]) is None
        assert runs.get(transaction, ids[1]).state == "new"
        assert patterns.stale(transaction) == [pattern]


def test_many_members_are_dropped_at_once(engine: Engine) -> None:
    with engine.write() as transaction:
        ids = recorded(transaction, 1200)
        members.put(transaction, [member(run, n) for n, run in enumerate(ids)])
        assert runs.remove(transaction, ids, NOW) == 1200
        assert members.of_pattern(transaction, "p") == []


def test_what_nothing_came_of_is_remembered_with_its_reason(engine: Engine) -> None:
    pattern = Pattern(id="p", workspace="w", label="l", summary="s")
    with engine.write() as transaction:
        patterns.put(transaction, pattern)
        assert patterns.attempts(transaction) == {}
        patterns.note_attempt(transaction, "p", "basis:1", "it says all of it already")
        assert patterns.attempts(transaction) == {"p": ("basis:1", "it says all of it already")}
        assert patterns.get(transaction, "p") == pattern
        assert patterns.attempts(in_workspace(transaction, "other")) == {}
