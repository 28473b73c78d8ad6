"""A skill scored on cases, side by side with another version of it, another package, or no skill at all."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Unpack
from uuid import uuid4

from metier.errors import InputError, RefusedError
from metier.events import Advanced, Began, Ended
from metier.library.changes import list_versions
from metier.library.disk.packages import has_document, read_package
from metier.statistics.pairs import Pair, pairs_of
from metier.training.gates.confirm import confirm
from metier.training.rollouts.rollout import BudgetSpent
from metier.training.service.inputs import build_order
from metier.training.service.resources import open_resources
from metier.types.trials import Scored

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from metier.events import Event
    from metier.library.skills import Library
    from metier.models.ledger import Amount
    from metier.skills.package import Package
    from metier.training.gates.confirm import Confirmation
    from metier.training.service.inputs import TrainOptions
    from metier.training.service.order import Order
    from metier.training.service.resources import TrainingResources
    from metier.types.trials import Case, Rollout

NONE = "none"
STAGE = "evaluate"
CHECK = "check the agent"
STEP = 20
"""Rollouts between two events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedSide:
    """One of the two that are compared."""

    name: str
    package: Package | None
    """None: without a skill."""

    @property
    def hash(self) -> str:
        """Of the package; empty for none."""
        return self.package.hash() if self.package else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """How a skill did, and how the other one did on the same cases."""

    skill: EvaluatedSide
    against: EvaluatedSide
    target: str
    cases: tuple[Case, ...]
    samples: int
    mine: tuple[Rollout, ...]
    theirs: tuple[Rollout, ...]
    pairs: tuple[Pair, ...]
    """Sorted by case; `before` is the other one."""
    confirmation: Confirmation
    """What the cases can tell about the difference; they may have been looked at before."""
    rollouts: int
    """Made now; the others were known."""
    spent: Amount


def evaluate(
    library: Library,
    order: Order,
    against: EvaluatedSide,
    *,
    samples: int = 1,
    environ: Mapping[str, str] | None = None,
) -> Generator[Event, None, Evaluated]:
    """Score `order.start` against another side; what training or an earlier evaluation rolled out is not paid for."""
    if samples < 1:
        raise InputError("An evaluation needs at least one sample of each case.")
    environ = os.environ if environ is None else environ
    mine = _named(library, order)
    with open_resources(library.ctx, order, f"eval:{uuid4().hex[:16]}", environ) as place:
        yield from _checked(place, order.cases, (mine, against), samples)
        found = yield from _rolled(place, order.cases, (mine, against), samples)
        rollouts, amount = place.spent()
    pairs = pairs_of(found[1], found[0])
    return Evaluated(
        skill=mine,
        against=against,
        target=place.target,
        cases=order.cases,
        samples=samples,
        mine=found[0],
        theirs=found[1],
        pairs=pairs,
        confirmation=confirm(pairs),
        rollouts=rollouts,
        spent=amount,
    )


def evaluate_now(library: Library, skill: str, against: str, samples: int, **asked: Unpack[TrainOptions]) -> Evaluated:
    """The same, waited for."""
    order = build_order(library, skill, **asked)
    events = evaluate(library, order, side_of(library, order, against), samples=samples)
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value


def side_of(library: Library, order: Order, text: str) -> EvaluatedSide:
    """What a skill is held against: `none`, a version's number, a folder; unnamed: the version before, or none."""
    text = text.strip()
    if text == NONE:
        return EvaluatedSide(name="no skill", package=None)
    folder = Path(text).expanduser()
    if text and ("/" in text or text.startswith(".")) and has_document(folder):
        return EvaluatedSide(name=text, package=read_package(folder))
    past = () if order.skill.startswith("/") else list_versions(library, order.skill)
    if text:
        number = text.removeprefix("v")
        chosen = [one for one in past if str(one.number) == number]
        if not chosen:
            raise InputError(f"{order.skill} has no version '{text}'. Name one, a skill's folder, or none.")
    else:
        chosen = [one for one in past if one.hash != order.start.hash()][-1:]
    if not chosen:
        return EvaluatedSide(name="no skill", package=None)
    version = chosen[0]
    return EvaluatedSide(name=f"v{version.number}", package=library.find(order.skill).load(version))


def _named(library: Library, order: Order) -> EvaluatedSide:
    past = () if order.skill.startswith("/") else list_versions(library, order.skill)
    number = next((f" v{one.number}" for one in reversed(past) if one.hash == order.start.hash()), "")
    return EvaluatedSide(name=f"{Path(order.skill).name}{number}", package=order.start)


def _checked(
    place: TrainingResources, cases: Sequence[Case], sides: tuple[EvaluatedSide, EvaluatedSide], samples: int
) -> Generator[Event]:
    """See whether an agent works, before the first rollout that is not known yet."""
    jobs = ((case, side.package, sample) for case in cases for side in sides for sample in range(samples))
    if place.agent is None or all(place.roller.holds(*job) for job in jobs):
        return
    yield Began(stage=CHECK)
    place.check_agent()
    yield Ended(stage=CHECK, text="it answers")


def _rolled(
    place: TrainingResources, cases: Sequence[Case], sides: tuple[EvaluatedSide, EvaluatedSide], samples: int
) -> Generator[Event, None, tuple[tuple[Rollout, ...], tuple[Rollout, ...]]]:
    """Every case under both sides, side by side, so that whatever changes meanwhile strikes both."""
    jobs = [(case, side, sample) for case in cases for sample in range(samples) for side in sides]
    pending = [
        place.pool.submit(lambda case=case, side=side, sample=sample: place.roller.roll(case, side.package, sample))
        for case, side, sample in jobs
    ]
    yield Began(stage=STAGE, total=len(jobs))
    made: list[Rollout] = []
    for one in pending:
        rollout = one.result()
        if isinstance(rollout, BudgetSpent):
            raise RefusedError(
                f"It stopped after {len(made)} of {len(jobs)} rollouts: {rollout.reason}. "
                "The results so far are saved. Run the same command again to continue."
            )
        made.append(rollout)
        if len(made) % STEP == 0:
            yield Advanced(stage=STAGE, done=len(made), total=len(jobs))
    yield Ended(stage=STAGE, text=f"{len(made)} rollouts")
    return tuple(made[::2]), tuple(made[1::2])


def scored_count(rollouts: Sequence[Rollout]) -> int:
    """How many have a score."""
    return sum(isinstance(one.score, Scored) for one in rollouts)
