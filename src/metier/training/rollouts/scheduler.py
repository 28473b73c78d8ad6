"""Every rollout of a run, begun once: early if that may help, and read by the run in its own order."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from metier.training.rollouts.rollout import BudgetSpent, Halt, hash_of
from metier.training.rollouts.usage import Bill, StageUsage, rollout_usage, sum_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from metier.skills.package import Package
    from metier.training.rollouts.pool import Pending, PoolUsage
    from metier.training.rollouts.rollout import Roller
    from metier.types.trials import Case, Rollout

NEEDED, AHEAD, FILLER, NEVER = 1, 5, 9, 99
"""Urgencies: others wait for it; perhaps nobody will; any time before the end; not handed in yet."""

LITTLE = 500
"""Characters of a rollout that are kept to the end: a long run makes some ten thousand."""


class _Attempt:
    """One rollout that is made at most once, whoever comes first, and not at all while nobody wants it."""

    __slots__ = (
        "_begun",
        "_bell",
        "_error",
        "_made",
        "_make",
        "done",
        "read",
        "slim",
        "submitted",
        "urgency",
        "wanted",
    )

    def __init__(self, make: Callable[[], Rollout | BudgetSpent], bell: threading.Condition) -> None:
        self._make = make
        self._bell = bell
        """Shared by all attempts of a run, as one thread alone waits for them."""
        self._begun = False
        self._made: Rollout | BudgetSpent | None = None
        self._error: BaseException | None = None
        self.done = False
        self.wanted = True
        self.read = False
        self.slim = False
        self.urgency = NEVER
        self.submitted: Pending[None] | None = None

    def run(self) -> None:
        """Make it, unless somebody did or nobody wants it."""
        with self._bell:
            if self._begun or not self.wanted:
                return
            self._begun = True
        try:
            self._made = self._make()
        except BaseException as error:  # noqa: BLE001 - raised again where the result is read
            self._error = error
        with self._bell:
            self.done = True
            self._bell.notify()

    def result(self) -> Rollout | BudgetSpent:
        """What was made, as soon as it is; raises what its making raised, or that it was dropped."""
        if not self.done and self.submitted:
            self.submitted.result()
        with self._bell:
            self._bell.wait_for(lambda: self.done)
        if self._error is not None:
            raise self._error
        return cast("Rollout | BudgetSpent", self._made)

    def wait(self) -> None:
        """Until it is made, or will never be."""
        with suppress(Exception):  # raised where the result is read
            self.result()

    def usage(self) -> StageUsage:
        """What it took, as far as that is known."""
        return StageUsage() if self._made is None or isinstance(self._made, BudgetSpent) else rollout_usage(self._made)

    def slimmed(self) -> None:
        """Without output and trace, if they take much room."""
        made = self._made
        if not self.slim and made is not None:
            self.slim = True
            if not isinstance(made, BudgetSpent) and len(made.output) + len(made.trace) > LITTLE:
                self._made = replace(made, output="", trace="")


class RolloutScheduler:
    """The rollouts of a run by case, skill and sample; only the thread that drives the run calls this."""

    def __init__(self, roller: Roller, crew: PoolUsage, bill: Bill) -> None:
        self._roller = roller
        self._crew = crew
        self._bill = bill
        self._known: dict[tuple[str, str, int], _Attempt] = {}
        self._names: dict[int, tuple[Package | None, str]] = {}
        self._later: deque[_Attempt] = deque()
        self._after: dict[str, list[_Attempt]] = {}
        """By the skill's hash, what others will ask for."""
        self._bell = threading.Condition()

    def begin(
        self, cases: Iterable[Case], skill: Package | None, *, samples: Sequence[int] = (0,), urgency: int
    ) -> None:
        """Start what has not been started, and hurry what was started with less urgency."""
        for attempt in self._all(cases, skill, samples):
            if not attempt.done and not (attempt.wanted and attempt.urgency <= urgency):
                self._submit(attempt, urgency)

    def put_aside(self, cases: Iterable[Case], skill: Package | None, *, samples: Sequence[int] = (0,)) -> None:
        """Put aside what will be needed before the end, to be started when workers would have nothing to do."""
        self._later.extend(self._all(cases, skill, samples))

    def put_aside_for_confirm(self, cases: Iterable[Case], skill: Package | None) -> None:
        """The same for what somebody will ask for after the run, if the skill is then the one it is about."""
        found = tuple(self._all(cases, skill, (0,)))
        self._later.extend(found)
        self._after.setdefault(self._name(skill), []).extend(found)

    def fill_idle_workers(self) -> None:
        """Start of what was put aside as much as keeps all workers busy beside what is under way, and no more."""
        free = self._crew.free()
        while free and self._later:
            attempt = self._later.popleft()
            if attempt.urgency == NEVER:
                self._submit(attempt, FILLER)
                free -= 1

    def read(self, case: Case, skill: Package | None, stage: str, *, sample: int = 0) -> Rollout:
        """A rollout when it is there, on the bill of the stage that reads it first; Halt when the budget is used up."""
        attempt = self._known.get((case.id, self._name(skill), sample))
        if attempt is None or not attempt.done:
            self.begin((case,), skill, samples=(sample,), urgency=NEEDED)
            (attempt,) = self._all((case,), skill, (sample,))
            self.fill_idle_workers()
        rollout = attempt.result()
        if isinstance(rollout, BudgetSpent):
            raise Halt(rollout.reason)
        if not attempt.read:
            attempt.read = True
            self._bill.add(stage, rollout_usage(rollout))
        return rollout

    def wait(self, cases: Sequence[Case], skill: Package | None, *, sample: int = 0) -> None:
        """Until these rollouts are there: the last first, as it costs more to be woken for each than to come late."""
        self.begin(cases, skill, samples=(sample,), urgency=NEEDED)
        self.fill_idle_workers()
        for attempt in reversed(tuple(self._all(cases, skill, (sample,)))):
            attempt.wait()

    def drop(self, cases: Iterable[Case], skill: Package | None, samples: Sequence[int]) -> None:
        """Nobody will want what was begun ahead; what is being made is finished all the same."""
        for attempt in self._all(cases, skill, samples):
            if not attempt.read and attempt.urgency == AHEAD:
                attempt.wanted = False

    def forget(self) -> None:
        """Keep nothing but scores of what was read so far: outputs and traces of a long run would fill the memory."""
        for attempt in self._known.values():
            if attempt.read:
                attempt.slimmed()

    def unused_usage(self, *about: Package) -> StageUsage:
        """What was made ahead and never read, nor will be after a run about these skills; it depends on timing."""
        needed = {id(attempt) for skill in about for attempt in self._after.get(self._name(skill), ())}
        return sum_usage([one.usage() for one in self._unread() if one.done and id(one) not in needed])

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
                    self._known[key] = _Attempt(partial(self._roller.roll, case, skill, sample), self._bell)
                yield self._known[key]

    def _name(self, skill: Package | None) -> str:
        """The skill's hash, computed once: it goes over every byte."""
        if id(skill) not in self._names:
            self._names[id(skill)] = (skill, hash_of(skill))
        return self._names[id(skill)][1]
