"""`metier demo`: two weeks of a coding agent, captured, judged, learned from, given on, proven and taken back."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson  # noqa: TC001 - typer reads it at run time
from metier.cli.output import console, emit, talk

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from datetime import date
    from pathlib import Path

    from metier.cli.demo.parts import Scene, Stage

Keep = Annotated[str, typer.Option(metavar="DIR", help="Use this new or empty folder, not a temporary one.")]


def demo(keep: Keep = "", as_json: AsJson = False) -> None:
    """Show what Metier does with two weeks of a coding agent: offline, in seconds, in its own folder.

    The sessions are written for the demo; what happens to them is real. Your own data is not read or changed.

    Example:  metier demo --keep /tmp/metier-demo
    """
    from metier.cli.demo.parts import folded, heading

    folder = _folder(keep)
    with _told_if_stopped(folder), open_stage(folder) as stage:
        if as_json:
            facts: dict[str, object] = {scene.title: scene.facts for scene in scenes(stage)}
            emit({"workspace": str(stage.ws.root), "scenes": facts})
            return
        out = console()
        out.print("Two weeks of a coding agent in a small shop. No network, no model, no key.", style="bold")
        for number, scene in enumerate(scenes(stage), 1):
            out.print(heading(number, scene.title), soft_wrap=True)
            for one in (part for text in scene.lines for part in folded(text, out)):
                out.print(one, soft_wrap=True)
        out.print()
        for text in _closing(stage.ws.root, stage.ws.state.parent):
            out.print(text, soft_wrap=True)


@contextmanager
def _told_if_stopped(folder: Path) -> Generator[None]:
    """Say what a demo that was stopped leaves behind: the same command does not go on with it."""
    from shlex import quote

    try:
        yield
    except KeyboardInterrupt:
        talk(f"The demo did not finish. Delete what it wrote: rm -r {quote(str(folder))}")
        raise


def scenes(stage: Stage) -> Iterator[Scene]:
    """The scenes, each when it has happened."""
    from metier.cli.demo.capture import capture_scene
    from metier.cli.demo.learning import learn_scene
    from metier.cli.demo.next_run import next_run_scene
    from metier.cli.demo.proof import replay_scene, rollback_scene
    from metier.cli.demo.training import train_scene

    for scene in (capture_scene, learn_scene, next_run_scene, replay_scene, rollback_scene, train_scene):
        yield scene(stage)


@contextmanager
def open_stage(folder: Path, today: date | None = None) -> Generator[Stage]:
    """A workspace in exactly this folder, untouched by anybody's settings, on the evening after the two weeks.

    The story ends yesterday, so that nothing in it is old; the same on every day but for its dates.
    """
    from datetime import UTC, datetime, timedelta

    from metier.cli.demo.parts import STORY_ENDS, DemoClock, Stage
    from metier.context.state_folder import make_place, state_home
    from metier.workspace import Workspace

    environ = {"HOME": str(folder / "home")}
    make_place(folder, state_home(environ), environ, exact=True)
    later = (today or datetime.now(UTC).date()) - timedelta(days=1) - STORY_ENDS
    clock = DemoClock(datetime(2026, 3, 13, 18, 0, tzinfo=UTC) + later)
    # nothing is sent: the agents of the demo are functions; a replay asks before it hands cases to any agent
    with Workspace.open(folder, environ=environ, clock=clock) as ws:
        yield Stage(ws=ws, clock=clock, environ=environ, later=later)


def _closing(root: Path, home: Path) -> Iterator[str]:
    """Where this is, and what to do next."""
    from shlex import quote

    from metier.cli.program import program_words

    folder, program = quote(str(root)), program_words()
    yield f"Look at all of it in your browser:  {program} --home {quote(str(home))} -w {folder} ui --open"
    yield f"Your own sessions, nothing written:  {program} checkup      In your project:  {program} init"
    yield f"Delete the demo:  rm -r {folder}"


def _folder(keep: str) -> Path:
    """Where the demo happens: the folder asked for, if nothing is in it, or a new temporary one."""
    from pathlib import Path
    from tempfile import mkdtemp

    from metier.errors import RefusedError

    if not keep:
        return Path(mkdtemp(prefix="metier-demo-"))
    folder = Path(keep).expanduser().absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_used = any(folder.iterdir())
    except FileExistsError:
        raise RefusedError(f"{folder} is a file. Choose a new or empty folder for the demo.") from None
    except OSError as error:
        raise RefusedError(
            f"{folder} cannot be made: {error.strerror}. Choose a new or empty folder for the demo."
        ) from None
    if is_used:
        raise RefusedError(f"{folder} is not empty. Choose a new or empty folder for the demo.")
    return folder
