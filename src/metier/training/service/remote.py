"""Rollouts that other machines make: what they must know beside case and skill, and the seam to whoever asks them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from metier.errors import UsageError
from metier.training.scoring.registry import settings_of
from metier.training.service.order import TrainLimits
from metier.training.targets.parse import is_named

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from metier.training.rollouts.cached import KeyedRoller
    from metier.training.service.budget import StopSignal
    from metier.training.service.order import Order
    from metier.types.trials import Case

PROGRAMS = ("agent", "command", "python")
"""Kinds of targets that run a program of the machine they are tried on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutOrder:
    """All that determines how rollouts are made and paid for, beside case, skill and sample."""

    account: str
    """Who pays for them."""
    target: str
    judge: str
    """The model that scores by rubrics, as the order names it."""
    limits: str
    seconds: float
    commands: bool
    checks: tuple[tuple[str, str], ...]
    """The kinds of scorers that the cases name, each with the name of its function."""

    @property
    def spending(self) -> TrainLimits:
        """What may be spent on them."""
        return TrainLimits.read(self.limits)


def runs_programs(target: str, *, commands: bool) -> bool:
    """Whether a machine that makes rollouts runs programs which the target or the cases name."""
    return commands or target.partition("=")[0].strip() in PROGRAMS


class RolloutService(Protocol):
    """Makes rollouts on other machines."""

    def open(self, order: RolloutOrder, here: KeyedRoller, closing: StopSignal) -> AbstractContextManager[KeyedRoller]:
        """A roller whose rollouts are those of the one here, made elsewhere."""
        ...


def checks_of(cases: Iterable[Case]) -> frozenset[tuple[str, str]]:
    """The kinds of scorers that cases name, each with the name of its function."""
    return frozenset((str(one.get("kind")), str(one.get("name"))) for case in cases for one in settings_of(case))


def order_for_others(order: Order, account: str) -> RolloutOrder:
    """What other machines must know; a UsageError says what only this process has."""
    checks = checks_of(order.cases)
    judged = any(kind == "rubric" for kind, _ in checks)
    if not isinstance(order.target, str) or not is_named(order.target):
        raise UsageError("Other machines cannot use a target that is a Python object. Name it: python=MODULE:FUNCTION.")
    if judged and not isinstance(order.optimiser, str):
        raise UsageError("Other machines cannot score with a model that is a Python object. Name it: PROVIDER:NAME.")
    if order.functions:
        raise UsageError("Other machines do not have your scorers. Name them in the cases: MODULE:FUNCTION.")
    return RolloutOrder(
        account=account,
        target=order.target,
        judge=order.optimiser if judged and isinstance(order.optimiser, str) else "",
        limits=order.limits.canonical(),
        seconds=order.seconds,
        commands=order.commands,
        checks=tuple(sorted(checks)),
    )
