"""What stands before every route: foreign hosts, foreign pages, strangers and oversized requests are refused."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse, JSONResponse

from metier.web.answers import FORM_SCOPE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from metier.web.access import Access

MAX_BODY = 1024 * 1024
"""Bytes of a request."""
PATIENCE = 10.0
"""Seconds in which a request has to arrive."""
START = "/start/"
FORM_TOKEN = "x-metier-form"  # noqa: S105 - the name of a header
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""Headers of every answer."""
NO_MORE: Mapping[str, str] = {}
PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Metier</title>'
    '<link rel="icon" href="/static/icon.svg">{head}<p>{text}</p></html>'
)
OWN_PAGES = "Changes are made from the dashboard's own pages. Load the page again."
NEW_LINK = "This page needs a link that opens once. Get one: run <code>metier ui</code> in the project."


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestHead:
    """What the guard looks at: everything but the body."""

    method: str
    path: str
    headers: Mapping[str, Sequence[str]]

    def one(self, name: str) -> str:
        """A header's only value; empty if it is missing or stands there twice."""
        values = self.headers.get(name, ())
        return values[0] if len(values) == 1 else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedRequest:
    """Why a request is not answered."""

    status: int
    reason: str


def refusal(head: RequestHead, access: Access) -> RefusedRequest | None:
    """Why a request may not go on; None: it may."""
    return _foreign(head, access) or _stranger(head, access) or _unsafe_write(head, access)


def _foreign(head: RequestHead, access: Access) -> RefusedRequest | None:
    """What another host name or another page sends."""
    if head.one("host") != access.host:
        return RefusedRequest(status=421, reason=f"This is not the dashboard's address. Use {access.origin}")
    if "origin" in head.headers and head.one("origin") != access.origin:
        return RefusedRequest(status=403, reason="Another page asked for this.")
    site = head.headers.get("sec-fetch-site")
    is_start = head.method == "GET" and head.path.startswith(START) and head.one("sec-fetch-mode") == "navigate"
    if site is not None and head.one("sec-fetch-site") not in ("same-origin", "none") and not is_start:
        return RefusedRequest(status=403, reason="Another page asked for this.")
    if head.method not in ("GET", "HEAD", "POST"):
        return RefusedRequest(status=405, reason="Only GET and POST are answered.")
    return None


def _stranger(head: RequestHead, access: Access) -> RefusedRequest | None:
    if head.path.startswith(START) and head.method == "GET":
        return None
    return None if access.admits(head.one("cookie")) else RefusedRequest(status=401, reason=NEW_LINK)


def _unsafe_write(head: RequestHead, access: Access) -> RefusedRequest | None:
    """A body that does not belong there, and a write that no page of ours sent."""
    if wrong := wrong_body(head):
        return wrong
    if head.method == "POST" and (
        head.one("sec-fetch-site") != "same-origin" or not access.admits_write(head.one(FORM_TOKEN))
    ):
        return RefusedRequest(status=403, reason=OWN_PAGES)
    return None


def wrong_body(head: RequestHead) -> RefusedRequest | None:
    """A body that is too large, of the wrong kind, or where none belongs."""
    length = head.one("content-length") or "0"
    if not length.isascii() or not length.isdigit() or int(length[:12]) > MAX_BODY:
        return RefusedRequest(status=413, reason="A request may have 1 MiB at most.")
    if head.method != "POST":
        has_body = length != "0" or "transfer-encoding" in head.headers
        return RefusedRequest(status=400, reason="Only POST takes a body.") if has_body else None
    if head.one("content-type").partition(";")[0].strip().lower() != "application/json":
        return RefusedRequest(status=415, reason="Changes are sent as JSON.")
    return None


class Guard:
    """An application behind the guard; all its answers carry the same safe headers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        head = head_of(scope)
        refused = refusal(head, self._access)
        safe = with_headers(send)
        if refused is not None:
            await _refuse(head, refused)(scope, receive, safe)
        elif head.path.startswith(START):
            await self._start(head)(scope, receive, safe)
        else:
            scope[FORM_SCOPE] = self._access.form_token
            with suppress(Exception):  # what went wrong was said already, on the page and in the terminal
                await forward(self._app, scope, receive, safe)

    def _start(self, head: RequestHead) -> Response:
        """Hand out the cookie for a good link. A browser that only looks ahead does not use the link up."""
        looks_ahead = "prefetch" in f"{head.one('sec-purpose')} {head.one('purpose')}"
        if looks_ahead or not self._access.redeem(head.path.removeprefix(START)):
            return _refuse(head, RefusedRequest(status=401, reason="This link was used already. " + NEW_LINK))
        page = PAGE.format(head='<meta http-equiv="refresh" content="0;url=/">', text="Opening the dashboard …")
        return HTMLResponse(page, headers={"set-cookie": self._access.set_cookie()})


async def forward(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Hand a request on; of a write the whole body is read first, within bounds of size and time."""
    if scope["method"] != "POST":
        await app(scope, receive, send)
        return
    body = b""
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await receive()
                body += message.get("body", b"")
                if message["type"] == "http.disconnect":
                    return
                if len(body) > MAX_BODY or not message.get("more_body"):
                    break
    except TimeoutError:
        await _json(408, "The request took too long.")(scope, receive, send)
        return
    if len(body) > MAX_BODY:
        await _json(413, "A request may have 1 MiB at most.")(scope, receive, send)
        return
    handed: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def whole() -> Message:
        return handed.pop() if handed else await receive()

    await app(scope, whole, send)


def head_of(scope: Scope) -> RequestHead:
    """What a request says about itself."""
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return RequestHead(method=scope["method"], path=scope["path"], headers=headers)


def with_headers(send: Send, more: Mapping[str, str] = NO_MORE) -> Send:
    """A way to answer on which every answer gets the safe headers, and some more."""
    every = {**HEADERS, **more}

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [pair for pair in message["headers"] if pair[0].decode("latin-1").lower() not in every]
            message["headers"] = [*kept, *((name.encode(), text.encode()) for name, text in every.items())]
        await send(message)

    return wrapped


def _refuse(head: RequestHead, refused: RefusedRequest) -> Response:
    if head.method == "POST":
        return _json(refused.status, refused.reason)
    return HTMLResponse(PAGE.format(head="", text=refused.reason), refused.status)


def _json(status: int, reason: str) -> Response:
    return JSONResponse({"error": reason}, status)
