"""A server killed in the middle: whatever it acknowledged is there once."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from waiting import line_of, until

from metier.server.issued_tokens import add_token
from metier.store.tables.server import trace_spans
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


def start(folder: Path) -> tuple[subprocess.Popen[str], int]:
    running = subprocess.Popen(
        [sys.executable, "-m", "metier", "-w", str(folder), "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"HOME": str(folder.parent)},
    )
    return running, int(line_of(running, running.stdout).strip().rpartition(":")[2])


def send_until_refused(port: int, token: str, name: str, kept: list[str], spans: list[str]) -> None:
    """Post runs and spans one after the other, and note each that was acknowledged, until nobody answers."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        for number in range(100_000):
            own = f"{name}-{number}"
            if number % 4 == 3:
                span = {"traceId": own, "spanId": own, "name": "x"}
                body = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
                path, into = "/v1/traces", spans
            else:
                body, path, into = {"id": own, "message": f"run {own}"}, "/v1/runs", kept
            connection.request("POST", path, json.dumps(body), headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status == 200:
                into.append(own)
    except (OSError, http.client.HTTPException):
        pass
    finally:
        connection.close()


def kill_once(folder: Path, token: str, after: float, kept: list[str], spans: list[str]) -> None:
    running, port = start(folder)
    before = len(kept)
    senders = [
        threading.Thread(target=send_until_refused, args=(port, token, f"{before}-{one}", kept, spans))
        for one in range(4)
    ]
    for one in senders:
        one.start()
    until(lambda: len(kept) > before, "an acknowledged run")
    time.sleep(after)
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=30)
    for one in senders:
        one.join(30)
    assert len(kept) > before


def check_after_kills(tmp_path: Path, moments: list[float]) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    with Workspace.open(folder, environ={"HOME": str(tmp_path)}) as ws:
        token = add_token(ws.context, "agents", "record").text
    kept: list[str] = []
    spans: list[str] = []
    for moment in moments:
        kill_once(folder, token, moment, kept, spans)
    with Workspace.open(folder, environ={"HOME": str(tmp_path)}) as ws:
        found = [record.run.external_id for record in ws.runs(1_000_000)]
        assert len(found) == len(set(found))
        assert set(kept) <= set(found)
        with ws.context.store.read() as transaction:
            there = {row[0] for row in transaction.all("SELECT trace FROM traces")}
            assert trace_spans.count_open(transaction) <= len(there)
        assert set(spans) <= there


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    check_after_kills(tmp_path, [0.2])


@pytest.mark.slow
def test_what_was_acknowledged_survives_twenty_kills(tmp_path: Path) -> None:
    check_after_kills(tmp_path, [0.03 * number for number in range(20)])


def test_sigterm_ends_it_cleanly_and_strangers_see_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    with Workspace.open(folder, environ={"HOME": str(tmp_path)}) as ws:
        add_token(ws.context, "ada", "admin")
    running, port = start(folder)
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/runs")
        assert connection.getresponse().status == 401
        connection.close()
    finally:
        running.send_signal(signal.SIGTERM)
        _, err = running.communicate(timeout=30)
    assert running.returncode == 0
    assert err.rstrip().endswith("Stopped.")
    assert "Traceback" not in err
