"""Edits: bounded changes to text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """Add text at the end of a file."""

    content: str
    file: str = "SKILL.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertAfter:
    """Add text behind the line that holds the target."""

    target: str
    content: str
    file: str = "SKILL.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace:
    """Put other text in the target's place."""

    target: str
    content: str
    file: str = "SKILL.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """Take the target out."""

    target: str
    file: str = "SKILL.md"


Edit = Append | InsertAfter | Replace | Delete


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """Edits in order, each on the result of the one before, and why."""

    edits: tuple[Edit, ...]
    reasoning: str = ""
