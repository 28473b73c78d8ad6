"""A roller that makes each rollout once: what was made before is taken from its keeper, and nobody makes it twice."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from metier.training.rollouts.rollout import BudgetSpent

if TYPE_CHECKING:
    from metier.skills.package import Package
    from metier.types.trials import Case, Rollout


class RolloutKeeper(Protocol):
    """Keeps rollouts, and counts those that are made."""

    def get(self, key: str) -> Rollout | None:
        """The rollout under a key, if it was made before."""
        ...

    def begin(self) -> BudgetSpent | None:
        """Count one that is about to be made, for good; or say that there may be no more."""
        ...

    def undo(self) -> None:
        """Take one back that was counted, as nothing was spent on it after all."""
        ...

    def put(self, key: str, rollout: Rollout) -> None:
        """Keep one; it is there for good at the latest before the same thread begins another."""
        ...


@dataclass(slots=True)
class MemoryKeeper:
    """A keeper that lasts as long as the process."""

    limit: int | None = None
    made: int = 0
    rollouts: dict[str, Rollout] = field(default_factory=dict[str, "Rollout"])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, key: str) -> Rollout | None:
        """The rollout under a key, if it was made before."""
        return self.rollouts.get(key)

    def begin(self) -> BudgetSpent | None:
        """Count one more, if there may be one."""
        with self._lock:
            if self.limit is not None and self.made >= self.limit:
                return BudgetSpent(reason=f"the budget of {self.limit} rollouts is used up")
            self.made += 1
        return None

    def undo(self) -> None:
        """Count one less."""
        with self._lock:
            self.made -= 1

    def put(self, key: str, rollout: Rollout) -> None:
        """Keep one."""
        self.rollouts[key] = rollout


class KeyedRoller(Protocol):
    """A roller that knows what its rollouts are kept under."""

    def key(self, case: Case, skill: Package | None, sample: int) -> str:
        """The hash of all that determines a rollout."""
        ...

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        """One rollout, or that nothing more may be spent."""
        ...


class CachedRoller:
    """A roller that makes only what is not kept yet; equal rollouts asked for at the same time are one."""

    def __init__(self, roller: KeyedRoller, keeper: RolloutKeeper) -> None:
        self._roller = roller
        self._keeper = keeper
        self._under_way: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def holds(self, case: Case, skill: Package | None, sample: int) -> bool:
        """Whether a rollout was made before."""
        return self._keeper.get(self._roller.key(case, skill, sample)) is not None

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        """The kept rollout, or a new one."""
        key = self._roller.key(case, skill, sample)
        while True:
            kept = self._keeper.get(key)
            if kept is not None:
                return kept
            with self._lock:
                other = self._under_way.get(key)
                if other is None:
                    self._under_way[key] = ours = threading.Lock()
                    ours.acquire()
                    break
            with other:  # until it is released
                pass
            if self._keeper.get(key) is None:  # it came to nothing there, and would here
                return BudgetSpent(reason="the same rollout was not made elsewhere: nothing more may be spent")
        try:
            return self._made(key, case, skill, sample)
        finally:
            with self._lock:
                self._under_way.pop(key).release()

    def _made(self, key: str, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        kept = self._keeper.get(key)  # somebody may have finished between our look and our start
        if kept is not None:
            return kept
        spent = self._keeper.begin()
        if spent is not None:
            return spent
        made = self._roller.roll(case, skill, sample)
        if not isinstance(made, BudgetSpent):
            self._keeper.put(key, made)
        elif not made.made:
            self._keeper.undo()
        return made
