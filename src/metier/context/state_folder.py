"""Where a project is and where its state lies: found, made, followed when it moved, bound by hand."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, cast

from metier.errors import BusyError, ConfigError, StoreError
from metier.hooks import places
from metier.hooks.identity import KEY_FILE, read_private
from metier.hooks.places import BOUND, ID_FILE, RECORDS, USER, Project
from metier.hooks.spool import SPOOL, sync_folder
from metier.hooks.workspace import KEY
from metier.store.engines.exclusive import let_go_by_children, lock_by_file, try_flock, try_lock

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from contextlib import AbstractContextManager

    from metier.context.context import Context
    from metier.store.engines.postgres import PostgresEngine

TREES = "trees"
"""Below a state folder: the history of skills in each further worktree."""
NEW = ".new-"
"""How the name of a state folder begins that is being made."""
MAKING = 10.0
"""Seconds to wait for another process that makes a state folder."""
OLD = ".metier"
"""The state folder of releases before, inside the project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A project's folder and its state folder."""

    root: Path
    state: Path
    history: Path
    """Where the history of this work tree's skills lies."""


def state_home(environ: Mapping[str, str]) -> Path:
    """The folder that holds this person's state: METIER_HOME, else where the system keeps state; checked."""
    given = environ.get("METIER_HOME", "")
    home = str(Path(given).expanduser().absolute()) if given else places.state_home(environ)
    if not home:
        raise ConfigError("There is no home folder to keep state in: HOME is not set. Set it, or METIER_HOME.")
    if problem := places.problem_of(home):
        raise ConfigError(f"State cannot be kept in {home}: {problem}. Name another folder: METIER_HOME.")
    return Path(home)


def find_place(folder: str | Path, home: Path) -> Place | None:
    """The project that a folder belongs to, with its state; a copy of another project has none."""
    found = places.find_project(str(Path(folder).expanduser().absolute()), str(home))
    return _place(found) if found and not found.twin else None


def require_place(folder: str | Path, home: Path) -> Place:
    """The same, or a ConfigError that says why there is none."""
    check_folder(Path(folder))
    found = places.find_project(str(Path(folder).expanduser().absolute()), str(home))
    if found is None:
        raise ConfigError(
            f"There is no workspace in {Path(folder).absolute()} yet. Run `metier init` there to make one."
        )
    if found.twin:
        raise ConfigError(
            f"{found.root} is a copy of {Path(found.twin).parent}, so that project's state is not used here. "
            "Give this copy its own: metier init"
        )
    if problem := places.problem_of(str(home), found.root):
        raise ConfigError(f"State cannot be kept in {home}: {problem}. Name another folder: METIER_HOME.")
    return _place(found)


def _place(found: Project) -> Place:
    state, root = Path(found.state), Path(found.root)
    tree = blake2b(os.fsencode(found.root), digest_size=8).hexdigest()
    return Place(root=root, state=state, history=state if found.is_main else state / TREES / tree)


def make_place(folder: str | Path, home: Path, environ: Mapping[str, str], *, exact: bool = False) -> Place:
    """The state of the project that a folder belongs to; made if there is none, bound again if the project moved.

    `exact`: the folder is a project of its own, whatever lies above it.
    """
    root = Path(os.path.realpath(folder)) if exact else planned_root(folder, home, environ)
    found = places.project_at(str(root), str(home))
    if problem := places.problem_of(str(home), str(root)):
        raise ConfigError(f"State cannot be kept in {home}: {problem}. Name another folder: METIER_HOME.")
    try:
        make_user_folder(home)
        if found is None or found.twin:
            found = _made(root, home)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE):
            raise StoreError(f"The state folder in {home} cannot be created: {error.strerror}.") from None
        raise ConfigError(
            f"State cannot be kept in {home}: {error.strerror}. Name another folder: METIER_HOME."
        ) from None
    if found is None:
        raise StoreError(
            f"{root} cannot be bound to its state in {home}: {places.ID_FILE} in its git folder is no plain file, "
            f"a folder above it is called {places.MARK}, or its path is too long."
        )
    follow(found, home)
    git, mark = places.common_git_folder(str(root)), Path(places.mark_of(str(root), str(home)))
    _sweep_parts(home / USER, Path(found.state), mark.parent, *([Path(git)] if git else []))
    return _place(found)


