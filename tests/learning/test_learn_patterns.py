"""How patterns begin, grow and change their minds, through whole passes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from learn_world import (
    ALONE,
    REPORTS,
    START,
    TESTS,
    all_drafts,
    all_patterns,
    everything,
    failed,
    following,
    learned,
    opened,
    task,
)

from metier.learning.procedures.requests import ask_for_one_thing
from metier.learning.stages.write_draft import PUT_RIGHT
from metier.learning.trace import trail
from metier.models.embedder import StaticEmbedder
from metier.store.tables.learning import waiting
from metier.types import Run, Snapshot, ToolCall

if TYPE_CHECKING:
    from pathlib import Path

    from metier.workspace import Workspace


def state(ws: Workspace) -> list[tuple[int, int, str]]:
    return [(one.successes, one.failures, one.status) for one in all_patterns(ws)]


def test_a_pattern_needs_so_many_successes_and_failures_do_not_help(tmp_path: Path) -> None:
    with opened(tmp_path / "p", min_runs=3) as ws:
        ws.deliver([*task(TESTS, 0, 2), *failed(task(TESTS, 2, 3))])
        learned(ws)
        assert state(ws) == []
        ws.deliver(task(TESTS, 5, 1))
        learned(ws)
        assert [(won, lost) for won, lost, _ in state(ws)] == [(3, 3)]


@pytest.mark.parametrize(("ratio", "status"), [(0.5, "ready"), (0.51, "forming"), (0, "ready"), (1, "forming")])
def test_a_ratio_that_is_equal_passes(tmp_path: Path, ratio: float, status: str) -> None:
    with opened(tmp_path / "p", min_success_ratio=ratio) as ws:
        ws.deliver([*task(TESTS, 0, 2), *failed(task(TESTS, 2, 2))])
        learned(ws)
        assert state(ws) == [(2, 2, status)]
        assert len(all_drafts(ws)) == (status == "ready")


def test_a_failing_pattern_becomes_ready_when_later_successes_raise_its_ratio(ws: Workspace) -> None:
    ws.deliver([*task(TESTS, 0, 2), *failed(task(TESTS, 2, 2))])
    learned(ws)
    assert state(ws) == [(2, 2, "forming")]
    assert all_drafts(ws) == []
    ws.deliver(task(TESTS, 4, 3))
    learned(ws)
    assert state(ws) == [(5, 2, "ready")]
    assert len(all_drafts(ws)) == 1


def test_a_ready_pattern_forms_again_when_it_fails_and_its_draft_is_left_alone(ws: Workspace) -> None:
    ws.deliver(task(TESTS, 0, 2))
    learned(ws)
    (draft,) = all_drafts(ws)
    ws.deliver(failed(task(TESTS, 2, 2)))
    assert learned(ws, apply=True).taken == ()
    assert state(ws) == [(2, 2, "forming")]
    assert all_drafts(ws) == [draft]


def test_a_run_like_no_other_waits_and_forms_a_pattern_with_a_later_one(ws: Workspace) -> None:
    ws.deliver([*task(TESTS, 0, 1), *task(REPORTS, 0, 1)])
    first = learned(ws)
    assert {one.where for one in first.fates} == {"waits"}
    ws.deliver(task(TESTS, 1, 1))
    second = learned(ws)
    assert second.evidence == 1
    assert state(ws) == [(2, 0, "ready")]
    assert sum(one == "clustered" for one in everything(ws)["states"].values()) == 2  # type: ignore[attr-defined]


def test_runs_that_wait_are_neither_judged_nor_embedded_again(ws: Workspace) -> None:
    ws.deliver([Run(message=one, output="Done.", status="completed") for one in ALONE])
    learned(ws)
    with ws.context.store.read() as transaction:
        kept = waiting.evidence(transaction)
    assert len(kept) == 3
    assert all(len(one.vector) == 4 * StaticEmbedder().dimensions for one in kept)
    ws.deliver(task(TESTS, 0, 1))
    assert learned(ws).evidence == 1
    with ws.context.store.read() as transaction:
        assert {one.run: one.vector for one in kept}.items() <= {
            one.run: one.vector for one in waiting.evidence(transaction)
        }.items()


def test_a_group_too_small_for_a_pattern_says_what_it_waits_for(tmp_path: Path) -> None:
    with opened(tmp_path / "p", min_runs=3) as ws:
        ws.deliver(task(TESTS, 0, 2))
        learned(ws)
        found = trail(ws.context, ws.runs()[0].id)
        assert (found.went, found.reason) == ("waits", "2 like it: 2 successful of 3 runs a pattern needs")


def test_later_runs_extend_the_pattern_there_is(ws: Workspace) -> None:
    ws.deliver(task(TESTS, 0, 2))
    (before,) = learned(ws).new
    for number in range(2, 6):
        ws.deliver(task(TESTS, number, 1))
        result = learned(ws)
        assert [one.id for one in result.extended] == [before.id]
    assert state(ws) == [(6, 0, "ready")]


def test_two_tasks_are_two_patterns(ws: Workspace) -> None:
    ws.deliver([*task(TESTS, 0, 3), *task(REPORTS, 0, 3)])
    learned(ws)
    assert state(ws) == [(3, 0, "ready"), (3, 0, "ready")]


def test_a_pattern_lists_its_successes_oldest_first(ws: Workspace) -> None:
    ws.deliver(task(TESTS, 0, 6))
    learned(ws)
    (pattern,) = all_patterns(ws)
    assert list(pattern.runs) == [one.id for one in reversed(ws.runs())]


def test_the_winning_path_is_that_of_most_successes_and_of_equals_the_smallest(ws: Workspace) -> None:
    ws.deliver([*following(task(TESTS, 0, 2), "b-skill"), *following(task(TESTS, 2, 2), "a-skill")])
    learned(ws)
    assert all_patterns(ws)[0].winning_path == ("a-skill",)
    ws.deliver([*following(task(TESTS, 4, 1), "b-skill"), *failed(following(task(TESTS, 5, 3), "a-skill"))])
    learned(ws)
    assert all_patterns(ws)[0].winning_path == ("b-skill",)


def test_skills_that_came_late_are_kept_with_what_brought_them(ws: Workspace) -> None:
    moments = (
        Snapshot(sequence=1, trigger="start", skills=("base",)),
        Snapshot(sequence=2, trigger="error", skills=("base", "rescue")),
    )
    ws.deliver(task(TESTS, 0, 2, snapshots=moments))
    learned(ws)
    (pattern,) = all_patterns(ws)
    assert (pattern.late_added, pattern.trigger) == (("rescue",), "error")


def test_settings_that_ask_for_less_wake_what_waits_and_what_was_forming(tmp_path: Path) -> None:
    with opened(tmp_path / "p", min_runs=3, min_success_ratio=0.9) as ws:
        ws.deliver([*task(TESTS, 0, 2), *task(REPORTS, 0, 3), *failed(task(REPORTS, 3, 1))])
        learned(ws)
        assert state(ws) == [(3, 1, "forming")]
    with opened(tmp_path / "p", min_runs=2, min_success_ratio=0.7) as ws:
        learned(ws)
        assert sorted(state(ws)) == [(2, 0, "ready"), (3, 1, "ready")]
        assert len(all_drafts(ws)) == 2


def test_settings_that_ask_for_more_hold_patterns_back(tmp_path: Path) -> None:
    with opened(tmp_path / "p") as ws:
        ws.deliver(task(TESTS, 0, 2))
        learned(ws)
    with opened(tmp_path / "p", min_runs=5) as ws:
        assert learned(ws, apply=True).applied == ()
        assert state(ws) == [(2, 0, "forming")]


def test_numbers_of_another_embedder_are_not_trusted(ws: Workspace) -> None:
    ws.deliver([*task(TESTS, 0, 2), *task(REPORTS, 0, 1)])
    learned(ws)
    with ws.context.store.write() as transaction:
        zeros = bytes(4 * StaticEmbedder().dimensions)
        transaction.all("UPDATE waiting SET embedder = 'other', vector = ?", (zeros,))
        body = '{"embedder": "other", "size": 2, "words": {}}'
        transaction.all("UPDATE clusters SET body = ?, vectors = ?", (body, zeros))
    ws.deliver([*task(TESTS, 2, 1), *task(REPORTS, 1, 1)])
    learned(ws)
    assert sorted(state(ws)) == [(2, 0, "ready"), (3, 0, "ready")]


def test_a_request_in_other_words_and_languages_finds_its_own(ws: Workspace) -> None:
    def asked(*texts: str) -> list[Run]:
        return [Run(message=one, output="Done.", status="completed", started=START.isoformat()) for one in texts]

    ws.deliver(
        asked(
            "Bitte die Rechnung von Mai als PDF erstellen",
            "Erstelle bitte die Rechnung Juni als PDF",
            "帮我把这份合同翻译成英文",
            "请把这份合同翻译成英文",
            "please can you help me book a flight",
            "please can you help me debug a segfault",
        )
    )
    learned(ws)
    assert sorted(state(ws)) == [(2, 0, "ready"), (2, 0, "ready")]
    assert {one.reason for one in learned(ws).fates} == set()


def test_a_request_of_no_words_waits_and_hurts_nobody(ws: Workspace) -> None:
    empty = [Run(message=one, output="Done.", status="completed") for one in ("", "???", "  ", "…")]
    ws.deliver([*empty, *task(TESTS, 0, 2), replace(empty[0], output="Other.")])
    learned(ws)
    assert (2, 0, "ready") in state(ws)


def conversations(count: int, turns: int) -> list[Run]:
    """Sessions of many turns; the same task is asked for in the middle of each."""
    chat = [
        Run(message=f"what about part {turn} of {name}?", output=f"Part {turn} is fine.", status="completed")
        for name in ("alpha", "beta", "gamma", "delta")[:count]
        for turn in range(turns)
    ]
    sessions = [f"talk-{number // turns}" for number in range(len(chat))]
    asked = [replace(run, session=f"talk-{number % count}") for number, run in enumerate(task(TESTS, 0, 6))]
    return [*(replace(run, session=name) for run, name in zip(chat, sessions, strict=True)), *asked]


def test_what_is_asked_for_in_several_conversations_is_a_task_and_turns_of_one_are_none(tmp_path: Path) -> None:
    for count, wanted in ((4, 1), (2, 0)):
        with opened(tmp_path / str(count)) as ws:
            ws.deliver(conversations(count, 12))
            learned(ws)
            drafts = [one.pattern for one in all_drafts(ws)]
            assert drafts == [one.id for one in all_patterns(ws) if "login" in one.summary][:wanted]
            assert len(drafts) == wanted


@pytest.mark.parametrize("first", [True, False], ids=["after other work", "as the first request"])
def test_requests_that_put_right_what_was_done_before_become_no_skill(ws: Workspace, first: bool) -> None:
    asked = ("use uv add instead of pip install", "please use uv add, not pip install", "no, use uv add instead of pip")
    steps = tuple(
        ToolCall(name="Bash", input=f'{{"command": "{line}"}}') for line in ("uv add cachetools", "pytest -q")
    )
    for number, message in enumerate(asked):
        run = Run(message=message, output="Done.", status="completed", session=f"s{number}", tools=steps)
        ws.deliver([replace(run, message=f"make part {number} faster", tools=()), run] if first else [run])
    done = learned(ws).taken
    assert (PUT_RIGHT in [one.reason for one in done]) == first
    assert len(all_drafts(ws)) == (0 if first else 1)


def test_turns_that_only_sound_alike_are_no_task() -> None:
    assert ask_for_one_thing(TESTS)
    assert not ask_for_one_thing(["I agree, but look first", "I thought we agreed on uv", "Agreed, go on then"])
