"""What two packages differ in, file by file, as values to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.skills.package import Package

MAX_BYTES = 1024 * 1024
"""Larger files are said to differ, not compared line by line."""
NO_NEWLINE = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file that is not the same in both packages."""

    path: str
    how: Literal["added", "removed", "changed"]
    before: bytes
    after: bytes
    was_executable: bool = False
    is_executable: bool = False

    @property
    def is_text(self) -> bool:
        """Whether it can be shown line by line: UTF-8 without NUL, and not too large."""
        return all(_is_text(side) for side in (self.before, self.after))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line side by side with its counterpart; a side that has none is None."""

    how: Literal["same", "changed", "added", "removed"]
    left_line: int | None
    left: str | None
    right_line: int | None
    right: str | None


def changes(before: Package, after: Package) -> tuple[FileChange, ...]:
    """Every file that was added, removed or changed, by path."""
    paths = sorted(before.files.keys() | after.files.keys())
    return tuple(change for path in paths if (change := _change(before, after, path)))


def file_diff(change: FileChange, *, context: int = 3) -> tuple[str, ...]:
    """A file's change as the lines of a unified diff, without line breaks."""
    old = "/dev/null" if change.how == "added" else f"a/{change.path}"
    new = "/dev/null" if change.how == "removed" else f"b/{change.path}"
    mode: tuple[str, ...] = ()
    if change.how == "changed" and change.was_executable != change.is_executable:
        mode = (f"executable: {_yes(change.was_executable)} -> {_yes(change.is_executable)}",)
    if not change.is_text:
        same = change.before == change.after
        return mode if same else (*mode, f"Files {old} and {new} differ")
    lines = unified_diff(_lines(change.before), _lines(change.after), old, new, n=context, lineterm="")
    return (*mode, *(part for number, line in enumerate(lines) for part in _ended(line, header=number < 2)))


def side_by_side(change: FileChange) -> tuple[Row, ...]:
    """All lines of both sides in rows; a file that is no text has none."""
    if not change.is_text:
        return ()
    left, right = _lines(change.before), _lines(change.after)
    matcher = SequenceMatcher(None, left, right)
    found: list[Row] = []
    for _, start, end, first, last in matcher.get_opcodes():
        for step in range(max(end - start, last - first)):
            a = start + step if start + step < end else None
            b = first + step if first + step < last else None
            found.append(_row(left, right, a, b))
    return tuple(found)


def _row(left: list[str], right: list[str], a: int | None, b: int | None) -> Row:
    one = None if a is None else left[a]
    two = None if b is None else right[b]
    return Row(
        how="added" if one is None else "removed" if two is None else "same" if one == two else "changed",
        left_line=None if a is None else a + 1,
        left=None if one is None else one.removesuffix("\n"),
        right_line=None if b is None else b + 1,
        right=None if two is None else two.removesuffix("\n"),
    )


def _change(before: Package, after: Package, path: str) -> FileChange | None:
    was, now = before.files.get(path), after.files.get(path)
    ran, runs = path in before.executable, path in after.executable
    if was == now and ran == runs:
        return None
    how: Literal["added", "removed", "changed"] = "added" if was is None else "removed" if now is None else "changed"
    return FileChange(path=path, how=how, before=was or b"", after=now or b"", was_executable=ran, is_executable=runs)


def _lines(content: bytes) -> list[str]:
    """Lines with their `\\n`; a CR stays visible as part of its line."""
    lines = content.decode().split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _ended(line: str, *, header: bool) -> Iterator[str]:
    """A line of a diff without its break, followed by a remark where the file has none."""
    yield line.removesuffix("\n")
    if not header and line[:1] in (" ", "+", "-") and not line.endswith("\n"):
        yield NO_NEWLINE


def _is_text(content: bytes) -> bool:
    if len(content) > MAX_BYTES or b"\0" in content:
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _yes(flag: bool) -> str:  # noqa: FBT001
    return "yes" if flag else "no"
