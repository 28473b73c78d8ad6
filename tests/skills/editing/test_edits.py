"""Edits do to the letter what they say: statuses, white space, protected regions."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.skills.document.regions import MARKERS, region, scan, with_inner, without_markers, without_region
from metier.skills.editing.edits import apply_edit, apply_patch, apply_to_package
from metier.skills.editing.patch_json import (
    MalformedEdit,
    ProposedPatch,
    SpareEdit,
    UnknownEdit,
    parse_edit,
    patch_from,
)
from metier.skills.editing.reports import Status, dump_report
from metier.skills.package import Package
from metier.types import Append, Delete, Edit, InsertAfter, Patch, Replace

SLOW, SLOW_END = MARKERS["slow_update"]
NOTES, NOTES_END = MARKERS["appendix"]
SLOW_BLOCK = f"{SLOW}\nslow\n{SLOW_END}"
NOTES_BLOCK = f"{NOTES}\n- note\n{NOTES_END}"
BARE = "# T\n\none two\nthree\n"
BOTH = f"# T\n\none two\n\n{SLOW_BLOCK}\n\n{NOTES_BLOCK}\n"
LONE = f"# T\n\n{SLOW}\none\n"
TURNED = f"{SLOW_END} one {SLOW} two"


def row(op: str, target: str = "", content: str = "") -> dict[str, str]:
    return {"op": op, "target": target, "content": content}


TABLE = [
    # any part of the target lies in a protected region
    (BOTH, row("replace", "slow", "x"), BOTH, "skipped_protected_region"),
    (BOTH, row("delete", "- note"), BOTH, "skipped_protected_region"),
    (BOTH, row("insert_after", NOTES, "x"), BOTH, "skipped_protected_region"),
    (BOTH, row("replace", f"two\n\n{SLOW[:5]}", "x"), BOTH, "skipped_protected_region"),
    (BOTH, row("delete", f"{SLOW_END}\n\n{NOTES}"), BOTH, "skipped_protected_region"),
    (BOTH, row("delete", BOTH), BOTH, "skipped_protected_region"),
    (BOTH, row("append", "slow", "x"), BOTH, "skipped_protected_region"),
    (BOTH, row("rename", "slow", "x"), BOTH, "skipped_protected_region"),
    # append
    (BARE, row("append", content="new"), f"{BARE}\nnew\n", "applied_append"),
    (f"{BARE}\n \n\t", row("append", content="  new \n"), f"{BARE}\nnew\n", "applied_append"),
    ("", row("append", content="new"), "\n\nnew\n", "applied_append"),
    (BARE, row("append"), f"{BARE}\n\n", "applied_append"),
    (
        BOTH,
        row("append", content="new"),
        BOTH.replace(SLOW, f"new\n\n{SLOW}"),
        "applied_append_before_protected_region",
    ),
    (LONE, row("append", content="new"), f"# T\n\nnew\n\n{SLOW}\none\n", "applied_append_before_protected_region"),
    (f"a\n{NOTES_END}", row("append", content="new"), f"a\n{NOTES_END}\n\nnew\n", "applied_append"),
    # insert_after
    (BARE, row("insert_after", "one", "new"), "# T\n\none two\n\nnew\nthree\n", "applied_insert_after"),
    (BARE, row("insert_after", "two\n", "new"), f"{BARE}\nnew\n", "applied_insert_after"),
    ("one", row("insert_after", "one", "new"), "one\nnew\n", "applied_insert_after"),
    ("a\nb\na\n", row("insert_after", "a", "new"), "a\n\nnew\nb\na\n", "applied_insert_after"),
    (LONE, row("insert_after", "one", "new"), f"{LONE}\nnew\n", "applied_insert_after"),
    (BARE, row("insert_after", "absent", "new"), f"{BARE}\nnew\n", "applied_insert_after_fallback_append"),
    (BARE, row("insert_after", "", "new"), f"{BARE}\nnew\n", "applied_insert_after_fallback_append"),
    (
        *(BOTH, row("insert_after", "absent", "new"), BOTH.replace(SLOW, f"new\n\n{SLOW}")),
        "applied_insert_after_fallback_before_protected_region",
    ),
    # replace
    ("a b a", row("replace", "a", " c "), "c b a", "applied_replace"),
    ("a b a", row("replace", " b ", ""), "aa", "applied_replace"),
    (TURNED, row("replace", "one", "x"), TURNED.replace("one", "x"), "applied_replace"),
    (TURNED, row("replace", "two", "x"), TURNED.replace("two", "x"), "applied_replace"),
    (BARE, row("replace", "", "x"), BARE, "skipped_replace_missing_target"),
    (BARE, row("replace", "absent", "x"), BARE, "skipped_replace_target_not_found"),
    # delete
    ("a b a", row("delete", "a"), " b a", "applied_delete"),
    (BARE, row("delete"), BARE, "skipped_delete_missing_target"),
    (BARE, row("delete", "absent"), BARE, "skipped_delete_target_not_found"),
    # the rest
    (BARE, row("rename", "one", "x"), BARE, "skipped_unknown_op"),
    (BARE, {}, BARE, "skipped_unknown_op"),
    (BARE, "append", BARE, "error"),
    (BARE, None, BARE, "error"),
    (BARE, {"op": "append", "content": None}, BARE, "error"),
    (BARE, {"op": "append", "content": "\ud800"}, BARE, "error"),
    (BARE, {"op": 3}, BARE, "error"),
]


@pytest.mark.parametrize(("document", "edit", "after", "status"), TABLE)
def test_every_case_of_the_table(document: str, edit: object, after: str, status: str) -> None:
    edited = apply_patch(document, patch_from({"edits": [edit]}))
    assert (edited.document, edited.reports[0].status) == (after, status)


def test_the_first_occurrence_decides_even_when_a_later_one_is_protected() -> None:
    document = f"slow\n{SLOW_BLOCK}"
    assert apply_edit(document, Replace(target="slow", content="x"))[0] == f"x\n{SLOW_BLOCK}"


def test_markers_in_content_are_removed_and_nothing_is_stripped_after_that() -> None:
    text = f" {SLOW} a {NOTES_END} "
    assert apply_edit("x", Replace(target="x", content=text))[0] == " a "
    nested = f"{SLOW[:7]}{SLOW}{SLOW[7:]}b"
    assert apply_edit("x", Replace(target="x", content=nested))[0] == "b"


def test_a_report_shows_what_was_asked_in_two_hundred_characters() -> None:
    edits = [
        row("replace", "t" * 300, f" {NOTES}{'c' * 300}"),
        [1],
        row("delete", "x", "spare"),
        row("append", "aim", "y"),
    ]
    reports = apply_patch("x", patch_from({"edits": edits})).reports
    assert dump_report(reports[0]) == {
        "index": 1,
        "op": "replace",
        "target": "t" * 200,
        "content_preview": "c" * 200,
        "status": "skipped_replace_target_not_found",
    }
    assert dump_report(reports[1]) == {
        "index": 2,
        "op": "",
        "target": "",
        "content_preview": "",
        "status": "error",
        "error": "an edit is an object, not list",
    }
    assert (reports[2].op, reports[2].content_preview, reports[2].status) == ("delete", "spare", "applied_delete")
    assert (reports[3].op, reports[3].target, reports[3].status) == ("append", "aim", "applied_append")


def test_edits_build_on_each_other_and_a_bad_one_does_not_stop_the_rest() -> None:
    edits = [row("append", content="one"), 7, row("insert_after", "one", "two"), row("delete", "one")]
    edited = apply_patch("", patch_from({"edits": edits}))
    assert edited.document == "\n\n\n\ntwo\n"
    assert [report.status for report in edited.reports] == [
        *("applied_append", "error", "applied_insert_after", "applied_delete")
    ]


def test_windows_line_ends_outside_an_edit_stay() -> None:
    assert apply_edit("a\r\nb\r\n", InsertAfter(target="a", content="c"))[0] == "a\r\n\nc\nb\r\n"


STRICT = [
    ("a b a", row("replace", "a", "x"), "skipped_ambiguous_target"),
    ("a b a", row("delete", "a"), "skipped_ambiguous_target"),
    ("aaa", row("delete", "aa"), "skipped_ambiguous_target"),
    ("a\na\n", row("insert_after", "a", "x"), "skipped_ambiguous_target"),
    ("a", row("insert_after", "b", "x"), "skipped_insert_after_target_not_found"),
    ("a", row("insert_after", "", "x"), "skipped_insert_after_missing_target"),
    ("a", row("replace", "b", "x"), "skipped_replace_target_not_found"),
    ("a", row("delete", ""), "skipped_delete_missing_target"),
    (f"slow {SLOW_BLOCK}", row("delete", "slow"), "skipped_ambiguous_target"),
    (f"here {SLOW_BLOCK}", row("insert_after", "here", "x"), "skipped_protected_region"),
    ("a", row("rename", "a"), "skipped_unknown_op"),
]


@pytest.mark.parametrize(("document", "edit", "status"), STRICT)
def test_a_strict_edit_refuses_to_guess(document: str, edit: object, status: str) -> None:
    edited = apply_patch(document, patch_from({"edits": [edit]}), strict=True)
    assert (edited.document, edited.reports[0].status) == (document, status)


def test_a_strict_edit_whose_place_is_certain_is_made() -> None:
    for op in ("append", "insert_after", "replace", "delete"):
        one = patch_from({"edits": [row(op, "three" if op != "append" else "", "new")]})
        assert apply_patch(BARE, one, strict=True) == apply_patch(BARE, one)


def test_edits_of_a_package_go_to_the_file_they_name() -> None:
    package = Package(
        files={"Skill.md": b"a\n", "references/x.md": b"b\xff\r\n", "y.py": b"c"}, executable=frozenset({"y.py"})
    )
    patch = Patch(
        edits=(
            Replace(target="a", content="A"),
            Append(content="B", file="references/x.md"),
            Delete(target="c", file="../y.py"),
            Delete(target="c", file="Y.py"),
            Append(content="\ud800", file="y.py"),
        )
    )
    edited = apply_to_package(package, patch)
    assert dict(edited.package.files) == {"Skill.md": b"A\n", "references/x.md": b"b\xff\n\nB\n", "y.py": b"c"}
    assert edited.package.executable == package.executable
    assert [report.status for report in edited.reports] == [
        *("applied_replace", "applied_append", "skipped_file_not_found", "skipped_file_not_found", "error")
    ]
    assert dump_report(edited.reports[1])["file"] == "references/x.md"


def test_a_malformed_edit_of_a_package_changes_nothing() -> None:
    package = Package(files={"SKILL.md": b"a"})
    edited = apply_to_package(package, ProposedPatch(edits=(MalformedEdit(error="no"), UnknownEdit(op="x"))))
    assert edited.package == package
    assert [report.status for report in edited.reports] == ["error", "skipped_unknown_op"]


pieces = st.sampled_from(["a", "b", "\n", " ", "\r\n", "é", SLOW, SLOW_END, NOTES, NOTES_END, "word", "_START -->"])
documents = st.lists(pieces, max_size=14).map("".join)
plain = st.text("ab \nçx", max_size=12)
contents = st.one_of(plain, documents)


def as_edit(op: str, target: str, content: str) -> object:
    return {"op": op, "target": target, "content": content}


@st.composite
def asked(draw: st.DrawFn, source: st.SearchStrategy[str] = documents) -> tuple[str, object]:
    """A document, and an edit whose target often is a part of it."""
    document = draw(source)
    start = draw(st.integers(0, len(document)))
    target = draw(st.one_of(st.just(document[start : start + draw(st.integers(0, 12))]), plain))
    op = draw(st.sampled_from(["append", "insert_after", "replace", "delete", "other"]))
    return document, draw(
        st.one_of(st.builds(as_edit, st.just(op), st.just(target), contents), st.integers(), st.none())
    )


@settings(deadline=None)
@given(asked(), st.booleans())
def test_every_edit_of_every_document_has_a_status(case: tuple[str, object], strict: bool) -> None:
    document, edit = case
    after, report = apply_edit(document, parse_edit(edit), strict=strict)
    assert report.status in get_args(Status)
    assert report.applied or after == document
    assert report.op in ("", "append", "insert_after", "replace", "delete", "other")


@settings(deadline=None)
@given(asked())
def test_bytes_outside_the_edit_never_change(case: tuple[str, object]) -> None:
    document, edit = case
    after, report = apply_edit(document, proposal := parse_edit(edit))
    if report.status in ("applied_replace", "applied_delete"):
        assert isinstance(proposal, Replace | Delete | SpareEdit)
        before, _, rest = document.partition(proposal.target)
        content = without_markers(proposal.content.strip()) if isinstance(proposal, Replace) else ""
        assert after == before + content + rest
    elif report.status == "applied_insert_after":
        assert isinstance(proposal, InsertAfter)
        added = f"\n{without_markers(proposal.content.strip())}\n"
        cut = after.find(added, document.find(proposal.target) + len(proposal.target))
        assert after.startswith(document[: document.find(proposal.target) + len(proposal.target)])
        assert len(after) == len(document) + len(added)
        assert cut >= 0
    elif report.applied:
        start = scan(document).first_start
        kept = document if start < 0 else document[:start]
        assert after.startswith(kept.rstrip())
        assert start < 0 or after.endswith(document[start:])


@settings(deadline=None)
@given(asked(plain))
def test_a_document_without_regions_fares_as_one_whose_empty_region_is_removed_afterwards(
    case: tuple[str, object],
) -> None:
    text, edit = case
    document = f"{text.strip()}\n"
    proposal = parse_edit(edit)
    target = "" if isinstance(proposal, MalformedEdit | Append) else proposal.target
    injected = with_inner(document, "appendix", "")
    found_in_the_markers_alone = target in injected and target not in document
    if "\n" in target or found_in_the_markers_alone or not document.strip():
        return
    alone, report = apply_edit(document, proposal)
    beside, other = apply_edit(injected, proposal)
    assert without_region(beside, "appendix").rstrip() == alone.rstrip()
    assert other.status.replace("before_protected_region", "append").replace("append_append", "append") == report.status


@settings(deadline=None)
@given(asked())
def test_strict_edits_never_touch_a_protected_region(case: tuple[str, object]) -> None:
    document, edit = case
    after, _ = apply_edit(document, parse_edit(edit), strict=True)
    for one in scan(document).regions:
        assert document[one.start : one.end] in after


@settings(deadline=None)
@given(st.lists(asked().map(lambda case: case[1]), max_size=4), documents)
def test_a_package_of_one_file_fares_as_its_document(edits: list[object], document: str) -> None:
    patch = patch_from({"edits": edits})
    edited = apply_to_package(Package(files={"SKILL.md": document.encode()}), patch)
    alone = apply_patch(document, patch)
    assert edited.package.document == alone.document.encode()
    assert edited.reports == alone.reports


@settings(deadline=None)
@given(st.binary(max_size=30))
def test_bytes_that_are_no_text_survive_an_edit(content: bytes) -> None:
    package = Package(files={"SKILL.md": content + b"|x"})
    edited = apply_to_package(package, Patch(edits=(Replace(target="|x", content="|y"),)))
    if b"|x" not in content:
        assert edited.package.document == content + b"|y"


def test_typed_edits_and_written_ones_do_the_same() -> None:
    typed: list[Edit] = [
        Append(content="n"),
        InsertAfter(target="one", content="n"),
        Replace(target="one", content="n"),
        Delete(target="one"),
    ]
    for edit, op in zip(typed, ("append", "insert_after", "replace", "delete"), strict=True):
        target = "" if op == "append" else "one"
        written = row(op, target, "" if op == "delete" else "n")
        assert parse_edit(written) == edit
        assert apply_patch(BARE, Patch(edits=(edit,))) == apply_patch(BARE, patch_from({"edits": [written]}))


def test_a_region_has_both_markers_in_order() -> None:
    assert region(LONE, "slow_update") is None
    assert region(TURNED, "slow_update") is None
    found = region(f"{SLOW_END}{SLOW}x{SLOW_END}y{SLOW_END}", "slow_update")
    assert found is not None
    assert (found.start, found.end) == (len(SLOW_END), len(f"{SLOW_END}{SLOW}x{SLOW_END}"))