def planned_root(folder: str | Path, home: Path, environ: Mapping[str, str]) -> Path:
    """The top of the project that a folder belongs to, or would belong to if it were made one; makes nothing."""
    check_folder(Path(folder))
    start = Path(os.path.realpath(Path(folder).expanduser()))
    found = places.find_project(str(start), str(home))
    if found is not None:
        return Path(found.root)
    own = os.path.realpath(Path(environ.get("HOME") or "~").expanduser())
    inside = (one for one in (start, *start.parents) if str(one) != own and os.path.lexists(one / ".git"))
    return next(inside, start)


def check_folder(start: Path) -> None:
    """Refuse what is no folder, wherever it lies: a file in a project is not the project."""
    start = start.expanduser().absolute()
    if not start.is_dir():
        raise ConfigError(f"{start} is not a folder, so it cannot be a workspace.")


def make_user_folder(home: Path) -> None:
    """Make the state home and the person's own folder in it, each file complete or absent."""
    own = home / USER
    if read_private(str(own / KEY_FILE)) and (own / KEY).is_file():
        return
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    own.mkdir(mode=0o700, exist_ok=True)
    for name in (KEY, KEY_FILE):
        create_file(own / name, secrets.token_bytes(32))


def _made(root: Path, home: Path) -> Project | None:
    """Make a project's state, one process at a time: what lies there half made is of none that still runs."""
    handle = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not try_lock(lambda: try_flock(handle), MAKING):
            raise BusyError(f"Another process is making a state folder in {home}. Try again when it has ended.")
        with let_go_by_children(handle):
            found = places.project_at(str(root), str(home))
            if found is None or found.twin:
                _make(root, home, replaced=Path(found.state).name if found else "")
            return places.project_at(str(root), str(home))
    finally:
        os.close(handle)


def _make(root: Path, home: Path, *, replaced: str) -> None:
    """Make a state folder aside, give it its name in one step, then let the project name it."""
    _sweep(home, root)
    common = places.common_git_folder(str(root))
    kind, bearer = ("git", common) if common and os.access(common, os.W_OK) else ("path", str(root))
    name = f"{_name_of(root)}-{secrets.token_hex(8)}"
    new = home / f"{NEW}{secrets.token_hex(4)}"
    new.mkdir(mode=0o700)
    (new / SPOOL).mkdir(mode=0o700)
    create_file(new / RECORDS, f"{name}\n".encode())
    create_file(new / BOUND, os.fsencode(f"{kind}\n{bearer}\n"))
    new.rename(home / name)
    sync_folder(str(home))
    if not _bind(home, name, kind, bearer, replaced=replaced):
        shutil.rmtree(home / name, ignore_errors=True)  # it is followed from another place meanwhile


def _name_of(root: Path) -> str:
    return re.sub("[^a-z0-9]+", "-", root.name.lower()).strip("-")[:32].strip("-") or "project"


def _bind(home: Path, name: str, kind: str, bearer: str, *, replaced: str) -> bool:
    """Let a project name its state folder; False: it names another one by now. `replaced`: what it may name."""
    file = Path(bearer) / ID_FILE if kind == "git" else Path(places.mark_of(bearer, str(home)))
    if kind == "path":
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.path.lexists(file) and not stat.S_ISREG(os.lstat(file).st_mode):
        return False
    known = places.read_small(str(file)).strip()
    if known and (known == replaced or not (home / known / RECORDS).is_file()):
        _replace(file, f"{name}\n")  # the id of another machine, or of the project that this one is a copy of
    else:
        create_file(file, f"{name}\n".encode())
    return places.read_small(str(file)).strip() == name


def bind_to(state: Path, root: Path, home: Path) -> None:
    """Let a project use a state folder that another place had until now."""
    common = places.common_git_folder(str(root))
    kind, bearer = ("git", common) if common else ("path", str(root))
    had = places.project_at(str(root), str(home))
    try:
        _replace(state / BOUND, f"{kind}\n{bearer}\n")
        _bind(home, state.name, kind, bearer, replaced=Path(had.state).name if had else "")
    except OSError as error:
        raise StoreError(f"{root} cannot be bound to {state}: {error.strerror}.") from None


