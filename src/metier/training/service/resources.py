"""Everything a search needs, put in place and taken down again: models, target, rollouts kept, workers."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from metier.errors import RefusedError, StoreError
from metier.formats import value_json
from metier.models.ledger import Limits
from metier.store.engines.batched_writes import BatchedWrites
from metier.training.rollouts.pool import Threads
from metier.training.scoring.scorers import Scorers
from metier.training.service.bench import means_of, paid_target, scoring_roller
from metier.training.service.budget import StopSignal, StoredRollouts
from metier.training.service.journal import journal_of
from metier.training.service.models import TrainingModels
from metier.training.service.remote import checks_of, order_for_others
from metier.training.service.stack import optimiser_stack, roller_stack
from metier.training.targets.command import CommandTarget
from metier.training.targets.parse import target_of
from metier.training.targets.preflight import CASE, probe_of, problem_of
from metier.training.targets.target import TargetSetup
from metier.types.trials import Rollout

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from metier.context.context import Context
    from metier.models.layers.replay_failures import ReplayFailures
    from metier.models.ledger import Amount
    from metier.training.rollouts.cached import CachedRoller, KeyedRoller
    from metier.training.rollouts.rollout import ScoringRoller
    from metier.training.scoring.scorer import Means
    from metier.training.service.order import Order
    from metier.training.service.outage import HoldUnscored

EVERY = 0.05
"""Seconds between two commits of what nobody waits for."""
LAST = 9
"""The urgency of loading what only the statistics need: while the first rollouts are under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingResources:
    """What a search works with."""

    roller: CachedRoller
    pool: Threads
    closing: StopSignal
    target: str
    """The target's identity."""
    grouped: BatchedWrites
    keeper: StoredRollouts
    unscored: HoldUnscored
    models: TrainingModels
    agent: CommandTarget | None = None
    """The target, if it is an agent that can be tried before the first rollout."""
    limits: Limits = field(default_factory=Limits)

    def check_agent(self) -> None:
        """Try the agent with one small call, which is paid like any other; RefusedError if it does not work."""
        probe = probe_of(self.agent) if self.agent else None
        if self.agent is None or probe is None:
            return
        result = paid_target(probe, self.models, self.limits).run(CASE, None, 0)
        if problem := problem_of(self.agent, result):
            raise RefusedError(problem)

    def spent(self) -> tuple[int, Amount]:
        """Rollouts, and what calls of models took, in all runs of this training."""
        if not self.closing.reason:
            self.unscored.settle()
        self.models.ledger.give_back()
        self.grouped.flush()
        return self.keeper.made(), self.models.ledger.total()


@contextmanager
def open_resources(
    ctx: Context, order: Order, account: str, environ: Mapping[str, str]
) -> Generator[TrainingResources]:
    """Put in place what a search needs; whoever leaves early ends what is under way."""
    with journal_of(ctx, account) as journal:
        yield from _bench(ctx, order, account, environ, BatchedWrites(ctx.store, journal=journal))


def _bench(
    ctx: Context, order: Order, account: str, environ: Mapping[str, str], grouped: BatchedWrites
) -> Generator[TrainingResources]:
    seconds, limits = order.limits.seconds, order.limits.on_models
    closing = StopSignal(clock=time.monotonic, deadline=None if seconds is None else time.monotonic() + seconds)
    lines = TrainingModels(ctx, grouped, account, limits, closing)
    try:
        opened = partial(lines.open, environ=environ)
        setup = TargetSetup(open_model=opened, environ=environ, seconds=order.seconds, stop=closing.stopped)
        bare = target_of(order.target, setup)
        target = paid_target(bare, lines, limits)
        scorers = Scorers(_means(ctx, order, lines, environ))
        scorers.check(order.cases)
        keeper = StoredRollouts(ctx, grouped, account, order.limits.rollouts, closing)
        with _rollouts(order, account, scoring_roller(ctx, target, scorers, closing), closing) as making:
            roller, doubting = roller_stack(making, keeper, closing)
            _warmed(ctx)
            with commit_regularly(grouped, lines), Threads(order.workers) as pool:
                pool.submit(lambda: import_module("numpy"), urgency=LAST)
                try:
                    yield TrainingResources(
                        roller=roller,
                        pool=pool,
                        closing=closing,
                        target=target.identity,
                        grouped=grouped,
                        keeper=keeper,
                        unscored=doubting,
                        models=lines,
                        agent=bare if isinstance(bare, CommandTarget) and bare.check else None,
                        limits=limits,
                    )
                finally:
                    closing.stop("the training was interrupted")
                    lines.close()
    finally:
        lines.close()


@contextmanager
def _rollouts(order: Order, account: str, here: ScoringRoller, closing: StopSignal) -> Generator[KeyedRoller]:
    """What makes the rollouts: this process, or other machines."""
    if order.elsewhere is None:
        yield here
        return
    with order.elsewhere.open(order_for_others(order, account), here, closing) as there:
        yield there


def _warmed(ctx: Context) -> None:
    """Load what every rollout needs before many threads would, each waiting for the others."""
    ctx.redact(" ")
    value_json.reader_of(Rollout)


@contextmanager
def commit_regularly(grouped: BatchedWrites, lines: TrainingModels) -> Generator[None]:
    """Commit what was taken in again and again, so that nobody who only adds has to; and all of it at the end."""
    ended = threading.Event()

    def commit() -> None:
        while not ended.wait(EVERY):
            with suppress(StoreError):  # who needs to know waits for a commit, and is told
                lines.ledger.keep_up()
                grouped.settle()

    thread = threading.Thread(target=commit, name="commit", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        lines.ledger.give_back()
        grouped.flush()


def optimiser_of(place: TrainingResources, order: Order, account: str, environ: Mapping[str, str]) -> ReplayFailures:
    """The model that proposes edits; what it failed to answer is remembered, and when it is down all stops."""
    model = place.models.open(order.optimiser, environ)
    return optimiser_stack(model, place.models.memo, place.closing, account)


def _means(ctx: Context, order: Order, lines: TrainingModels, environ: Mapping[str, str]) -> Means:
    """What scorers may need: a model for rubrics where there is one, commands and functions where they are allowed."""
    checks = checks_of(order.cases)
    named = order.optimiser or ctx.config.models.model
    judge = lines.open(order.optimiser, environ) if named and "rubric" in {kind for kind, _ in checks} else None
    return means_of(checks, judge, environ, commands=order.commands, functions=order.functions)
