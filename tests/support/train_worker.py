"""A training in a process of its own, to be killed: `python train_worker.py FOLDER NOTES`."""

from __future__ import annotations

import sys
from pathlib import Path

from train_world import Agent, cases, order, trained

from metier.training.spec import Spec
from metier.workspace import Workspace

SPEC = Spec.of(epochs=1, batch=12, ahead=False)
"""Without anything begun early: what is asked is the same each time."""
WORKERS = 2


def main(folder: str, notes: str) -> None:
    with Workspace.open(folder) as ws:
        agent = Agent(notes=Path(notes), seconds=0.06)  # longer than writes wait for others
        trained(ws, order(cases=cases(60), target=agent, workers=WORKERS, spec=SPEC))


if __name__ == "__main__":
    main(*sys.argv[1:])
