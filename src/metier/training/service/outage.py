"""When nothing works any more a training stops, and what failed meanwhile is tried again when it goes on."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from metier.models.failures import FAILURES, Malformed, OverBudget, RateLimited, Refused, TimedOut, Unreachable
from metier.models.http.transport import CLOSED
from metier.types.trials import Rollout, Unscored

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.model import Model, Reply, Request, Texts, Vectors
    from metier.training.rollouts.cached import RolloutKeeper
    from metier.training.rollouts.rollout import BudgetSpent
    from metier.training.service.budget import StopSignal

AT_FIRST, IN_A_ROW = 3, 12
"""Attempts without a score after which a training stops: before any had one, and later."""

CALLS_AT_FIRST, CALLS_IN_A_ROW = 1, 3
"""Calls without an answer after which a model counts as down: before it ever answered, and later."""
DENIED = (401, 402, 403, 404, 407)
"""Statuses that no other question would change: the key, the bill, the name."""


class HoldUnscored:
    """A keeper that keeps what could not be scored once something could again: until then the world may be down."""

    def __init__(self, keeper: RolloutKeeper, closing: StopSignal) -> None:
        self._keeper = keeper
        self._closing = closing
        self._doubtful: dict[str, tuple[int, Rollout]] = {}
        """Those that could not be scored, and when, since one could that was begun later."""
        self._working: set[str] = set()
        """The skills under which something was scored."""
        self._begun = 0
        self._mine = threading.local()
        self._lock = threading.Lock()

    def get(self, key: str) -> Rollout | None:
        """The rollout under a key, if it was made before."""
        _, kept = self._doubtful.get(key) or (0, self._keeper.get(key))
        if kept and not isinstance(kept.score, Unscored):
            self._working.add(kept.skill_hash)
        return kept

    def begin(self) -> BudgetSpent | None:
        """As the keeper has it; what this thread puts next was begun now."""
        with self._lock:
            self._begun += 1
            self._mine.begun = self._begun
        return self._keeper.begin()

    def undo(self) -> None:
        """As the keeper has it."""
        self._keeper.undo()

    def put(self, key: str, rollout: Rollout) -> None:
        """Keep one, or put it aside."""
        if isinstance(rollout.score, Unscored):
            with self._lock:
                if not self._closing.stopped.is_set():  # else it was ended by us, which says nothing
                    self._doubtful[key] = (self._begun, rollout)
                    self._look(rollout.score)
            return
        self._working.add(rollout.skill_hash)
        if self._doubtful:
            self._settle(before=getattr(self._mine, "begun", 0))
        self._keeper.put(key, rollout)

    def settle(self) -> None:
        """Keep what was put aside: the work has come to its end."""
        self._settle(before=self._begun + 1)

    def _settle(self, before: int) -> None:
        """Keep what failed before something was begun that then went well; not once all has stopped."""
        with self._lock:
            if self._closing.stopped.is_set():
                return
            early = [key for key, (at, _) in self._doubtful.items() if at < before]
            kept = [(key, self._doubtful[key][1]) for key in early]
            for key, rollout in kept:
                self._keeper.put(key, rollout)
                del self._doubtful[key]

    def _look(self, last: Unscored) -> None:
        """Stop when it looks as if nothing worked any more; a skill that never worked may be at fault itself."""
        failed = len(self._doubtful)
        skills = {one.skill_hash for _, one in self._doubtful.values()}
        if not self._working and failed >= AT_FIRST:
            self._closing.stop(f"the first {failed} attempts could not be scored ({last.reason})")
        elif failed >= IN_A_ROW and (len(skills) > 1 or skills & self._working):
            self._closing.stop(f"{failed} attempts in a row could not be scored ({last.reason})")


class StopWhenModelDown:
    """Passes calls on, and closes the training when too many in a row came to nothing."""

    def __init__(self, model: Model, closing: StopSignal) -> None:
        self.model = model
        self._closing = closing
        self._worked = False
        self._lost = 0
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        """That of the model asked."""
        return self.model.identity

    def complete(self, request: Request) -> Reply | Failure:
        """The reply; a failure that ends the training is OverBudget: nothing more is asked."""
        result = self.model.complete(request)
        with self._lock:
            self._worked = self._worked or not isinstance(result, FAILURES)
            down = result if isinstance(result, FAILURES) and self._is_down(result) else None
            self._lost = self._lost + 1 if down else 0
            patient = self._worked or isinstance(down, Malformed)
            over = self._lost >= (CALLS_IN_A_ROW if patient else CALLS_AT_FIRST)
        if down is None or not over:
            return result
        self._closing.stop(f"{self.identity} does not answer ({down.reason})")
        return OverBudget(reason=self._closing.why())

    def _is_down(self, failure: Failure) -> bool:
        """Whether a failure speaks of the server, not of what it was asked."""
        if isinstance(failure, Refused):
            return failure.status in DENIED and failure.reason != CLOSED.reason
        if isinstance(failure, Malformed):
            return not self._worked  # another kind of server may be behind that address
        return isinstance(failure, Unreachable | TimedOut | RateLimited)

    def embed(self, texts: Texts) -> Vectors | Failure:
        """As the model does it."""
        return self.model.embed(texts)
