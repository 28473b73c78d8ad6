"""Shipping at the end of a pass: asked for where it has to be, gated, and never in the way of the other patterns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from learn_world import (
    REPORTS,
    TESTS,
    Clock,
    all_drafts,
    documents,
    following,
    learned,
    opened,
    task,
    the_draft,
    told,
    with_steps,
)

from metier.errors import RefusedError
from metier.events import Noted
from metier.library.profiles import profile_from_history
from metier.library.proposals.drafts import approve_draft, reject_draft
from metier.library.proposals.gate import NoCases, NoConfirmation
from metier.library.proposals.ship import apply_drafts
from metier.store.tables.library import profiles
from metier.types import SkillTrace
from metier.types.trials import Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from metier.skills.package import Package
    from metier.types import Draft
    from metier.workspace import Workspace

FREEZE = "python tools/freeze_clock.py --all"


class Judging:
    """A gate that always decides the same, and keeps what it was asked."""

    def __init__(self, action: str, reason: str = "3 of 8 cases got worse") -> None:
        self.decision = Decision(action=action, reason=reason)  # type: ignore[arg-type]
        self.asked: list[tuple[str, bool, str]] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:
        self.asked.append((draft.id, before is None, after.hash()))
        self.meanwhile()
        return self.decision


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace in mode apply."""
    with opened(tmp_path / "shop", mode="apply") as ws:
        yield ws


def test_what_no_gate_could_judge_waits_for_a_person_in_mode_apply(shop: Workspace) -> None:
    shop.deliver(task(TESTS))
    result = learned(shop, NoCases(), apply=True)
    (taken,) = result.taken
    assert (result.applied, taken.what, taken.reason) == (
        (),
        "drafted",
        "nothing proves it yet, so it waits for your yes",
    )
    assert shop.skills() == []
    assert taken.draft is not None
    approve_draft(shop.library, taken.draft.id)
    (version,) = learned(shop, NoCases(), apply=True).applied
    assert (version.status, version.receipt) == ("active", "force_accept: approved by a person")


def test_a_draft_that_a_person_applies_is_active(shop: Workspace) -> None:
    shop.deliver(task(TESTS))
    (taken,) = learned(shop, NoCases(), apply=True).taken
    assert taken.draft is not None
    (version,) = apply_drafts(shop.library, [taken.draft.id])
    assert (version.status, version.receipt) == ("active", "force_accept: a person applied it")


def test_with_the_confirmation_switched_off_it_ships_as_provisional_with_a_receipt(shop: Workspace) -> None:
    shop.deliver(task(TESTS))
    (version,) = learned(shop, NoConfirmation()).applied
    assert (version.status, version.origin) == ("provisional", "learned")
    assert version.receipt == "force_accept: confirmation is switched off"
    assert version.provenance.runs == tuple(one.id for one in reversed(shop.runs()))
    assert next(one.status for one in shop.skills()) == "provisional"


@pytest.mark.parametrize("action", ["accept", "accept_new_best"])
def test_what_a_gate_accepts_ships_as_active(shop: Workspace, action: str) -> None:
    shop.deliver(task(TESTS))
    gate = Judging(action, "5 of 8 cases got better")
    (version,) = learned(shop, gate).applied
    assert (version.status, version.receipt) == ("active", f"{action}: 5 of 8 cases got better")
    assert gate.asked == [(version.draft, True, version.hash)]


def test_what_a_gate_rejects_says_why_and_does_not_come_again_until_the_evidence_changes(shop: Workspace) -> None:
    shop.deliver(task(TESTS))
    gate = Judging("reject")
    (taken,) = learned(shop, gate).taken
    assert (taken.version, taken.reason) == (None, "the gate said no: reject: 3 of 8 cases got worse")
    assert taken.draft
    assert (taken.draft.status, taken.draft.notes[-1]) == ("rejected", "gate: reject: 3 of 8 cases got worse")
    assert learned(shop, gate).taken == ()
    assert len(gate.asked) == 1
    assert documents(shop) == {}
    shop.deliver(with_steps(task(TESTS, 2, 2), FREEZE))
    learned(shop, gate)
    assert len(gate.asked) == 2
    assert [one.status for one in all_drafts(shop)] == ["rejected", "rejected"]


def test_a_gate_of_the_callers_own_decides_what_ships(shop: Workspace) -> None:
    shop.deliver(task(TESTS))
    gate = Judging("reject")
    list(shop.learn(gate=gate))
    assert len(gate.asked) == 1
    assert documents(shop) == {}
    assert [one.status for one in all_drafts(shop)] == ["rejected"]


