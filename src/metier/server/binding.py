"""Where the server listens: on this machine, or beyond it behind TLS or a named proxy, and never otherwise."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from metier.errors import ConfigError

PORT = 7342
BACKLOG = 512
"""Connections that wait to be taken."""
Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What a person asked for."""

    host: str = "127.0.0.1"
    port: int = PORT
    url: str = ""
    """The address that people and programs use; empty: that of the port on this machine."""
    cert: str = ""
    key: str = ""
    proxies: tuple[str, ...] = ()
    """Addresses or networks of the proxy that does TLS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """Where the server listens, and the one address by which it is known."""

    host: str
    port: int
    origin: str
    proxies: tuple[Network, ...] = ()
    cert: str = ""
    key: str = ""

    @property
    def netloc(self) -> str:
        """The only Host that is answered."""
        return urlsplit(self.origin).netloc

    @property
    def is_secure(self) -> bool:
        """Whether people reach it by https."""
        return self.origin.startswith("https://")


def checked_binding(options: ServeOptions, *, has_roles: bool) -> Binding:
    """A binding that is safe, or why there is none."""
    if not has_roles:
        raise ConfigError(
            "Nobody could use the server: there is no token yet. Make one: metier serve token add NAME --role admin"
        )
    address = _address(options.host)
    if bool(options.cert) != bool(options.key):
        raise ConfigError("TLS needs both files: --cert FILE and --key FILE.")
    proxies = tuple(_network(one) for one in options.proxies)
    if not address.is_loopback and not (options.cert or proxies):
        raise ConfigError(
            f"Other machines can reach {options.host}, so it needs TLS: give --cert FILE and --key FILE, or name the "
            "proxy that does TLS with --proxy ADDRESS. Without --host only this machine can reach it."
        )
    if options.cert:
        _check_certificate(options.cert, options.key)
    origin = _origin(options, address, encrypted=bool(options.cert or proxies))
    return Binding(
        host=str(address), port=options.port, origin=origin, proxies=proxies, cert=options.cert, key=options.key
    )


def open_socket(binding: Binding) -> socket.socket:
    """A listening socket."""
    family = socket.AF_INET6 if ":" in binding.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # else answers wait 40 ms
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((binding.host, binding.port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise ConfigError(
            f"{binding.host} port {binding.port} cannot be used: {error.strerror}. Choose another --host or --port."
        ) from None
    return listening


def _origin(options: ServeOptions, address: Address, *, encrypted: bool) -> str:
    if not options.url:
        return _own_origin(options, address)
    parts = urlsplit(options.url)
    if not _names_a_server(parts) or parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise ConfigError(f"--url '{options.url}' is not of the form https://NAME or https://NAME:PORT.")
    if parts.scheme == "http" and (encrypted or not address.is_loopback):
        raise ConfigError(f"--url '{options.url}' has to begin with https://.")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _own_origin(options: ServeOptions, address: Address) -> str:
    """The address on this machine, which needs no name."""
    if not address.is_loopback or options.proxies:
        raise ConfigError("Say by which address people reach the server: --url https://metier.example")
    shown = f"[{address}]" if address.version == 6 else str(address)
    return f"{'https' if options.cert else 'http'}://{shown}:{options.port}"


def _names_a_server(parts: SplitResult) -> bool:
    try:
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # the port is no number
        return False


def _address(host: str) -> Address:
    try:
        return ip_address("127.0.0.1" if host == "localhost" else host.strip("[]"))
    except ValueError:
        raise ConfigError(f"--host '{host}' is not an IP address, such as 127.0.0.1 or 0.0.0.0.") from None


def _network(text: str) -> Network:
    try:
        found = ip_network(text)
    except ValueError:
        raise ConfigError(
            f"--proxy '{text}' is not an address or a network, such as 10.0.0.5 or 10.0.0.0/24."
        ) from None
    if found.num_addresses > 65536:
        raise ConfigError(
            f"--proxy {text} is too wide: name the proxy itself, or a network of 65,536 addresses at most."
        )
    return found


def _check_certificate(cert: str, key: str) -> None:
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "they are no pair of certificate and key in PEM"
        raise ConfigError(f"The TLS files {cert} and {key} cannot be used: {why}.") from None
