"""What a run yields about its search: which gate comes now and why, what each edit was worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Worth = tuple[str, float, float, float, bool]
"""An edit in short, its effect, the interval's ends, whether it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """A gate begins to look at a candidate."""

    step: int
    change: str
    how: Literal["race", "screen"]
    """Side by side with the current skill, or each edit by itself."""
    edits: int
    """Of which it consists; 0: it is of one piece."""
    cases: int
    passes: int
    """How often the gate goes over the cases."""
    dry: int
    """Candidates before it that brought nothing."""
    attempt: int
    """The number of the attempts it compares on; 0 are those that skills are reported by."""
    rival: Literal["current", "best"] = "current"
    """The skill it has to beat."""
    known: bool = False
    """Whether that skill has its scores already, so that the candidate alone is tried."""
    bundles: int = 0
    """Candidates in a row that were not taken as a whole, where that is why each edit is looked at by itself."""
    kind: Literal["judging"] = "judging"

    def line(self) -> str:
        """For people."""
        what = f"{self.edits} edits are screened" if self.how == "screen" else "the candidate is raced"
        often = f", {self.passes} times over" if self.passes > 1 else ""
        return f"step {self.step}: {what} on {self.cases} val cases{often}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """Each of many edits has an effect of its own."""

    step: int
    bar: float
    """Standard errors an effect must stand above zero."""
    effects: tuple[Worth, ...]
    kind: Literal["screened"] = "screened"

    def line(self) -> str:
        """For people."""
        return f"step {self.step}: {sum(one[4] for one in self.effects)} of {len(self.effects)} edits stand out"
