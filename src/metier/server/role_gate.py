"""What stands before every route of the server: foreign hosts and pages, strangers, and roles without the right."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.routing import Match

from metier.context.audit import acting_as
from metier.server.roles import NEEDS, may
from metier.web.answers import FORM_SCOPE, LOOKS_ONLY
from metier.web.guard import (
    FORM_TOKEN,
    HEADERS,
    OWN_PAGES,
    PATIENCE,
    RefusedRequest,
    forward,
    head_of,
    with_headers,
    wrong_body,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import Message, Receive, Scope, Send

    from metier.server.binding import Binding
    from metier.server.metrics import Metrics
    from metier.server.visitors import SignIn, Visitor
    from metier.web.guard import RequestHead

ANOTHER_PAGE = "Another page asked for this."
SIGN_IN = "/signin"
FORM_LIMIT = 4096
"""Bytes of the form that signs somebody in."""
PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    "<title>Sign in · Metier</title><h1>Metier</h1><p>{text}</p>"
    f'<form method="post" action="{SIGN_IN}"><label>Your token <input type="password" name="token" required'
    ' autocomplete="current-password"></label> <button>Sign in</button></form></html>'
)
HELLO = (
    "Sign in with your token. Whoever runs this server makes one: "
    "<code>metier serve token add NAME --role viewer</code>"
)
POLICY = "content-security-policy"
SIGN_IN_POLICY = {
    POLICY: HEADERS[POLICY].replace("form-action 'none'", "form-action 'self'"),
    "referrer-policy": "same-origin",
}
"""A page that asks for a token has a form; no other page has one that is sent by the browser itself, which says where
a form comes from only if it may say so to us."""
HTTPS_ONLY = {"strict-transport-security": "max-age=31536000"}
PROGRAMS = "/v1/"
"""Routes for programs read their own bodies: those are larger, and not always JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleGate:
    """The server's application behind its gate; all its answers carry the same safe headers."""

    app: Starlette
    binding: Binding
    sign_in: SignIn
    metrics: Metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        head, route = head_of(scope), route_of(self.app.routes, scope)
        counted = self._counting(send, head.method, route)
        more = HTTPS_ONLY if self.binding.is_secure else {}
        safe, form = with_headers(counted, more), with_headers(counted, more | SIGN_IN_POLICY)
        if refused := foreign(head, self.binding, scope):
            await _refuse(head, refused)(scope, receive, safe)
        elif head.path == SIGN_IN and head.method == "POST":
            await (await self._signed_in(head, receive))(scope, receive, form)
        elif (visitor := await run_in_threadpool(self.sign_in.visitor, head)) is None:
            await _ask_in(head)(scope, receive, form)
        elif refused := not_allowed(head, visitor, route):
            await _refuse(head, refused)(scope, receive, safe)
        else:
            await self._forward(head, visitor, (scope, receive, safe))

    async def _forward(self, head: RequestHead, visitor: Visitor, call: tuple[Scope, Receive, Send]) -> None:
        scope, receive, safe = call
        scope[FORM_SCOPE] = visitor.form_token
        scope[LOOKS_ONLY] = not may(visitor.token.role, "decide")
        with suppress(Exception), acting_as(visitor.token.name):  # what went wrong was said already
            if head.path.startswith(PROGRAMS):
                await self.app(scope, receive, safe)
            else:
                await forward(self.app, scope, receive, safe)

    async def _signed_in(self, head: RequestHead, receive: Receive) -> Response:
        """Exchange a token for a cookie; only a page of ours may ask for that."""
        if head.one("origin") != self.binding.origin:
            return _refuse(head, RefusedRequest(status=403, reason="Another page asked for this."))
        try:
            given = await _form_token(receive)
        except TimeoutError:
            return _refuse(head, RefusedRequest(status=408, reason="The request took too long."))
        token = await run_in_threadpool(self.sign_in.tokens.by_text, given)
        if token is None:
            return HTMLResponse(PAGE.format(text="This token is not good, or not any more. " + HELLO), 401)
        if not may(token.role, "look"):
            return HTMLResponse(PAGE.format(text=f"A token of the role {token.role} opens no pages."), 403)
        return RedirectResponse("/", 303, headers={"set-cookie": self.sign_in.set_cookie(token)})

    def _counting(self, send: Send, method: str, route: str | None) -> Send:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                where = (route or "other", method if method in ("GET", "POST") else "other")
                status = str(message["status"])
                self.metrics.count("metier_requests_total", route=where[0], method=where[1], status=status)
            await send(message)

        return counted