def unbind(place: Place, home: Path) -> None:
    """Let a project name no state folder any more; the state itself stays where it is."""
    found = places.project_at(str(place.root), str(home))
    if found is not None:
        file = f"{found.bearer}/{ID_FILE}" if found.kind == "git" else places.mark_of(found.bearer, str(home))
        with suppress(FileNotFoundError):
            Path(file).unlink()


def follow(found: Project, home: Path) -> None:
    """Write down where a project is now: it moved, or it has become a git checkout. On a read-only disk it waits."""
    common = places.common_git_folder(found.root)
    wanted = ("git", common) if common and os.access(common, os.W_OK) else (found.kind, found.bearer)
    state = Path(found.state)
    if places.bound_to(found.state) == wanted:
        return
    with suppress(OSError):
        if wanted[0] == "git":
            if not _bind(home, state.name, *wanted, replaced=""):
                return  # what lies there is no place for an id: the project stays known by its path
            Path(places.mark_of(found.root, str(home))).unlink(missing_ok=True)
        _replace(state / BOUND, "{}\n{}\n".format(*wanted))  # last: what was killed before it is done again


def container_hint(root: Path, home: Path, environ: Mapping[str, str]) -> str:
    """The line for `devcontainer.json` that keeps the state when a dev container goes; empty: none is needed."""
    named = any(environ.get(name) for name in ("REMOTE_CONTAINERS", "CODESPACES", "DEVCONTAINER"))
    described = (root / ".devcontainer").is_dir() or (root / ".devcontainer.json").is_file()
    if not named and not (described and Path("/.dockerenv").exists()):
        return ""
    if any(os.path.ismount(one) for one in (home, *home.parents) if one != Path("/")):
        return ""
    mount = f'"mounts": ["source=metier-state,target={home},type=volume"]'
    return f"This is a dev container: the state in {home} goes with it. To keep it, in devcontainer.json: {mount}"


def _sweep(home: Path, root: Path) -> None:
    """Remove what killed processes left: folders half made, and those for this project that nothing names yet."""
    for left in home.glob(f"{NEW}*"):
        shutil.rmtree(left, ignore_errors=True)
    bearers = {str(root), places.common_git_folder(str(root))}
    current = places.project_at(str(root), str(home))
    for state in home.glob("*-*"):
        unused = places.bound_to(str(state))[1] in bearers and (current is None or str(state) != current.state)
        if (
            unused
            and {one.name for one in state.iterdir()} <= {SPOOL, BOUND, RECORDS}
            and not any((state / SPOOL).iterdir())
        ):
            shutil.rmtree(state, ignore_errors=True)


def _sweep_parts(*folders: Path) -> None:
    """Remove what killed processes left half written."""
    for part in (one for folder in folders for one in folder.glob("*.part")):
        process = re.search(r"\.(\d+)-\w+\.part$", part.name)
        if process and not _runs(int(process[1])):
            with suppress(OSError):
                part.unlink()


def name_of(state: Path) -> str:
    """What records call this workspace."""
    try:
        return (state / RECORDS).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise StoreError(
            f"{state / RECORDS} cannot be read: {why}. Bring it back from a backup: metier restore FILE."
        ) from None


def key_of(home: Path) -> bytes:
    """The secret under which redacted values are hashed."""
    try:
        return (home / USER / KEY).read_bytes()
    except OSError as error:
        raise StoreError(f"The redaction key {home / USER / KEY} cannot be read: {error.strerror}.") from None


def user_key(home: Path) -> bytes:
    """This person's key; one that others can read or change is refused."""
    file = home / USER / KEY_FILE
    if found := read_private(str(file)):
        return found
    raise ConfigError(
        f"{file} is not a key that only you can read. Run `chmod 600 {file}`; it must be your own file and no link."
    )


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


def _replace(file: Path, text: str) -> None:
    """Write a small file in one step, durably."""
    part = file.with_name(f"{file.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        create_file(part, os.fsencode(text))
        part.replace(file)
        sync_folder(str(file.parent))
    finally:
        part.unlink(missing_ok=True)


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
    """The lock file of a work."""
    return ctx.state / f"{work}.lock"
