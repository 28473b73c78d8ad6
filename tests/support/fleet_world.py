"""A fleet in one process: a workspace on a shared store, a worker in a thread, and what two runs are compared by."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from train_world import cases, order, place, trained

from metier.fleet.kinds import open_kinds
from metier.fleet.rollout_asks import FleetRollouts
from metier.fleet.worker import FleetWorker, WorkerPace
from metier.training.spec import Spec
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

    from metier.fleet.worker import WorkerEvent
    from metier.training.service.order import Order
    from metier.training.train import Finished

SPEC = Spec.of(epochs=1, batch=12, ahead=False)
"""Without anything begun early: what is asked is the same each time."""
CHANGING = ("created", "updated", "rollouts", "calls", "tokens", "cost_usd")
"""What a report says of when it was made, and of what was paid for calls in flight."""


def solver(**other: object) -> Order:
    """A training whose target other processes can name."""
    given: dict[str, object] = {"cases": cases(40), "target": "python=train_world:solve", "spec": SPEC, **other}
    return order(**given)


@contextmanager
def opened(folder: Path, store: str = "") -> Generator[Workspace]:
    """A workspace with a skill to train."""
    folder.mkdir()
    place(folder)
    with Workspace.open(folder, flags={"store": store} if store else {}) as ws:
        yield ws


@contextmanager
def working(
    ws: Workspace, slots: int = 4, *, programs: bool = True, environ: Mapping[str, str] | None = None
) -> Generator[list[WorkerEvent]]:
    """A worker beside; gives what it told so far."""
    told: list[WorkerEvent] = []
    with open_kinds(environ or {}, programs=programs) as kinds:
        worker = FleetWorker([ws], kinds, WorkerPace(slots=slots, heartbeat=5.0))
        thread = threading.Thread(target=lambda: told.extend(worker.events()), daemon=True)
        thread.start()
        try:
            yield told
        finally:
            worker.close()
            thread.join(30)


def on_fleet(ws: Workspace, asked: Order, workers: int = 16) -> Finished:
    """A training whose rollouts workers make."""
    return trained(ws, replace(asked, workers=workers, elsewhere=FleetRollouts(ws.context)))


def hash_of(finished: Finished) -> str:
    """One hash of all that a training found and said: events, scores, every text of the best skill."""
    report = {key: value for key, value in finished.report.items() if key not in CHANGING}
    parts = [finished.training.id, repr(finished.trained), report]
    return sha256(json.dumps(parts, sort_keys=True, default=repr).encode()).hexdigest()