def route_of(routes: Sequence[BaseRoute], scope: Scope) -> str | None:
    """The path of the route that a request means, as the route has it; None: there is none."""
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    for route in routes:
        matches, _ = route.matches({**scope, "method": method})
        if matches is Match.FULL:
            return str(getattr(route, "path", ""))
    return None


def foreign(head: RequestHead, binding: Binding, scope: Scope) -> RefusedRequest | None:
    """What comes past the named proxy, for another host name, or from another page."""
    client = scope.get("client")
    if binding.proxies and not (client and any(ip_address(client[0]) in one for one in binding.proxies)):
        return RefusedRequest(status=403, reason="This server is reached through its proxy only.")
    if head.one("host") != binding.netloc:
        return RefusedRequest(status=421, reason=f"This is not the server's address. Use {binding.origin}")
    if "origin" in head.headers and head.one("origin") != binding.origin:
        return RefusedRequest(status=403, reason=ANOTHER_PAGE)
    if _is_from_another_page(head):
        return RefusedRequest(status=403, reason=ANOTHER_PAGE)
    if head.method not in ("GET", "HEAD", "POST"):
        return RefusedRequest(status=405, reason="Only GET and POST are answered.")
    return None


def _is_from_another_page(head: RequestHead) -> bool:
    """Whether a browser says that another page asked; following a link from there is fine."""
    if "sec-fetch-site" not in head.headers or head.one("sec-fetch-site") in ("same-origin", "none"):
        return False
    return head.method != "GET" or head.one("sec-fetch-mode") != "navigate"


def not_allowed(head: RequestHead, visitor: Visitor, route: str | None) -> RefusedRequest | None:
    """Why somebody we know may not do this."""
    method = "POST" if head.method == "POST" else "GET"
    right = NEEDS.get((method, route)) if route else None
    if route is None:
        return RefusedRequest(status=404, reason="There is nothing here.")
    if right is None or not may(visitor.token.role, right):
        return RefusedRequest(status=403, reason=f"Your role ({visitor.token.role}) does not allow this.")
    if head.path.startswith(PROGRAMS) and not visitor.form_token:
        return None
    return wrong_body(head) or _not_from_own_page(head, visitor)


def _not_from_own_page(head: RequestHead, visitor: Visitor) -> RefusedRequest | None:
    """A change that a browser asks for has to come from a page of this server."""
    if head.method != "POST" or not visitor.form_token:
        return None
    own = head.one("sec-fetch-site") == "same-origin" and head.one(FORM_TOKEN) == visitor.form_token
    return None if own else RefusedRequest(status=403, reason=OWN_PAGES)


async def _form_token(receive: Receive) -> str:
    """The token in the form, within bounds of size and time."""
    body = b""
    async with asyncio.timeout(PATIENCE):
        while len(body) <= FORM_LIMIT:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
    return parse_qs(body[:FORM_LIMIT].decode("latin-1")).get("token", [""])[0].strip()


def _ask_in(head: RequestHead) -> Response:
    """The same for every address, so that nobody learns what is there."""
    if head.method == "POST" or "authorization" in head.headers:
        reason = "This needs a token: Authorization: Bearer TOKEN."
        return JSONResponse({"error": reason}, 401, headers={"www-authenticate": "Bearer"})
    return HTMLResponse(PAGE.format(text=HELLO), 401)


def _refuse(head: RequestHead, refused: RefusedRequest) -> Response:
    if head.method == "POST" or "authorization" in head.headers:
        return JSONResponse({"error": refused.reason}, refused.status)
    return HTMLResponse(
        f'<!doctype html><meta charset="utf-8"><title>Metier</title><p>{refused.reason}</p>', refused.status
    )
