"""Every gate decides on values alone; the run measures what a gate asks for; anybody can bring a gate."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from training_toys import TEXT, Rules, Teacher, case, package, splits
from training_toys import run as train_run

import metier.training
from metier.errors import UsageError
from metier.training.gates.gate import INITIAL_SCORES, GateEvidence, MeasureAll, MeasureRows, Postponed, Ruling
from metier.training.gates.registry import gate_of
from metier.training.proposing.proposals import ProposedChange
from metier.training.scores import Scores
from metier.training.spec import Spec
from metier.training.state import GateMemory, SkillCandidate
from metier.types import Append
from metier.types.trials import Decision, Rollout

if TYPE_CHECKING:
    from metier.skills.package import Package
    from metier.training.gates.gate import Answer, Gate, Measure
    from metier.types.trials import Case, Score

VAL = tuple(case(number, f"rule-{number % 6}", "val") for number in range(24))
WORLD = Rules()


def score(one: Case, skill: Package, sample: int) -> Score:
    rollout = WORLD.roll(one, skill, sample)
    assert isinstance(rollout, Rollout)
    return rollout.score


def scores(skill: Package, sample: int = 0) -> Scores:
    return Scores(cases=tuple((one.id, score(one, skill, sample)) for one in VAL))


def candidate(*lines: str) -> SkillCandidate:
    edits = tuple(ProposedChange(what=Append(content=one), source="failure") for one in lines)
    text = TEXT + "".join(f"{one}\n" for one in lines)
    return SkillCandidate(change="step", package=package(text), step=1, edits=edits)


def evidence(*lines: str, last: bool = True) -> GateEvidence:
    start = package()
    known = scores(start)
    return GateEvidence(
        candidate=candidate(*lines),
        val=VAL,
        current=start,
        current_scores=known,
        best=start,
        best_scores=known,
        memory=GateMemory(),
        last=last,
    )


def answered(asked: Measure, known: GateEvidence) -> GateEvidence:
    """What a run would add to the evidence."""
    if isinstance(asked, MeasureAll):
        found = {(asked.skill.hash(), asked.sample): scores(asked.skill, asked.sample)}
        return replace(known, wholes={**known.wholes, **found}, plan=asked.plan)
    trials = {(one.id, skill.hash(), at): score(one, skill, at) for row in asked.rows for one, skill, at in row}
    return replace(known, trials={**known.trials, **trials}, plan=asked.plan)


def decided(gate: Gate, known: GateEvidence) -> tuple[Answer, list[Measure]]:
    """What a gate says in the end, and what it asked for on the way."""
    asked: list[Measure] = []
    while isinstance(answer := gate.decide(known), MeasureAll | MeasureRows):
        assert gate.decide(known) == answer, "a gate keeps nothing"
        asked.append(answer)
        known = answered(answer, known)
    return answer, asked


def of(name: str, **settings: object) -> Gate:
    return gate_of(Spec.of(gate=name, screen_edits=4, block=8, **settings))


GOOD = ("- rule-0", "- rule-1", "- rule-2", "- rule-3")
GATES = ["strict", "staged", "screen", "adaptive"]


@pytest.mark.parametrize("name", GATES)
def test_what_helps_is_taken_and_what_does_not_is_not(name: str) -> None:
    for lines, accepted in ((GOOD, True), (("- a", "- b", "- c", "- d"), False)):
        answer, asked = decided(of(name), evidence(*lines))
        decision = answer.decision if isinstance(answer, Ruling) else answer
        assert isinstance(decision, Decision)
        assert (decision.action == "accept_new_best") is accepted
        assert asked


@pytest.mark.parametrize("name", [*GATES[1:], "off"])
def test_nothing_is_compared_before_the_initial_scores_are_known(name: str) -> None:
    fresh = replace(evidence(*GOOD), current_scores=GateEvidence.__dataclass_fields__["current_scores"].default)
    answer = of(name).decide(fresh)
    assert answer == INITIAL_SCORES or isinstance(answer, MeasureAll)


def test_the_staged_gate_asks_for_one_block_and_names_the_next() -> None:
    first = of("staged").decide(evidence(*GOOD))
    assert isinstance(first, MeasureRows)
    assert (len(first.rows), len(first.ahead), first.done, first.total) == (8, 8, 0, 24)
    assert [event.kind for event in first.events] == ["judging"]
    answer, asked = decided(of("staged"), evidence("- talk"))
    assert isinstance(answer, Ruling)
    assert answer.decision.reason == "+0.0000 after 24 cases: not ahead"
    assert [len(one.rows) for one in asked if isinstance(one, MeasureRows)] == [8, 8, 8]
    assert answer.memory.dry == 1


def test_the_screen_lets_few_edits_wait_while_a_step_follows() -> None:
    answer = of("screen").decide(evidence("- rule-0", "- rule-1", last=False))
    assert isinstance(answer, Postponed)
    assert answer.reason == "2 of 4 edits wait to be screened together"
    assert len(answer.memory.waiting) == 2


def test_the_screen_takes_what_stands_out_and_says_what_each_edit_is_worth() -> None:
    answer, asked = decided(of("screen"), evidence("- rule-0", "- talk", "- rule-1", "- chatter"))
    assert isinstance(answer, Ruling)
    assert answer.package.document.decode() == f"{TEXT}\n- rule-0\n\n- rule-1\n"
    assert [one.kept for one in answer.effects] == [True, False, True, False]
    assert [type(one) for one in asked] == [MeasureRows, MeasureAll]
    assert [event.kind for one in asked for event in one.events] == ["judging", "screened"]


def test_the_quick_gate_tries_the_candidate_alone() -> None:
    answer, asked = decided(of("adaptive", quick=2), evidence(*GOOD))
    assert isinstance(answer, Ruling)
    tried = [skill for one in asked if isinstance(one, MeasureRows) for row in one.rows for _, skill, _ in row]
    assert {skill.hash() for skill in tried} == {candidate(*GOOD).package.hash()}


@dataclass
class Better:
    """A gate of one's own: what is better by two cases is accepted."""

    asked: list[str] = field(default_factory=list)

    def decide(self, evidence: GateEvidence) -> Decision | MeasureAll:
        self.asked.append(evidence.candidate.change)
        skill = evidence.candidate.package
        found = evidence.scores_of(skill)
        if found is None:
            return MeasureAll(skill=skill)
        gain = sum(one.hard for one in found.scored().values())
        gain -= sum(one.hard for one in evidence.current_scores.scored().values())
        return Decision(action="accept" if gain >= 2 else "reject", reason=f"{gain:+.0f} cases")


