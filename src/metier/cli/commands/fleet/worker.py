"""`metier worker`: do the jobs of a fleet."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from contextlib import ExitStack
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import options
from metier.cli.output import talk
from metier.errors import ConfigError
from metier.events import Began, Ended, Noted

if TYPE_CHECKING:
    from types import FrameType

    from metier.fleet.worker import FleetWorker, WorkerEvent

FoldersArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[FOLDER]...", help="Workspaces to work for; default: this one.")
]
Slots = Annotated[int, typer.Option("--slots", min=1, max=256, help="Do at most this many jobs at a time.")]
Heartbeat = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        min=1,
        max=3600,
        help="Take over the jobs of a worker that is silent for so long. Give all workers of a store the same.",
    ),
]
Once = Annotated[bool, typer.Option("--once", help="End when no job waits; for cron.")]
Programs = Annotated[
    bool,
    typer.Option("--allow-commands", help="Run programs that trainings name: agents, commands, functions, checks."),
]
Lines = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]


def worker(
    ctx: typer.Context,
    folders: FoldersArgument = None,
    slots: Slots = 4,
    heartbeat: Heartbeat = 30.0,
    once: Once = False,
    programs: Programs = False,
    as_json: Lines = False,
) -> None:
    """Do the jobs that are handed in for these workspaces, until stopped. Needs a PostgreSQL store and metier[fleet].

    Start as many workers on as many machines as you like. Stop one with Ctrl-C or SIGTERM: it ends the jobs it has and
    begins no other. If one dies, the others take over its jobs. A job that is done twice changes nothing. It makes
    rollouts that run programs only with --allow-commands: whoever can write to the store says which.

    Example:  metier worker  ·  metier worker ~/shop ~/site --slots 8  ·  metier fleet status
    """
    from metier.learning.watch.watch import places
    from metier.workspace import Workspace

    given = options(ctx)
    roots = places(folders or [given.folder], given.flags, os.environ)
    for name in ("procrastinate", "psycopg"):  # what matters of it is told by events
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with ExitStack() as stack:
        opened = [stack.enter_context(Workspace.open(root, create=False, flags=given.flags)) for root in roots]
        for line in filter(None, (ws.context.loss_text for ws in opened)):
            talk(line)
        try:
            from metier.fleet.kinds import open_kinds
            from metier.fleet.worker import FleetWorker, WorkerPace
        except ImportError:
            raise ConfigError("The fleet's job engine is missing: pip install 'metier[fleet]'.") from None
        kinds = stack.enter_context(open_kinds(os.environ, programs=programs))
        made = FleetWorker(opened, kinds, WorkerPace(slots=slots, heartbeat=heartbeat, once=once))
        _handle_signals(made)
        if not as_json:
            talk(f"Working for {', '.join(ws.name for ws in opened)}. Stop with Ctrl-C; look: metier fleet status")
        for told in made.events():
            _print_event(told, as_json=as_json)
    if made.closed:
        talk("Stopped. The jobs that were under way are done; all others wait for the next worker.")


def _handle_signals(made: FleetWorker) -> None:
    """End cleanly on the first signal and at once on the second."""

    def end(number: int, _frame: FrameType | None) -> None:
        if made.closed:
            os._exit(128 + number)
        made.close()

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)


def _print_event(told: WorkerEvent, *, as_json: bool) -> None:
    event, now = told.event, datetime.now().astimezone()
    if as_json:
        place = {"at": now.isoformat(timespec="milliseconds"), "workspace": told.workspace, "job": told.job or None}
        sys.stdout.write(json.dumps({**place, "event": type(event).__name__.lower(), **asdict(event)}) + "\n")
        sys.stdout.flush()
        return
    about = f"{told.workspace}: job {told.job} ({event.stage})" if told.job else "worker"
    if isinstance(event, Began):
        talk(f"{now:%H:%M:%S} {about} begins")
    elif isinstance(event, Ended | Noted):
        talk(f"{now:%H:%M:%S} {about}: {event.text}")
