"""The shape of a content rule: data that says what to look for, why it matters and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from metier.review.text.views import ReviewedText
    from metier.types import Severity

Analyse: TypeAlias = "Callable[[ReviewedText], Iterator[tuple[int, int]]]"
Place = Literal["anywhere", "script", "description"]
Style = Literal["prose", "command", "encoded"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    """One thing that honest skills do not do; each is only ever itself, so that many are looked up at once quickly."""

    id: str
    tag: str
    """Its place in the OWASP Agentic Skills Top 10."""
    severity: Severity
    reason: str
    """What is wrong, in a sentence for someone who does not know the rule."""
    fix: str
    patterns: tuple[str, ...] = ()
    """Each of them alone is a finding."""
    together: tuple[str, ...] = ()
    """All of them near each other are a finding, placed at the first."""
    within: int = 200
    """How near `together` means, in characters of running text."""
    unless: tuple[str, ...] = ()
    """All of these around a match make it harmless: it is quoted, or it speaks of the local machine."""
    around: int = 80
    """How far `unless` reaches to both sides."""
    known: str = ""
    """A match is harmless if every address in it matches this."""
    style: Style = "prose"
    """Prose is also read as running text, commands without quotes and continued lines; encoded: only decoded text."""
    place: Place = "anywhere"
    analyse: Analyse | None = None
    """A look of its own, for what no pattern says: spans of the original text."""
