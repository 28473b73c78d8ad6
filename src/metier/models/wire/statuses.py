"""What a server's error status means for the caller."""

from __future__ import annotations

import json
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING, cast

from metier.models.failures import RateLimited, Refused, Unreachable, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.models.failures import Failure
    from metier.models.http.transport import HttpAnswer

LONGEST_WAIT = 3600.0
"""Seconds; a server that asks for more is taken to have asked for this."""
NO_MONEY = ("insufficient_quota", "billing", "credit balance", "exceeded your current quota")
HINTS = {
    401: "the key was not accepted",
    403: "the key may not use this",
    404: "there is no such model or address",
    413: "the request is too large",
}


def refusal(answer: HttpAnswer) -> Failure:
    """The failure that an answer other than success means."""
    status, said = answer.status, message(answer.body)
    if 300 <= status < 400:
        place = one_line(answer.headers.get("location", "elsewhere"), 100)
        return Refused(reason=f"the server redirects to {place}; set that address", status=status)
    if said_no_money(status, said):
        return Refused(reason=f"HTTP {status}, no credit is left: {said}", status=402)
    if status == 429:
        return RateLimited(reason=f"HTTP 429, too many calls: {said}", after=wait_asked(answer.headers))
    if status >= 500 or status in (408, 425):
        after = wait_asked(answer.headers)
        if after is not None:
            return RateLimited(reason=f"HTTP {status}, the server asks to wait: {said}", after=after)
        return Unreachable(reason=f"HTTP {status}: {said}")
    hint = f"{HINTS[status]}: " if status in HINTS else ""
    return Refused(reason=f"HTTP {status}, {hint}{said}", status=status)


def said_no_money(status: int, said: str) -> bool:
    """Whether the account, not the pace, is the trouble: waiting will not help."""
    return status == 402 or (status in (400, 403, 429) and any(word in said.lower() for word in NO_MONEY))


def message(body: bytes) -> str:
    """The sentence in an error's body, whichever way the server wraps it."""
    try:
        value: object = json.loads(body[:65_536])
    except (ValueError, RecursionError):
        return one_line(body[:2_000].decode("utf-8", "replace")) or "(no explanation)"
    parts: list[str] = []
    while isinstance(value, dict) and len(parts) < 4:
        fields = cast("dict[str, object]", value)
        parts += [text for name in ("message", "code") if isinstance(text := fields.get(name), str)]
        value = next((fields[name] for name in ("error", "detail", "errors") if fields.get(name)), None)
    if isinstance(value, str):
        parts.append(value)
    elif value is not None:
        parts.append(json.dumps(value)[:1_000])
    return one_line(" ".join(dict.fromkeys(parts))) or "(no explanation)"


def wait_asked(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks to wait, given as milliseconds, seconds or a date; None if it does not say."""
    wait = _number(headers.get("retry-after-ms", ""), 1000)
    if wait is None:
        wait = _number(headers.get("retry-after", ""), 1)
    if wait is None:
        wait = _until(headers.get("retry-after", ""), headers.get("date", ""))
    return None if wait is None else min(max(wait, 0.0), LONGEST_WAIT)


def _number(text: str, unit: int) -> float | None:
    try:
        wait = float(text) / unit
    except ValueError:
        return None
    return wait if isfinite(wait) else None


def _until(then: str, now: str) -> float | None:
    """The time between two dates the server itself gave, so that no clock of ours can be wrong about it."""
    try:
        return (parsedate_to_datetime(then) - parsedate_to_datetime(now)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
