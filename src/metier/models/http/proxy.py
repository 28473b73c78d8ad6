"""Which proxy stands before an address, as the usual variables say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from metier.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A proxy's address, and its login if it wants one."""

    url: str
    login: tuple[str, str] | None = None


def proxy_for(url: str, environ: Mapping[str, str]) -> Proxy | None:
    """The proxy for an address, from HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY in either case."""
    parts = urlsplit(url)
    given = _variable(environ, f"{parts.scheme}_proxy") or _variable(environ, "all_proxy")
    if not given or _is_direct(parts.hostname or "", _variable(environ, "no_proxy")):
        return None
    proxy = urlsplit(given if "://" in given else f"http://{given}")
    if proxy.scheme not in ("http", "https") or not proxy.hostname:
        raise ConfigError(f"The proxy for {parts.hostname} must be an http:// address: check {parts.scheme}_proxy.")
    login = (unquote(proxy.username), unquote(proxy.password or "")) if proxy.username else None
    host = f"[{proxy.hostname}]" if ":" in proxy.hostname else proxy.hostname
    return Proxy(url=f"{proxy.scheme}://{host}:{proxy.port or 80}", login=login)


def _variable(environ: Mapping[str, str], name: str) -> str:
    return (environ.get(name) or environ.get(name.upper()) or "").strip()


def _is_direct(host: str, exceptions: str) -> bool:
    """Whether a host is reached without the proxy: named by NO_PROXY, or this machine."""
    if host in ("localhost", "::1") or host.startswith("127."):
        return True
    for entry in exceptions.lower().split(","):
        name = entry.strip().lstrip(".")
        if name and (name == "*" or host == name or host.endswith(f".{name}")):
            return True
    return False
