"""Where a workspace is and where it keeps its state: found, made, named."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, cast

from metier.config import STATE
from metier.errors import BusyError, ConfigError, StoreError
from metier.hooks.identity import OWNER, state_seal
from metier.hooks.spool import SPOOL, sync_folder
from metier.store.engines.exclusive import lock_by_file

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from contextlib import AbstractContextManager

    from metier.context.context import Context
    from metier.store.engines.postgres import PostgresEngine

NAME = "workspace"
SHARED_BY = "workspaces"
"""The list of the workspaces that share a state folder, one path a line."""
KEY = "redact.key"
IGNORE = "# Metier's state: runs, history, keys. Not for version control.\n*\n"


def find_root(start: Path, environ: Mapping[str, str], state_dir: str = "") -> Path | None:
    """The initialised workspace that a folder belongs to; the home folder counts only when asked for itself."""
    start = start.expanduser().absolute()
    if state_dir:
        known = other_owner(Path(state_dir).expanduser().absolute())
        return next((folder for folder in (start, *start.parents) if str(folder) in known), None)
    home = Path(environ.get("HOME") or "~").expanduser()
    for folder in (start, *start.parents):
        if (folder / STATE / NAME).is_file() and (folder == start or folder != home):
            return folder
    return None


def new_root(start: Path, environ: Mapping[str, str]) -> Path:
    """Where a new workspace goes: the folder itself, or the top of the git checkout around it."""
    check_folder(start)
    start = start.expanduser().absolute()
    home = Path(environ.get("HOME") or "~").expanduser()
    inside = (folder for folder in (start, *start.parents) if folder != home and (folder / ".git").exists())
    return next(inside, start)


def check_folder(start: Path) -> None:
    """Refuse what is no folder, wherever it lies: a file in a project is not the project."""
    start = start.expanduser().absolute()
    if not start.is_dir():
        raise ConfigError(f"{start} is not a folder, so it cannot be a workspace.")


def is_made(state: Path) -> bool:
    """Whether a state folder is complete."""
    return (state / NAME).is_file() and (state / KEY).is_file()


def make_state_folder(state: Path, root: Path, key: bytes) -> bool:
    """Make the state folder with its files, each complete or absent; returns whether anything was missing.

    It is sealed with this person's key before anything else is in it.
    """
    _sweep(state)
    if is_made(state) and is_known(state, root):
        return False
    try:
        (state / SPOOL).mkdir(mode=0o700, parents=True, exist_ok=True)
        state.chmod(0o700)
        create_file(state / OWNER, state_seal(key, str(state)).encode())
        create_file(state / ".gitignore", IGNORE.encode())
        create_file(state / KEY, secrets.token_bytes(32))
        create_file(state / NAME, f"{root.name or 'root'}-{secrets.token_hex(3)}\n".encode("utf-8", "replace"))
        sync_folder(str(state.parent))
        if not is_known(state, root):
            with (state / SHARED_BY).open("a", encoding="utf-8", errors="surrogateescape") as file:
                file.write(f"{root}\n")
    except OSError as error:
        raise StoreError(f"The state folder {state} cannot be created: {error.strerror}.") from None
    return True


def is_known(state: Path, root: Path) -> bool:
    """Whether a state folder serves this workspace: it lies in it, or lists it."""
    return state.parent == root or str(root) in other_owner(state)


def other_owner(state: Path) -> list[str]:
    """The workspaces that share a state folder which lies in none of them."""
    file = state / SHARED_BY
    return file.read_text(encoding="utf-8", errors="surrogateescape").splitlines() if file.is_file() else []


def name_of(root: Path, state: Path) -> str:
    """What records call this workspace: its own name, or its path where several share one state folder."""
    if state.parent != root:
        return str(root).encode("utf-8", "replace").decode()
    try:
        return (state / NAME).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise StoreError(
            f"{state / NAME} cannot be read: {why}. Bring it back from a backup: metier restore FILE."
        ) from None


def key_of(state: Path) -> bytes:
    """The secret under which redacted values are hashed."""
    try:
        return (state / KEY).read_bytes()
    except OSError as error:
        raise StoreError(f"The redaction key {state / KEY} cannot be read: {error.strerror}.") from None


def create_file(file: Path, content: bytes) -> None:
    """Write a file that is not there yet, durably; of two who try at once, one wins whole."""
    part = file.with_name(f"{file.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        with suppress(FileExistsError):
            os.link(part, file)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(str(file.parent))


def _sweep(state: Path) -> None:
    """Take away what a process that was killed while it made this folder left half written."""
    for part in state.glob("*.part"):
        found = re.search(r"\.(\d+)-\w+\.part$", part.name)
        if found and not _runs(int(found[1])):
            with suppress(OSError):
                part.unlink()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@contextmanager
def exclusive_lock(ctx: Context, wait: float, work: str = "learn") -> Generator[None]:
    """Be the only one at this work on this workspace, or raise BusyError after so many seconds.

    The lock dies with its holder. It is not reentrant, and a forked child does not have it. A store at a PostgreSQL
    server may serve several machines, so there the server holds it.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(_lock(ctx, wait, work))
        except BusyError as error:
            raise BusyError(
                f"Another {work} is running in {ctx.root}: {error}. Nothing was changed; try again when it has ended."
            ) from None
        yield


def _lock(ctx: Context, wait: float, work: str) -> AbstractContextManager[None]:
    if not ctx.config.store:
        return lock_by_file(file_of(ctx, work), wait)
    from metier.store.engines.server_lock import by_server

    return by_server(cast("PostgresEngine", ctx.store), f"{work} {ctx.name}", wait)


def file_of(ctx: Context, work: str) -> Path:
    """The lock file of a work; several workspaces may share one state folder, so each has its own."""
    return ctx.state / f"{work}-{blake2b(ctx.name.encode('utf-8', 'surrogateescape'), digest_size=6).hexdigest()}.lock"
