"""Drafts of patterns through whole passes: one open at a time, made anew only when something has changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learn_world import (
    REPORTS,
    TESTS,
    all_drafts,
    documents,
    failed,
    following,
    learned,
    opened,
    task,
    the_draft,
    with_steps,
)
from states import adopt

from metier.events import Began
from metier.learning.learn import learn
from metier.library.proposals.drafts import approve_draft, reject_draft
from metier.library.proposals.ship import apply_drafts
from metier.store.tables import audit
from metier.types import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from metier.workspace import Workspace

FREEZE = "python tools/freeze_clock.py --all"
SEED = "python tools/seed_login.py --users"
DOCUMENT = (
    "---\nname: {name}\ndescription: Cares for {name}. Use when it is broken.\n---\n\n# Care\n\n1. Look at {name}.\n"
)


def put(folder: Path, name: str) -> Path:
    place = folder / ".agents/skills" / name
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(DOCUMENT.format(name=name), encoding="utf-8")
    return place / "SKILL.md"


def shipped(ws: Workspace) -> str:
    """The name of the skill that the first runs become."""
    ws.deliver(task(TESTS))
    (version,) = learned(ws, apply=True).applied
    return version.skill


def appending(ws: Workspace) -> tuple[str, Path]:
    """A skill that shipped, with an open draft that adds to it; its name and its document."""
    name = shipped(ws)
    ws.deliver(with_steps(task(TESTS, 2, 3), FREEZE))
    assert [one.kind for one in learned(ws).drafts] == ["append"]
    return name, ws.library.default.path / name / "SKILL.md"


def test_a_pattern_has_one_open_draft_and_a_pass_without_news_leaves_it_alone(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    learned(ws)
    before = all_drafts(ws)
    assert len(before) == 1
    assert learned(ws).taken == ()
    assert all_drafts(ws) == before


def test_more_evidence_leaves_an_open_draft_alone_where_nobody_has_to_be_asked(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    learned(ws)
    (before,) = all_drafts(ws)
    assert not before.needs_approval
    ws.deliver(with_steps(task(TESTS, 2, 2), FREEZE))
    assert learned(ws).taken == ()
    assert all_drafts(ws) == [before]


def test_more_evidence_is_looked_at_where_a_person_would_have_to_be_asked(ws: Workspace) -> None:
    (first, second) = task(TESTS)
    ws.deliver([first, replace(second, session=first.session)])
    learned(ws)
    (before,) = all_drafts(ws)
    assert before.needs_approval
    ws.deliver(task(TESTS, 2, 2))
    assert [one.what for one in learned(ws).taken] == ["refreshed"]
    (after,) = all_drafts(ws)
    assert (after.id, after.body, after.hash) == (before.id, before.body, before.hash)
    assert not after.needs_approval
    assert learned(ws).taken == ()


def test_a_persons_yes_survives_a_look_that_changes_nothing(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    learned(ws)
    approve_draft(ws.library, the_draft(ws).id)
    ws.deliver(task(TESTS, 2, 1))
    assert learned(ws).taken == ()
    draft = the_draft(ws)
    assert draft.approved == draft.hash
    assert draft.approver


def test_a_persons_yes_dies_with_the_bytes_it_was_for(ws: Workspace) -> None:
    name, file = appending(ws)
    approve_draft(ws.library, the_draft(ws).id)
    file.write_text(file.read_text().replace("\n# ", "\n# By hand: ", 1), encoding="utf-8")
    assert [one.what for one in learned(ws).taken] == ["refreshed"]
    draft = the_draft(ws)
    assert (draft.approved, draft.approver) == ("", "")
    assert draft.base_hash == ws.history(name)[-1].hash


def test_a_skill_edited_by_hand_is_the_new_base_and_keeps_the_edit(ws: Workspace) -> None:
    name, file = appending(ws)
    file.write_text(file.read_text() + "\nA person's own line.\n", encoding="utf-8")
    assert [one.what for one in learned(ws, apply=True).taken] == ["applied"]
    assert "A person's own line." in documents(ws)[name]
    assert FREEZE in documents(ws)[name]
    assert [one.action for one in ws.history(name)] == ["apply", "hand-edit", "apply"]


def test_a_rejected_draft_does_not_come_again(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    learned(ws)
    reject_draft(ws.library, the_draft(ws).id, "not wanted")
    assert learned(ws).taken == ()
    assert [one.status for one in all_drafts(ws)] == ["rejected"]


def test_a_text_that_was_rejected_is_not_proposed_again_and_the_word_stays(ws: Workspace) -> None:
    same = [replace(one, external_id=f"again-{n}") for n, one in enumerate(task(TESTS) * 4)]
    ws.deliver(same[:4])
    learned(ws)
    reject_draft(ws.library, the_draft(ws).id, "not wanted")
    ws.deliver(same[4:])
    (taken,) = learned(ws).taken
    assert (taken.what, "rejected it" in taken.reason) == ("left", True)
    (draft,) = all_drafts(ws)
    assert (draft.status, draft.notes[-1]) == ("rejected", "rejected: not wanted")
    assert learned(ws).taken == ()


def test_other_evidence_makes_another_draft_of_a_rejected_one(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    learned(ws)
    reject_draft(ws.library, the_draft(ws).id, "a step is missing")
    ws.deliver(with_steps(task(TESTS, 2, 4), FREEZE))
    assert [one.what for one in learned(ws).taken] == ["drafted"]
    assert [one.status for one in all_drafts(ws)] == ["rejected", "candidate"]
    assert FREEZE in the_draft(ws).body


def test_a_shipped_skill_gets_a_draft_against_its_current_version_once_there_is_enough_new(ws: Workspace) -> None:
    name = shipped(ws)
    ws.deliver(with_steps(task(TESTS, 2, 1), FREEZE))
    assert learned(ws).taken == ()
    ws.deliver(with_steps(task(TESTS, 3, 2), FREEZE))
    (draft,) = learned(ws).drafts
    assert (draft.target, draft.kind) == (name, "append")
    assert draft.base_hash == ws.history(name)[-1].hash
    assert FREEZE in draft.body


def test_a_skill_that_says_it_all_is_not_looked_at_for_every_single_run(ws: Workspace) -> None:
    shipped(ws)
    looks = 0
    for number in range(2, 14):
        ws.deliver(task(TESTS, number, 1))
        looks += len(learned(ws).taken)
    assert looks <= 4
    assert [one.status for one in all_drafts(ws)] == ["accepted"]


def test_a_quarantined_draft_is_superseded_when_its_evidence_changes(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    learned(ws)
    target = the_draft(ws).target
    put(ws.root, target)
    assert [one.what for one in learned(ws).taken] == ["refreshed"]
    first = the_draft(ws)
    assert first.status == "quarantined"
    assert learned(ws).taken == ()
    ws.deliver(with_steps(task(TESTS, 2, 2), FREEZE))
    assert [one.what for one in learned(ws).taken] == ["drafted"]
    assert [one.status for one in all_drafts(ws)] == ["superseded", "candidate"]
    assert the_draft(ws).kind == "append"


def test_a_name_that_is_taken_meanwhile_is_never_overwritten(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    learned(ws)
    file = put(ws.root, the_draft(ws).target)
    before = file.read_bytes()
    result = learned(ws, apply=True)
    assert result.applied == ()
    assert file.read_bytes() == before
    assert "create-on-existing" in [one.rule for one in the_draft(ws).findings]


def test_a_change_to_a_global_skill_goes_into_a_copy_of_the_whole(tmp_path: Path) -> None:
    file = put(tmp_path / "home", "login-care")
    (file.parent / "notes.txt").write_text("kept")
    before = file.read_bytes()
    with opened(tmp_path / "p", mode="apply") as ws:
        ws.deliver(following(task(TESTS), "login-care"))
        (taken,) = learned(ws).taken
        assert taken.draft
        assert (taken.what, taken.draft.target) == ("applied", str(ws.root / ".agents/skills/login-care"))
        text = documents(ws)["login-care"]
        assert "1. Look at login-care." in text
        assert "pytest tests/test_login.py -x" in text
        assert (ws.root / ".agents/skills/login-care/notes.txt").read_text() == "kept"
        assert file.read_bytes() == before
        assert learned(ws).taken == ()


def test_an_open_draft_of_a_copy_follows_the_global_skill(tmp_path: Path) -> None:
    file = put(tmp_path / "home", "login-care")
    with opened(tmp_path / "p", mode="draft") as ws:
        ws.deliver(following(task(TESTS), "login-care"))
        learned(ws)
        before = the_draft(ws)
        file.write_text(file.read_text() + "2. Then look again.\n")
        assert [one.what for one in learned(ws).taken] == ["refreshed"]
        after = the_draft(ws)
        assert (after.id, after.kind) == (before.id, "create")
        assert after.hash != before.hash
        apply_drafts(ws.library, [after.id])
        assert "2. Then look again." in documents(ws)["login-care"]


def test_a_draft_of_a_copy_moves_with_its_workspace(tmp_path: Path) -> None:
    put(tmp_path / "home", "login-care")
    with opened(tmp_path / "p", mode="draft") as ws:
        ws.deliver(following(task(TESTS), "login-care"))
        learned(ws)
    adopt((tmp_path / "p").rename(tmp_path / "moved"))
    with opened(tmp_path / "moved", mode="apply") as ws:
        assert [one.what for one in learned(ws).taken] == ["applied"]
        assert list(documents(ws)) == ["login-care"]


def test_a_yes_that_comes_while_a_draft_is_looked_at_again_is_not_lost(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    learned(ws)
    ws.deliver(task(TESTS, 2, 1))
    steps = learn(ws.library)
    for event in steps:
        if isinstance(event, Began) and event.stage == "draft":
            approve_draft(ws.library, the_draft(ws).id)
    draft = the_draft(ws)
    assert draft.approved == draft.hash


def test_a_stable_chain_of_skills_becomes_a_shortcut_and_the_shortcut_grows(tmp_path: Path) -> None:
    with opened(tmp_path / "p", mode="apply") as ws:
        for name in ("log-tool", "fix-tool"):
            put(ws.root, name)
        ws.deliver(following(task(TESTS, 0, 3), "log-tool", "fix-tool"))
        (version,) = learned(ws).applied
        text = documents(ws)[version.skill]
        assert (version.skill, text.count("\n## Procedure\n")) == ("fix-the-flaky-login-via-tools", 1)
        assert "pytest tests/test_login.py -x" in text
        assert "Look at log-tool" in text
        assert any(note.startswith("Avoid: ") and "log-tool -> fix-tool" in note for note in all_drafts(ws)[0].notes)
        ws.deliver(with_steps(following(task(TESTS, 3, 3), "log-tool", "fix-tool"), FREEZE))
        (more,) = learned(ws).applied
        assert more.skill == version.skill
        assert documents(ws)[version.skill].startswith(text.rstrip())
        assert FREEZE in documents(ws)[version.skill]
        ws.deliver(following(task(TESTS, 6, 6), "log-tool", "fix-tool"))
        assert learned(ws).applied == ()


def test_a_skill_that_was_put_away_comes_back_only_with_a_persons_yes(tmp_path: Path) -> None:
    with opened(tmp_path / "p", mode="apply") as ws:
        ws.deliver(task(TESTS))
        (version,) = learned(ws).applied
        ws.archive(version.skill)
        ws.deliver(with_steps(task(TESTS, 2, 4), FREEZE))
        (taken,) = learned(ws).taken
        assert taken.draft
        assert (taken.what, taken.reason, taken.draft.needs_approval) == ("drafted", "needs a person's yes", True)
        assert documents(ws) == {}
        approve_draft(ws.library, taken.draft.id)
        assert [one.skill for one in learned(ws).applied] == [version.skill]
        assert list(documents(ws)) == [version.skill]


def test_the_same_text_for_a_skill_that_went_away_is_another_draft(tmp_path: Path) -> None:
    with opened(tmp_path / "p", mode="apply") as ws:
        ws.deliver(task(TESTS))
        (version,) = learned(ws).applied
        ws.archive(version.skill)
        again = [replace(one, external_id=f"again-{n}", session=f"z{n}") for n, one in enumerate(task(TESTS) * 2)]
        ws.deliver(again)
        learned(ws)
        first, second = all_drafts(ws)
        assert (first.status, second.status) == ("accepted", "candidate")
        assert first.id != second.id
        learned(ws)
        assert the_draft(ws).id == second.id


def test_failures_that_teach_what_to_avoid_change_a_shipped_skill_only_by_a_draft(ws: Workspace) -> None:
    name = shipped(ws)
    before = documents(ws)[name]
    ws.deliver(failed(task(TESTS, 2, 1)))
    learned(ws)
    assert documents(ws)[name] == before


def test_every_draft_is_in_the_audit_log_once(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    for _ in range(3):
        learned(ws)
    with ws.context.store.read() as transaction:
        entries = [one for one in audit.list_all(transaction) if one.action == "draft"]
    assert [one.subject.split()[0] for one in entries] == [the_draft(ws).id]


def test_a_draft_knows_the_runs_that_taught_it(ws: Workspace) -> None:
    ws.deliver([*task(TESTS, 0, 3), *task(REPORTS, 0, 2, outcome=Outcome(success=True, by="test"))])
    learned(ws)
    made = {one.target: one.provenance for one in all_drafts(ws)}
    assert sorted(len(one.runs) for one in made.values()) == [2, 3]
    assert {one.model for one in made.values()} == {"heuristic"}


def test_a_skill_shipped_in_this_very_pass_is_seen_by_the_next_draft(tmp_path: Path) -> None:
    with opened(tmp_path / "p", mode="apply") as ws:
        ws.deliver([*task(TESTS, 0, 2), *with_steps(task(REPORTS, 0, 2), SEED)])
        result = learned(ws)
        assert len(result.applied) == 2
        assert sorted(documents(ws)) == sorted(one.skill for one in result.applied)
