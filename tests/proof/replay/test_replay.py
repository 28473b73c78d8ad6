"""Replay: nothing unreviewed is tried, a draft is judged on cases that did not teach it, too few say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from learn_world import learned
from selection_shop import stocked

from metier.cli.views.drafts import state
from metier.errors import NotFoundError, RefusedError
from metier.library.listing import result_of
from metier.library.proposals.drafts import approve_draft
from metier.library.proposals.hand_in import hand_in_document
from metier.maintenance.retention import remove_runs
from metier.proof.replay.cases import build_cases, decide_case, find_case, list_cases
from metier.proof.replay.gate import ReplayOptions, replay_draft
from metier.proof.routing import apply_checked
from metier.store.tables import audit
from metier.types import Outcome, Run, ToolCall

if TYPE_CHECKING:
    from metier.types import Draft
    from metier.types.trials import Case
    from metier.workspace import Workspace

WORDS = ("billing", "returns", "stock", "offers", "staff", "travel", "energy", "claims", "grants", "ads")
ABOUT = (
    "Builds the quarterly figures of a department. Use when somebody asks for the quarterly figures of a department."
)
DOCUMENT = f"---\nname: quarter-report\ndescription: {ABOUT}\n---\n\n# Quarter report\n\nSECRET WAY: read the ledger.\n"


def asked(number: int) -> Run:
    """A run whose answer names a figure that a tool had reported."""
    figure = f"{10_000 + number * 37}.50"
    return Run(
        message=f"give me the quarterly figures of the department {WORDS[number % len(WORDS)]}",
        output=f"The figure is {figure} for this quarter, all told and checked.",
        status="completed",
        session=f"s{number}",
        external_id=f"r{number}",
        tools=(ToolCall(name="Bash", input="python ledger.py", output=f"sum {figure}"),),
        outcome=Outcome(success=True, by="test"),
    )


@pytest.fixture
def shop(ws: Workspace) -> Workspace:
    """A workspace with ten runs that can be checked."""
    stocked(ws).deliver(asked(number) for number in range(10))
    return ws


def drafted(ws: Workspace) -> Draft:
    return hand_in_document(ws.library, "quarter-report", DOCUMENT, "how the figures are made")


def agent(case: Case, text: str) -> str:
    """An agent that finds the figure only with the skill."""
    wanted = case.scorer.split('"texts":["')[1].split('"')[0]
    return f"It is {wanted}." if "SECRET WAY" in text else "I do not know."


def accepted(ws: Workspace, count: int) -> list[Case]:
    build_cases(ws.context)
    return [decide_case(ws.context, one.id, "accepted") for one in list_cases(ws.context, "proposed")[:count]]


def test_runs_that_can_be_checked_become_proposals_once(shop: Workspace) -> None:
    shop.deliver([Run(message="say something nice", output="You look nice.", status="completed", session="n")])
    first = build_cases(shop.context)
    assert (len(first.new), first.known, len(first.skipped)) == (10, 0, 1)
    assert all(one.split for one in first.new)
    decide_case(shop.context, first.new[0].id, "rejected", "no")
    again = build_cases(shop.context)
    assert (again.new, again.known) == ((), 10)
    assert find_case(shop.context, first.new[0].id)[1] == "rejected"
    with pytest.raises(NotFoundError, match="There is no case"):
        find_case(shop.context, "nothing")


def test_nothing_unreviewed_is_tried(shop: Workspace) -> None:
    build_cases(shop.context)
    tried: list[str] = []

    def counting(case: Case, text: str) -> str:
        tried.append(case.id)
        return agent(case, text)

    found = result_of(replay_draft(shop.library, drafted(shop).id, ReplayOptions(target=counting)))
    assert (found.decision.action, found.cases, tried) == ("uninformative", 0, [])
    assert "too few to tell" in found.decision.reason


def test_a_draft_that_helps_passes_is_noted_and_ships_through_the_one_door(shop: Workspace) -> None:
    accepted(shop, 10)
    draft = drafted(shop)
    found = result_of(replay_draft(shop.library, draft.id, ReplayOptions(target=agent)))
    assert (found.decision.action, found.cases, found.shipped) == ("accept", 10, None)
    assert "(accept)" in found.draft.notes[-1]
    with pytest.raises(RefusedError, match="needs your approval"):
        result_of(replay_draft(shop.library, draft.id, ReplayOptions(target=agent), ship=True))
    approve_draft(shop.library, draft.id)
    done = result_of(replay_draft(shop.library, draft.id, ReplayOptions(target=agent), ship=True))
    assert done.shipped
    assert done.shipped.receipt.startswith("force_accept: approved by a person; accept: replay on")
    assert [one.name for one in shop.skills()].count("quarter-report") == 1


def test_a_draft_that_changes_nothing_is_not_let_through(shop: Workspace) -> None:
    accepted(shop, 10)
    found = result_of(replay_draft(shop.library, drafted(shop).id, ReplayOptions(target=lambda case, text: "no")))
    assert found.decision.action in ("reject", "uninformative")


def test_few_cases_are_uninformative(shop: Workspace) -> None:
    accepted(shop, 3)
    found = result_of(replay_draft(shop.library, drafted(shop).id, ReplayOptions(target=agent)))
    assert (found.decision.action, found.cases) == ("uninformative", 3)


def test_a_removed_run_takes_its_case_with_it(shop: Workspace) -> None:
    [case, *_] = accepted(shop, 2)
    list(remove_runs(shop.context, [case.origin.removeprefix("run:")], "private"))
    assert case.id not in [one.id for one in list_cases(shop.context, "accepted")]
    assert case.id not in [one.id for one in build_cases(shop.context).new]


def test_a_problem_becomes_cases_to_train_on(shop: Workspace) -> None:
    for number in range(4):
        failed = ToolCall(name="Bash", ok=False, input="ship it", output="error: the vault is sealed")
        shop.deliver(
            [
                Run(
                    message=f"ship the release to the shop {number}",
                    output="It failed.",
                    status="error",
                    session=f"bad{number}",
                    external_id=f"bad{number}",
                    correction="Unseal the vault first!",
                    tools=(failed,),
                )
            ]
        )
    learned(shop)
    [problem] = [one for one in shop.problems() if "vault" in one.error]
    assert build_cases(shop.context, problem=problem.id).new == (), "nothing shows how to check it"
    made = build_cases(shop.context, problem=problem.id[:6], rubric=True).new
    assert len(made) == len(problem.failed) >= 2
    assert all("Unseal the vault first" in one.scorer and one.tags == ("failed",) for one in made)
    assert len({one.split for one in made}) == 1, "they are near-duplicates"
    with pytest.raises(NotFoundError, match="metier problems"):
        build_cases(shop.context, problem="zzz")


def harmed(case: Case, text: str) -> str:
    """An agent that finds the figure only without the skill."""
    return agent(case, "" if "SECRET WAY" in text else "SECRET WAY")


def test_a_draft_that_its_gate_rejected_ships_only_after_a_second_yes(shop: Workspace) -> None:
    accepted(shop, 10)
    draft = drafted(shop)
    approve_draft(shop.library, draft.id)
    rejected = result_of(replay_draft(shop.library, draft.id, ReplayOptions(target=harmed))).draft
    assert "-100.0 points on 10 fresh cases" in rejected.objection
    assert "it makes the work worse" in rejected.objection
    assert state(rejected) == "rejected by its gate: -100.0 points"
    with pytest.raises(RefusedError, match=r"A gate rejected draft .*-100.0 points.*--despite-gate"):
        apply_checked(shop.library, [draft.id])  # the yes from before was given without the figure
    with pytest.raises(RefusedError, match=r"A gate rejected draft .*-100.0 points.*--despite-gate"):
        approve_draft(shop.library, draft.id)
    assert "quarter-report" not in [one.name for one in shop.skills()]
    approve_draft(shop.library, draft.id, despite_gate=True)
    (version,), _ = apply_checked(shop.library, [draft.id])
    assert version.skill == "quarter-report"
    with shop.context.store.read() as transaction:
        assert "approve draft despite its gate" in [one.action for one in audit.list_own(transaction)]


def test_a_gate_that_changes_its_mind_takes_its_objection_back(shop: Workspace) -> None:
    accepted(shop, 10)
    draft = drafted(shop)
    assert result_of(replay_draft(shop.library, draft.id, ReplayOptions(target=harmed))).draft.objection
    assert not result_of(replay_draft(shop.library, draft.id, ReplayOptions(target=agent))).draft.objection
    assert approve_draft(shop.library, draft.id).status == "candidate"
