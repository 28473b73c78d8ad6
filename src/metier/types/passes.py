"""What a pass of learning did: where every run went, what became of every pattern, what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metier.types.skills import AgingPass

if TYPE_CHECKING:
    from metier.types import Draft, Pattern
    from metier.types.lessons import Lesson, Problem
    from metier.types.skills import Version

NOTHING_AGED = AgingPass(evaluated=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a pass is to go."""

    apply: bool | None = None
    """Whether drafts that pass are shipped; None: as the mode says."""
    dry_run: bool = False
    """Write nothing and ask no model; only say what would happen."""
    wait: float = 0.0
    """Seconds to wait for another learner of this workspace."""


Where = Literal["rejected", "unknown", "joined", "formed", "waits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """Where one run went in a pass, and why."""

    run: str
    where: Where
    reason: str
    pattern: str = ""
    """The pattern's id, where it went to one."""
    is_earlier: bool = False
    """Whether an earlier pass had read it: it waited, and was looked at again."""


What = Literal["drafted", "refreshed", "applied", "left", "refused", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a pass did with one ready pattern, and why."""

    pattern: str
    label: str
    what: What
    reason: str
    draft: Draft | None = None
    version: Version | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """A whole pass."""

    evidence: int = 0
    """New runs that taught something."""
    fates: tuple[Fate, ...] = ()
    new: tuple[Pattern, ...] = ()
    extended: tuple[Pattern, ...] = ()
    taken: tuple[Taken, ...] = ()
    """In the order the patterns were looked at; those that nothing had to be done for are left out."""
    lifecycle: AgingPass = NOTHING_AGED
    lessons: tuple[Lesson, ...] = ()
    """All that were found so far, the strongest proposals first."""
    problems: tuple[Problem, ...] = ()
    drafter: str = "heuristic"
    calls: int = 0
    """Calls to a model that were made; answers that were known already cost none."""
    cost_usd: float | None = 0.0
    """None: nobody knows the price."""
    notes: tuple[str, ...] = ()
    """What a person should know once: no model, an outage."""
    dry_run: bool = False
    ships: bool = False
    """Whether drafts that pass are shipped."""

    @property
    def drafts(self) -> tuple[Draft, ...]:
        """The drafts that are new or changed."""
        return tuple(one.draft for one in self.taken if one.draft is not None and one.what != "left")

    @property
    def held_back(self) -> tuple[Taken, ...]:
        """Drafts that a pass which ships did not ship, each with the reason."""
        return tuple(one for one in self.taken if self.ships and one.draft is not None and one.version is None)

    @property
    def applied(self) -> tuple[Version, ...]:
        """The versions that were shipped."""
        return tuple(one.version for one in self.taken if one.version is not None)

    @property
    def rejected(self) -> tuple[Fate, ...]:
        """The runs that were no evidence."""
        return tuple(one for one in self.fates if one.where in ("rejected", "unknown"))

    @property
    def failed(self) -> tuple[Taken, ...]:
        """Patterns whose draft could not be made or shipped."""
        return tuple(one for one in self.taken if one.what == "failed")

    @property
    def summary(self) -> str:
        """What it came to, in a few words and with the command that shows it."""
        drafts, versions = len(self.drafts) - len(self.applied), len(self.applied)
        parts = [f"{versions} skill{'' if versions == 1 else 's'} changed (metier skills list)"] if versions else []
        parts += [f"{drafts} draft{'' if drafts == 1 else 's'} (metier drafts list)"] if drafts > 0 else []
        waiting = sum(one.is_open for one in self.lessons)
        wait = "1 lesson waits" if waiting == 1 else f"{waiting} lessons wait"
        parts += [f"{wait} (metier lessons review)"] if waiting else []
        parts += [f"{len(self.failed)} failed"] if self.failed else []
        return ", ".join(parts) or "nothing to decide yet"
