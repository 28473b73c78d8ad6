"""When a pass learns, drafts and ships: the mode, what a caller says against it, and where nothing happens at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from learn_world import REPORTS, TESTS, all_drafts, documents, everything, failed, learned, opened, task, told

from metier.errors import ConfigError
from metier.events import Noted

if TYPE_CHECKING:
    from pathlib import Path

    from metier.workspace import Workspace


def test_a_recorded_run_learns_nothing_by_itself(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    assert everything(ws)["patterns"] == []
    assert all_drafts(ws) == []


@pytest.mark.parametrize("mode", ["observe", "draft"])
def test_an_explicit_pass_drafts_in_every_mode_and_ships_nothing(tmp_path: Path, mode: str) -> None:
    with opened(tmp_path / "p", mode=mode) as ws:
        ws.deliver(task(TESTS))
        result = learned(ws)
        assert [one.what for one in result.taken] == ["drafted"]
        assert [one.status for one in all_drafts(ws)] == ["candidate"]
        assert documents(ws) == {}


def test_mode_apply_ships_what_passes(tmp_path: Path) -> None:
    with opened(tmp_path / "p", mode="apply") as ws:
        ws.deliver(task(TESTS))
        result = learned(ws)
        (version,) = result.applied
        assert list(documents(ws)) == [version.skill]
        assert [one.status for one in result.drafts] == ["accepted"]


@pytest.mark.parametrize(("mode", "apply", "shipped"), [("observe", True, 1), ("draft", True, 1), ("apply", False, 0)])
def test_the_caller_overrides_the_mode(tmp_path: Path, mode: str, apply: bool, shipped: int) -> None:
    with opened(tmp_path / "p", mode=mode) as ws:
        ws.deliver(task(TESTS))
        assert len(learned(ws, apply=apply).applied) == shipped
        assert len(documents(ws)) == shipped


def test_a_draft_that_waited_is_shipped_by_the_first_pass_that_may(tmp_path: Path) -> None:
    with opened(tmp_path / "p", mode="draft") as ws:
        ws.deliver(task(TESTS))
        (draft,) = learned(ws).drafts
        (version,) = learned(ws, apply=True).applied
        assert version.draft == draft.id
        assert learned(ws, apply=True).taken == ()


def test_a_dry_run_says_what_would_happen_and_writes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "p", mode="apply") as ws:
        ws.deliver([*task(TESTS), *failed(task(REPORTS, count=1))])
        before = everything(ws)
        dry = learned(ws, dry_run=True)
        assert everything(ws) == before
        assert [one.successes for one in dry.new] == [2]
        assert [(one.what, one.version) for one in dry.taken] == [("drafted", None)]
        real = learned(ws)
        assert [one.draft.body for one in dry.taken if one.draft] == [one.draft.body for one in real.taken if one.draft]
        assert [one.id for one in dry.new] == [one.id for one in real.new]
        assert dry.dry_run
        assert not real.dry_run


def test_a_dry_run_over_patterns_that_are_there_counts_what_is_new(tmp_path: Path) -> None:
    with opened(tmp_path / "p") as ws:
        ws.deliver(task(TESTS))
        learned(ws)
        ws.deliver(task(TESTS, 2, 3))
        before = everything(ws)
        assert [one.successes for one in learned(ws, dry_run=True).extended] == [5]
        assert everything(ws) == before


def test_a_dry_run_asks_no_model(tmp_path: Path) -> None:
    with opened(tmp_path / "p", model="openai:any", model_url="http://127.0.0.1:9/v1") as ws:
        ws.deliver(task(TESTS))
        events, result = told(ws, dry_run=True)
        assert (result.calls, result.drafter) == (0, "heuristic")
        assert any(isinstance(one, Noted) and "asks no model" in one.text for one in events)


@pytest.mark.parametrize("settings", [{"enabled": False}, {"ignore": ["*"]}])
def test_where_nothing_is_recorded_nothing_is_learned_and_one_line_says_so(
    tmp_path: Path, settings: dict[str, object]
) -> None:
    with opened(tmp_path / "p") as ws:
        ws.deliver(task(TESTS))
    with opened(tmp_path / "p", **settings) as ws:
        with pytest.raises(ConfigError, match="Learning is off in this folder: ") as refused:
            learned(ws)
        assert "\n" not in str(refused.value)
        assert everything(ws)["patterns"] == []


def test_a_pass_without_runs_is_a_pass(ws: Workspace) -> None:
    result = learned(ws)
    assert (result.evidence, result.taken, result.lifecycle.evaluated) == (0, (), 0)
