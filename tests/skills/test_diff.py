"""Two packages differ in values that can be shown, and from which the newer one can be made again."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from metier.skills.diff import NO_NEWLINE, changes, file_diff, side_by_side
from metier.skills.package import Package

OLD = Package(files={"SKILL.md": b"one\ntwo\nthree\n", "gone.md": b"x\n", "run.sh": b"#!\n", "b.bin": b"\0"})
NEW = Package(
    files={"SKILL.md": b"one\n2\nthree\nfour", "new.md": b"y", "run.sh": b"#!\n", "b.bin": b"\0\0"},
    executable=frozenset({"run.sh"}),
)


def test_every_file_that_differs_is_told() -> None:
    assert [(change.path, change.how) for change in changes(OLD, NEW)] == [
        ("SKILL.md", "changed"),
        ("b.bin", "changed"),
        ("gone.md", "removed"),
        ("new.md", "added"),
        ("run.sh", "changed"),
    ]
    assert changes(OLD, OLD) == ()


def test_a_unified_diff_says_where_the_last_newline_is_missing() -> None:
    document, binary, gone, new, mode = changes(OLD, NEW)
    assert file_diff(document) == (
        *("--- a/SKILL.md", "+++ b/SKILL.md", "@@ -1,3 +1,4 @@"),
        *(" one", "-two", "+2", " three", "+four", NO_NEWLINE),
    )
    assert file_diff(binary) == ("Files a/b.bin and b/b.bin differ",)
    assert file_diff(gone) == ("--- a/gone.md", "+++ /dev/null", "@@ -1 +0,0 @@", "-x")
    assert file_diff(new) == ("--- /dev/null", "+++ b/new.md", "@@ -0,0 +1 @@", "+y", NO_NEWLINE)
    assert file_diff(mode) == ("executable: no -> yes",)
    assert side_by_side(binary) == ()


def test_rows_stand_side_by_side() -> None:
    rows = side_by_side(changes(OLD, NEW)[0])
    assert [(row.how, row.left, row.right) for row in rows] == [
        ("same", "one", "one"),
        ("changed", "two", "2"),
        ("same", "three", "three"),
        ("added", None, "four"),
    ]
    assert [(row.left_line, row.right_line) for row in rows] == [(1, 1), (2, 2), (3, 3), (None, 4)]


lines = st.lists(st.sampled_from(["a", "b", "- c", "-- d", "", "é\r"]), max_size=8).map("\n".join)


@settings(deadline=None)
@given(lines, lines)
def test_both_sides_can_be_read_back_from_the_rows(before: str, after: str) -> None:
    found = changes(Package(files={"x": before.encode()}), Package(files={"x": after.encode()}))
    assert bool(found) == (before != after)
    for change in found:
        rows = side_by_side(change)
        assert [row.left for row in rows if row.left is not None] == before.removesuffix("\n").split("\n") * bool(
            before
        )
        assert [row.right for row in rows if row.right is not None] == after.removesuffix("\n").split("\n") * bool(
            after
        )
        assert any(line[:1] in ("+", "-") for line in file_diff(change)[2:])
