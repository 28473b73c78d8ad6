"""The shape of a rule: what it means for a person, what to look for, and how much it counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.types import Severity

Reading = Literal["prose", "commands", "unseen", "encoded", "description"]
"""What of a text a rule is read against: sentences, command lines, what a reader does not see, what is encoded."""
File = Literal["any", "document", "script"]
BLOCKS = 1.0
"""Evidence in one place that adds up to this is hostile."""
WEAK = 0.6
"""What a way counts at most that finds ordinary packages, too, and attacks not much oftener."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way in which a text shows something: all of these parts in one place."""

    all: tuple[str, ...]
    """Patterns; the first says where the finding is."""
    within: str
    """How near the parts are: `sentence`, `sentences` (and its neighbours), `line`, `file`, `package`, or bytes."""
    unless: str = ""
    """What in the same place makes it harmless."""
    reads: tuple[Reading, ...] = ("prose",)
    """What is read; the rule says it for all its ways, if a way does not."""
    excusable: bool = True
    """Whether a negation before it, or talk of attacks around it, makes it harmless."""
    files: tuple[File, ...] = ()
    """For `package`: in which files each part is looked for."""
    weak: bool = False
    """Whether it finds ordinary packages too often to block alone (`benchmarks/review/fit.py --ways`)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    """One thing that a package may show; each is only ever itself, so that many are looked up at once quickly."""

    id: str
    family: str
    tag: str
    """Its place in the OWASP Agentic Skills Top 10."""
    reason: str
    """What it means, in a sentence for someone who does not know the rule."""
    fix: str
    severity: Severity
    weight: float = 0.0
    """How much it counts as evidence of an attack; from `BLOCKS` on it blocks alone."""
    asks: str = ""
    """For what is no attack but needs a yes: what is asked for; `{host}` is the host that is named."""
    reads: tuple[Reading, ...] = ("prose",)
    file: File = "any"
    ways: tuple[Way, ...] = ()
    look: str = ""
    """The name of a look of its own, for what no pattern says."""
    excusable: bool = True
    """Whether a negation before it, or talk of attacks around it, makes it harmless."""
    hostile: tuple[str, ...] = ()
    """Examples that it finds."""
    harmless: tuple[str, ...] = ()
    """Examples that look alike and that it leaves."""

    def ways_for(self, kinds: tuple[Reading, ...]) -> Iterator[Way]:
        """Its ways that are for one of these readings."""
        return (way for way in self.ways if any(kind in way.reads for kind in kinds))
