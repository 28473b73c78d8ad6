from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import metier
from metier.store.tables.library import profiles
from metier.types import Outcome, ShownSkill, SkillTrace, ToolCall
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from metier.types.skills import Profile

SECRET = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
RUN = metier.Run(message="fix the login test", external_id="1", status="completed", output="done")


def profile(ws: Workspace, skill: str) -> Profile | None:
    with ws.context.store.read() as transaction:
        return profiles.get(transaction, skill)


def test_a_block_that_ends_well_is_a_completed_run(ws: Workspace) -> None:
    with ws.record("fix it", session="s", agent="mine", model="m") as run:
        run.tool("Bash", input="pytest", output="1 passed")
        run.tool("Read", input="a.py", error="no such file")
        run.context("be careful", "operator")
        run.skills("pytest-run", active=("other",))
        run.answer("fixed", tokens=metier.Tokens(input=1, output=2), cost_usd=0.01)
    [record] = ws.runs()
    kept = record.run
    assert (record.success, record.used, kept.output, kept.status) == (True, ("pytest-run",), "fixed", "completed")
    assert [(tool.name, tool.ok, tool.origin) for tool in kept.tools] == [
        ("Bash", True, "tool"),
        ("Read", False, "file"),
    ]
    assert kept.started is not None
    assert kept.ended is not None
    assert kept.started <= kept.ended


def test_a_block_that_raises_is_kept_as_a_failure_and_the_exception_goes_on(ws: Workspace) -> None:
    with pytest.raises(ZeroDivisionError), ws.record("divide"):
        _ = 1 / 0
    [record] = ws.runs()
    assert (record.success, record.run.status) == (False, "error")
    assert "ZeroDivisionError: division by zero" in record.run.context[-1].text


def test_an_interrupted_block_is_aborted(ws: Workspace) -> None:
    with pytest.raises(KeyboardInterrupt), ws.record("wait"):
        raise KeyboardInterrupt
    assert ws.runs()[0].run.status == "aborted"


def test_the_run_is_in_the_store_from_its_first_moment(ws: Workspace) -> None:
    with ws.record("long work"):
        [record] = ws.runs()
        assert (record.success, record.revision) == (None, 1)
    [record] = ws.runs()
    assert (record.success, record.revision) == (True, 2)


def test_a_stated_outcome_wins_over_the_end_of_the_block(ws: Workspace) -> None:
    with ws.record("x") as run:
        run.outcome(False, by="verifier", reason="2 tests fail")
    assert ws.runs()[0].success is False


def test_two_blocks_with_the_same_message_are_two_runs(ws: Workspace) -> None:
    for _ in range(2):
        with ws.record("again"):
            pass
    assert len(ws.runs()) == 2