def test_a_gate_that_said_no_may_be_asked_about_the_same_text_on_more_evidence(shop: Workspace) -> None:
    same = [replace(one, external_id=f"same-{n}") for n, one in enumerate(task(TESTS) * 4)]
    shop.deliver(same[:4])
    learned(shop, Judging("reject"))
    shop.deliver(same[4:])
    (version,) = learned(shop, Judging("accept")).applied
    first, second = all_drafts(shop)
    assert (first.status, second.status, version.draft) == ("rejected", "accepted", second.id)


def test_a_gate_is_asked_only_where_something_is_to_ship(tmp_path: Path) -> None:
    with opened(tmp_path / "p", mode="draft") as ws:
        ws.deliver(task(TESTS))
        gate = Judging("accept")
        learned(ws, gate)
        assert gate.asked == []


def test_a_gate_that_breaks_fails_one_pattern_and_leaves_its_draft(shop: Workspace) -> None:
    class Broken:
        def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:
            if "login" in draft.target:
                raise ValueError("no such case")
            return Decision(action="accept", reason="fine")

    shop.deliver([*task(TESTS), *task(REPORTS)])
    result = learned(shop, Broken())
    assert sorted(one.what for one in result.taken) == ["applied", "failed"]
    assert [one.reason for one in result.failed] == ["ValueError: no such case"]
    assert the_draft(shop).status == "candidate"
    assert len(learned(shop).applied) == 1


def test_a_draft_that_a_person_rejects_while_the_gate_decides_does_not_ship(shop: Workspace) -> None:
    shop.deliver(task(TESTS))
    gate = Judging("accept")
    gate.meanwhile = lambda: reject_draft(shop.library, gate.asked[0][0], "no")
    (taken,) = learned(shop, gate).taken
    assert taken.what == "failed"
    assert [one.status for one in all_drafts(shop)] == ["rejected"]
    assert documents(shop) == {}


def test_a_skill_edited_while_the_gate_decides_is_not_overwritten(shop: Workspace) -> None:
    shop.deliver(task(TESTS))
    (version,) = learned(shop).applied
    file = shop.library.default.path / version.skill / "SKILL.md"
    shop.deliver(with_steps(task(TESTS, 2, 3), FREEZE))
    gate = Judging("accept")
    gate.meanwhile = lambda: file.write_text(file.read_text() + "\nBy hand.\n")
    assert [one.what for one in learned(shop, gate).taken] == ["failed"]
    assert "By hand." in file.read_text()
    assert the_draft(shop).status == "candidate"
    assert len(learned(shop).applied) == 1
    assert "By hand." in file.read_text()
    assert FREEZE in file.read_text()


def test_what_newly_allows_something_waits_for_a_persons_yes_and_ships_with_it(shop: Workspace) -> None:
    shop.deliver(with_steps(task(TESTS, session="one"), "curl https://ci.example.com/rerun"))
    (taken,) = learned(shop).taken
    assert taken.draft
    assert (taken.what, taken.reason, taken.draft.needs_approval) == ("drafted", "needs a person's yes", True)
    assert learned(shop).taken == ()
    with pytest.raises(RefusedError, match="needs your approval"):
        apply_drafts(shop.library, [taken.draft.id])
    approve_draft(shop.library, taken.draft.id)
    (version,) = learned(shop).applied
    assert (version.status, version.receipt) == ("active", "force_accept: approved by a person")


def test_a_root_that_cannot_be_written_is_said_in_one_line_and_the_draft_can_be_tried_again(shop: Workspace) -> None:
    (shop.root / ".agents").write_text("not a folder")
    shop.deliver(task(TESTS))
    events, result = told(shop)
    (failure,) = result.failed
    assert "\n" not in failure.reason
    assert str(shop.root / ".agents") in failure.reason
    assert [one.level for one in events if isinstance(one, Noted) and one.stage == "draft"] == ["error"]
    draft = the_draft(shop)
    assert (draft.status, [one.rule for one in draft.findings]) == ("quarantined", ["apply-failed"])
    assert draft.findings[0].fix == f"metier drafts apply {draft.id}"
    assert [one.what for one in learned(shop).taken] == ["failed"]
    (shop.root / ".agents").unlink()
    (version,) = apply_drafts(shop.library, [draft.id])
    assert list(documents(shop)) == [version.skill]
    assert version.findings == all_drafts(shop)[0].findings == ()


