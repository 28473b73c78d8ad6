"""Defaults that a stranger would call right: what is spent, sent, kept, given and shipped without a word."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell, bumps

from metier.config import Config
from metier.context.models.access import budget_line
from metier.context.models.spending import StoreLedger
from metier.library.proposals.ship import apply_drafts
from metier.maintenance.retention import remove_runs
from metier.models.builder import model_settings
from metier.models.ledger import Amount, Limits
from metier.store.tables.learning import lessons
from metier.types import Run
from metier.types.lessons import Lesson, Quote
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

MODEL = {"model": "openai:m", "model_key": "none", "model_url": "http://127.0.0.1:9/v1"}


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    folder = tmp_path / "shop"
    folder.mkdir()
    Workspace.open(folder).close()
    return Shell(folder, monkeypatch, capsys)


def test_the_defaults_are_careful() -> None:
    config = Config()
    assert (config.mode, config.retention_days, config.max_disk_mb) == ("observe", 90, 1024)
    assert config.models.budget_usd == 0.5
    assert config.selection.select_explore_rate == 0


def test_a_budget_of_zero_is_a_limit_of_nothing() -> None:
    assert model_settings(Config().flat()).limits.usd == Decimal("0.5")
    assert model_settings(Config.of({"budget_usd": 0.0}).flat()).limits.usd == 0


def test_the_first_line_says_what_may_be_spent(ws: Workspace) -> None:
    with Workspace.open(ws.root, flags={**MODEL, "model_price": "0.25/2"}) as asking:
        assert budget_line(asking.context).startswith("Model openai:m: at most $0.50 a day, $0.00 of it spent.")
    assert budget_line(ws.context) == ""


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "price unknown: at most 100 calls today, 2 made."),
        ({"budget_calls": 7}, "price unknown: at most 7 calls today, 3 made."),
        ({"budget_usd": 0}, "nothing may be spent (budget_usd is 0)."),
    ],
)
def test_where_the_price_is_unknown_the_first_line_says_the_limit_on_calls(
    ws: Workspace, more: dict[str, object], said: str
) -> None:
    with Workspace.open(ws.root, flags=MODEL | more) as asking:
        for asked in (Amount(calls=1, unpriced=1), Amount(calls=1, unpriced=1), Amount(calls=1)):
            StoreLedger(asking.context).reserve(asked, Limits())
        assert budget_line(asking.context).startswith(f"Model openai:m: {said}")


def test_of_two_models_each_is_told_with_the_limit_that_holds_for_it(ws: Workspace) -> None:
    line = budget_line(ws.context, ["claude-code", "openai:m@http://127.0.0.1:9/v1"])
    assert line.startswith(
        "Model claude-code and openai:m: at most $0.50 a day, $0.00 of it spent; openai:m: price unk"
    )


def test_retention_keeps_the_runs_that_a_skill_rests_on_and_says_what_it_removes(tmp_path: Path) -> None:
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    (tmp_path / "p").mkdir()
    with Workspace.open(tmp_path / "p", clock=lambda: now[0]) as ws:
        ws.deliver([*bumps(), Run(message="draft a letter to the landlord", external_id="other")])
        for _ in ws.learn():
            pass
        from metier.library.proposals.drafts import approve_draft, list_drafts

        (draft,) = list_drafts(ws.library)
        apply_drafts(ws.library, [approve_draft(ws.library, draft.id).id])
        now[0] += timedelta(days=91)
        told = [str(event) for event in ws.tidy()]
        assert any("older than 90 days" in one for one in told)
        assert sorted(record.run.external_id or "" for record in ws.runs()) == sorted(
            run.external_id or "" for run in bumps()
        )


QUOTED = Lesson(id="aaaa", workspace="", kind="rule", text="Use uv, not pip", subject="uv", status="approved")


def _quoting(ws: Workspace) -> str:
    """A workspace with four old runs, and lessons that quote the first two; the id of the first."""
    ws.deliver([Run(message=f"chore {n} " + "x" * 300_000, external_id=str(n)) for n in range(4)])
    ids = {record.run.external_id: record.id for record in ws.runs()}
    one, other = (Quote(run=ids[str(n)], text="use uv", origin="person") for n in range(2))
    with ws.context.store.write() as transaction:
        named = replace(QUOTED, workspace=ws.name, quotes=(one,))
        lessons.put(transaction, [named, replace(named, id="bbbb", status="proposed", quotes=(one, other))])
        lessons.put(transaction, [replace(named, id="cccc", status="proposed")])
    return ids["0"]


@pytest.mark.parametrize("limit", [{"retention_days": 90, "max_disk_mb": 0}, {"retention_days": 0, "max_disk_mb": 1}])
def test_retention_keeps_the_runs_that_a_lesson_quotes(tmp_path: Path, limit: dict[str, object]) -> None:
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    (tmp_path / "p").mkdir()
    with Workspace.open(tmp_path / "p", clock=lambda: now[0], flags=limit) as ws:
        _quoting(ws)
        now[0] += timedelta(days=91)
        for _ in ws.tidy():
            pass
        left = {record.run.external_id for record in ws.runs()}
        assert {"0", "1"} <= left < {"0", "1", "2", "3"}


def test_forgetting_a_run_takes_its_words_out_of_lessons(ws: Workspace) -> None:
    for _ in remove_runs(ws.context, [_quoting(ws)], "private"):
        pass
    with ws.context.store.read() as transaction:
        found = {one.id: len(one.quotes) for one in lessons.list_all(transaction)}
    assert found == {"bbbb": 1}


def test_an_unproven_draft_waits_in_mode_apply(shell: Shell) -> None:
    shell.deliver(bumps())
    shell.ok("--set", "mode=apply", "learn")
    assert shell.json("skills", "list") == []
    assert len(shell.json("drafts", "list")) == 1
