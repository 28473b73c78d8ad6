"""Encrypted connections: checked against the certificates one trusts, and bound by the same time limits."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from loopback import Loopback, answers, completion, hangs, trickles
from waiting import until

from metier.models.failures import Refused, TimedOut, Unreachable
from metier.models.http.client import HttpModel
from metier.models.model import Reply
from metier.models.spec import parse_spec

if TYPE_CHECKING:
    from pathlib import Path

    from metier.models.model import Request

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificate")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 with its key, made for these tests."""
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=loopback"
    more = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([*command.split(), *more], cwd=folder, check=True, capture_output=True, timeout=60)
    return folder


def context(folder: Path) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return made


def asked(server: Loopback, environ: dict[str, str]) -> HttpModel:
    return HttpModel(parse_spec(f"openai:x@https://127.0.0.1:{server.server_port}/v1"), environ)


def test_a_trusted_certificate_is_enough(certificate: Path, hello: Request) -> None:
    environ = {"SSL_CERT_FILE": str(certificate / "cert.pem")}
    with Loopback(answers(completion("safe")), tls=context(certificate)) as server, asked(server, environ) as model:
        assert isinstance(model.complete(hello), Reply)
        assert isinstance(model.complete(hello), Reply)


def test_an_unknown_certificate_is_not_spoken_to(certificate: Path, hello: Request) -> None:
    with Loopback(answers(completion("x")), tls=context(certificate)) as server, asked(server, {}) as model:
        failure = model.complete(hello)
        assert server.seen == []
    assert isinstance(failure, Unreachable)
    assert "certificate verify failed" in failure.reason


def test_a_slow_body_ends_at_the_time_limit(certificate: Path, hello: Request) -> None:
    environ = {"SSL_CERT_FILE": str(certificate / "cert.pem")}
    with Loopback(trickles(HEAD, b" "), tls=context(certificate)) as server, asked(server, environ) as model:
        began = time.monotonic()
        assert isinstance(model.complete(replace(hello, timeout=0.5)), TimedOut)
        assert time.monotonic() - began < 2.0


def test_closing_ends_the_calls_under_way(certificate: Path, hello: Request) -> None:
    environ = {"SSL_CERT_FILE": str(certificate / "cert.pem")}
    with (
        Loopback(hangs, tls=context(certificate)) as server,
        asked(server, environ) as model,
        ThreadPoolExecutor(1) as pool,
    ):
        waiting = pool.submit(model.complete, replace(hello, timeout=30.0))
        until(lambda: server.seen, "a request at the server")
        model.close()
        assert isinstance(waiting.result(5), Refused)
