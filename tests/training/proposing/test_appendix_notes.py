"""Reminders in the appendix: each once, never too many, fewer when a model can say it shorter."""

from __future__ import annotations

import pytest
from training_toys import TEXT, desk, package

from metier.skills.document import appendix
from metier.training.proposing.appendix import add_notes, with_appendix
from metier.training.proposing.prompt import document_of, with_document
from metier.training.spec import Spec


def notes_of(text: str) -> tuple[str, ...]:
    return appendix.extract(text)


def test_an_empty_appendix_is_added_at_the_end() -> None:
    assert document_of(with_appendix(package())) == f"{TEXT}\n<!-- APPENDIX_START -->\n<!-- APPENDIX_END -->\n"


def test_a_reminder_is_added_once_and_the_oldest_makes_room() -> None:
    place, model = desk()
    first = add_notes(package(), ["Look twice.", "look  twice", "Ask."], place, Spec.of(max_notes=2)).package
    assert notes_of(document_of(first)) == ("Look twice.", "Ask.")
    second = add_notes(first, ["Breathe."], place, Spec.of(max_notes=2)).package
    assert notes_of(document_of(second)) == ("Ask.", "Breathe.")
    assert model.requests == []


def test_above_the_threshold_a_model_makes_fewer_of_them() -> None:
    place, model = desk({"appendix_notes": ["Look twice and ask."]})
    made = add_notes(package(), ["Look twice.", "Ask.", "Wait."], place, Spec.of(consolidate_above=2))
    assert notes_of(document_of(made.package)) == ("Look twice and ask.",)
    assert made.problem == ""
    assert "- Wait." in model.requests[0].messages[0].text


@pytest.mark.parametrize("answer", [None, {"appendix_notes": []}, {"appendix_notes": ["1", "2", "3"]}])
def test_what_does_not_become_fewer_stays(answer: object) -> None:
    place, _ = desk(answer)
    made = add_notes(package(), ["Look twice.", "Ask.", "Wait."], place, Spec.of(consolidate_above=2))
    assert notes_of(document_of(made.package)) == ("Look twice.", "Ask.", "Wait.")
    assert made.problem


def test_a_heading_is_not_counted_and_not_sent_to_consolidation() -> None:
    place, model = desk({"appendix_notes": "Look twice and ask."})
    old = "<!-- APPENDIX_START -->\n## Execution Notes Appendix\n- Look twice.\n<!-- APPENDIX_END -->\n"
    skill = with_document(package(), f"{TEXT}\n{old}")
    assert notes_of(document_of(add_notes(skill, ["Ask."], place, Spec.of(consolidate_above=2)).package)) == (
        "Look twice.",
        "Ask.",
    )
    assert model.requests == []
    made = add_notes(skill, ["Ask."], place, Spec.of(consolidate_above=1))
    assert "Execution Notes" not in model.requests[0].messages[0].text
    assert document_of(made.package).endswith(
        "## Execution Notes Appendix\n- Look twice and ask.\n<!-- APPENDIX_END -->\n"
    )


def test_at_the_threshold_nobody_is_asked() -> None:
    place, model = desk()
    add_notes(package(), ["Look twice.", "Ask."], place, Spec.of(consolidate_above=2))
    assert model.requests == []
