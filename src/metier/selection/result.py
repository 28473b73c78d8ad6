"""What came of a selection: the skills for an agent, in the form it takes, and the record of every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.selection.assembly.as_json import as_json
from metier.selection.assembly.render import hand_over

if TYPE_CHECKING:
    from metier.selection.assembly.assemble import Assembled
    from metier.selection.assembly.render import Form
    from metier.selection.candidates.eligibility import LeftOut
    from metier.selection.types import Choice, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The skills chosen for a task, and how it came about."""

    id: str
    """Of the stored selection, which is later linked to the run it served; empty: none was stored."""
    task: Task
    choice: Choice
    assembled: Assembled
    """What fits the budget."""
    budget: int
    embedder: str
    """What compared meanings."""
    library: str = ""
    """Stands for the state of the library."""
    refused: tuple[LeftOut, ...] = ()
    """Skills that came into question and may not be handed out, with the reason."""
    notes: tuple[str, ...] = ()
    """What did not go as it was set up: a model that cannot be asked, an embedder that failed."""
    seconds: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """The skills that are handed over, in order."""
        return tuple(one.name for one in self.assembled.skills)

    def render(self, form: Form = "markdown") -> str:
        """The skills as text for an agent, within the budget; no skills are no text."""
        return hand_over(self.choice.chosen, form, self.budget).text

    def as_json(self) -> dict[str, object]:
        """The skills with their content, and the record of every step."""
        return {
            "id": self.id,
            **as_json(self.choice, self.assembled),
            "refused": [{"name": one.name, "reason": one.reason} for one in self.refused],
            "embedder": self.embedder,
            "library": self.library,
            "notes": list(self.notes),
            "seconds": round(self.seconds, 4),
        }
