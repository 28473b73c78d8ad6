"""`metier ui`: the dashboard, in the browser."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import open_workspace, options, sigterm_as_interrupt
from metier.cli.output import talk

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.cli.options import GlobalOptions
    from metier.workspace import Workspace


def ui(
    ctx: typer.Context,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port on this machine; 0: any. Default: 7341 or the next.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Keep learning meanwhile, as metier watch does.")] = False,
) -> None:
    """Show the dashboard: decide on lessons and drafts, look at runs and skills. Only this machine can reach it.

    The link opens once; run the command again for a new one. Stop it with Ctrl-C.

    Example:  metier ui --open  ·  metier ui --watch
    """
    from metier.web.serve import build_dashboard, link_of_running, open_port, serve

    with open_workspace(ctx) as ws:
        if link := link_of_running(ws.state):
            talk("The dashboard of this project runs already. This link opens it once:")
            _hand_out(link, open_=open_)
            return
        listening = open_port(port)
        board = build_dashboard(ws, listening.getsockname()[1])
        talk("The dashboard runs. Stop it with Ctrl-C. This link opens it once:")
        _hand_out(board.access.new_link(), open_=open_)
        with _learning(ws, options(ctx), wanted=watch), sigterm_as_interrupt():
            try:
                serve(board, listening)
            except KeyboardInterrupt:
                talk("Stopped.")


def _hand_out(link: str, *, open_: bool) -> None:
    """Print the link; data goes to stdout."""
    sys.stdout.write(link + "\n")
    sys.stdout.flush()
    if open_:
        import webbrowser

        if not webbrowser.open(link):
            talk("No browser was found. Open the link yourself.")


@contextmanager
def _learning(ws: Workspace, given: GlobalOptions, *, wanted: bool) -> Generator[None]:
    """Keep learning in a thread of its own as long as the dashboard runs."""
    if not wanted:
        yield
        return
    from metier.cli.commands.watch import text_of
    from metier.learning.watch.watch import Watch
    from metier.proof.learn_and_prove import watch_pass
    from metier.workspace import Workspace

    made = Watch([ws.root], Workspace.open, learn=watch_pass, flags=given.flags)

    def follow() -> None:
        for told in made.events():
            if text := text_of(told.event):
                talk(f"{told.at.astimezone():%H:%M:%S} {ws.root.name}: {text}")

    thread = threading.Thread(target=follow, name="watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        made.close()
        thread.join(10)
