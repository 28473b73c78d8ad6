"""Rollouts handed in as jobs, many at a time, and read back as they come: a training's view of a fleet."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.errors import BusyError, RefusedError, StoreError, UnreachableError
from metier.fleet.jobs import Job
from metier.fleet.queue import QueuedJobs
from metier.formats.value_json import dumps, loads
from metier.store.tables.fleet import outcomes, parcels, queue
from metier.store.tables.training import rollouts
from metier.training.rollouts.rollout import BudgetSpent, hash_of
from metier.training.service.order import pack_package
from metier.types.trials import Rollout

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from metier.context.context import Context
    from metier.skills.package import Package
    from metier.store.engines.engine import Transaction
    from metier.training.rollouts.cached import KeyedRoller
    from metier.training.service.budget import StopSignal
    from metier.training.service.remote import RolloutOrder
    from metier.types.trials import Case

KIND = "rollout"
WIDTH = 64
"""Rollouts that are asked for at a time, if nobody says."""
PRIORITY = 10
"""Somebody waits for them: they go before learning."""
PAUSES = (0.01, 0.02, 0.04, 0.08)
"""Seconds between two looks for results, growing to the last while none comes."""
CHECK = 2.0
"""Seconds between two looks at the jobs themselves: one may have failed."""
PATIENCE = 120.0
"""Seconds for which the server may be away."""
OLD = timedelta(days=3)
"""How long inputs and results are kept that nobody took out."""
PASSING = (BusyError, UnreachableError)


@dataclass(slots=True, eq=False)
class RolloutAsk:
    """One rollout that is asked for."""

    key: str
    """What the rollout is kept under."""
    job: Job
    inputs: Mapping[str, bytes]
    result: Rollout | BudgetSpent | None = None
    error: BaseException | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    def end(self, result: Rollout | BudgetSpent | None = None, error: BaseException | None = None) -> None:
        """It is there, or will never be."""
        self.result, self.error = result, error
        self.ended.set()

    def wait(self) -> Rollout | BudgetSpent:
        """What came of it."""
        self.ended.wait()
        if self.error is not None or self.result is None:
            raise self.error or StoreError("The fleet gave nothing back.")
        return self.result


class FleetRollouts:
    """Makes the rollouts of a workspace's trainings on the workers of its store."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._jobs = QueuedJobs(ctx)

    def workers(self) -> int:
        """Workers that were heard of lately."""
        return self._jobs.status().workers

    @contextmanager
    def open(self, order: RolloutOrder, here: KeyedRoller, closing: StopSignal) -> Generator[FleetRoller]:
        """A roller whose rollouts workers make; what nobody has begun when it is left is taken out again."""
        with self._ctx.store.write() as transaction:
            parcels.drop_old(transaction, before=(self._ctx.clock() - OLD).astimezone(UTC).isoformat())
        roller = FleetRoller(self._ctx, self._jobs, order, here, closing)
        try:
            yield roller
        finally:
            roller.close()


