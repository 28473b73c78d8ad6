"""This person's key on this machine, and the seals made with it: what proves that state was not brought by somebody.

The key is 32 random bytes in `~/.config/metier/identity.key`, or the text of METIER_IDENTITY. A seal is a keyed
BLAKE2 hash: who signs and who checks is the same person, so no public key is needed, and a hook has the time for it.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "METIER_IDENTITY"
KEY_FILE = "identity.key"
OWNER = "owner"
"""The file in a state folder that holds its seal."""
LONGEST = 4096
SHORTEST = 16
"""Bytes of a key."""


def key_path(environ: Mapping[str, str]) -> str:
    """Where this person's key lies."""
    home = environ.get("HOME") or os.path.expanduser("~")
    base = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return os.path.join(base, "metier", KEY_FILE)


def read_key(environ: Mapping[str, str]) -> bytes:
    """This person's key; empty if there is none, or if others can read or change its file."""
    given = environ.get(VARIABLE, "")
    found = given.encode("utf-8", "surrogateescape") if given else _read_private(key_path(environ))
    return found if len(found) >= SHORTEST else b""


def seal_of(key: bytes, *parts: str) -> str:
    """The seal of some texts under a key."""
    from _blake2 import blake2b  # what hashlib hands out, without loading OpenSSL

    text = b"".join(b"%d:%s" % (len(part), part) for part in (one.encode("utf-8", "surrogateescape") for one in parts))
    return blake2b(text, key=blake2b(key).digest(), digest_size=32, person=b"metier-seal").hexdigest()


def is_sealed(key: bytes, seal: str, *parts: str) -> bool:
    """Whether a seal was made with this key for exactly these texts."""
    return bool(key) and seal == seal_of(key, *parts)  # a file on one's own disk: nobody can measure the comparison


def state_seal(key: bytes, state: str) -> str:
    """The seal of a state folder at its place."""
    return seal_of(key, "state", os.path.realpath(state))


def database_seal(key: bytes, state: str) -> str:
    """The seal that the database of a state folder holds: a pull could exchange that file alone."""
    return seal_of(key, "database", os.path.realpath(state))


def is_own_state(state: str, key: bytes) -> bool:
    """Whether this person made a state folder, at this place."""
    seal = _read_private(os.path.join(state, OWNER)).decode("ascii", "replace").strip()
    return is_sealed(key, seal, "state", os.path.realpath(state))


def _read_private(file: str) -> bytes:
    """The content of a small file of this user's that nobody else can open; empty otherwise. Links are not followed."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        found = os.fstat(handle)
        mine = found.st_uid in (os.geteuid(), 0) and not found.st_mode & 0o077
        return os.read(handle, LONGEST) if mine and stat.S_ISREG(found.st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(handle)
