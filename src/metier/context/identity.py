"""Whose state is it? A state folder that this person did not make here is not used before they have looked at it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from metier.context import state_folder as place
from metier.errors import BusyError, ConfigError, StoreError
from metier.hooks.identity import OWNER, SHORTEST, VARIABLE, is_own_state, key_path, read_key, state_seal
from metier.hooks.spool import SPOOL, sync_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

Standing = Literal["absent", "own", "foreign"]
"""Not made yet, made by this person at this place, or brought by somebody."""
ASIDE = ".metier-foreign-"
"""How the names of state folders begin that were set aside."""
PATIENCE = 10.0
"""Seconds to wait for another process that sets a state folder aside."""
UNTOUCHED = frozenset({".gitignore", "metier.toml", SPOOL, OWNER})
"""What may lie in a state folder that is not made yet: settings, and what a killed process left."""
HISTORY = frozenset({"objects", "versions", "journal", "staging", "library.lock"})
"""What the history of a person's own skills puts into the state folder of their home."""


def user_key(environ: Mapping[str, str], *, make: bool = True) -> bytes:
    """This person's key; made now if there is none yet, for its owner alone."""
    if found := read_key(environ):
        return found
    if environ.get(VARIABLE):
        raise ConfigError(f"{VARIABLE} is too short: it needs at least {SHORTEST} characters.")
    file = Path(key_path(environ))
    if file.is_symlink() or file.exists():
        if found := read_key(environ):  # another process has just made it
            return found
        raise ConfigError(
            f"{file} is not a key that only you can read. Run `chmod 600 {file}`; it must be your own file and no link."
        )
    return _make_key(file, environ) if make else b""


def _make_key(file: Path, environ: Mapping[str, str]) -> bytes:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.create_file(file, secrets.token_bytes(32))
    except OSError as error:
        raise ConfigError(
            f"Your key {file} cannot be made: {error.strerror}. Set {VARIABLE} to a long random text instead."
        ) from None
    return read_key(environ)


def standing_of(state: Path, key: bytes, *, at_home: bool = False) -> Standing:
    """Whether a state folder is this person's own; the one in their home may hold the history of their own skills."""
    if is_own_state(str(state), key):
        return "own"
    try:
        names = {entry.name for entry in os.scandir(state) if not entry.name.endswith(".part")}
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    except OSError as error:
        raise StoreError(f"The state folder {state} cannot be read: {error.strerror}.") from None
    allowed = UNTOUCHED | HISTORY if at_home else UNTOUCHED
    if not _has_spooled(state / SPOOL) and OWNER not in names and names <= allowed:
        return "absent"
    # another process of this person may have made it between the two looks; the seal is the first thing in it
    return "own" if is_own_state(str(state), key) else "foreign"


def _has_spooled(spool: Path) -> bool:
    """Whether anything waits in a spool folder; a link counts as something, a folder that is gone by now as nothing."""
    try:
        return spool.is_symlink() or any(spool.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreError(f"The folder {spool} cannot be read: {error.strerror}.") from None


def foreign_text(state: Path) -> str:
    """The one line about a state folder that is not used."""
    return (
        f"{state} was not made by you at this place, so nothing in it is used. "
        "Look at it and use it: metier init --adopt. Start anew: metier init."
    )


def set_aside(state: Path, key: bytes, *, at_home: bool = False) -> Path | None:
    """Rename a foreign state folder, so that a new one can take its place; nothing in it is lost.

    One process at a time: another may have done it, and what lies there now is this person's own. None: so it was.
    """
    from metier.store.engines.exclusive import try_flock, try_lock

    handle = -1
    try:
        handle = os.open(state.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        if not try_lock(lambda: try_flock(handle), PATIENCE):
            raise BusyError(f"Another process is setting {state} aside. Try again when it is done.")
        if standing_of(state, key, at_home=at_home) != "foreign":
            return None
        number = next(number for number in range(1, 10_000) if not _aside(state, number).exists())
        target = _aside(state, number)
        state.rename(target)
        sync_folder(str(state.parent))
    except OSError as error:
        raise StoreError(f"{state} cannot be set aside: {error.strerror}.") from None
    finally:
        if handle >= 0:
            os.close(handle)
    return target


def _aside(state: Path, number: int) -> Path:
    return state.with_name(f"{ASIDE}{number}")


def newest_aside(root: Path) -> Path | None:
    """The state folder that was set aside last."""
    found = [one for one in root.glob(f"{ASIDE}*") if one.name.removeprefix(ASIDE).isdigit() and one.is_dir()]
    return max(found, key=lambda one: int(one.name.removeprefix(ASIDE)), default=None)


def sign_state(state: Path, key: bytes) -> None:
    """Make a state folder this person's own."""
    part = state / f"{OWNER}.{os.getpid()}-{secrets.token_hex(4)}.part"
    try:
        place.create_file(part, state_seal(key, str(state)).encode())
        part.replace(state / OWNER)
        sync_folder(str(state))
    except OSError as error:
        raise StoreError(f"{state} cannot be signed: {error.strerror}.") from None


def check_links(state: Path, root: Path) -> None:
    """Refuse links in a state folder: whoever puts one there decides where Metier reads and writes."""
    if state.parent == root and state.is_symlink():
        raise ConfigError(f"{state} is a link. Metier does not follow links to its state. Remove it.")
    for folder in (state, state / "objects", state / "versions"):
        try:
            linked = next((entry.path for entry in os.scandir(folder) if entry.is_symlink()), None)
        except OSError:
            continue
        if linked:
            raise ConfigError(f"{linked} is a link. Metier does not follow links in its state folder. Remove it.")
