"""This person's key on this machine, and the seals made with it: what proves that a yes was this person's.

The key is 32 random bytes beside the projects' state. A seal is a keyed BLAKE2 hash: who signs and who checks is the
same person, so no public key is needed, and a hook has the time for it.
"""

from __future__ import annotations

import os
import stat

from metier.hooks.places import is_mine, user_folder

KEY_FILE = "identity.key"
LONGEST = 4096
SHORTEST = 16
"""Bytes of a key."""


def key_path(state: str) -> str:
    """Where the key of this person lies, whose state is in that folder."""
    return os.path.join(user_folder(state), KEY_FILE)


def read_key(state: str) -> bytes:
    """This person's key; empty if there is none, or if others can read or change its file."""
    found = read_private(key_path(state))
    return found if len(found) >= SHORTEST else b""


def seal_of(key: bytes, *parts: str) -> str:
    """The seal of some texts under a key."""
    from _blake2 import blake2b  # what hashlib hands out, without loading OpenSSL

    text = b"".join(b"%d:%s" % (len(part), part) for part in (one.encode("utf-8", "surrogateescape") for one in parts))
    return blake2b(text, key=blake2b(key).digest(), digest_size=32, person=b"metier-seal").hexdigest()


def is_sealed(key: bytes, seal: str, *parts: str) -> bool:
    """Whether a seal was made with this key for exactly these texts."""
    return bool(key) and seal == seal_of(key, *parts)  # a file on one's own disk: nobody can measure the comparison


def read_private(file: str) -> bytes:
    """The content of a small file of this user's that no other user can open; empty otherwise. Links do not count."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        found = os.fstat(handle)
        mine = is_mine(found) and not found.st_mode & 0o077
        return os.read(handle, LONGEST) if mine and stat.S_ISREG(found.st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(handle)
