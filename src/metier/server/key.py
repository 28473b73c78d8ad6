"""The server's own key: it signs the cookies of those who signed in."""

from __future__ import annotations

import os
import secrets
import stat
from typing import TYPE_CHECKING

from metier.context.state_folder import create_file
from metier.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from metier.context.context import Context

FILE = "server.key"
BYTES = 32


def server_key(ctx: Context) -> bytes:
    """The key of this workspace's server, for its owner alone; made at the first use."""
    file = ctx.state / FILE
    try:
        if not file.exists():
            create_file(file, secrets.token_bytes(BYTES))
        found = _read_private(file)
    except OSError as error:
        raise StoreError(f"The server's key {file} cannot be read or made: {error.strerror}.") from None
    if len(found) != BYTES:
        raise ConfigError(f"{file} is not a server's key that only you can read. Bring it back from where you keep it.")
    return found


def _read_private(file: Path) -> bytes:
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        private = stat.S_ISREG(found.st_mode) and not found.st_mode & 0o077
        return os.read(handle, BYTES + 1) if private else b""
    finally:
        os.close(handle)
