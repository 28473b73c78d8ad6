"""Who may use the dashboard: whoever opened the one-time link, by a cookie that lives as long as the server."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass, field
from hashlib import sha256

BYTES = 32
"""Random bytes of each token."""
LINKS = 8
"""Links that wait to be opened; the oldest gives way."""


@dataclass(slots=True)
class Access:
    """The tokens of one server on one port."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(BYTES), repr=False)
    """What the cookie holds."""
    _links: list[str] = field(default_factory=list[str], repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def host(self) -> str:
        """The only Host that is answered."""
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self) -> str:
        """The only Origin that may ask."""
        return f"http://{self.host}"

    @property
    def cookie(self) -> str:
        """The cookie's name; browsers share cookies between ports, so each port has its own."""
        return f"metier_{self.port}"

    @property
    def form_token(self) -> str:
        """What every write must carry in a header; a page of another program cannot read it."""
        return sha256(f"form {self.token}".encode()).hexdigest()

    def new_link(self) -> str:
        """An address that opens the dashboard once."""
        key = secrets.token_urlsafe(BYTES)
        with self._lock:
            self._links = [*self._links, key][-LINKS:]
        return f"{self.origin}/start/{key}"

    def redeem(self, key: str) -> bool:
        """Whether a link's key is good; it is good once."""
        with self._lock:
            found = next((one for one in self._links if secrets.compare_digest(one.encode(), key.encode())), None)
            if found is not None:
                self._links.remove(found)
        return found is not None

    def admits(self, cookie_header: str) -> bool:
        """Whether a request's cookies hold the token, compared in constant time."""
        given = [value for name, value in _cookies(cookie_header) if name == self.cookie]
        return len(given) == 1 and secrets.compare_digest(given[0].encode(), self.token.encode())

    def admits_write(self, form_token: str) -> bool:
        """Whether a write carries the token of our own pages."""
        return secrets.compare_digest(form_token.encode(), self.form_token.encode())

    def set_cookie(self) -> str:
        """The header that hands the token to the browser."""
        return f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"


def _cookies(header: str) -> list[tuple[str, str]]:
    parts = (part.strip().partition("=") for part in header.split(";"))
    return [(name, value) for name, _, value in parts]
