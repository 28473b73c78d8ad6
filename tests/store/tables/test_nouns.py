"""Every other noun: what goes into the store comes back, on both engines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from scoping import in_workspace

from metier.errors import ConflictError, NotFoundError
from metier.store.engines.migrate import known_migrations, migrate
from metier.store.tables import audit
from metier.store.tables.learning import patterns
from metier.store.tables.library import drafts, profiles
from metier.store.tables.models import memo
from metier.store.tables.runs import spooled, verdicts
from metier.store.tables.runs import transcripts as files
from metier.store.tables.selection import selections
from metier.store.tables.training import cases, rollouts
from metier.types import Candidate, Draft, Finding, Pattern, Provenance, Selection, SkillGuidance, Verdict
from metier.types.audit import AuditEntry
from metier.types.skills import Profile
from metier.types.trials import Case, Rollout, Scored, Unscored

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine

NOW = "2026-01-05T12:00:00Z"
DRAFT = Draft(
    id="d1",
    workspace="w",
    target="flaky-tests",
    kind="create",
    type="workflow",
    summary="s",
    body="# Flaky tests\n",
    provenance=Provenance(runs=("r1",), model="m"),
    findings=(Finding(rule="r", severity="low", reason="because", line=3),),
    notes=("n",),
)


def test_a_verdict_is_stored_once_and_a_person_replaces_it(engine: Engine) -> None:
    first = Verdict(run="r", success=None, reason="a", judge="heuristic", decided=NOW)
    with engine.write() as transaction:
        verdicts.put(transaction, first)
        verdicts.put(transaction, replace(first, success=True, judge="model:x"))
        assert verdicts.get(transaction, "r") == first
        person = replace(first, success=False, judge="person")
        verdicts.put(transaction, person)
        assert verdicts.get(transaction, "r") == person
        verdicts.clear(transaction, "r")
        assert verdicts.get(transaction, "r") is None


def test_profiles_of_the_version_before_have_no_guidance_and_can_get_some(bare_engine: Engine) -> None:
    migrate(bare_engine, "then", [step for step in known_migrations() if step.number < 8])
    with bare_engine.write() as transaction:
        transaction.all(
            "INSERT INTO profiles (workspace, name, skill, status, origin, uses, successes, failures, last_used,"
            " retention, pinned) VALUES (?, 'deploy', 'Deploy', 'active', 'manual', 3, 2, 1, '', 0.2, 0)",
            (transaction.workspace,),
        )
    migrate(bare_engine, NOW)
    guidance = SkillGuidance(use_cases=("Deploy the shop",), entry_path=("deploy",), avoid=("`cat`",))
    with bare_engine.write() as transaction:
        (old,) = profiles.list_all(transaction)
        assert (old.uses, old.guidance) == (3, SkillGuidance())
        profiles.put(transaction, [replace(old, guidance=guidance)])
        assert profiles.list_all(transaction) == [replace(old, guidance=guidance)]


def test_a_profile_is_one_row_whatever_the_case_of_its_name(engine: Engine) -> None:
    profile = Profile(skill="Deploy", workspace="w", uses=3, successes=2, failures=1, last_used=NOW, pinned=True)
    with engine.write() as transaction:
        profiles.put(transaction, [profile])
        profiles.put(transaction, [replace(profile, skill="deploy", uses=4)])
        assert profiles.get(transaction, "DEPLOY") == replace(profile, uses=4)
        assert profiles.get(in_workspace(transaction, "other"), "deploy") is None
        assert profiles.list_all(transaction) == [replace(profile, uses=4)]


def test_patterns_come_back_in_the_order_they_appeared(engine: Engine) -> None:
    first = Pattern(id="p1", workspace="w", label="fix-tests", summary="s", runs=("r1", "r2"), successes=2)
    second = Pattern(id="p2", workspace="w", label="bump", summary="s", status="ready")
    with engine.write() as transaction:
        for pattern in (first, second, replace(first, failures=1)):
            patterns.put(transaction, pattern)
        assert patterns.list_all(transaction) == [replace(first, failures=1), second]
        assert patterns.list_all(transaction, "ready") == [second]
        assert patterns.list_all(in_workspace(transaction, "other")) == []


def test_of_two_who_move_a_draft_one_wins(engine: Engine) -> None:
    with engine.write() as transaction:
        drafts.put(transaction, DRAFT)
        drafts.move(transaction, replace(DRAFT, status="accepted"), expected="candidate")
    with pytest.raises(ConflictError, match="accepted by now"), engine.write() as transaction:
        drafts.move(transaction, replace(DRAFT, status="rejected"), expected="candidate")
    with engine.read() as transaction:
        assert drafts.list_all(transaction) == [replace(DRAFT, status="accepted")]
        with pytest.raises(NotFoundError):
            drafts.get(in_workspace(transaction, "other"), "d1")


def test_cases_and_rollouts_come_back(engine: Engine) -> None:
    case = Case(id="c1", input="2+2", expected="4", split="val", tags=("math",))
    good = Rollout(case="c1", skill_hash="h", target="t", score=Scored(hard=1.0, soft=0.5), output="4")
    failed = replace(good, score=Unscored(reason="no answer"), sample=1)
    with engine.write() as transaction:
        cases.put(transaction, "suite", [case, replace(case, id="c0")])
        assert [one.id for one in cases.list_all(transaction, "suite")] == ["c0", "c1"]
        rollouts.put(transaction, "k1", good)
        rollouts.put(transaction, "k1", failed)
        rollouts.put(transaction, "k2", failed)
        assert (rollouts.get(transaction, "k1"), rollouts.get(transaction, "k2")) == (good, failed)
        assert rollouts.get(transaction, "k3") is None


def test_selections_come_back_newest_first(engine: Engine) -> None:
    first = Selection(id="1", workspace="w", query="q", candidates=(Candidate(skill="a", score=0.5),), chosen=("a",))
    with engine.write() as transaction:
        selections.put(transaction, first)
        selections.put(transaction, replace(first, id="2"))
        selections.put(transaction, replace(first, run="r1"))
        assert selections.list_all(transaction) == [replace(first, id="2"), replace(first, run="r1")]


def test_the_memo_keeps_the_first_value(engine: Engine) -> None:
    with engine.write() as transaction:
        memo.put(transaction, "k", b"\x00\xffone", NOW)
        memo.put(transaction, "k", b"two", NOW)
        assert memo.get(transaction, "k") == b"\x00\xffone"
        assert memo.get(transaction, "other") is None


def test_a_changed_audit_entry_is_noticed(engine: Engine) -> None:
    with engine.write() as transaction:
        for number in range(3):
            audit.add(transaction, AuditEntry(happened=NOW, actor="ann", action="approve", subject=f"d{number}"))
        assert audit.first_broken(transaction) is None
        transaction.all("UPDATE audit SET actor = 'eve' WHERE subject = 'd1'")
        broken = audit.first_broken(transaction)
    assert broken is not None
    assert broken.subject == "d1"


def test_a_missing_audit_entry_is_noticed(engine: Engine) -> None:
    with engine.write() as transaction:
        for number in range(3):
            audit.add(transaction, AuditEntry(happened=NOW, actor="ann", action="approve", subject=f"d{number}"))
        transaction.all("DELETE FROM audit WHERE subject = 'd0'")
        assert audit.first_broken(transaction) is not None


def test_spooled_names_are_remembered_until_the_files_are_gone(engine: Engine) -> None:
    with engine.write() as transaction:
        spooled.add(transaction, ["a", "b"], NOW)
        spooled.add(transaction, ["a"], NOW)
        assert spooled.known_names(transaction) == {"a", "b"}
        spooled.forget(transaction, ["a"])
        assert spooled.known_names(transaction) == {"b"}


def test_a_file_keeps_its_position_while_it_waits(engine: Engine) -> None:
    file = files.TranscriptFile(
        workspace="w", path="/x.jsonl", source="codex", position=120, size=200, state="read", seen=NOW
    )
    with engine.write() as transaction:
        files.put(transaction, file)
        assert files.waiting(transaction) == []
        files.put_waiting(transaction, replace(file, position=0))
        assert files.waiting(transaction) == [replace(file, state="waiting")]
        assert files.get(transaction, "/y.jsonl") is None
