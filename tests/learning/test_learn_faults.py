"""Faults while a draft ships: what is printed is what is on disk, and a fault that passes is tried again."""

from __future__ import annotations

import sqlite3
import sys
from typing import TYPE_CHECKING

import pytest
from learn_world import TESTS, Clock, all_drafts, documents, learned, opened, task, the_draft, with_steps
from states import state_of

from metier.errors import StoreError
from metier.library.proposals.drafts import get_draft
from metier.library.proposals.ship import apply_drafts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from metier.workspace import Workspace

FREEZE = "python tools/freeze_clock.py --all"
REFUSES = (
    "CREATE TRIGGER refuse BEFORE UPDATE ON drafts WHEN NEW.status = 'accepted'"
    " BEGIN SELECT RAISE(ABORT, 'this row cannot be written'); END"
)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace in mode apply."""
    with opened(tmp_path / "shop", mode="apply") as ws:
        yield ws


def change_database(ws: Workspace, statement: str) -> None:
    """Change the database of a workspace behind its back."""
    connection = sqlite3.connect(state_of(ws.root) / "metier.db")
    connection.execute(statement)
    connection.commit()
    connection.close()


def actions(ws: Workspace, skill: str) -> list[str]:
    return [one.action for one in ws.library.find(skill).history().versions]


def test_a_new_skill_whose_draft_cannot_be_saved_after_apply_is_taken_back(shop: Workspace) -> None:
    shop.deliver(task(TESTS))
    change_database(shop, REFUSES)
    result = learned(shop)
    assert (result.applied, len(result.failed)) == ((), 1)
    assert documents(shop) == {}
    draft = the_draft(shop)
    assert (draft.status, [one.rule for one in draft.findings]) == ("quarantined", ["apply-failed"])
    assert "this row cannot be written" in draft.findings[0].reason
    assert get_draft(shop.library, draft.id).status == "quarantined"


def test_a_changed_skill_whose_draft_cannot_be_saved_after_apply_gets_its_bytes_and_history_back(
    shop: Workspace,
) -> None:
    shop.deliver(task(TESTS))
    (first,) = learned(shop).applied
    before = documents(shop)
    shop.deliver(with_steps(task(TESTS, 2, 3), FREEZE))
    change_database(shop, REFUSES)
    result = learned(shop)
    assert (result.applied, len(result.failed)) == ((), 1)
    assert documents(shop) == before
    assert actions(shop, first.skill) == ["apply", "apply", "rollback"]
    last = shop.library.find(first.skill).last()
    assert last
    assert last.hash == first.hash
    assert "this row cannot be written" in last.summary
    change_database(shop, "DROP TRIGGER refuse")
    (version,) = apply_drafts(shop.library, [the_draft(shop).id])
    assert FREEZE in documents(shop)[version.skill]
    assert [one.status for one in all_drafts(shop)] == ["accepted", "accepted"]


def test_applying_by_hand_a_draft_that_cannot_be_saved_takes_it_back_too(tmp_path: Path) -> None:
    with opened(tmp_path / "p", mode="draft") as ws:
        ws.deliver(task(TESTS))
        learned(ws)
        change_database(ws, REFUSES)
        with pytest.raises(StoreError, match="this row cannot be written"):
            apply_drafts(ws.library, [the_draft(ws).id])
        assert documents(ws) == {}
        assert the_draft(ws).status == "quarantined"


class EditingClock(Clock):
    """A clock that edits a file by hand in the very moment in which somebody asks for the time and it has a text."""

    file: Path | None = None

    def __call__(self) -> datetime:
        if self.file and FREEZE in (text := self.file.read_text()) and "By hand" not in text:
            self.file.write_text(f"{text}\nBy hand.\n")
        return super().__call__()


def test_a_draft_that_can_neither_be_saved_nor_taken_back_is_told_as_shipped_and_finished_later(tmp_path: Path) -> None:
    clock = EditingClock()
    with opened(tmp_path / "p", clock, mode="apply") as ws:
        ws.deliver(task(TESTS))
        (first,) = learned(ws).applied
        ws.deliver(with_steps(task(TESTS, 2, 3), FREEZE))
        change_database(ws, REFUSES)
        clock.file = ws.library.default.path / first.skill / "SKILL.md"
        (version,) = learned(ws).applied
        text = documents(ws)[first.skill]
        assert (version.skill, FREEZE in text, "By hand." in text) == (first.skill, True, True)
        assert actions(ws, first.skill)[:2] == ["apply", "apply"]
        assert "rollback" not in actions(ws, first.skill)
        change_database(ws, "DROP TRIGGER refuse")
        learned(ws)
        assert [one.status for one in all_drafts(ws)] == ["accepted", "accepted"]


def test_a_draft_that_a_passing_fault_of_the_disk_quarantined_is_tried_again_at_the_next_pass(shop: Workspace) -> None:
    (shop.root / ".agents").write_text("not a folder")
    shop.deliver(task(TESTS))
    assert [one.what for one in learned(shop).taken] == ["failed"]
    assert [one.what for one in learned(shop).taken] == ["failed"]
    (shop.root / ".agents").unlink()
    (version,) = learned(shop).applied
    assert list(documents(shop)) == [version.skill]
    (draft,) = all_drafts(shop)
    assert (draft.status, draft.findings) == ("accepted", ())


def test_a_draft_whose_apply_failed_is_a_candidate_again_where_nothing_is_applied(shop: Workspace) -> None:
    (shop.root / ".agents").write_text("not a folder")
    shop.deliver(task(TESTS))
    learned(shop)
    (shop.root / ".agents").unlink()
    (taken,) = learned(shop, apply=False).taken
    assert (taken.what, the_draft(shop).status, the_draft(shop).findings) == ("refreshed", "candidate", ())


def test_a_draft_that_a_failing_second_opinion_quarantined_is_tried_again_at_the_next_pass(tmp_path: Path) -> None:
    scanner = tmp_path / "scanner.py"
    scanner.write_text("raise SystemExit(3)\n")
    with opened(tmp_path / "p", mode="apply", second_opinions=[f"{sys.executable} {scanner}"]) as ws:
        ws.deliver(task(TESTS))
        learned(ws)
        assert [one.rule for one in the_draft(ws).findings] == ["second-opinion-failed"]
        scanner.write_text("print('[]')\n")
        assert len(learned(ws).applied) == 1


def test_a_draft_that_a_second_opinion_found_bad_waits_for_new_evidence(tmp_path: Path) -> None:
    scanner = tmp_path / "scanner.py"
    scanner.write_text('print(\'[{"rule": "bad", "severity": "high", "reason": "no"}]\')\n')
    with opened(tmp_path / "p", mode="apply", second_opinions=[f"{sys.executable} {scanner}"]) as ws:
        ws.deliver(task(TESTS))
        learned(ws)
        scanner.write_text("print('[]')\n")
        assert learned(ws).taken == ()
        assert the_draft(ws).status == "quarantined"
