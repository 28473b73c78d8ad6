"""A client that goes away in the middle is no bug: nothing is said, and the next one is answered."""

from __future__ import annotations

import socket
import struct
import time
from typing import TYPE_CHECKING

import pytest
from dashboard_world import make_project, serve_dashboard

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from server_world import Served

CUT = struct.pack("ii", 1, 0)
"""End a connection at once: the other side gets a reset."""


def cut_off(port: int, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> None:
    """Send the beginning of a request, wait until it was taken, and go away without a word."""
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall("\r\n".join(lines).encode() + body)
        time.sleep(0.1)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, CUT)


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/traces"])
def test_a_program_that_goes_away_in_the_middle_of_a_batch_is_no_bug(
    path: str, team: Served, capfd: pytest.CaptureFixture[str]
) -> None:
    kind = {"Host": team.binding.netloc, "Content-Type": "application/json", "Content-Length": "1000"}
    cut_off(team.binding.port, "POST", path, kind | dict(team.bearer("record")), b'{"message": "half')
    assert team.send("/v1/runs", b"").status in (200, 400)
    assert capfd.readouterr().err == ""


def test_a_browser_that_goes_away_is_no_bug(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with serve_dashboard(make_project(tmp_path / "project")) as served:
        port = served.board.access.port
        for path in ("/", "/events", "/skills"):
            cut_off(port, "GET", path, served.headers("GET"))
        for path in ("/undo/x", "/link"):
            cut_off(port, "POST", path, served.headers("POST") | {"Content-Length": "1000"}, b"{")
        assert served.get("/").status == 200
    assert capfd.readouterr().err == ""
