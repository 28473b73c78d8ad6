"""`metier watch`: keep learning."""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import asdict
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import options
from metier.cli.output import console, emit, table, talk
from metier.events import Ended, Noted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path
    from types import FrameType

    from metier.cli.options import GlobalOptions
    from metier.events import Event
    from metier.learning.watch.watch import Watch, WatchEvent

FoldersArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[FOLDER]...", help="Workspaces to watch; default: this one.")
]
Once = Annotated[bool, typer.Option("--once", help="Do the passes that are due now, then exit; for cron.")]
Check = Annotated[bool, typer.Option("--check", help="Only show when the next pass is due, and why.")]
Lines = Annotated[bool, typer.Option("--json", help="Print one JSON object per line; with --check, one list.")]


def watch(
    ctx: typer.Context,
    folders: FoldersArgument = None,
    once: Once = False,
    check: Check = False,
    as_json: Lines = False,
) -> None:
    """Keep learning until stopped: read the runs that hooks spool, and learn after runs or at set times.

    The settings trigger and times decide when. With mode set to observe, or trigger to manual, runs are only read in.
    Changed settings are noticed. Stop it with Ctrl-C or SIGTERM: a running pass ends at its next step, and the next
    start continues it.

    Example:  metier watch  ·  metier watch ~/shop ~/site  ·  metier watch --check  ·  metier watch --json | jq .text
    """
    from metier.learning.watch.watch import Watch, places
    from metier.proof.learn_and_prove import watch_pass
    from metier.workspace import Workspace

    given = options(ctx)
    roots = places(folders or [given.folder], given.flags, os.environ)
    if check:
        _check(roots, given, as_json=as_json)
        return
    names = _names(roots)
    made = Watch(roots, Workspace.open, learn=watch_pass, once=once, flags=given.flags)
    _handle_signals(made)
    try:
        for told in made.events():
            _print_event(told, names, as_json=as_json)
    except BrokenPipeError:  # nobody reads on; that is an end like any other
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if made.closed:
        talk("Stopped. All recorded runs are kept; the next pass learns from the new ones.")
    sys.stdout.flush()
    if not made.stopped:
        os._exit(0)  # a pass hangs in a call that cannot be broken off; ending in the middle of it loses nothing
    raise typer.Exit(1 if once and made.failed else 0)


def _handle_signals(made: Watch) -> None:
    """End cleanly on the first signal and at once on the second; SIGHUP reads the settings again."""

    def end(number: int, _frame: FrameType | None) -> None:
        if made.closed:
            os._exit(128 + number)
        made.close()

    def reread(_number: int, _frame: FrameType | None) -> None:
        made.reread()

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # ignored: started by nohup
        signal.signal(signal.SIGHUP, end if sys.stderr.isatty() else reread)


def _names(roots: Sequence[Path]) -> dict[Path, str]:
    """What people call the workspaces: the folders' names, or their paths where two are called alike."""
    short = [root.name for root in roots]
    return {root: root.name if root.name and short.count(root.name) == 1 else str(root) for root in roots}


def _print_event(told: WatchEvent, names: Mapping[Path, str], *, as_json: bool) -> None:
    event = told.event
    if as_json:
        place = {"at": _iso(told.at), "workspace": told.workspace, "folder": str(told.folder)}
        sys.stdout.write(json.dumps({**place, "event": type(event).__name__.lower(), **asdict(event)}) + "\n")
        sys.stdout.flush()
    elif text := text_of(event):
        talk(f"{told.at.astimezone():%H:%M:%S} {names[told.folder]}: {text}")


def text_of(event: Event) -> str:
    """What a person who watches is told of an event; empty for most."""
    match event:
        case Ended(stage="pass", text=text):
            return text
        case Noted(stage=stage, level=level, text=text) if stage in ("watch", "pass") or level != "info":
            return text
        case _:
            return ""


def _check(roots: Sequence[Path], given: GlobalOptions, *, as_json: bool) -> None:
    rows = [_next_pass_row(root, given) for root in roots]
    if as_json:
        emit(rows)
    else:
        shown = [(str(row["folder"]), str(row["when"]), str(row["why"])) for row in rows]
        console().print(table(("workspace", "next pass", "why"), shown, grow="why"))
        for hint in dict.fromkeys(str(row["hint"]) for row in rows if row["hint"]):
            talk(f"To learn: {hint}.")


def _next_pass_row(root: Path, given: GlobalOptions) -> dict[str, object]:
    """When the next pass of a workspace comes, and why."""
    from metier.learning.watch.schedule import Due, Later, Never
    from metier.learning.watch.watch import next_pass
    from metier.workspace import Workspace

    with Workspace.open(root, create=False, flags=given.flags) as ws:
        if ws.context.lost:
            talk(ws.context.loss_text)
        found, now = next_pass(ws.context), ws.context.clock()
    at = now + timedelta(seconds=found.seconds) if isinstance(found, Later) and found.seconds is not None else None
    when = "now" if isinstance(found, Due) else "never" if isinstance(found, Never) else "after a run"
    return {
        "workspace": ws.name,
        "folder": str(root),
        "when": f"{at.astimezone():%Y-%m-%d %H:%M}" if at else when,
        "at": _iso(at) if at else None,
        "why": found.why,
        "hint": found.hint if isinstance(found, Never) else "",
    }


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
