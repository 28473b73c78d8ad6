"""Every way in which a skill is admitted or described anew asks first whether its neighbours keep their requests."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from selection_shop import FLAKY, stocked

import metier
from metier.library.listing import result_of
from metier.library.proposals.drafts import approve_draft
from metier.library.proposals.gate import BY_PERSON, DOUBT
from metier.library.proposals.hand_in import hand_in_document
from metier.library.proposals.ship import ship_if_gate_agrees
from metier.proof.replay.cases import build_cases, decide_case
from metier.proof.replay.gate import ReplayOptions, replay_draft
from metier.proof.routing import RoutingGate
from metier.types import Outcome, Run, SkillTrace, ToolCall
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli_shell import Shell

    from metier.skills.package import Package
    from metier.types import Draft
    from metier.types.trials import Case, Decision

MODEST = "Paints pictures of cats with watercolours. Use when somebody wants a painted cat."
SAID = "would take over"


@pytest.fixture
def shop(shell: Shell) -> Shell:
    """A workspace whose skill for flaky tests has served a request well, and a skill that paints cats."""
    served = Run(
        message=FLAKY,
        output="It is stable.",
        status="completed",
        session="s",
        skills=SkillTrace(path=("flaky-tests",)),
        outcome=Outcome(success=True, by="test"),
    )
    with Workspace.open(shell.folder) as ws:
        stocked(ws).deliver([served])
        ws.record_hand_edits()
        painter = hand_in_document(ws.library, "painter", document("painter", MODEST), "new")
        approve_draft(ws.library, painter.id)
    shell.ok("drafts", "apply", painter.id)
    return shell


def document(name: str, about: str) -> str:
    return f"---\nname: {name}\ndescription: {about}\n---\n\n# About\n\n{about}\n"


def description_patch(shop: Shell, old: str, new: str) -> str:
    file = shop.folder / "patch.json"
    edit = {"op": "replace", "target": f"description: {old}", "content": f"description: {new}"}
    file.write_text(json.dumps({"edits": [edit]}), encoding="utf-8")
    return str(file)


def edit_words(shop: Shell, old: str = MODEST, new: str = FLAKY) -> tuple[str, ...]:
    skill = str(shop.folder / ".agents/skills/painter/SKILL.md")
    return ("skills", "edit", skill, "--patch", description_patch(shop, old, new))


def by_draft(shop: Shell) -> tuple[str, ...]:
    with Workspace.open(shop.folder) as ws:
        draft = hand_in_document(ws.library, "newcomer", document("newcomer", FLAKY), "new")
        approve_draft(ws.library, draft.id)
    return ("drafts", "apply", draft.id)


def by_import(shop: Shell) -> tuple[str, ...]:
    folder = shop.folder / "elsewhere/newcomer"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(document("newcomer", FLAKY), encoding="utf-8")
    said = shop.run("skills", "import", str(folder))
    assert SAID in said.err
    assert "It ships only with: metier drafts apply" in said.err
    draft = re.search(r"metier drafts show (\w+)", said.err)
    assert draft
    shop.ok("drafts", "approve", draft[1])
    return ("drafts", "apply", draft[1])


def by_restore(shop: Shell) -> tuple[str, ...]:
    shop.ok(*edit_words(shop), "--take-over")
    shop.ok("skills", "archive", "painter")
    return ("skills", "restore", "painter")


def by_rollback(shop: Shell) -> tuple[str, ...]:
    shop.ok(*edit_words(shop), "--take-over")
    shop.ok(*edit_words(shop, FLAKY, MODEST))
    return ("skills", "rollback", "painter")


@pytest.mark.parametrize("way", [by_draft, by_import, edit_words, by_restore, by_rollback])
def test_a_command_refuses_what_takes_requests_from_a_neighbour_until_a_person_says_so(
    shop: Shell, way: Callable[[Shell], tuple[str, ...]]
) -> None:
    words = way(shop)
    refused = shop.run(*words)
    assert refused.code == 1, refused.err
    assert SAID in refused.err
    assert "from flaky-tests" in refused.err
    assert "--take-over" in refused.err
    said = shop.ok(*words, "--take-over")
    assert SAID in said, "it is said all the same"


def test_a_replay_that_passes_does_not_ship_what_takes_requests(shop: Shell) -> None:
    def figures(number: int) -> Run:
        figure = f"{10_000 + number * 37}.50"
        return Run(
            message=f"{FLAKY} in part {number}",
            output=f"The figure is {figure} for this part.",
            status="completed",
            session=f"f{number}",
            external_id=f"f{number}",
            tools=(ToolCall(name="Bash", input="python ledger.py", output=f"sum {figure}"),),
            outcome=Outcome(success=True, by="test"),
        )

    def agent(case: Case, text: str) -> str:
        return case.scorer.split('"texts":["')[1].split('"')[0] if text else "no idea"

    with Workspace.open(shop.folder) as ws:
        ws.deliver(figures(number) for number in range(8))
        for one in build_cases(ws.context).new:
            decide_case(ws.context, one.id, "accepted")
        draft = hand_in_document(ws.library, "newcomer", document("newcomer", FLAKY), "new")
        approve_draft(ws.library, draft.id)
        done = result_of(replay_draft(ws.library, draft.id, ReplayOptions(target=agent), ship=True))
        assert (done.decision.action, done.shipped) == ("accept", None)
        assert any(one.startswith(DOUBT) and SAID in one for one in done.draft.notes)


def test_a_pass_asks_again_about_a_draft_that_was_approved_before_anybody_saw_what_it_takes(shop: Shell) -> None:
    class Yes:
        def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:
            return BY_PERSON

    with Workspace.open(shop.folder) as ws:
        made = hand_in_document(ws.library, "newcomer", document("newcomer", FLAKY), "new")
        approve_draft(ws.library, made.id)
        [draft] = [one for one in ws.drafts() if one.id == made.id]
        left = ship_if_gate_agrees(ws.library, draft, RoutingGate(ws.library, Yes()))
        assert [one.name for one in ws.skills() if one.name == "newcomer"] == []
        assert f"metier drafts apply {made.id} --take-over" in left.notes[-1]


RAW = re.compile(
    r"\b(apply_drafts|ship_if_gate_agrees|rollback_skill|restore_skill|edit_in_root|edit_skill|train_and_ship)\("
)
CHECKED = {
    "proof/routing.py": {"apply_drafts"},
    "proof/replay/gate.py": {"ship_if_gate_agrees"},
    "learning/stages/draft_all.py": {"ship_if_gate_agrees"},
    "training/service/ship.py": {"ship_if_gate_agrees", "train_and_ship"},
    "cli/commands/train.py": {"train_and_ship"},
    "cli/commands/skills/changes.py": {"edit_in_root"},
    "workspace.py": {"rollback_skill", "restore_skill", "train_and_ship"},
    "web/pages/skills.py": {"rollback_skill", "restore_skill"},
    "web/pages/decisions.py": {"rollback_skill"},
}
"""Who may call what changes skills: each checks routing before, or is the undo of its own change, or never ships."""


def test_nobody_else_calls_what_changes_skills() -> None:
    package = Path(metier.__file__).parent
    found = {
        str(file.relative_to(package)): set(RAW.findall(file.read_text(encoding="utf-8")))
        for file in sorted(package.rglob("*.py"))
        if not file.is_relative_to(package / "library")
    }
    assert {name: calls for name, calls in found.items() if calls} == CHECKED
