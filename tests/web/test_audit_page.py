"""Audit, settings and costs: who did what, what is set, what models cost; nothing secret is shown."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from dashboard_world import HOSTILE, serve_dashboard

from metier.config.safe_values import safe_setting
from metier.context.audit import note_action
from metier.store.tables import audit as log
from metier.store.tables.models import calls
from metier.store.tables.models.calls import CallEntry
from metier.types import Tokens
from metier.web.pages.audit import SHOWN
from metier.web.parts import answers_in_words
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from dashboard_world import ServedDashboard

FIRST = "0000000000a0"


def call(served: ServedDashboard, days: int, stage: str, cost: str | None) -> CallEntry:
    moment = served.board.context.clock() - timedelta(days=days)
    return CallEntry(
        happened=moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        workspace=served.board.context.name,
        stage=stage,
        what="complete",
        model="sample",
        prompt_hash="",
        tokens=Tokens(input=1000, output=200),
        cost_usd=None if cost is None else Decimal(cost),
        seconds=1.0,
        outcome="ok",
    )


def test_every_decision_is_named_with_who_why_and_a_link(served: ServedDashboard) -> None:
    run = served.board.ws.runs(1)[0].id
    served.post(f"/lessons/{FIRST}/approve", reason="yes please")
    served.post(f"/runs/{run}/mark", mark="bad", reason="it deleted the test")
    with served.board.context.store.write() as transaction:
        note_action(transaction, served.board.context, "skill import", "a/deploy v1", "")
        note_action(transaction, served.board.context, HOSTILE, HOSTILE, HOSTILE)
    page = served.get("/audit").text
    for words in (f"/lessons/{FIRST}", "yes please", f"/runs/{run}", "it deleted the test", "/skills/deploy"):
        assert words in page, words
    assert page.index("mark bad") < page.index("approve lesson")
    assert not any(part in page for part in ("<img", "<script>alert", "\u202e"))
    assert "&lt;img src=x" in page


def test_a_yes_in_the_dashboard_is_kept_as_that_and_one_by_a_program_says_so(served: ServedDashboard) -> None:
    served.post(f"/lessons/{FIRST}/approve")
    with served.board.context.store.read() as transaction:
        assert log.list_own(transaction)[-1].way == "dashboard"
    assert "by a program" not in served.get("/audit").text
    served.post(f"/lessons/{FIRST}/reopen")
    served.board.ws.approve(FIRST)
    assert "by a program" in served.get("/audit").text


def test_a_drafts_entry_leads_to_its_card_while_it_waits_and_after_a_no(served: ServedDashboard) -> None:
    draft = next(one for one in served.board.ws.drafts() if one.target == "fetch-tool")
    assert f"/?item={draft.id}" in served.get("/audit").text
    served.post(f"/drafts/{draft.id}/reject")
    page = served.get("/audit").text
    assert f"/?item={draft.id}" not in page
    assert f"/?show=rejected&amp;item={draft.id}" in page
    assert served.get(f"/runs?draft={draft.id}").status == 200


def test_older_actions_follow_without_a_gap(served: ServedDashboard) -> None:
    with served.board.context.store.write() as transaction:
        for number in range(SHOWN + 10):
            note_action(transaction, served.board.context, f"act-{number:03}", "x", "")
    first = served.get("/audit").text
    older = first.partition('href="/audit?before=')[2].partition('"')[0]
    second = served.get(f"/audit?before={older}").text
    for number in range(SHOWN + 10):
        assert (f"act-{number:03}" in first) is not (f"act-{number:03}" in second), number
    assert "There is nothing here." in served.get("/audit?before=1").text


def test_costs_are_summed_by_day_and_purpose(served: ServedDashboard) -> None:
    made = [call(served, 0, "judge", "0.10"), call(served, 0, "judge", "0.20"), call(served, 0, "draft", None)]
    made += [call(served, 2, "draft", "1.00"), call(served, 30, "draft", "99")]
    with served.board.context.store.write() as transaction:
        calls.add_all(transaction, made)
    with served.board.context.store.read() as transaction:
        found = calls.sum_by_day(transaction, (served.board.context.clock() - timedelta(days=7)).isoformat())
    assert [(stage, one.calls, one.usd, one.unpriced) for _, stage, one in found] == [
        ("draft", 1, Decimal(0), 1),
        ("judge", 2, Decimal("0.30"), 0),
        ("draft", 1, Decimal("1.00"), 0),
    ]
    page = served.get("/audit").text
    for words in (
        'id="costs"',
        "$1.30",
        "1 call without a known price",
        "4 model calls, 4,800 tokens",
        "$0.30",
        "unknown",
    ):
        assert words in page, words
    assert "99" not in page.partition('id="costs"')[2].partition('id="settings"')[0]
    links = re.findall(r'href="(/audit/calls[^"]*)"', page)
    assert [served.get(one.replace("&amp;", "&")).text.count("<tr><td") for one in links] == [4, 1, 1, 2, 2, 1, 1]
    assert "No calls" in served.get("/audit/calls?day=1999-01-01").text


def test_actions_are_filtered_by_what_they_are_about(served: ServedDashboard) -> None:
    with served.board.context.store.write() as transaction:
        for action in ("skill apply", "approve lesson", "accept case"):
            note_action(transaction, served.board.context, action, "x", f"because of {action}")
    page = served.get("/audit?about=skills").text
    assert "because of skill apply" in page
    assert "because of approve lesson" not in page
    assert "There is nothing here." in served.get("/audit?about=trials").text


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("store", "postgresql://me:hunter2@db/x", "postgresql://me:…@db/x"),
        ("store", "postgresql://me@db/x?password=hunter2&a=b", "postgresql://me@db/x?password=…&a=b"),
        ("model_key", "MY_KEY", "MY_KEY"),
        ("model_key", "sk-hunter2", "…"),
        ("model_headers", ("X-Key: hunter2", "X-Other: $NAME", "hunter2"), ["X-Key: …", "X-Other: $NAME", "…"]),
        ("mode", "observe", "observe"),
        ("min_runs", 2, 2),
    ],
)
def test_a_setting_is_shown_without_its_secrets(name: str, value: object, shown: object) -> None:
    assert safe_setting(name, value) == shown


def test_an_empty_page_says_where_settings_come_from_and_teaches_the_next_command(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "METIER_MODEL_HEADERS": "X-Key: hunter2"}
    with serve_dashboard(Workspace.open(tmp_path / "empty", environ=environ)) as served:
        page = served.get("/audit").text
    for words in ("Nobody decided anything yet", "no model was asked", "METIER_MODEL_HEADERS", "retention_days"):
        assert words in page, words
    assert "hunter2" not in page


def test_answers_that_no_model_gave_are_not_called_model_calls() -> None:
    assert answers_in_words({"simulated optimiser seed=5": 53}) == "53 scripted answers"
    assert answers_in_words({"openai:gpt": 1, "scripted": 2}) == "1 model call and 2 scripted answers"
