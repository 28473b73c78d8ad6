"""The appendix of a skill: short reminders in a protected region, each of them once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.skills.document.regions import MARKERS, inner, region, with_inner, without_markers

if TYPE_CHECKING:
    from collections.abc import Iterable

_BULLETS = re.compile(r"\A(?:[-*](?:\s+|$))+")
_HEADING = re.compile(r"#{1,6}(?:\s|\Z)")
_TRAILING = " .,;:!?…。！？-_"


def inject(document: str) -> str:
    """The document with an appendix, empty at first; one that has it already is not changed."""
    return document if region(document, "appendix") else with_inner(document, "appendix", "")


def extract(document: str) -> tuple[str, ...]:
    """The notes of the appendix in order, without their bullets; a heading is no note."""
    return tuple(note for line in _lines(document) if (note := _without_bullet(line)) and not _HEADING.match(note))


def append(document: str, notes: Iterable[str], *, limit: int | None = None) -> str:
    """The document with the notes it does not have yet at the end of its appendix, which is added if need be.

    A note is not new because of case, white space or trailing punctuation. Above `limit` notes the oldest make room.
    """
    there = extract(document)
    new = unique(notes, known=there)
    if not new:
        return inject(document)
    if limit is not None and len(there) + len(new) > limit:
        return replace(document, cap((*there, *new), limit))
    document = inject(document)
    found = region(document, "appendix")
    assert found  # noqa: S101  # inject has just seen to it
    at = found.end - len(MARKERS["appendix"][1])
    return f"{document[:at].rstrip()}\n{_listed(new)}\n{document[at:]}"


def replace(document: str, notes: Iterable[str]) -> str:
    """The document with these notes in place of all its own, below its headings; said twice, a note is kept once."""
    headings = [line for line in _lines(document) if _HEADING.match(line.strip())]
    return with_inner(document, "appendix", "\n".join((*headings, _listed(unique(notes)))))


def cap(notes: Iterable[str], limit: int) -> tuple[str, ...]:
    """The newest notes, at most `limit`."""
    kept = tuple(notes)
    return kept[max(0, len(kept) - limit) :] if limit > 0 else ()


def unique(notes: Iterable[str], *, known: Iterable[str] = ()) -> tuple[str, ...]:
    """The notes on one line each, without markers and headings, without those that are known or were said before."""
    seen = {_key(note) for note in known}
    found: list[str] = []
    for note in notes:
        line = _without_bullet(without_markers(" ".join(note.split())))
        if (key := _key(line)) and key not in seen and not _HEADING.match(line):
            seen.add(key)
            found.append(line)
    return tuple(found)


def _key(note: str) -> str:
    return " ".join(note.casefold().split()).rstrip(_TRAILING)


def _lines(document: str) -> list[str]:
    return (inner(document, "appendix") or "").splitlines()


def _without_bullet(line: str) -> str:
    return _BULLETS.sub("", line.strip())


def _listed(notes: Iterable[str]) -> str:
    return "\n".join(f"- {note}" for note in notes)
