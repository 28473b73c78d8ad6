"""What proposers are told about the past: steps of this epoch, and every rejected edit with its loss."""

from __future__ import annotations

from training_toys import bundle

from metier.skills.editing.patch_json import MalformedEdit, UnknownEdit
from metier.training.proposing.memory import Memory, PastStep, RejectedEdit, rejected_of
from metier.training.proposing.proposals import ProposedChange, Suggestion, Whole


def past(step: int, *patterns: str) -> PastStep:
    return PastStep(step=step, action="reject", failed=3, total=8, patterns=patterns)


def test_nothing_happened_yet() -> None:
    assert Memory().text(20) == ""


def test_an_epoch_ends_with_its_steps_but_what_was_rejected_stays() -> None:
    memory = Memory().after(past(1, "too late"), rejected_of(bundle("Hurry.", "Wait.").items, 0.125))
    text = memory.text(20)
    assert "step 1: reject, 3 of 8 cases failed" in text
    assert "too late" in text
    assert "append: 'Hurry.' (lost 0.1250, with 1 others)" in text
    later = memory.next_epoch().text(20)
    assert "step 1" not in later
    assert "Hurry." in later


def test_an_edit_rejected_again_stands_once_with_its_latest_loss() -> None:
    memory = Memory(rejected=(RejectedEdit(op="append", target="", content="Hurry.", loss=0.5),))
    memory = memory.after(past(1), rejected_of(bundle("Other.").items, 0.1))
    memory = memory.after(past(2), rejected_of(bundle("Hurry.").items, 0.2))
    assert [(one.content, one.loss) for one in memory.rejected] == [("Other.", 0.1), ("Hurry.", 0.2)]


def test_only_the_latest_rejections_are_shown() -> None:
    memory = Memory()
    for step in range(30):
        memory = memory.after(past(step), rejected_of(bundle(f"edit {step}").items, 0.1))
    shown = memory.next_epoch().text(3)
    assert "edit 29" in shown
    assert "edit 26" not in shown
    assert memory.next_epoch().text(0) == ""
    assert len(memory.rejected) == 30


def test_every_kind_of_proposal_can_be_remembered_but_not_what_is_none() -> None:
    kinds = (
        Suggestion(title="t", instruction="Say when."),
        Whole(document="# W"),
        MalformedEdit(error="x"),
        UnknownEdit(op="move"),
    )
    found = rejected_of([ProposedChange(what=kind, source="failure") for kind in kinds], 0.0)
    assert [one.op for one in found] == ["suggestion", "rewrite", "move"]
    assert {one.together for one in found} == {3}