def test_recording_never_raises_into_the_agent(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    ws = Workspace.open(tmp_path, flags={"lock_wait": 0})
    ws.close()
    (ws.state / "metier.db").write_bytes(b"x" * 5000)
    with ws.record("x") as run:
        pass
    assert run.delivery is not None
    assert run.delivery.how == "refused"
    assert "is damaged" in run.delivery.reason
    assert "A run was not recorded" in caplog.text


def test_a_run_delivered_twice_is_kept_once(ws: Workspace) -> None:
    assert [one.how for one in ws.deliver([RUN, RUN])] == ["new", "duplicate"]
    assert ws.finish(RUN).how == "duplicate"
    assert len(ws.runs()) == 1


def test_secrets_never_reach_the_store(ws: Workspace) -> None:
    run = replace(RUN, message=f"push with {SECRET}", tools=(ToolCall(name="Bash", output=f"token {SECRET}"),))
    ws.finish(run)
    ws.search("push")
    ws.close()
    for file in ws.state.rglob("*"):
        assert file.is_dir() or SECRET.encode() not in file.read_bytes()
    assert "[REDACTED:github-token:" in ws.runs()[0].run.message


def test_no_field_of_a_run_can_carry_a_secret_into_the_store(ws: Workspace) -> None:
    secret = SECRET
    ws.finish(
        metier.Run(
            message=secret,
            output=secret,
            status=secret,
            external_id=secret,
            session=secret,
            source=secret,
            agent=secret,
            model=secret,
            tools=(ToolCall(name=secret, input=secret, output=secret, error=secret, skills=(secret,), said=secret),),
            context=(metier.Passage(origin="web", text=secret),),
            skills=SkillTrace(
                active=(secret,), attempted=(secret,), path=(secret,), shown=(ShownSkill(name=secret, body=secret),)
            ),
            snapshots=(metier.Snapshot(sequence=1, trigger=secret, skills=(secret,)),),
            outcome=Outcome(success=True, by=secret, reason=secret),
            correction=secret,
        )
    )
    assert len(ws.runs()) == 1
    ws.close()
    assert not any(secret.encode() in file.read_bytes() for file in ws.state.rglob("*") if file.is_file())


def test_the_same_run_is_known_again_under_another_redaction_key(tmp_path: Path) -> None:
    from metier.redaction import Redactor
    from metier.runs.derive import identity, redact_run

    run = replace(RUN, message=f"push with {SECRET}", session=f"s {SECRET}")
    keys = (b"1" * 32, b"2" * 32)
    assert len({redact_run(run, Redactor(key).redact).message for key in keys}) == 2
    assert len({identity(redact_run(run, Redactor(key).redact), "w") for key in keys}) == 1


def test_the_same_run_with_a_secret_is_still_a_duplicate(ws: Workspace) -> None:
    run = replace(RUN, message=f"push with {SECRET}")
    assert [ws.finish(run).how, ws.finish(run).how] == ["new", "duplicate"]


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (replace(RUN, session=" Heartbeat "), "heartbeat"),
        (replace(RUN, message="x" * 1_100_000), "larger than 1 MiB"),
        (replace(RUN, tools=(ToolCall(name="n", output="x" * 1_100_000),)), "larger than 1 MiB"),
        (replace(RUN, message=3), "message: must be text"),
        (replace(RUN, started="yesterday"), "no ISO 8601 time"),
    ],
)
def test_what_is_not_recorded_says_why(tmp_path: Path, run: metier.Run, reason: str) -> None:
    with Workspace.open(tmp_path, flags={"max_record_mb": 1}) as ws:
        delivery = ws.finish(run)
        assert not delivery.kept
        assert reason in delivery.reason
        assert ws.runs() == []


def test_a_run_of_a_little_over_a_megabyte_is_kept(ws: Workspace) -> None:
    ws.finish(replace(RUN, output="x" * 1_100_000))
    assert len(ws.runs()[0].run.output) == 1_100_000


def test_nothing_is_recorded_when_switched_off_or_ignored(tmp_path: Path) -> None:
    with Workspace.open(tmp_path, flags={"enabled": "false"}) as ws:
        assert ws.finish(RUN).reason == "recording is switched off (enabled = false)"
    with Workspace.open(tmp_path, flags={"ignore": [str(tmp_path)]}) as ws:
        assert ws.finish(RUN).reason == "the workspace is on the ignore list"
        assert ws.runs() == []


def test_each_skill_a_run_met_is_touched_once(ws: Workspace) -> None:
    trace = SkillTrace(active=("one", "ONE"), path=("two",), attempted=("bad/name",))
    delivery = ws.finish(replace(RUN, skills=trace, ended="2026-01-05T12:00:00Z"))
    one, two = profile(ws, "one"), profile(ws, "two")
    assert one is not None
    assert two is not None
    assert (one.uses, one.successes, one.last_used) == (1, 1, "2026-01-05T12:00:00Z")
    assert (two.uses, two.successes) == (1, 1)
    assert delivery.notes == ("'bad/name' is not a skill name; not counted",)


def test_a_duplicate_counts_nothing_and_an_update_only_what_changed(ws: Workspace) -> None:
    trace = SkillTrace(path=("one",))
    ws.finish(replace(RUN, status=None, skills=trace))
    ws.finish(replace(RUN, status=None, skills=trace))
    ws.finish(replace(RUN, skills=trace))
    ws.finish(replace(RUN, outcome=Outcome(success=False, by="test"), skills=SkillTrace(path=("one", "two"))))
    one, two = profile(ws, "one"), profile(ws, "two")
    assert one is not None
    assert two is not None
    assert (one.uses, one.successes, one.failures) == (1, 0, 1)
    assert (two.uses, two.successes, two.failures) == (1, 0, 1)


def test_text_that_no_store_can_hold_is_mended(ws: Workspace) -> None:
    ws.finish(replace(RUN, message="a\x00b\ud800c"))
    assert ws.runs()[0].run.message == "a\ufffdb\ufffdc"


def test_many_runs_are_recorded_in_batches(ws: Workspace) -> None:
    deliveries = ws.deliver(replace(RUN, external_id=str(number)) for number in range(2500))
    assert len({one.id for one in deliveries}) == 2500
    assert len(ws.runs(limit=5000)) == 2500
