"""Runs and lessons: lists with filters in the address, one run as a conversation, one lesson's story."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dashboard_world import CORRECTION

from metier.library.lessons import get_lesson
from metier.store.tables.runs.listing import RunFilter, count_agents, count_lines, list_lines, search_lines
from metier.types import Exchange, Run, ToolCall
from metier.types.lessons import Lesson, Quote
from metier.web.conversation import STEPS, conversation

if TYPE_CHECKING:
    from dashboard_world import ServedDashboard

FIRST = "0000000000a0"


@pytest.mark.parametrize(
    ("query", "runs"),
    [
        ("", 8),
        ("?agent=codex", 4),
        ("?outcome=failed", 4),
        ("?outcome=good", 4),
        ("?outcome=unknown", 0),
        ("?session=s3", 1),
        ("?skill=run-the-tests", 6),
        ("?skill=run_the_tests", 0),
        ("?days=7", 0),
        ("?q=number+4", 1),
        ("?q=login&agent=codex", 3),
        ("?q=%22*)(", 0),
        (f"?lesson={FIRST}", 2),
    ],
)
def test_filters_stand_in_the_address(shared: ServedDashboard, query: str, runs: int) -> None:
    list(shared.board.ws.index())
    page = shared.get(f"/runs{query}").text
    assert page.count("data-row") == runs
    assert ("No run " in page) is (runs == 0)


def test_pages_of_runs_follow_each_other_without_a_gap(shared: ServedDashboard) -> None:
    with shared.board.context.store.read() as transaction:
        every = list_lines(transaction, RunFilter())
        first = list_lines(transaction, RunFilter(), limit=3)
        second = list_lines(transaction, RunFilter(), below=first[-1].sequence)
        assert [one.id for one in (*first, *second)] == [one.id for one in every]
        assert count_lines(transaction, RunFilter()) == len(every) == 8
        assert dict(count_agents(transaction))["codex"] == 4
        assert [one.tokens for one in search_lines(transaction, "number 4", RunFilter())] == [10544]


def test_a_run_shows_failures_corrections_skills_cost_and_redactions(shared: ServedDashboard) -> None:
    corrected = next(one for one in shared.board.ws.runs(50) if one.run.correction)
    page = shared.get(f"/runs/{corrected.id}").text
    for words in ("You corrected it", CORRECTION, "1 failed", "run-the-tests", "9,000 from cache", "$0.01", "taught:"):
        assert words in page, words
    secret = next(one for one in shared.board.ws.runs(50) if "REDACTED" in one.run.message)
    page = shared.get(f"/runs/{secret.id}").text
    assert '<mark class="redacted"' in page
    assert "1 secret, never stored" in page
    assert shared.get("/runs/ffffffffffff").status == 404


def test_a_run_in_the_panel_is_the_run_on_its_page(shared: ServedDashboard) -> None:
    run = shared.board.ws.runs(1)[0].id
    assert 'id="panel" aria-label="Run"' in shared.get(f"/runs?open={run}").text
    assert shared.get("/runs?open=ffffffff").status == 404


def test_a_mark_counts_and_is_taken_back(served: ServedDashboard) -> None:
    run = served.board.ws.runs(50)[-1].id
    done = served.post(f"/runs/{run}/mark", mark="bad", reason="it deleted the test").json
    assert served.board.ws.run(run).success is False
    assert "it deleted the test" in served.get(f"/runs/{run}").text
    served.post(f"/undo/{done['undo']}")
    assert served.board.ws.run(run).success is True
    assert served.post(f"/runs/{run}/mark", mark="maybe").status == 400


def test_a_conversation_puts_messages_where_they_came_and_lessons_where_they_are_quoted() -> None:
    run = Run(
        message="Start",
        output="Done",
        tools=(
            ToolCall(name="Bash", input="ls", said="I look."),
            ToolCall(name="Bash", input="rm -rf build", ok=False, error="no"),
            ToolCall(name="Bash", input="make"),
        ),
        exchanges=(
            Exchange(message="Start"),
            Exchange(message="Stop deleting", before="rm -rf build", reply="I stop."),
            Exchange(message="And again"),
        ),
        correction="Never delete",
    )
    quotes = (Quote(run="r", text="never  DELETE", origin="person"), Quote(run="r", text="make", origin="action"))
    lesson = Lesson(id="ab12", workspace="w", kind="rule", text="Keep it.", subject="s", quotes=quotes)
    turns = conversation(run, [lesson])
    assert [(one.kind, one.text or len(one.steps)) for one in turns] == [
        ("person", "Start"),
        ("agent", "I look."),
        ("steps", 2),
        ("person", "Stop deleting"),
        ("agent", "I stop."),
        ("steps", 1),
        ("person", "And again"),
        ("agent", "Done"),
        ("correction", "Never delete"),
    ]
    assert [one.id for one in turns[-1].taught] == ["ab12"]
    assert [one.id for one in turns[5].steps[0].taught] == ["ab12"]
    assert turns[2].failed == 1


def test_a_long_run_is_shown_in_part_and_whole_if_asked() -> None:
    run = Run(message="x", tools=tuple(ToolCall(name="Bash", input=f"step {n}") for n in range(STEPS + 100)))
    part, whole = conversation(run), conversation(run, every_step=True)
    assert sum(len(one.steps) for one in part) == STEPS
    assert [one.cut for one in part if one.kind == "gap"] == [100]
    assert sum(len(one.steps) for one in whole) == STEPS + 100
    numbers = [step.number for one in part for step in one.steps]
    assert (numbers[0], numbers[-1]) == (1, STEPS + 100)


@pytest.mark.parametrize(
    ("query", "lessons"),
    [("", 12), ("?state=proposed", 9), ("?state=written", 1), ("?kind=fact", 1), ("?check=yes", 1), ("?q=weak+3", 1)],
)
def test_lessons_are_filtered_and_grouped(shared: ServedDashboard, query: str, lessons: int) -> None:
    assert shared.get(f"/lessons{query}").text.count("data-row") == lessons
    for by in ("state", "subject", "scope", "kind", "nonsense"):
        assert shared.get(f"/lessons{query}{'&' if query else '?'}by={by}").text.count("data-row") == lessons


def test_a_lessons_story_has_its_quotes_its_calls_and_every_decision(served: ServedDashboard) -> None:
    text = get_lesson(served.board.context, FIRST).text
    served.post(f"/lessons/{FIRST}/approve", seen=text, reason="yes please")
    page = served.get(f"/lessons/{FIRST}").text
    for words in (
        CORRECTION,
        '#calls-before">6 of 6 calls</a> violated it',
        'id="calls-before"',
        "✗ violates it",
        '#steps">run ',
        "approve lesson (observe)",
        "yes please",
        "Remind the agent",
    ):
        assert words in page, words
    served.post(f"/lessons/{FIRST}/approve", seen=text, step="deny")
    assert '<span class="tag">denied</span>' in served.get(f"/lessons?open={FIRST}").text
    assert "0 of 0" in served.get("/lessons?state=approved").text
