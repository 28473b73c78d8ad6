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
    import os

    from metier.cli.demo.parts import folded, heading
    from metier.hooks.identity import key_path, read_key

    new_key = "" if read_key(os.environ) else key_path(os.environ)
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
        for text in _closing(stage.ws.root, new_key):
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
    import os
    from datetime import UTC, datetime, timedelta
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from metier.cli.demo.parts import STORY_ENDS, DemoClock, Stage
    from metier.config import STATE
    from metier.context import state_folder as place
    from metier.context.identity import user_key
    from metier.errors import ConfigError
    from metier.hooks.identity import VARIABLE
    from metier.workspace import Workspace

    environ = {"HOME": str(folder)}
    try:
        key = user_key(os.environ)
    except ConfigError:  # a home that cannot be written
        key = user_key(environ)  # the demo's own, in its folder
    place.make_state_folder(folder / STATE, folder, key)
    environ[VARIABLE] = key.decode("utf-8", "surrogateescape")
    later = (today or datetime.now(UTC).date()) - timedelta(days=1) - STORY_ENDS
    clock = DemoClock(datetime(2026, 3, 13, 18, 0, tzinfo=UTC) + later)
    # nothing is sent: the agents of the demo are functions; a replay asks before it hands cases to any agent
    with (
        TemporaryDirectory() as settings,
        Workspace.open(folder, environ=environ, clock=clock) as ws,
    ):
        yield Stage(ws=ws, clock=clock, environ=_hook_environment(folder, Path(settings), key), later=later)


def _hook_environment(folder: Path, settings: Path, key: bytes) -> dict[str, str]:
    """What hooks get to see: the person's key as a file, as in real life, and nothing else of theirs."""
    from pathlib import Path

    from metier.context import state_folder as place
    from metier.hooks.identity import key_path

    environ = {"HOME": str(folder), "XDG_CONFIG_HOME": str(settings)}
    file = Path(key_path(environ))
    file.parent.mkdir(mode=0o700)
    place.create_file(file, key)
    return environ


def _closing(root: Path, new_key: str) -> Iterator[str]:
    """Where this is, and what to do next; `new_key`: where the person's key lies if the demo made it."""
    from pathlib import Path
    from shlex import quote

    from metier.cli.program import program_words
    from metier.hooks.identity import key_path

    folder = quote(str(root))
    home = f"HOME={folder} " if Path(key_path({"HOME": str(root)})).exists() else ""
    program = program_words()
    yield f"Look at all of it in your browser:  {home}{program} -w {folder} ui --open"
    yield f"Your own sessions, nothing written:  {program} checkup      In your project:  {program} init"
    made = f"      and, if you do not go on with Metier:  rm {quote(new_key)}" if Path(new_key).is_file() else ""
    yield f"Delete the demo:  rm -r {folder}{made}"


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
