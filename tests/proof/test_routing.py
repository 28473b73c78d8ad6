"""The routing check: a draft that would take requests from a skill that served them well is not let in unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from selection_shop import FLAKY, stocked

from metier.errors import RefusedError
from metier.library.proposals.drafts import approve_draft
from metier.library.proposals.gate import BY_PERSON
from metier.library.proposals.hand_in import hand_in_document
from metier.proof.routing import RoutingGate, apply_checked, lost_requests, routing_of
from metier.skills.package import Package
from metier.types import Outcome, Run, SkillTrace

if TYPE_CHECKING:
    from metier.types import Draft
    from metier.types.trials import Decision
    from metier.workspace import Workspace

GREEDY = FLAKY
MODEST = "Paints pictures of cats with watercolours. Use when somebody wants a painted cat."


@pytest.fixture
def shop(ws: Workspace) -> Workspace:
    """A workspace whose skill for flaky tests has served a request well."""
    served = Run(
        message=FLAKY,
        output="It is stable.",
        status="completed",
        session="s",
        skills=SkillTrace(path=("flaky-tests",)),
        outcome=Outcome(success=True, by="test"),
    )
    stocked(ws).deliver([served])
    ws.record_hand_edits()
    return ws


def drafted(ws: Workspace, about: str) -> Draft:
    text = f"---\nname: newcomer\ndescription: {about}\n---\n\n# Newcomer\n\n{about}\n"
    draft = hand_in_document(ws.library, "newcomer", text, "new")
    approve_draft(ws.library, draft.id)
    return draft


def package(about: str) -> Package:
    return Package(files={"SKILL.md": f"---\nname: newcomer\ndescription: {about}\n---\n\n{about}\n".encode()})


def test_what_would_take_over_is_refused_and_ships_only_when_a_person_says_so(shop: Workspace) -> None:
    draft = drafted(shop, GREEDY)
    with pytest.raises(RefusedError, match=r"would take over .* from flaky-tests.*--take-over"):
        apply_checked(shop.library, [draft.id])
    assert "newcomer" not in [one.name for one in shop.skills()]
    (version,), said = apply_checked(shop.library, [draft.id], take_over=True)
    assert (version.skill, len(said)) == ("newcomer", 1)


def test_what_leaves_its_neighbours_alone_ships_without_a_word(shop: Workspace) -> None:
    (version,), said = apply_checked(shop.library, [drafted(shop, MODEST).id])
    assert (version.skill, said) == ("newcomer", [])


def test_a_change_that_leaves_the_description_alone_is_not_asked_about(shop: Workspace) -> None:
    before = package(GREEDY)
    after = Package(files={"SKILL.md": before.document + b"\nOne line more.\n"})
    assert routing_of(shop.library, "newcomer", before, after) is None
    found = routing_of(shop.library, "newcomer", package(MODEST), before)
    assert lost_requests(found)


def test_the_gate_of_a_pass_lets_a_person_decide(shop: Workspace) -> None:
    class Yes:
        def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:
            return BY_PERSON

    gate = RoutingGate(shop.library, Yes())
    draft = drafted(shop, MODEST)
    assert gate.decide(draft, None, package(MODEST)) == BY_PERSON
    said = gate.decide(draft, None, package(GREEDY))
    assert said.action == "uninformative"
    assert "would take over" in said.reason
