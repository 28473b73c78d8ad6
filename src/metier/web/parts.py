"""Parts that several pages show: quotes with their runs, and differences between two packages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metier.library.delivery.wording import QUOTED
from metier.models.price import SCRIPTED
from metier.skills.diff import file_diff
from metier.text.counts import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.skills.diff import FileChange
    from metier.types import Record
    from metier.types.lessons import Lesson

LINES = 600
"""Lines of a file's difference that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """Words that a lesson rests on, with who said them and where."""

    text: str
    who: str
    is_person: bool
    run: str
    request: str
    """What the run was about; empty: the run is gone."""
    when: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """A line of a difference."""

    kind: Literal["add", "drop", "place", "same"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffFile:
    """A file's difference."""

    path: str
    how: str
    lines: tuple[DiffLine, ...]
    hidden: int = 0
    """Lines that are not shown."""
    added: int = 0
    dropped: int = 0


def quoted(lesson: Lesson, records: Mapping[str, Record]) -> tuple[Quoted, ...]:
    """A lesson's quotes, the person's first; those of the same words once for each run."""
    found: dict[tuple[str, str], Quoted] = {}
    for one in sorted(lesson.quotes, key=lambda one: one.origin != "person"):
        record = records.get(one.run)
        found.setdefault(
            (" ".join(one.text.split()), one.run),
            Quoted(
                text=one.text.strip(),
                who=QUOTED.get(one.origin, one.origin),
                is_person=one.origin in ("person", "operator"),
                run=one.run,
                request=record.summary if record else "",
                when=(record.run.started or record.recorded) if record else "",
            ),
        )
    return tuple(found.values())


def answers_in_words(by_model: Mapping[str, int]) -> str:
    """Calls by who answered them: models, or a script where no model was asked."""
    scripted = sum(number for model, number in by_model.items() if model.startswith(SCRIPTED))
    asked = sum(by_model.values()) - scripted
    parts = (plural(asked, "model call") if asked else "", plural(scripted, "scripted answer") if scripted else "")
    return " and ".join(part for part in parts if part)


def diff_files(changed: Sequence[FileChange]) -> tuple[DiffFile, ...]:
    """What changed, file by file, line by line."""
    return tuple(_diff_file(one) for one in changed)


def _diff_file(change: FileChange) -> DiffFile:
    lines = [_diff_line(line) for number, line in enumerate(file_diff(change)) if number > 1 or line[:3] not in HEADS]
    return DiffFile(
        path=change.path,
        how=change.how,
        lines=tuple(lines[:LINES]),
        hidden=max(0, len(lines) - LINES),
        added=sum(one.kind == "add" for one in lines),
        dropped=sum(one.kind == "drop" for one in lines),
    )


HEADS = ("---", "+++")
KINDS: dict[str, Literal["add", "drop", "place"]] = {"+": "add", "-": "drop", "@": "place"}


def _diff_line(line: str) -> DiffLine:
    kind = KINDS.get(line[:1])
    if kind is None or kind == "place":
        return DiffLine(kind=kind or "same", text=line.removeprefix(" "))
    return DiffLine(kind=kind, text=line[1:])
