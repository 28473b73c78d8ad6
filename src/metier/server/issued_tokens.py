"""Tokens of a server: made once, shown once, kept as a hash, taken back at any time."""

from __future__ import annotations

import re
import secrets
import threading
import time
from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.context.audit import note_action
from metier.errors import InputError, NotFoundError, StoreError
from metier.server.roles import ROLES
from metier.store.tables.server import access_tokens
from metier.store.tables.server.access_tokens import AccessToken

if TYPE_CHECKING:
    from metier.context.context import Context

PREFIX = "metier"
SHAPE = re.compile(PREFIX + r"_([0-9a-f]{12})_([\w-]{43})")
NAME = re.compile(r"[\w.@-][\w.@ -]{0,63}")
FRESH = 1.0
"""Seconds for which a token that was looked up counts without another look: a revoked one ends after that."""
KNOWN = 1000
"""Tokens that are remembered for that time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token that was just made; its text is known now and never again."""

    token: AccessToken
    text: str


def add_token(ctx: Context, name: str, role: str, days: int = 0) -> NewToken:
    """Make a token for somebody; `days`: how long it counts, 0 for ever."""
    if not NAME.fullmatch(name):
        raise InputError("A name has 1 to 64 letters, digits, spaces or one of . @ _ -, such as ada@build-3.")
    if role not in ROLES:
        raise InputError(f"There is no role '{role}'. Roles: {', '.join(ROLES)}.")
    now, token, secret = ctx.clock().astimezone(UTC), secrets.token_hex(6), secrets.token_urlsafe(32)
    ends = (now + timedelta(days=days)).isoformat(timespec="microseconds").replace("+00:00", "Z") if days else ""
    made = AccessToken(id=token, name=name, role=role, hash="", created=ctx.now(), expires=ends)
    made = replace(made, hash=_hashes(ctx, made, secret)[0])
    with ctx.store.write() as transaction:
        access_tokens.add(transaction, made)
        note_action(transaction, ctx, "serve.token.add", f"token {token}", f"{role} {name}")
    return NewToken(token=made, text=f"{PREFIX}_{token}_{secret}")


def list_tokens(ctx: Context) -> list[AccessToken]:
    """Every token, also those that were revoked."""
    with ctx.store.read() as transaction:
        return access_tokens.list_all(transaction)


def revoke_token(ctx: Context, token: str) -> AccessToken:
    """Take a token back, by its id."""
    with ctx.store.write() as transaction:
        found = access_tokens.get(transaction, token)
        if found is None:
            raise NotFoundError(f"There is no token '{token}'. metier serve token list shows them.")
        access_tokens.revoke(transaction, token, ctx.now())
        note_action(transaction, ctx, "serve.token.revoke", f"token {token}", f"{found.role} {found.name}")
    return found


class TokenCheck:
    """Looks tokens up; remembers each for a moment, because every request asks."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._known: dict[str, tuple[float, AccessToken | None]] = {}
        self._lock = threading.Lock()

    def by_text(self, text: str) -> AccessToken | None:
        """The token that a text is, if it counts now; its secret is compared in constant time."""
        found = SHAPE.fullmatch(text)
        token = self.by_id(found[1]) if found else None
        if found is None or token is None:
            return None
        hashes = _hashes(self._ctx, token, found[2])
        return token if any(secrets.compare_digest(token.hash.encode(), one.encode()) for one in hashes) else None

    def by_id(self, token: str) -> AccessToken | None:
        """The token of an id, if it counts now."""
        found = self._look_up(token)
        return found if found is not None and found.is_good(self._ctx.now()) else None

    def _look_up(self, token: str) -> AccessToken | None:
        with self._lock:
            known = self._known.get(token)
        if known is not None and time.monotonic() - known[0] < FRESH:
            return known[1]
        try:
            with self._ctx.store.glance() as transaction:
                found = access_tokens.get(transaction, token)
        except StoreError:
            return None  # a store that cannot be asked lets nobody in
        with self._lock:
            if len(self._known) >= KNOWN:
                self._known.clear()
            self._known[token] = (time.monotonic(), found)
        return found


def _hashes(ctx: Context, token: AccessToken, secret: str) -> list[str]:
    """What may be kept of a token: 256 random bits need no slow hash, nobody can try them all.

    It is made with this person's key, so that a database which somebody brought along holds no token that counts. A
    server with many machines has no such key in common: whoever joined it believes it.
    """
    parts = ("server token", token.id, token.role, token.expires, secret)
    sealed = ctx.seal(*parts)
    return [sha256("\0".join(parts).encode()).hexdigest(), sealed] if ctx.config.store else [sealed]
