"""Names and paths that a skill may have."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING
from unicodedata import category, combining, normalize

from metier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_LENGTH = 64
_VALID = re.compile(r"[a-z0-9-]+")
_GAPS = re.compile(r"[^a-z0-9]+")
_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))))
_CONFUSABLES = str.maketrans(
    "аеорсхуіјѕһԁԛԝкмтвнгпзьαβεικνορτυχγωℓ01|ıɡøłđ_‐‑–—−",
    "aeopcxyijshdqwkmtbhrnzbabeikvoptuxywlolligold------",
)
"""Letters of other alphabets, digits and strokes that look like another one; small on purpose."""
_PAIRS = (("rn", "m"), ("vv", "w"))


def name_problem(name: str) -> str | None:
    """Why this cannot be the name of a skill; None: it can."""
    if not name:
        return "it is empty"
    if len(name) > MAX_LENGTH:
        return f"it has {len(name)} characters, {MAX_LENGTH} are allowed"
    if not _VALID.fullmatch(name):
        return "only the letters a to z, digits and hyphens are allowed"
    if name.startswith("-") or name.endswith("-"):
        return "it begins or ends with a hyphen"
    if "--" in name:
        return "it has two hyphens in a row"
    if name in _DEVICES:
        return "it is the name of a device on some systems"
    return "it has nothing but digits" if name.isdigit() else None


@lru_cache(maxsize=65_536)
def lookalike_key(name: str) -> str:
    """What two names have in common when a person could take one for the other."""
    if name.isascii() and name.isprintable():
        return _without_pairs(name.lower().translate(_CONFUSABLES))
    plain = normalize("NFKD", normalize("NFKC", name).casefold())
    visible = "".join(char for char in plain if not combining(char) and category(char) not in ("Cf", "Cc"))
    return _without_pairs(visible.translate(_CONFUSABLES))


def _without_pairs(folded: str) -> str:
    for pair, single in _PAIRS:
        folded = folded.replace(pair, single)
    return folded


def slug(text: str) -> str:
    """A valid name that reads like the text; one without Latin letters or digits gets a name from its digest."""
    plain = normalize("NFKD", text).casefold()
    ascii_only = "".join(char for char in plain if not combining(char))
    name = _cut(_GAPS.sub("-", ascii_only).strip("-"), MAX_LENGTH)
    if not name:
        return f"skill-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return f"skill-{_cut(name, MAX_LENGTH - len('skill-'))}" if name_problem(name) else name


def _cut(name: str, limit: int) -> str:
    """At most `limit` characters, ending with a whole word where that keeps at least half of them."""
    if len(name) <= limit:
        return name
    at = name.rfind("-", limit // 2, limit + 1)
    return (name[:at] if at > 0 else name[:limit]).strip("-")


MAX_ENTRIES = 10_000
"""Files and folders."""
MAX_DEPTH = 64
MAX_PATH = 1024
"""Bytes of UTF-8, as is the next."""
MAX_PART = 255
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_TURNING = re.compile(r"[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Characters that turn the direction of text, end a line, or are tags that nothing shows."""
_GIT = re.compile(r"(?:^|/)(?:\.git|git~[0-9]+)[ .]*(?::[^/]*)?(?:/|$)", re.IGNORECASE)
"""What git takes for its own folder on one system or another; a file in it can be a program that git starts."""
_DRIVE = re.compile(r"[A-Za-z]:")


def check_paths(paths: Iterable[str]) -> None:
    """InputError names the first path that is refused, and why."""
    seen: dict[str, str] = {}
    files: set[str] = set()
    for path in paths:
        if reason := path_problem(path):
            raise InputError(f"{path[:80]!r} cannot be a path in a skill package: {reason}.")
        files.add(path)
        for part in _with_folders(path):
            other = seen.setdefault(normalize("NFC", normalize("NFC", part).casefold()), part)
            if other != part:
                raise InputError(f"{part[:80]!r} and {other[:80]!r} are one name on many file systems; rename one.")
        if len(seen) > MAX_ENTRIES:
            raise InputError(f"A skill package may have {MAX_ENTRIES:,} files and folders, this one has more.")
    for path in files:
        for folder in list(_with_folders(path))[:-1]:
            if folder in files:
                raise InputError(f"{folder[:80]!r} is a file and a folder at once.")


def path_problem(path: str) -> str | None:
    """Why a path is refused by itself; None: it is fine."""
    parts = path.split("/")
    if not path:
        return "it is empty"
    if path.startswith("/") or _DRIVE.match(path):
        return "it is absolute"
    if "\\" in path:
        return "it has a backslash"
    if _CONTROL.search(path):
        return "it has a control character"
    if _TURNING.search(path):
        return "it has a character that makes it look like another one where it is shown"
    if _GIT.search(path if path.isascii() else "".join(char for char in path if category(char) != "Cf")):
        return "it has a part that git takes for its own folder"
    if any(part in ("", ".", "..") for part in parts):
        return "it has an empty, '.' or '..' part"
    if len(parts) > MAX_DEPTH:
        return f"it is more than {MAX_DEPTH} levels deep"
    return _size_problem(path, parts)


def _size_problem(path: str, parts: list[str]) -> str | None:
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return "it is no UTF-8"
    if size > MAX_PATH or any(len(part.encode()) > MAX_PART for part in parts):
        return f"it is too long ({MAX_PATH:,} bytes in all and {MAX_PART} a part are allowed)"
    return None


def _with_folders(path: str) -> Iterator[str]:
    """The folders a path leads through, then the path."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)
    yield path
