"""Ageing through the workspace: one step a pass, every step a version, and a way back."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from metier.library.aging import age_skills
from metier.store.tables.library import profiles
from metier.types import Run, SkillTrace
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOCUMENT = "---\nname: hosts\ndescription: Knows the hosts. Use when one is named.\n---\n\n# Hosts\n"
START = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shop(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    """A workspace with one learned skill, never used."""
    folder = tmp_path / "shop"
    (folder / ".agents/skills/hosts").mkdir(parents=True)
    (folder / ".agents/skills/hosts/SKILL.md").write_text(DOCUMENT)
    with Workspace.open(folder, clock=clock) as ws:
        ws.record_hand_edits()
        with ws.context.store.write() as transaction:
            found = profiles.get(transaction, "hosts")
            assert found
            profiles.put(transaction, [replace(found, origin="learned")])
        yield ws


def state(ws: Workspace) -> str:
    return next(one.status for one in ws.skills() if one.name == "hosts")


def test_an_unused_skill_goes_cold_then_out_of_sight_then_off_the_disk_one_step_a_pass(
    shop: Workspace, clock: Clock
) -> None:
    folder = shop.root / ".agents/skills/hosts"
    seen: list[str] = []
    for days in (90, 91, 181, 366, 367):
        clock.now = START + timedelta(days=days)
        age_skills(shop.library)
        seen.append(state(shop))
    assert seen == ["active", "cold", "archived", "deleted", "deleted"]
    assert not folder.exists()
    assert [one.action for one in shop.history("hosts")] == ["found", "cool", "archive", "delete"]
    shop.restore("hosts")
    assert (folder / "SKILL.md").read_text() == DOCUMENT
    assert state(shop) == "active"


def test_a_jump_of_years_is_still_one_step(shop: Workspace, clock: Clock) -> None:
    clock.now = START + timedelta(days=4000)
    assert [step.to for step in age_skills(shop.library).steps] == ["cold"]
    assert [step.to for step in age_skills(shop.library).steps] == ["archived"]


def test_a_pass_dated_before_the_newest_record_ages_nothing(shop: Workspace, clock: Clock) -> None:
    clock.now = START + timedelta(days=500)
    shop.finish(Run(message="something else", status="completed", output="done"))
    clock.now = START + timedelta(days=300)
    assert age_skills(shop.library).steps == ()
    assert state(shop) == "active"


def test_pinned_and_manual_skills_are_left_alone(shop: Workspace, clock: Clock) -> None:
    shop.pin("hosts")
    clock.now = START + timedelta(days=500)
    assert age_skills(shop.library).steps == ()
    shop.pin("hosts", pinned=False)
    with shop.context.store.write() as transaction:
        found = profiles.get(transaction, "hosts")
        assert found
        profiles.put(transaction, [replace(found, origin="manual")])
    assert age_skills(shop.library).steps == ()


def test_a_use_brings_an_archived_skill_back_at_the_next_pass(shop: Workspace, clock: Clock) -> None:
    for days in (91, 181):
        clock.now = START + timedelta(days=days)
        age_skills(shop.library)
    assert state(shop) == "archived"
    run = Run(message="which host?", status="completed", output="one", skills=SkillTrace(path=("hosts",)))
    shop.finish(run)
    assert age_skills(shop.library).woken == ("hosts",)
    assert (shop.root / ".agents/skills/hosts/SKILL.md").is_file()
    assert state(shop) == "active"


def test_a_dry_run_changes_nothing(shop: Workspace, clock: Clock) -> None:
    clock.now = START + timedelta(days=91)
    assert [step.to for step in age_skills(shop.library, dry_run=True).steps] == ["cold"]
    assert state(shop) == "active"
