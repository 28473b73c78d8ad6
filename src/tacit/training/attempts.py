"""Every rollout of a run, begun once: early if that may help, and read by the run in its own order."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING

from tacit.training.halt import Halt
from tacit.training.rollout import Spent, hash_of
from tacit.training.usage import Bill, Usage, of_rollout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tacit.skills.package import Package
    from tacit.training.crew import Crew
    from tacit.training.pool import Pending
    from tacit.training.rollout import Roller
    from tacit.trials import Case, Rollout

NEEDED, AHEAD, FILLER, NEVER = 1, 5, 9, 99
"""Urgencies: others wait for it; perhaps nobody will; any time before the end; not handed in yet."""


class _Attempt:
    """One rollout that is made at most once, whoever comes first, and not at all while nobody wants it."""

    __slots__ = ("_begun", "_lock", "_make", "made", "read", "slim", "submitted", "urgency", "wanted")

    def __init__(self, roller: Roller, case: Case, skill: Package | None, sample: int) -> None:
        self._make = lambda: roller.roll(case, skill, sample)
        self._lock = threading.Lock()
        self._begun = False
        self.made: Future[Rollout | Spent] = Future()
        self.wanted = True
        self.read = False
        self.slim = False
        self.urgency = NEVER
        self.submitted: Pending[None] | None = None

    def run(self) -> None:
        """Make it, unless somebody did or nobody wants it."""
        with self._lock:
            if self._begun or not self.wanted:
                return
            self._begun = True
        try:
            self.made.set_result(self._make())
        except BaseException as error:  # noqa: BLE001 - raised again where the result is read
            self.made.set_exception(error)


class Attempts:
    """The rollouts of a run by case, skill and sample; only the thread that drives the run calls this."""

    def __init__(self, roller: Roller, crew: Crew, bill: Bill) -> None:
        self._roller = roller
        self._crew = crew
        self._bill = bill
        self._known: dict[tuple[str, str, int], _Attempt] = {}
        self._names: dict[int, tuple[Package | None, str]] = {}
        self._later: deque[_Attempt] = deque()

    def begin(
        self, cases: Iterable[Case], skill: Package | None, *, samples: Sequence[int] = (0,), urgency: int
    ) -> None:
        """Start what has not been started, and hurry what was started with less urgency."""
        for attempt in self._all(cases, skill, samples):
            if not attempt.made.done() and not (attempt.wanted and attempt.urgency <= urgency):
                self._submit(attempt, urgency)

    def later(self, cases: Iterable[Case], skill: Package | None, *, samples: Sequence[int] = (0,)) -> None:
        """Put aside what will be needed before the end, to be started when workers would have nothing to do."""
        self._later.extend(self._all(cases, skill, samples))

    def fill(self) -> None:
        """Start of what was put aside as much as keeps all workers busy beside what is under way, and no more."""
        free = self._crew.free()
        while free and self._later:
            attempt = self._later.popleft()
            if attempt.urgency == NEVER:
                self._submit(attempt, FILLER)
                free -= 1

    def read(self, case: Case, skill: Package | None, stage: str, *, sample: int = 0) -> Rollout:
        """A rollout when it is there, on the bill of the stage that reads it first; Halt when the budget is used up."""
        self.begin((case,), skill, samples=(sample,), urgency=NEEDED)
        (attempt,) = self._all((case,), skill, (sample,))
        if not attempt.made.done():
            self.fill()
        if attempt.submitted:
            attempt.submitted.result()
        rollout = attempt.made.result()
        if isinstance(rollout, Spent):
            raise Halt(rollout.reason)
        if not attempt.read:
            attempt.read = True
            self._bill.add(stage, of_rollout(rollout))
        return rollout

    def drop(self, cases: Iterable[Case], skill: Package | None, samples: Sequence[int]) -> None:
        """Nobody will want what was begun ahead; what is being made is finished all the same."""
        for attempt in self._all(cases, skill, samples):
            if not attempt.read and attempt.urgency == AHEAD:
                attempt.wanted = False

    def forget(self) -> None:
        """Keep nothing but scores of what was read so far: outputs and traces of a long run would fill the memory."""
        for attempt in self._known.values():
            if attempt.read and not attempt.slim:
                attempt.slim = True
                kept = attempt.made.result()
                attempt.made = Future()
                attempt.made.set_result(kept if isinstance(kept, Spent) else replace(kept, output="", trace=""))

    def spare(self) -> Usage:
        """What was made ahead and never read; how much that is depends on timing."""
        unused = Usage()
        for attempt in self._unread():
            result = attempt.made.result() if attempt.made.done() and not attempt.made.exception() else None
            if result is not None and not isinstance(result, Spent):
                unused += of_rollout(result)
        return unused

    def close(self) -> None:
        """Nothing more is wanted."""
        for attempt in self._unread():
            attempt.wanted = False

    def _submit(self, attempt: _Attempt, urgency: int) -> None:
        attempt.wanted, attempt.urgency = True, urgency
        attempt.submitted = self._crew.submit(attempt.run, urgency=urgency)

    def _unread(self) -> Iterator[_Attempt]:
        return (attempt for attempt in self._known.values() if not attempt.read)

    def _all(self, cases: Iterable[Case], skill: Package | None, samples: Sequence[int]) -> Iterator[_Attempt]:
        name = self._name(skill)
        for case in cases:
            for sample in samples:
                key = (case.id, name, sample)
                if key not in self._known:
                    self._known[key] = _Attempt(self._roller, case, skill, sample)
                yield self._known[key]

    def _name(self, skill: Package | None) -> str:
        """The skill's hash, computed once: it goes over every byte."""
        if id(skill) not in self._names:
            self._names[id(skill)] = (skill, hash_of(skill))
        return self._names[id(skill)][1]