def test_a_pattern_that_cannot_ship_holds_up_neither_the_others_nor_the_lifecycle(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path / "p", clock, mode="apply") as ws:
        ws.deliver(task(TESTS))
        (old,) = learned(ws).applied
        clock.later(days=200)
        root = ws.library.default.path
        ws.deliver([*with_steps(task(TESTS, 2, 3), FREEZE), *task(REPORTS, count=4)])
        (target,) = [
            one.draft.target for one in learned(ws, dry_run=True).taken if one.draft and one.draft.kind == "create"
        ]
        (root / target).write_text("a file, not a folder")
        result = learned(ws)
        assert sorted(one.what for one in result.taken) == ["applied", "failed"]
        assert [one.skill for one in result.applied] == [old.skill]
        assert result.lifecycle.evaluated >= 1


def test_the_lifecycle_ends_a_pass_in_which_nothing_was_ready(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path / "p", clock, mode="apply") as ws:
        ws.deliver(task(TESTS))
        (version,) = learned(ws).applied
        clock.later(days=200)
        ws.deliver([replace(one, started=clock().isoformat()) for one in task(REPORTS, 0, 1)])
        result = learned(ws)
        assert result.taken == ()
        assert [(one.profile.skill, one.to) for one in result.lifecycle.steps] == [(version.skill, "cold")]
        with ws.context.store.read() as transaction:
            profile = profiles.get(transaction, version.skill)
        assert profile
        assert profile.status == "cold"


def test_what_was_learned_stands_when_ageing_cannot_be_done(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path / "p", clock, mode="apply") as ws:
        ws.deliver(task(TESTS))
        (version,) = learned(ws).applied
        clock.later(days=200)
        ws.deliver(task(REPORTS, 0, 1))
        learned(ws)
        clock.later(days=400)
        folder = ws.library.default.path / version.skill
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
        ws.deliver(task(REPORTS, 1, 2))
        result = learned(ws, apply=False)
        assert [one.what for one in result.taken] == ["drafted"]
        assert [note for note in result.notes if note.startswith("The lifecycle of skills was not updated: ")] != []


def test_a_profile_carries_use_cases_entry_path_and_avoid_list_updated_at_apply(shop: Workspace) -> None:
    shop.deliver(following(task(TESTS, 0, 3), "log-tool", "fix-tool"))
    (version,) = learned(shop).applied
    (draft,) = all_drafts(shop)
    with shop.context.store.read() as transaction:
        profile = profiles.get(transaction, version.skill)
    assert profile
    assert profile.guidance == version.guidance == draft.guidance
    assert profile.guidance.use_cases[0] == "Fix the flaky login test"
    assert profile.guidance.entry_path == (version.skill,)
    assert profile.guidance.avoid == ("Do not replay log-tool -> fix-tool first: this does the whole chain.",)
    shop.deliver([replace(one, skills=SkillTrace(path=(version.skill,))) for one in task(TESTS, 3, 1)])
    with shop.context.store.read() as transaction:
        used = profiles.get(transaction, version.skill)
    assert used
    assert (used.uses, used.guidance) == (1, profile.guidance)


def test_a_profile_made_anew_from_the_history_has_the_guidance_of_the_last_apply(shop: Workspace) -> None:
    shop.deliver(following(task(TESTS, 0, 3), "log-tool", "fix-tool"))
    (version,) = learned(shop).applied
    profile = profile_from_history(shop.library.find(version.skill), "w")
    assert profile
    assert profile.guidance == version.guidance


@pytest.mark.parametrize(("needed", "applied"), [(1, 1), (2, 0), (3, 0)])
def test_automatic_apply_needs_as_many_sessions_as_min_sessions_says(tmp_path: Path, needed: int, applied: int) -> None:
    with opened(tmp_path / "p", mode="apply", min_sessions=needed) as ws:
        ws.deliver(task(TESTS, 0, 3, session="only"))
        assert len(learned(ws).applied) == applied
        ws.deliver([replace(one, session="second") for one in task(TESTS, 3, 3)])
        assert len(learned(ws).applied) == (1 if needed == 2 else 0)


def test_with_more_than_two_sessions_needed_the_finding_says_how_many(tmp_path: Path) -> None:
    with opened(tmp_path / "p", mode="apply", min_sessions=3) as ws:
        ws.deliver(task(TESTS, 0, 2))
        learned(ws)
        (finding,) = the_draft(ws).findings
        assert finding.reason == "The evidence comes from 2 sessions; 3 are needed (min_sessions)."
    with opened(tmp_path / "p", mode="apply", min_sessions=2) as ws:
        assert len(learned(ws).applied) == 1
