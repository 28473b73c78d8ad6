from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.runs.derive import (
    excerpt_of,
    identity,
    record_of,
    redact_run,
    seen_skills,
    success_of,
    summary_of,
    used_skills,
    valid_name,
)
from metier.types import Outcome, Passage, Run, ShownSkill, SkillTrace, Snapshot, ToolCall
from metier.types.runs import unique_names

RUN = Run(message="m", external_id="x", session="s", source="cli")


@pytest.mark.parametrize(
    ("status", "success"),
    [("completed", True), ("error", False), ("aborted", False), ("Completed", False), ("", False), (None, None)],
)
def test_only_the_exact_word_completed_claims_success_and_no_word_is_unknown(
    status: str | None, success: bool | None
) -> None:
    assert success_of(replace(RUN, status=status)) is success


def test_an_explicit_outcome_wins_over_the_status() -> None:
    assert success_of(replace(RUN, status="error", outcome=Outcome(success=True, by="test"))) is True
    assert success_of(replace(RUN, status="completed", outcome=Outcome(success=False, by="person"))) is False


def test_a_persons_correction_outweighs_a_clean_end_but_not_an_outcome() -> None:
    corrected = replace(RUN, status="completed", correction="no, the other file")
    assert success_of(corrected) is False
    assert success_of(replace(corrected, outcome=Outcome(success=True, by="test"))) is True


def test_used_skills_are_the_path_if_there_is_one() -> None:
    tools = (ToolCall(name="Bash", skills=("other",)),)
    run = replace(RUN, tools=tools, skills=SkillTrace(active=("loaded",), path=(" Deploy ", "deploy", "Test")))
    assert used_skills(run) == ("Deploy", "Test")


def test_a_final_path_of_blanks_only_does_not_hide_the_tools_skills() -> None:
    tools = (ToolCall(name="Read", skills=("release-notes",)),)
    run = replace(RUN, tools=tools, skills=SkillTrace(path=("", "  ")))
    assert used_skills(run) == ("release-notes",)


def test_without_a_path_only_successful_tools_count_in_order() -> None:
    tools = (
        ToolCall(name="a", skills=("one",)),
        ToolCall(name="b", ok=False, skills=("failed",)),
        ToolCall(name="c", skills=("two", "ONE")),
    )
    assert used_skills(replace(RUN, tools=tools, skills=SkillTrace(active=("loaded",)))) == ("one", "two")


def test_every_skill_a_run_met_is_seen_once_also_failed_ones() -> None:
    run = replace(
        RUN,
        tools=(ToolCall(name="b", ok=False, skills=("failed", "Path")),),
        skills=SkillTrace(active=("a",), attempted=("t",), path=("path",), shown=(ShownSkill(name="s", body=""),)),
        snapshots=(Snapshot(sequence=1, trigger="x", skills=("snap", "a")),),
    )
    assert sorted(seen_skills(run)) == ["a", "failed", "path", "s", "snap", "t"]
    assert seen_skills(replace(RUN, tools=run.tools)) == ("failed", "Path")


@pytest.mark.parametrize("name", ["deploy", "Deploy-2", "plugin:skill", "über_uns", "a.b"])
def test_names_that_can_be_a_skills(name: str) -> None:
    assert valid_name(name)


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a b", "-a", "a:b:c", "x" * 65, "a\x00", "a\n", ".hidden"])
def test_names_that_cannot(name: str) -> None:
    assert not valid_name(name)


def test_the_summary_is_the_message_cut_at_160_characters_dots_included() -> None:
    assert summary_of(replace(RUN, message="  short  ")) == "short"
    assert summary_of(replace(RUN, message="x" * 160)) == "x" * 160
    assert summary_of(replace(RUN, message="漢" * 161)) == "漢" * 157 + "..."


def test_a_run_without_a_message_is_named_by_id_and_status() -> None:
    assert summary_of(replace(RUN, message=" ", status="error")) == "run x (error)"
    assert summary_of(Run(message="")) == "run without a name (status unknown)"


def test_an_excerpt_has_1200_characters_at_most() -> None:
    assert excerpt_of("x" * 1200) == "x" * 1200
    assert excerpt_of("x" * 5000) == "x" * 1197 + "..."


@pytest.mark.parametrize("session", ["heartbeat", " HeartBeat\n"])
def test_a_heartbeat_is_one_whatever_its_case(session: str) -> None:
    assert replace(RUN, session=session).is_heartbeat
    assert not replace(RUN, session=session + "s").is_heartbeat


def test_the_same_run_has_the_same_id_and_any_other_another() -> None:
    same = identity(RUN, "w")
    others = [
        identity(replace(RUN, session="t"), "w"),
        identity(replace(RUN, source="api"), "w"),
        identity(replace(RUN, message="n"), "w"),
        identity(replace(RUN, external_id="y"), "w"),
        identity(RUN, "v"),
    ]
    assert identity(replace(RUN, output="more", status="completed", ended="later"), "w") == same
    assert len({same, *others}) == 6


def test_a_start_time_identifies_a_run_without_an_external_id() -> None:
    run = replace(RUN, external_id=None, started="2026-01-05T12:00:00Z")
    assert identity(run, "w") == identity(run, "w")
    assert identity(run, "w") != identity(replace(run, started="2026-01-05T12:00:01Z"), "w")


def test_without_id_and_start_time_every_delivery_is_new() -> None:
    run = replace(RUN, external_id=None)
    assert identity(run, "w") != identity(run, "w")


def test_runs_of_one_session_share_the_end_of_their_ids() -> None:
    first, second = identity(RUN, "w"), identity(replace(RUN, external_id="y"), "w")
    assert first[16:] == second[16:]
    assert first[:16] != second[:16]


def test_every_free_text_of_a_run_is_redacted() -> None:
    run = Run(
        message="secret",
        output="secret",
        tools=(ToolCall(name="n", input="secret", output="secret", error="secret", said="secret"),),
        context=(Passage(origin="web", text="secret"),),
        skills=SkillTrace(shown=(ShownSkill(name="n", body="secret"),)),
        outcome=Outcome(success=True, by="test", reason="secret"),
        correction="secret",
    )
    clean = redact_run(run, lambda text: text.replace("secret", "[gone]"))
    assert "secret" not in repr(clean)
    assert repr(clean).count("[gone]") == repr(run).count("secret") == 10


def test_a_record_carries_what_was_derived() -> None:
    record = record_of(replace(RUN, status="completed"), "w", "now")
    assert (record.workspace, record.recorded, record.success, record.state, record.revision) == (
        "w",
        "now",
        True,
        "new",
        1,
    )


@given(st.lists(st.text(max_size=5), max_size=8))
def test_unique_names_are_trimmed_kept_in_order_and_once(names: list[str]) -> None:
    found = unique_names(names)
    assert len({name.casefold() for name in found}) == len(found)
    assert {name.casefold() for name in found} == {name.strip().casefold() for name in names if name.strip()}