def test_a_gate_of_ones_own_decides_in_a_whole_training() -> None:
    gate = Better()
    ran = train_run(Spec.of(epochs=1, batch=12), gate=gate)
    assert "accept_new_best" in ran.actions
    assert gate.asked
    assert ran.of("decided")[0].reason == "+6 cases"
    assert ran.trained.best_step > 0


def test_a_gate_that_accepts_without_a_look_has_its_skill_measured() -> None:
    class Trusting:
        def decide(self, evidence: GateEvidence) -> Decision:
            return Decision(action="accept", reason=f"I trust step {evidence.candidate.step}")

    ran = train_run(Spec.of(epochs=1, batch=12), gate=Trusting())
    assert set(ran.actions) == {"accept_new_best"}
    assert all(event.score is not None for event in ran.of("decided"))


def test_a_gate_that_never_has_enough_is_an_error() -> None:
    class Greedy:
        def decide(self, evidence: GateEvidence) -> MeasureAll:
            return MeasureAll(skill=evidence.candidate.package)

    with pytest.raises(UsageError, match="Greedy asks for scores that it has already"):
        train_run(Spec.of(epochs=1, batch=12), gate=Greedy(), model=Teacher(), cases=splits())


def test_one_module_alone_changes_the_state_of_a_run_and_no_gate_knows_a_run() -> None:
    folder = Path(next(iter(metier.training.__path__)))
    changing: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            targets = node.targets if isinstance(node, ast.Assign) else ()
            if any(isinstance(one, ast.Attribute) and one.attr == "state" for one in targets):
                changing.add(path.name)
        if path.parent.name == "gates":
            assert "training.run" not in path.read_text(encoding="utf-8"), path
    assert changing == {"run.py"}
