"""Which hosts a package names that are not well known; its own name and words make no host known."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from metier.review.matching.re2 import compile_pattern
from metier.review.rules.catalogue import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ADDRESS = (
    r"(?:https?|wss?|ftp|sftp|ssh|git)://(?:[^/\s@\"'`<>]{1,80}@)?([a-z0-9][a-z0-9.-]{1,120})"
    r"|\b[\w.+-]{1,40}@([a-z0-9-]{2,60}(?:\.[a-z0-9-]{1,60}){0,3}\.[a-z]{2,12})\b"
    r"|\b(?:hostname|host|server)[\"']?\s{0,4}[:=]\s{0,4}[\"']([a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){1,4})[\"']"
    r"|\n[ \t]{1,8}(?:host|hostname|endpoint)[ \t]{1,8}([a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){1,4})[ \t]*\n"
    r"|\b(?:s3|gs)://([a-z0-9][a-z0-9.-]{2,62})"
    r"|/dev/(?:tcp|udp)/([a-z0-9][a-z0-9.-]{1,120})"
    r"|(?:connect|connection|smtp|smtp_ssl|ftp)\s{0,2}\(\(?\s{0,4}[\"']([a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){1,4})[\"']"
)
"""An address, with its host as a group."""
MOST = 20_000
"""Addresses of one text that are looked at."""
_SAID = re.compile(r"[a-z0-9-]+")
_NUMBERS = re.compile(r"[\d.]+")
_SECOND = frozenset(["co", "com", "net", "org", "gov", "ac", "edu"])
_SHARED = frozenset(
    (
        *("vercel", "netlify", "herokuapp", "fly", "github", "gitlab", "workers", "pages"),
        *("glitch", "onrender", "amazonaws", "azurewebsites"),
    )
)
"""Names under which anybody can have a host: the part before them is what counts."""


def hosts_of(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Start, end and name of every host in a text."""
    for count, match in enumerate(compile_pattern(ADDRESS).finditer(data)):
        if count >= MOST:
            return
        name = next((match.group(group) for group in range(1, 8) if match.group(group)), b"") or b""
        yield match.start(), match.end(), name.decode("ascii", "replace").lower().rstrip(".-")


def label_of(host: str) -> str:
    """The part of a host's name that its owner chose."""
    parts = host.split(".")
    if len(parts) < 2 or _NUMBERS.fullmatch(host):
        return host
    if len(parts) > 2 and parts[-2] == "example":
        return parts[-3]
    at = -3 if len(parts) > 2 and (parts[-2] in _SECOND or parts[-2] in _SHARED) else -2
    return parts[at]


class Acquaintance:
    """The hosts that a package names: where they are strange, and which of them its documents speak of."""

    def __init__(self, texts: Iterable[bytes], documents: Iterable[bytes] = ()) -> None:
        self._texts = tuple(texts)
        self._documents = tuple(documents)

    def strangers(self, data: bytes) -> list[tuple[int, int]]:
        """Where a text names a host that is not well known."""
        return [(start, end) for start, end, host in hosts_of(data) if not is_public(host)]

    def unnamed(self, data: bytes) -> list[tuple[int, int]]:
        """Where a text names such a host that no document of the package speaks of."""
        found = ((start, end, host) for start, end, host in hosts_of(data) if not is_public(host))
        return [(start, end) for start, end, host in found if _plain(label_of(host)) not in self._told]

    def strays(self, data: bytes) -> list[tuple[int, int]]:
        """Where a text names such a host in passing: once in all of the package, and not as a link to read."""
        found = ((start, end, host) for start, end, host in hosts_of(data) if not _is_link(data, start))
        return [(start, end) for start, end, host in found if not is_public(host) and self._named[label_of(host)] <= 1]

    @cached_property
    def _told(self) -> frozenset[str]:
        """The words of the documents, and every two of them as one: `Quiet Node` tells of `quiet-node.net`."""
        said = [
            _plain(one) for data in self._documents for one in _SAID.findall(data.decode("utf-8", "replace").lower())
        ]
        return frozenset(said) | {one + two for one, two in pairwise(said)}

    @cached_property
    def _named(self) -> Counter[str]:
        return Counter(label_of(host) for data in self._texts for _, _, host in hosts_of(data))


def _plain(name: str) -> str:
    return name.replace("-", "")


def _is_link(data: bytes, start: int) -> bool:
    """Whether an address is there to be read up on: the target of a link, in brackets, behind a colon, or alone."""
    before = data[max(0, start - 60) : start].rpartition(b"\n")[2].rstrip(b" \t`\"'*")
    if data[start - 1 : start] == b",":  # a field of a table
        return True
    return (
        before.endswith((b"(", b"<", b":", "\uff1a".encode(), b"|", b"-", b"="))
        or not before
        or before.lstrip().startswith(b"|")
    )


@cache
def is_public(host: str) -> bool:
    """Whether a host is well known, a stand-in, or on this machine."""
    return compile_pattern(words()["known_host"]).search(host.encode()) is not None
