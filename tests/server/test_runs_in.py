"""Runs by HTTP: each stored once and redacted before it is acknowledged, whatever is sent."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import TYPE_CHECKING

import pytest
from server_world import serve_workspace

from metier.errors import BusyError
from metier.runs.record import records_of
from metier.server.bodies import LARGEST
from metier.server.intake import Batch, FullError, Intake
from metier.server.metrics import Metrics
from metier.types import Record, Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from server_world import Served

NDJSON = "application/x-ndjson"
SECRET = "ghp_" + "A1b2C3d4" * 4 + "Zz99"


def lines(*runs: object) -> bytes:
    return b"\n".join(json.dumps(one).encode() for one in runs)


def test_a_batch_is_stored_once_and_says_what_became_of_each_line(team: Served) -> None:
    body = lines({"id": "a", "message": "one"}, {"message": 7}, {"id": "b", "message": f"the key is {SECRET}"})
    first = team.send("/v1/runs", body, NDJSON)
    assert first.status == 200
    assert first.json["recorded"] == 2
    assert [one["line"] for one in first.json["refused"]] == [2]
    again = team.send("/v1/runs", gzip.compress(body), NDJSON, content_encoding="gzip")
    assert again.status == 200
    assert (again.json["recorded"], again.json["duplicates"]) == (0, 2)
    assert again.json["ids"] == first.json["ids"]
    stored = team.ws.run(first.json["ids"][1]).run
    assert SECRET not in stored.message
    assert "[REDACTED:" in stored.message
    assert stored.source == "server"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"   \n", 400),
        (b"{", 400),
        (b"\xff\xfe\x00", 400),
        (b"hello", 400),
        (b"[" * 100_000, 400),
        (b'{"message": null}', 400),
        (b'{"message": "x", "unknown": 1}', 400),
        (b'[{"message": "ok", "id": "nul\\u0000 \\ud800"}]', 200),
    ],
)
def test_what_is_no_run_is_refused_with_a_reason(team: Served, body: bytes, status: int) -> None:
    answer = team.send("/v1/runs", body)
    assert answer.status == status
    assert status == 200 or answer.json.get("error") or answer.json["refused"][0]["reason"]


def test_hostile_bodies_are_refused_in_bounded_memory(team: Served) -> None:
    bomb = gzip.compress(b" " * (LARGEST + 1))
    assert team.send("/v1/runs", bomb, content_encoding="gzip").status == 413
    assert team.send("/v1/runs", b" " * (LARGEST + 1)).status == 413
    good = gzip.compress(lines({"message": "x"}))
    assert team.send("/v1/runs", good[:-9], content_encoding="gzip").status == 400
    assert team.send("/v1/runs", b"no gzip", content_encoding="gzip").status == 400
    assert team.send("/v1/runs", good + b"more", content_encoding="gzip").status == 400
    assert team.send("/v1/runs", zlib.compress(b"{}"), content_encoding="deflate").status == 400
    assert team.send("/v1/runs", b"{}", "text/plain").status == 415
    assert team.send("/v1/runs", b"{}", "application/x-www-form-urlencoded").status == 415
    assert "metier_held_bytes 0\n" in team.parts.metrics.prometheus()


def test_a_full_server_answers_429_and_says_when_to_try_again(empty_ws: Workspace) -> None:
    with serve_workspace(empty_ws) as served:
        served.parts.intake.hold(64 * 1024 * 1024 - 10)
        answer = served.send("/v1/runs", lines({"message": "this does not fit"}))
        assert answer.status == 429
        assert int(answer.headers["retry-after"]) > 0
        traces = served.send("/v1/traces", b'{"resourceSpans": []}')
        assert traces.status == 429
        assert traces.json["message"]
        served.parts.intake.release(64 * 1024 * 1024 - 10)
        assert served.send("/v1/runs", lines({"message": "this does"})).status == 200
        assert 'metier_turned_away_total{status="429"} 2\n' in served.parts.metrics.prometheus()
    assert len(served.ws.runs()) == 1


def batch(ws: Workspace, name: str) -> Batch:
    [record] = records_of(ws.context, [Run(message=name, external_id=name)], "parsed")
    assert isinstance(record, Record)
    return Batch(records=(record,))


def test_an_answer_waits_for_the_commit_and_the_queue_has_an_end(empty_ws: Workspace) -> None:
    intake = Intake(empty_ws.context, Metrics(), waiting=2)
    futures = []
    with empty_ws.context.store.write():  # somebody else is writing: nothing can be committed
        intake.start()
        for number in range(100):
            try:
                futures.append(intake.put(batch(empty_ws, str(number))))
            except FullError:
                break
        assert 2 <= len(futures) < 100
        assert not any(one.done() for one in futures)
    assert [one.result(20)[0].how for one in futures] == ["new"] * len(futures)
    intake.close()
    assert len(empty_ws.runs()) == len(futures)
    empty_ws.close()


def test_a_store_that_cannot_write_is_no_acknowledgement(empty_ws: Workspace) -> None:
    environ = {"HOME": str(empty_ws.context.home)}
    with Workspace.open(empty_ws.root, environ=environ, flags={"lock_wait": "0.1"}) as other:
        intake = Intake(other.context, Metrics())
        intake.start()
        with empty_ws.context.store.write(), pytest.raises(BusyError):
            intake.put(batch(other, "x")).result(20)
        assert [one.how for one in intake.put(batch(other, "x")).result(20)] == ["new"]
        intake.close()
    empty_ws.close()


def test_recording_that_is_off_is_said_and_nothing_is_kept(empty_ws: Workspace) -> None:
    (empty_ws.state / "metier.toml").write_text("enabled = false\n", encoding="utf-8")
    root, home = empty_ws.root, str(empty_ws.context.home)
    empty_ws.close()
    off = Workspace.open(root, environ={"HOME": home})
    with serve_workspace(off) as served:
        answer = served.send("/v1/runs", lines({"message": "x"}))
        assert answer.status == 200
        assert "switched off" in answer.json["skipped"][0]["reason"]
        assert "switched off" in served.send("/v1/traces", b"{}").json["partialSuccess"]["errorMessage"]
    assert off.runs() == []
