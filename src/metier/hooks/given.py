"""Which skills a session was given already: a small file for each session, in the state folder."""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = "given"
DAYS = 7
"""Days after which a session's file is deleted."""


def given_keys(state: str, session: str) -> set[str]:
    """What a session was given, as `note_given` wrote it."""
    try:
        with open(_file(state, session), encoding="utf-8") as lines:
            return {line.rstrip("\n") for line in lines}
    except OSError:
        return set()


def note_given(state: str, session: str, keys: Iterable[str]) -> None:
    """Remember what a session was given now."""
    text = "".join(f"{key}\n" for key in keys)
    if not session or not text:
        return
    os.makedirs(os.path.join(state, FOLDER), mode=0o700, exist_ok=True)
    handle = os.open(
        _file(state, session), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
    )
    try:
        os.write(handle, text.encode("utf-8", "replace"))
    finally:
        os.close(handle)


def forget_given(state: str, session: str) -> None:
    """Forget what a session was given: its context was emptied. Files of old sessions go, too."""
    folder, oldest = os.path.join(state, FOLDER), time.time() - DAYS * 86_400
    own = _file(state, session)
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        try:
            if path == own or os.lstat(path).st_mtime < oldest:
                os.unlink(path)
        except OSError:
            continue


def _file(state: str, session: str) -> str:
    from hashlib import sha256

    return os.path.join(state, FOLDER, sha256(session.encode("utf-8", "replace")).hexdigest()[:32])
