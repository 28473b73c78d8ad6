"""The server with its own TLS files: a real handshake, cookies for https alone, and visitors that check who it is."""

from __future__ import annotations

import http.client
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from server_world import serve_workspace

from metier.server.binding import ServeOptions

if TYPE_CHECKING:
    from pathlib import Path

    from metier.workspace import Workspace


def certificate(folder: Path) -> tuple[str, str]:
    """A certificate of our own for 127.0.0.1, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "metier test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return str(folder / "cert.pem"), str(folder / "key.pem")


def test_people_reach_it_by_https_and_know_whom_they_talk_to(tmp_path: Path, empty_ws: Workspace) -> None:
    cert, key = certificate(tmp_path)
    with serve_workspace(empty_ws, ServeOptions(cert=cert, key=key)) as served:
        assert served.binding.origin.startswith("https://127.0.0.1:")
        trusting = ssl.create_default_context(cafile=cert)
        connection = http.client.HTTPSConnection("127.0.0.1", served.binding.port, timeout=20, context=trusting)
        body = f"token={served.tokens['viewer']}"
        connection.request("POST", "/signin", body, {"Origin": served.binding.origin})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 303
        assert answer.headers["set-cookie"].startswith("__Host-metier=")
        assert "; Secure" in answer.headers["set-cookie"]
        assert "max-age" in answer.headers["strict-transport-security"]
        connection.close()
        strict = http.client.HTTPSConnection("127.0.0.1", served.binding.port, timeout=20)
        with pytest.raises(ssl.SSLCertVerificationError, match="certificate"):
            strict.request("GET", "/")  # nothing vouches for this certificate