class FleetRoller:
    """Hands rollouts in as jobs; threads ask, one thread of its own talks to the store for all of them."""

    def __init__(
        self, ctx: Context, jobs: QueuedJobs, order: RolloutOrder, here: KeyedRoller, closing: StopSignal
    ) -> None:
        self._ctx, self._jobs, self._here, self._closing = ctx, jobs, here, closing
        self._account = order.account
        self._order = dumps(order).encode()
        self._sent: set[str] = set()
        """Hashes of inputs that are in the store."""
        self._new: list[RolloutAsk] = []
        self._waiting: dict[str, RolloutAsk] = {}
        self._bell = threading.Condition()
        self._closed = False
        self._looked = 0.0
        self._cancel_waiting()  # what a killed process left
        self._thread = threading.Thread(target=self._run, name="fleet", daemon=True)
        self._thread.start()

    def key(self, case: Case, skill: Package | None, sample: int) -> str:
        """As the roller here has it."""
        return self._here.key(case, skill, sample)

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        """The rollout, as soon as a worker has made it."""
        ask = self._ask(case, skill, sample)
        with self._bell:
            if self._closed:
                return BudgetSpent(reason=self._closing.why() or "the training has ended")
            self._new.append(ask)
            self._bell.notify()
        return ask.wait()

    def close(self) -> None:
        """Ask for nothing more; what workers are at is ended there, and kept."""
        with self._bell:
            self._closed = True
            self._bell.notify()
        self._thread.join()
        with suppress(StoreError):  # the next run takes them out
            self._cancel_waiting()

    def _ask(self, case: Case, skill: Package | None, sample: int) -> RolloutAsk:
        key = self.key(case, skill, sample)
        packed = {"order": self._order, "case": dumps(case).encode()}
        names = {part: sha256(body).hexdigest() for part, body in packed.items()}
        inputs = {names[part]: body for part, body in packed.items()}
        names["skill"] = f"skill {hash_of(skill)}" if skill else ""
        if skill is not None and names["skill"] not in self._sent:
            inputs[names["skill"]] = pack_package(skill)
        given = {**names, "sample": sample, "rollout": key}
        job = Job(kind=KIND, key=f"{self._account} {key}", given=given, priority=PRIORITY)
        return RolloutAsk(key=key, job=job, inputs=inputs)

    def _cancel_waiting(self) -> None:
        with self._ctx.store.write() as transaction:
            queue.cancel_waiting(transaction, KIND, f"{self._account} ")

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            self._serve()
        except BaseException as problem:  # noqa: BLE001 - raised where results are waited for
            error = problem
        with self._bell:
            self._closed = True
            left = [*self._waiting.values(), *self._new]
            self._waiting.clear()
            self._new.clear()
        over = BudgetSpent(reason=self._closing.why() or "the training has ended")
        for ask in left:
            ask.end(over, error)

    def _serve(self) -> None:
        """Hand in and collect until it is closed; a server that is away for a while is waited for."""
        quiet, away = 0, 0.0
        while not (self._closed or self._closing.stopped.is_set()):
            try:
                found = self._hand_in() + self._collect()
            except PASSING:
                away = away or time.monotonic()
                if time.monotonic() - away > PATIENCE:
                    raise
                self._closing.sleep(0.5)
                continue
            quiet, away = 0 if found else quiet + 1, 0.0
            with self._bell:
                if self._waiting:
                    self._bell.wait_for(self._is_called, timeout=PAUSES[min(quiet, len(PAUSES) - 1)])
                else:
                    self._bell.wait_for(self._is_called, timeout=0.5)

    def _is_called(self) -> bool:
        return bool(self._new) or self._closed

    def _hand_in(self) -> int:
        """All that was asked for since the last time, in one transaction."""
        with self._bell:
            asks = list(self._new)
        if not asks:
            return 0
        inputs = {name: body for ask in asks for name, body in ask.inputs.items() if name not in self._sent}
        with self._ctx.store.write() as transaction:
            parcels.put_inputs(transaction, inputs, self._ctx.now())
            parcels.drop_results(transaction, [ask.job.key for ask in asks])
            self._jobs.put_in(transaction, [ask.job for ask in asks])
        self._sent |= inputs.keys()
        with self._bell:
            del self._new[: len(asks)]
            self._waiting |= {ask.key: ask for ask in asks}
        return len(asks)

    def _collect(self) -> int:
        """End what workers have made by now."""
        if not self._waiting:
            return 0
        asks = list(self._waiting.values())
        with self._ctx.store.read() as transaction:
            made = rollouts.get_all(transaction, [ask.key for ask in asks])
            told = parcels.get_results(transaction, [ask.job.key for ask in asks])
            lost = self._lost(transaction, made, told)
        ended = 0
        for ask in asks:
            result = made.get(ask.key) or (_result_of(told[ask.job.key]) if ask.job.key in told else None)
            if result is not None:
                del self._waiting[ask.key]
                ask.end(result)
                ended += 1
        with self._bell:
            self._new += lost
        return ended

    def _lost(self, transaction: Transaction, made: Mapping[str, Rollout], told: Mapping[str, str]) -> list[RolloutAsk]:
        """What must be asked for again, as nobody has the job; RefusedError if workers have given one up."""
        if time.monotonic() - self._looked < CHECK:
            return []
        self._looked = time.monotonic()
        jobs = queue.states_of(transaction, KIND, f"{self._account} ")
        failed = [row for row in jobs.values() if row.state == "failed" and row.key not in told]
        if failed:
            said = [one.text for one in outcomes.of_job(transaction, failed[0].job) if not one.ok]
            why = said[-1].rstrip(".") if said else "its workers died"
            raise RefusedError(
                f"Workers gave up a rollout (job {failed[0].job}): {why}. The results so far are saved. Remove what"
                " failed (metier fleet drop --all), then run the same again."
            )
        return [
            ask for ask in self._waiting.values() if not (ask.job.key in jobs or ask.key in made or ask.job.key in told)
        ]


def _result_of(text: str) -> Rollout | BudgetSpent:
    """What a worker gave back that is no scored rollout."""
    kept = json.loads(text)
    return BudgetSpent(**kept["spent"]) if "spent" in kept else loads(Rollout, json.dumps(kept["rollout"]))
