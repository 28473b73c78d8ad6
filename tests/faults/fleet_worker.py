"""A worker in a process of its own, whose jobs take a while and keep one fact each.

python fleet_worker.py FOLDER SECONDS
"""

from __future__ import annotations

import signal
import sys
import time
from typing import TYPE_CHECKING

from metier.fleet.worker import FleetWorker, WorkerPace
from metier.store.tables import meta
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping


def count(ws: Workspace, given: Mapping[str, object]) -> str:
    """Note the beginning, take a while, keep the result under its key."""
    number = given["number"]
    with ws.context.store.write() as transaction:
        begun = int(meta.get(transaction, f"begun {number}", "0"))
        meta.put(transaction, f"begun {number}", str(begun + 1))
    time.sleep(float(sys.argv[2]))
    with ws.context.store.write() as transaction:
        kept = int(meta.get(transaction, f"kept {number}", "0"))
        meta.put(transaction, f"kept {number}", str(kept + 1))
    return "kept"


if __name__ == "__main__":
    with Workspace.open(sys.argv[1], create=False) as opened:
        worker = FleetWorker([opened], {"count": count}, WorkerPace(slots=4, heartbeat=2.0))
        signal.signal(signal.SIGTERM, lambda *_: worker.close())
        for _ in worker.events():
            pass
