"""Yeses that a program gave, or that came from inside an agent: the person is told once, when a session starts."""

from __future__ import annotations

import os

FILE, WORDS = "yeses", os.path.join("words", "start")
ANY = "{"
"""A word that stands in every object: the launcher starts Python for it."""
SHOWN, LONGEST = 5, 20_000
"""Lines that are told, and bytes that are read."""


def keep_yes(state: str, line: str) -> None:
    """Have a line told when the next session starts."""
    os.makedirs(os.path.dirname(os.path.join(state, WORDS)), mode=0o700, exist_ok=True)
    _append(os.path.join(state, FILE), line)
    if not os.path.exists(os.path.join(state, WORDS)):
        _append(os.path.join(state, WORDS), ANY)


def has_yeses(state: str) -> bool:
    """Whether something waits to be told."""
    return os.path.isfile(os.path.join(state, FILE))


def take_yeses(state: str) -> str:
    """What waits to be told, as one text; it is told once, also by sessions that start at the same time."""
    file, words = os.path.join(state, FILE), os.path.join(state, WORDS)
    if not os.path.isfile(file) or os.path.islink(file):
        return ""
    mine = f"{file}.{os.getpid()}"
    try:
        os.rename(file, mine)
    except FileNotFoundError:
        return ""
    lines = _read(mine).splitlines()
    os.unlink(mine)
    if _read(words) == f"{ANY}\n":
        os.unlink(words)
    more = [f"And {len(lines) - SHOWN} more: metier audit list"] if len(lines) > SHOWN else []
    return "\n".join((*lines[:SHOWN], *more))


def _append(file: str, line: str) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, f"{line}\n".encode("utf-8", "replace"))
    finally:
        os.close(handle)


def _read(file: str) -> str:
    try:
        with open(file, "rb") as source:
            return source.read(LONGEST).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
