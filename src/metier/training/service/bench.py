"""A place where single rollouts are made for somebody else: target, scorers and models, without a keeper."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from metier.store.engines.batched_writes import PromptWrites
from metier.training.rollouts.rollout import ScoringRoller
from metier.training.scoring.scorer import Means
from metier.training.scoring.scorers import Scorers
from metier.training.service.budget import StopSignal
from metier.training.service.models import TrainingModels
from metier.training.targets.callable import function_of
from metier.training.targets.chat import ChatTarget
from metier.training.targets.checks import CommandChecks
from metier.training.targets.command import CommandTarget
from metier.training.targets.completion import CompletionTarget
from metier.training.targets.paid import PaidTarget
from metier.training.targets.parse import target_of
from metier.training.targets.target import TargetSetup

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from metier.context.context import Context
    from metier.models.ledger import Limits
    from metier.models.model import Model
    from metier.skills.package import Package
    from metier.store.engines.batched_writes import BatchedWrites
    from metier.training.rollouts.rollout import BudgetSpent
    from metier.training.scoring.scorer import Function
    from metier.training.service.remote import RolloutOrder
    from metier.training.targets.target import Target
    from metier.types.trials import Case, Rollout

TRIES = 3
"""How often a target is tried that says itself what went wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutBench:
    """Makes rollouts of one order; safe for many threads."""

    roller: ScoringRoller
    writes: BatchedWrites

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        """One rollout; what it took is in the store when it is there."""
        try:
            return self.roller.roll(case, skill, sample)
        finally:
            self.writes.settle()


@contextmanager
def open_bench(ctx: Context, order: RolloutOrder, environ: Mapping[str, str]) -> Generator[RolloutBench]:
    """Put in place what the rollouts of an order need."""
    writes, closing = PromptWrites(ctx.store), StopSignal(clock=time.monotonic)
    limits = order.spending.on_models
    models = TrainingModels(ctx, writes, order.account, limits, closing, shared=True)
    try:
        setup = TargetSetup(
            open_model=partial(models.open, environ=environ),
            environ=environ,
            seconds=order.seconds,
            stop=closing.stopped,
        )
        target = paid_target(target_of(order.target, setup), models, limits)
        judged = any(kind == "rubric" for kind, _ in order.checks)
        judge = models.open(order.judge, environ) if judged else None
        means = means_of(order.checks, judge, environ, commands=order.commands)
        roller = scoring_roller(ctx, target, Scorers(means), closing)
        yield RolloutBench(roller=roller, writes=writes)
    finally:
        closing.stop("the worker ends")
        models.close()
        writes.flush()


def scoring_roller(ctx: Context, target: Target, scorers: Scorers, closing: StopSignal) -> ScoringRoller:
    """What tries a target and scores it; a model is patient itself, so it is tried once."""
    tries = 1 if isinstance(target, ChatTarget | CompletionTarget) else TRIES
    return ScoringRoller(target=target, scorers=scorers, redact=ctx.redact, tries=tries, sleep=closing.sleep)


def paid_target(target: Target, models: TrainingModels, limits: Limits) -> Target:
    """The target, paid from the budget if it is an agent that tells what it took; models are paid where they answer."""
    if not isinstance(target, CommandTarget) or target.prints == "text":
        return target
    return PaidTarget(target, models.ledger, limits, tells_cost=target.prints == "claude")


def means_of(
    checks: frozenset[tuple[str, str]] | tuple[tuple[str, str], ...],
    judge: Model | None,
    environ: Mapping[str, str],
    *,
    commands: bool,
    functions: Mapping[str, Function] | None = None,
) -> Means:
    """What scorers may need: a judge where there is one, commands and functions where they are allowed."""
    own = dict(functions or {})
    if commands:
        named_by_cases = (name for kind, name in checks if kind == "python" and ":" in name)
        own |= {name: cast("Function", function_of(name)) for name in named_by_cases}
    return Means(model=judge, commands=CommandChecks(environ=environ) if commands else None, functions=own)
