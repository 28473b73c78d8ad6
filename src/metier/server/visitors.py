"""Who asks: by the bearer token of a program, or by the signed cookie of a person who signed in."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from metier.server.issued_tokens import TokenCheck
    from metier.store.tables.server.access_tokens import AccessToken
    from metier.web.guard import RequestHead

HOURS = 12
"""How long somebody stays signed in."""
COOKIE = re.compile(r"([0-9a-f]{12})\.(\d{1,12})\.([0-9a-f]{64})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Somebody with a good token."""

    token: AccessToken
    form_token: str = ""
    """What a write from their pages must carry; empty: a program, which sends no cookies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """Signs people in and knows them again; the cookie holds no secret of theirs, and ends with their token."""

    key: bytes
    tokens: TokenCheck
    clock: Callable[[], datetime]
    secure: bool
    """Whether the address begins with https."""
    port: int

    @property
    def cookie(self) -> str:
        """The cookie's name; a secure one is bound to exactly this host."""
        return "__Host-metier" if self.secure else f"metier_serve_{self.port}"

    def visitor(self, head: RequestHead) -> Visitor | None:
        """Who sent a request; None: nobody we know. A bearer token that is wrong is not made good by a cookie."""
        if "authorization" in head.headers:
            kind, _, text = head.one("authorization").partition(" ")
            token = self.tokens.by_text(text.strip()) if kind.lower() == "bearer" else None
            return Visitor(token=token) if token else None
        return self._by_cookie(head.one("cookie"))

    def set_cookie(self, token: AccessToken) -> str:
        """The header that signs somebody in."""
        ends = int(self.clock().timestamp()) + HOURS * 3600
        value = f"{token.id}.{ends}.{self._mac(token, str(ends))}"
        flags = "; Secure" if self.secure else ""
        return f"{self.cookie}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={HOURS * 3600}{flags}"

    def _by_cookie(self, header: str) -> Visitor | None:
        parts = (part.strip().partition("=") for part in header.split(";"))
        given = [value for name, _, value in parts if name == self.cookie]
        found = COOKIE.fullmatch(given[0]) if len(given) == 1 else None
        if found is None or int(found[2]) <= self.clock().timestamp():
            return None
        token = self.tokens.by_id(found[1])
        if token is None or not hmac.compare_digest(found[3], self._mac(token, found[2])):
            return None
        return Visitor(token=token, form_token=sha256(f"form {found[0]}".encode()).hexdigest())

    def _mac(self, token: AccessToken, ends: str) -> str:
        text = f"metier sign in {token.id} {token.role} {token.hash} {ends}".encode()
        return hmac.new(self.key, text, sha256).hexdigest()
