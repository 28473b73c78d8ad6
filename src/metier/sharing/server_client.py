"""Talk to a server: its manifest and its objects, within bounds of size and time."""

from __future__ import annotations

import http.client
import re
import ssl
from dataclasses import dataclass, field
from hashlib import sha256
from urllib.parse import urlsplit

from metier.errors import InputError, RefusedError, UnreachableError
from metier.sharing.manifest import SignedManifest, parse_signed
from metier.skills.package import MAX_FILE_BYTES

PATIENCE = 20.0
"""Seconds without a byte."""
LARGEST_MANIFEST = 64 * 1024 * 1024
OBJECT = re.compile("[0-9a-f]{64}")
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerClient:
    """One server, as a machine with a token sees it."""

    url: str
    token: str = field(repr=False)

    def manifest(self) -> SignedManifest:
        """What it offers now; nothing of it is checked yet."""
        return parse_signed(self._get("/v1/sync", LARGEST_MANIFEST))

    def object(self, name: str) -> bytes:
        """The bytes with a hash; other bytes are refused."""
        if not OBJECT.fullmatch(name):
            raise RefusedError("The server's manifest names an object by something that is no hash. Nothing was taken.")
        found = self._get(f"/v1/sync/objects/{name}", MAX_FILE_BYTES)
        if sha256(found).hexdigest() != name:
            raise RefusedError(f"The server sent other bytes than {name[:12]}…: they were changed on the way or there.")
        return found

    def _get(self, path: str, largest: int) -> bytes:
        parts = urlsplit(checked_url(self.url))
        host = str(parts.hostname)
        if parts.scheme == "https":
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, parts.port, timeout=PATIENCE, context=context)
        else:
            connection = http.client.HTTPConnection(host, parts.port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
            answer = connection.getresponse()
            body = answer.read(largest + 1)
        except (OSError, http.client.HTTPException) as error:
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise UnreachableError(f"{self.url} cannot be reached ({why}). What you have stays in use.") from None
        finally:
            connection.close()
        _check_answer(answer.status, self.url)
        if len(body) > largest:
            raise RefusedError(f"{self.url} sent more than {largest:,} bytes. Nothing was taken.")
        return body


def checked_url(url: str) -> str:
    """A server's address; without TLS only on this machine."""
    parts = urlsplit(url)
    try:
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good or parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise InputError(f"'{url}' is no server's address, such as https://metier.example.")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise InputError(f"'{url}' has to begin with https://: without TLS anybody on the way could read the token.")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _check_answer(status: int, url: str) -> None:
    if status in (401, 403):
        raise RefusedError(
            f"{url} does not accept the token, or its role may not sync. Its administrator makes one with: "
            "metier serve token add NAME --role machine"
        )
    if status in (429, 503):
        raise UnreachableError(f"{url} is busy. What you have stays in use; try again later.")
    if status != 200:
        raise RefusedError(f"{url} answered with {status}. Is it a Metier server of this version?")
