"""Rollouts as a worker makes them: each once, paid from the account of whoever asked, kept under its fencing token."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, cast

from metier.errors import RefusedError
from metier.fleet.kinds import unfenced
from metier.formats.value_json import dumps, loads
from metier.store.tables.fleet import parcels
from metier.store.tables.training import rollouts
from metier.training.rollouts.rollout import BudgetSpent
from metier.training.service.bench import open_bench
from metier.training.service.order import unpack_package
from metier.training.service.remote import RolloutOrder, runs_programs
from metier.types.trials import Case, Scored

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from metier.context.context import Context
    from metier.fleet.jobs import Json
    from metier.skills.package import Package
    from metier.store.engines.postgres import PostgresEngine
    from metier.training.service.bench import RolloutBench
    from metier.types.trials import Rollout
    from metier.workspace import Workspace

BRIEF = 3
"""Seconds for which a worker that is stopped in the middle of a write may hold up all others."""
BENCHES = 16
"""Orders that stay open at a time; beyond them all are closed when no rollout is under way."""


class RolloutJobs:
    """Makes rollouts for trainings; what an order needs stays open for its next rollout."""

    def __init__(self, environ: Mapping[str, str], *, programs: bool = False) -> None:
        self._environ = environ
        self._programs = programs
        """Whether programs may be run that orders and cases name."""
        self._open: dict[tuple[str, str], RolloutBench] = {}
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._busy = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __call__(self, ws: Workspace, given: Mapping[str, Json]) -> str:
        """Make one rollout, unless it was made before."""
        ctx, key, job = ws.context, str(given["rollout"]), str(given["key"])
        cast("PostgresEngine", ctx.store).idle = BRIEF
        with ctx.store.read() as transaction:
            if rollouts.get(transaction, key) is not None:
                return "it was made before"
        bench = self._begin(ctx, str(given["order"]))
        try:
            made = _made(ctx, bench, given, key)
        finally:
            with self._lock:
                self._busy -= 1
        _keep(ctx, job, key, made)
        return made.reason if isinstance(made, BudgetSpent) else f"{made.case}: {_told(made)}"

    def _begin(self, ctx: Context, name: str) -> RolloutBench:
        order = loads(RolloutOrder, _input(ctx, name).decode())
        if runs_programs(order.target, commands=order.commands) and not self._programs:
            raise RefusedError(
                f"These rollouts run programs here ({order.target}). Start workers that may:"
                " metier worker --allow-commands"
            )
        with self._lock:
            if len(self._open) >= BENCHES and not self._busy:
                self._stack.close()
                self._open.clear()
            if (ctx.name, name) not in self._open:
                bench = self._stack.enter_context(open_bench(_brief(ctx), order, self._environ))
                self._open[ctx.name, name] = bench
            self._busy += 1
            return self._open[ctx.name, name]


def _brief(ctx: Context) -> Context:
    """The workspace without the job's fence: what was paid for is kept whoever has the job."""
    plain = unfenced(ctx)
    return replace(plain, store=cast("PostgresEngine", plain.store).brief(BRIEF))


def _made(ctx: Context, bench: RolloutBench, given: Mapping[str, Json], key: str) -> Rollout | BudgetSpent:
    case = loads(Case, _input(ctx, str(given["case"])).decode())
    named = str(given["skill"])
    skill: Package | None = unpack_package(_input(ctx, named)) if named else None
    sample = int(str(given["sample"]))
    if bench.roller.key(case, skill, sample) != key:
        raise RefusedError(
            "This worker would make another rollout than was asked for: its target is"
            f" '{bench.roller.target.identity}'. Give it the same version of Metier, the same models and settings as"
            " the machine that trains."
        )
    return bench.roll(case, skill, sample)


def _keep(ctx: Context, job: str, key: str, made: Rollout | BudgetSpent) -> None:
    """Keep what was made: with a score for everybody, else for who asked; not if another has the job by now."""
    with ctx.store.write() as transaction:
        if isinstance(made, BudgetSpent):
            parcels.put_result(transaction, job, json.dumps({"spent": asdict(made)}), ctx.now())
        elif isinstance(made.score, Scored):
            rollouts.put(transaction, key, made)
        else:
            parcels.put_result(transaction, job, f'{{"rollout": {dumps(made)}}}', ctx.now())


def _told(made: Rollout) -> str:
    return f"{made.score.hard:g}" if isinstance(made.score, Scored) else made.score.reason


def _input(ctx: Context, name: str) -> bytes:
    with ctx.store.read() as transaction:
        found = parcels.get_input(transaction, name)
    if found is None:
        raise RefusedError("What this job needs is no longer in the store: whoever asked for it has given it up.")
    return found
