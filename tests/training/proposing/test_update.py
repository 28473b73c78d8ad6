"""The update: patch with a status per edit, rewrite from suggestions, full rewrite."""

from __future__ import annotations

import pytest
from training_toys import TEXT, bundle, desk, package, setting

from metier.skills.document import appendix
from metier.skills.document.regions import with_inner
from metier.skills.editing.patch_json import MalformedEdit, parse_edit
from metier.training.proposing.prompt import document_of
from metier.training.proposing.proposals import Bundle, ProposedChange, Suggestion, Whole
from metier.training.proposing.update import NoUpdate, Updated, apply_edits, replace_document, update
from metier.training.spec import Spec


def edits(*values: object) -> Bundle:
    return Bundle(items=tuple(ProposedChange(what=parse_edit(value), source="failure") for value in values))


def test_each_edit_works_on_the_result_of_the_one_before_and_has_its_status() -> None:
    done = apply_edits(
        package(),
        edits(
            {"op": "replace", "target": "Do it well.", "content": "Do it twice."},
            {"op": "insert_after", "target": "Do it twice.", "content": "Then stop."},
            {"op": "delete", "target": "not there"},
            {"op": "move", "target": "x"},
            "no edit",
        ),
    )
    assert document_of(done.package).endswith("# Toy\n\nDo it twice.\n\nThen stop.\n")
    assert [report.status for report in done.reports] == [
        "applied_replace",
        "applied_insert_after",
        "skipped_delete_target_not_found",
        "skipped_unknown_op",
        "error",
    ]


def test_an_edit_can_name_a_file() -> None:
    start = package(**{"references/x.md": "Old.\n"})
    done = apply_edits(start, edits({"op": "append", "content": "New.", "file": "references/x.md"}))
    assert done.package.files["references/x.md"] == b"Old.\n\nNew.\n"
    assert done.package.document == start.document


def test_strict_edits_refuse_to_guess() -> None:
    done = apply_edits(package(), edits({"op": "insert_after", "target": "gone", "content": "x"}), strict=True)
    assert done.package.hash() == package().hash()
    assert done.reports[0].status == "skipped_insert_after_target_not_found"


def test_nothing_to_do_leaves_every_byte() -> None:
    place, _ = desk()
    done = update(package(), Bundle(), place, setting(), Spec())
    assert isinstance(done, Updated)
    assert done.package.hash() == package().hash()
    malformed = Bundle(items=(ProposedChange(what=MalformedEdit(error="x"), source="failure"),))
    assert apply_edits(package(), malformed).reports[0].status == "error"


SUGGESTED = Bundle(items=(ProposedChange(what=Suggestion(instruction="Say when."), source="failure"),))


def test_a_rewrite_takes_up_the_suggestions() -> None:
    place, model = desk({"new_skill": f"{TEXT}When asked.\n\n"})
    done = update(package(), SUGGESTED, place, setting(), Spec.of(update="rewrite"))
    assert isinstance(done, Updated)
    assert document_of(done.package) == f"{TEXT}When asked.\n"
    assert "Say when." in model.requests[0].messages[0].text


@pytest.mark.parametrize("answer", [None, {"new_skill": ""}, {"new_skill": "  \n"}])
def test_without_a_rewrite_there_is_no_candidate(answer: object) -> None:
    place, _ = desk(answer)
    done = update(package(), SUGGESTED, place, setting(), Spec.of(update="rewrite"))
    assert isinstance(done, NoUpdate)
    assert done.reason


def test_a_rewrite_without_suggestions_asks_nobody() -> None:
    place, model = desk()
    assert isinstance(update(package(), Bundle(), place, setting(), Spec.of(update="rewrite")), NoUpdate)
    assert model.requests == []


def test_a_full_rewrite_takes_the_first_document_that_is_one() -> None:
    place, _ = desk()
    items = tuple(ProposedChange(what=Whole(document=text), source="failure") for text in (" ", "# A\n", "# B\n"))
    done = update(package(), Bundle(items=items), place, setting(), Spec.of(update="full_rewrite"))
    assert isinstance(done, Updated)
    assert document_of(done.package).endswith("---\n# A\n")
    assert isinstance(update(package(), bundle(), place, setting(), Spec.of(update="full_rewrite")), NoUpdate)


def test_another_document_keeps_frontmatter_and_protected_regions() -> None:
    guided = with_inner(appendix.append(TEXT, ["Mind the gap."]), "slow_update", "Keep calm.")
    done = replace_document(
        package(guided), "# New\n<!-- APPENDIX_START -->\nmine\n<!-- APPENDIX_END -->\n<!-- SLOW_UPDATE_END -->"
    )
    text = document_of(done.package)
    assert text.startswith("---\nname: toy\ndescription: Use it for toys.\n---\n# New\n")
    assert text.endswith(guided[guided.index("<!-- APPENDIX_START -->") :])
    assert "mine" not in text
    own = "---\nname: other\ndescription: d\n---\nBody.\n"
    assert document_of(replace_document(package(), own).package) == own
