"""What keeps a learned text clean: no secrets, no addresses nobody named, no commands that a page dictated."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from metier.redaction import MARK
from metier.text.own_words import stood_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from metier.types import Run

_ADDRESS = re.compile(
    r"((?:https?|wss?|ftp|ssh|git)://(?:[^\s/@'\"<>]{0,80}@)?)([A-Za-z0-9.-]{1,253})(?=[/:?#\s'\"]|\Z)", re.IGNORECASE
)
_REMOTE = re.compile(r"(\b[\w.-]{1,64}@)([A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8})(?=:)")
_BARE = re.compile(
    r"(\b(?:curl|wget|ping|ssh|nc|fetch)(?: +-{1,2}[\w-]{1,20})* +['\"]?)((?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,12})\b",
    re.IGNORECASE,
)
_NETWORK = re.compile(r"://|@|\b(?:curl|wget|ping|ssh|nc|fetch) ", re.IGNORECASE)
"""One of these stands in every text with an address."""
_LOCAL = ("localhost", "127.0.0.1", "0.0.0.0", "::1")  # noqa: S104 - a name to leave alone, nothing is bound
_RISKY = re.compile(
    r"https?://|\b(?:curl|wget|ssh|scp|nc|sudo|eval|exec|chmod|chown|crontab|base64|powershell|npx|rm|dd)\b"
    r"|\|\s*(?:ba|z)?sh\b|\b(?:pip3?|npm|gem|cargo) i(?:nstall)?\b|\bgit push\b|~/\.|/etc/|\.env\b|\bdocker run\b"
)
_KINDS = (("password", "password"), ("private", "key"), ("key", "key"), ("url", "password"))


@lru_cache(maxsize=1024)
def is_risky(text: str) -> bool:
    """Whether a text names a program, an address or a place with which harm can be done."""
    return _RISKY.search(text) is not None


def without_marks(text: str) -> str:
    """The text with a plain stand-in wherever a secret was taken out."""
    return MARK.sub(lambda found: f"<{_stand_in(found[0])}>", text) if "[REDACTED:" in text else text


def told_hosts(runs: Iterable[Run]) -> frozenset[str]:
    """The hosts that people and operators have named themselves, in small letters."""
    return frozenset(
        word.strip("`'\"()<>,;:!?").lower().rstrip(".")
        for run in runs
        for text in _people(run)
        for word in re.split(r"[\s/]+", text)
        if "." in word
    )


def without_hosts(text: str, told: frozenset[str]) -> str:
    """The text with `<host>` in place of every host that nobody has named."""

    def hidden(found: re.Match[str]) -> str:
        host = found[2].lower().rstrip(".")
        return found[0] if host in told or host in _LOCAL or "." not in host else f"{found[1]}<host>"

    if not _NETWORK.search(text):
        return text
    for pattern in (_ADDRESS, _REMOTE, _BARE):
        text = pattern.sub(hidden, text)
    return text


def is_dictated(command: str, at: int, run: Run) -> bool:
    """Whether something that matters was run word for word as a tool, page or file had said before, and no person."""
    return is_risky(command) and is_copied(command, at, run)


def is_copied(text: str, at: int, run: Run) -> bool:
    """Whether a tool, page or file had said a text word for word before a call, and no person."""
    if stood_in(text, _people(run)):
        return False
    shown = [passage.text for passage in run.context if passage.origin in ("tool", "web", "file")]
    return stood_in(text, (*shown, *(call.output for call in run.tools[:at])))


def foreign_texts(runs: Iterable[Run]) -> Iterator[str]:
    """Every text of the runs that anybody may have written."""
    for run in runs:
        yield from (passage.text for passage in run.context if passage.origin in ("tool", "web", "file"))
        for call in run.tools:
            yield call.output
            yield call.error or ""


def _people(run: Run) -> Iterator[str]:
    yield run.message
    yield run.correction or ""
    yield from (passage.text for passage in run.context if passage.origin in ("person", "operator"))


def _stand_in(mark: str) -> str:
    rule = mark.split(":")[1]
    return next((name for word, name in _KINDS if word in rule), "token")
