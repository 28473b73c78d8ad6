"""Why a model gave no reply: a closed union, each with a reason a person can act on.

Unreachable   nobody answered, or the server itself failed; may work later
TimedOut      the time limit passed first
RateLimited   too many calls; `after` says how long the server asks to wait
Refused       understood and declined: key, model name, a parameter, the content
Malformed     answered, but nothing usable
OverBudget    not asked, because the answer could have cost more than allowed
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.types import Tokens

LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failed:
    """What all failures share."""

    reason: str
    billed: bool = False
    """Whether the provider may charge for it: then the budget keeps the whole reservation as spent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreachable(_Failed):
    """Nobody answered, or the server failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut(_Failed):
    """The time limit passed before the reply was there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimited(_Failed):
    """The server wants fewer calls."""

    after: float | None = None
    """Seconds it asks to wait, if it said so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(_Failed):
    """The server, or we ourselves, will not do this; asking again changes nothing."""

    status: int = 0
    """The HTTP status, if there was one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed(_Failed):
    """There was an answer, and it cannot be used."""

    text: str = ""
    """The beginning of what came."""
    tokens: Tokens | None = None
    """What it cost all the same, if the server said so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverBudget(_Failed):
    """A limit on calls, tokens or money would have been passed; nothing was asked."""


Failure = Unreachable | TimedOut | RateLimited | Refused | Malformed | OverBudget
FAILURES = (Unreachable, TimedOut, RateLimited, Refused, Malformed, OverBudget)
"""For `isinstance`."""


def kind(failure: Failure) -> str:
    """The failure's word in records and pages, such as `rate_limited`."""
    name = type(failure).__name__
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


def one_line(text: str, limit: int = LONGEST) -> str:
    """Foreign text in one line, without control characters, cut to a length."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: 4 * limit]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def without_secret(failure: Failure, secret: str) -> Failure:
    """The failure with a secret taken out of what the server said."""
    if not secret or secret not in failure.reason + getattr(failure, "text", ""):
        return failure
    clean = replace(failure, reason=failure.reason.replace(secret, "[key]"))
    return replace(clean, text=clean.text.replace(secret, "[key]")) if isinstance(clean, Malformed) else clean
