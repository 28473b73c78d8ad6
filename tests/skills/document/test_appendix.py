"""The appendix holds each note once, in a region that edits leave alone."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from metier.skills.document.appendix import append, cap, extract, inject, replace, unique
from metier.skills.document.regions import MARKERS, region

START, END = MARKERS["appendix"]
SLOW, _ = MARKERS["slow_update"]
notes = st.lists(st.text("abAB .!-*\n\té", max_size=8), max_size=6)
documents = st.sampled_from(
    ["", "# T\n", "# T", f"# T\n\n{SLOW}\nx\n<!-- SLOW_UPDATE_END -->\n", f"a {START} b", f"{END}\na"]
)


def test_an_empty_appendix_is_put_at_the_end_once() -> None:
    injected = inject("# T\n\ntext\n\n")
    assert injected == f"# T\n\ntext\n\n{START}\n{END}\n"
    assert inject(injected) == injected
    assert extract(injected) == ()


def test_a_marker_that_stands_alone_does_not_swallow_the_document() -> None:
    injected = inject(f"a {START} b\n")
    assert injected == f"a  b\n\n{START}\n{END}\n"


def test_nor_does_one_that_appears_when_another_is_taken_out() -> None:
    injected = inject(f"a {START[:5]}{START}{START[5:]} b\n")
    assert injected == f"a  b\n\n{START}\n{END}\n"


def test_a_note_is_not_new_because_of_case_white_space_or_punctuation() -> None:
    document = append("# T\n", ["Check the date."])
    assert append(document, ["check  the\ndate", "CHECK THE DATE!!", "- Check the date…"]) == document
    assert extract(append(document, ["Check the time."])) == ("Check the date.", "Check the time.")


def test_appending_keeps_what_is_there_byte_for_byte() -> None:
    document = f"# T\n\n{START}\n*  odd note\n\n- two\n{END}\ntail\n"
    assert append(document, ["three"]) == f"# T\n\n{START}\n*  odd note\n\n- two\n- three\n{END}\ntail\n"


def test_above_the_cap_the_oldest_notes_make_room() -> None:
    document = append("# T\n", ["1", "2", "3"], limit=2)
    assert extract(document) == ("2", "3")
    assert extract(append(document, ["4"], limit=2)) == ("3", "4")
    assert extract(append(document, ["4"], limit=0)) == ()
    assert cap(["a", "b"], 5) == ("a", "b")


def test_a_consolidated_list_takes_the_place_of_all_notes() -> None:
    document = append("# T\n", ["one", "two"])
    assert replace(document, ["both", "Both."]) == f"# T\n\n{START}\n- both\n{END}\n"
    assert extract(replace(document, [])) == ()


def test_a_heading_in_the_appendix_is_no_note_and_stays() -> None:
    heading = "## Execution Notes Appendix"
    document = f"# T\n\n{START}\n{heading}\n- one\n{END}\n"
    assert extract(document) == ("one",)
    assert append(document, ["two"]) == f"# T\n\n{START}\n{heading}\n- one\n- two\n{END}\n"
    assert append(document, ["two"], limit=1) == f"# T\n\n{START}\n{heading}\n- two\n{END}\n"
    assert replace(document, ["both"]) == f"# T\n\n{START}\n{heading}\n- both\n{END}\n"
    assert unique([heading, "- ### Notes", "#hashtag"]) == ("#hashtag",)


def test_markers_in_a_note_are_removed() -> None:
    assert unique([f"a {END} b {SLOW}"]) == ("a  b",)


@settings(deadline=None)
@given(documents, notes, notes)
def test_appending_twice_is_appending_once(document: str, first: list[str], second: list[str]) -> None:
    once = append(append(document, first), second)
    assert append(append(once, first), second) == once
    assert unique(extract(once)) == extract(once)
    assert region(once, "appendix") is not None
    assert inject(once) == once
