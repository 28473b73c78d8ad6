"""Write files into the spool, where they wait until a command opens the workspace, and note errors beside them."""

from __future__ import annotations

import json
import os
import time

SPOOL = "spool"
"""The folder of waiting files, inside the state folder."""
ERRORS = "errors.log"
PART = ".part"
"""The ending of a file that is still being written."""
OBJECT_LIMIT = 16 * 1024 * 1024
"""Bytes of the largest JSON object that a hook accepts."""
LOG_LIMIT = 256 * 1024
"""Bytes after which the error log is renamed and begun anew."""


def write_entry(state: str, entry: dict[str, object]) -> str:
    """Put an entry into the spool: complete and durable under its final name, or not there at all."""
    folder = os.path.join(state, SPOOL)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    name = f"{time.time_ns():020d}-{os.getpid()}-{os.urandom(4).hex()}.json"
    final = os.path.join(folder, name)
    data = json.dumps(entry | {"v": 1}, ensure_ascii=False).encode("utf-8", "replace")
    handle = os.open(final + PART, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
        os.rename(final + PART, final)
    except OSError:
        os.unlink(final + PART)
        raise
    finally:
        os.close(handle)
    sync_folder(folder)
    return name


def sync_folder(folder: str) -> None:
    """Make new, renamed and deleted names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def log_error(state: str, line: str) -> None:
    """Add one line to the error log, whose size is limited; an error here is ignored."""
    if not state:
        return
    try:
        folder = os.path.join(state, SPOOL)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        file = os.path.join(folder, ERRORS)
        if os.path.exists(file) and os.path.getsize(file) > LOG_LIMIT:
            os.replace(file, file + ".1")
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as out:
            out.write(time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + " ".join(line.split())[:500] + "\n")
    except OSError:
        return
