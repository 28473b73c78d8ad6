"""Where grouping put a run: it belongs to a pattern or waits; and what tells whether another belongs there too."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A run in a pattern."""

    run: str
    pattern: str
    sequence: int
    """The run's own."""
    success: bool
    path: tuple[str, ...] = ()
    """The skills it used."""
    reason: str = ""
    """Why it is here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingRun:
    """A run that stays new, and why."""

    run: str
    reason: str
    success: bool | None = None
    """How it went, as judged; None: it is no evidence."""
    text: str = ""
    """What was asked, as far as grouping looks at it; empty: it is no evidence."""
    hints: tuple[str, ...] = ()
    """What was done, in a few words each."""
    label: str = ""
    """What a model called this kind of work; empty: nobody has."""
    embedder: str = ""
    """What made the vector; those of two embedders do not compare."""
    vector: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCluster:
    """A cluster as it is kept."""

    pattern: str
    body: str
    """JSON."""
    vectors: bytes
    """Numbers of four bytes."""
