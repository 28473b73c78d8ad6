"""The simulated world behind HTTP: the same answers as in process, faults on request, every call counted."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from waiting import line_of, running

from metier.cli.demo.world.jobs import answer_to, cases
from metier.cli.demo.world.world import World, WorldSpec, document, line
from metier.models.failures import Malformed, RateLimited, TimedOut, Unreachable
from metier.models.http.client import HttpModel
from metier.models.model import Message, Reply, Request
from metier.models.spec import ModelOptions, parse_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

SERVER = str(Path(__file__).parents[2] / "benchmarks" / "training" / "world" / "server.py")
WORLD = World(spec=WorldSpec(seed=4, rho=0.5))
TEXT = document(line("G", rule) for rule in range(4))


@contextmanager
def server(*options: str) -> Iterator[int]:
    command = [sys.executable, SERVER, "--seed", "4", "--rho", "0.5", *options]
    with running(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield json.loads(line_of(process, process.stdout))["port"]
        finally:
            process.terminate()
            assert process.wait(10) == 0


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with server() as found:
        yield found


def get(port: int, path: str) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    found = json.loads(connection.getresponse().read())
    connection.close()
    return found


def asked(text: str, system: str = "", timeout: float = 20.0) -> Request:
    return Request(messages=(Message(text=text),), system=system, timeout=timeout)


@contextmanager
def model(port: int) -> Iterator[HttpModel]:
    with HttpModel(
        parse_spec("openai:any", ModelOptions(url=f"http://127.0.0.1:{port}/v1", key_variable="none")), {}
    ) as one:
        yield one


def test_it_answers_jobs_as_the_world_does_in_process(port: int) -> None:
    before = get(port, "/count")
    with model(port) as agent:
        for case in cases(WORLD, "val", 20):
            reply = agent.complete(asked(case.input, system=f"Follow it:\n<skill>\n{TEXT}\n</skill>"))
            assert isinstance(reply, Reply)
            assert reply.text == answer_to(WORLD, case.id, TEXT)
            assert reply.tokens is not None
    after = get(port, "/count")
    assert after["kinds"]["rollout"] - before["kinds"].get("rollout", 0) == 20
    assert after["calls"] - before["calls"] == 20


def test_one_connection_serves_many_requests_and_raw_completions_too(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    sockets = set[int]()
    for case in cases(WORLD, "val", 3):
        body = json.dumps({"model": "any", "prompt": f"{TEXT}\n{case.input}"})
        connection.request("POST", "/v1/completions", body)
        assert json.loads(connection.getresponse().read())["choices"][0]["text"] == answer_to(WORLD, case.id, TEXT)
        sockets.add(connection.sock.fileno())
    connection.close()
    assert len(sockets) == 1


def test_a_question_to_the_optimiser_is_known_by_what_it_asks_for(port: int) -> None:
    before = get(port, "/count")["kinds"].get("optimiser", 0)
    with model(port) as optimiser:
        words = f"<skill>\n{TEXT}\n</skill>\nt0001-open-00ff\nAnswer with `reasoning` and `edits`."
        reply = optimiser.complete(asked(words))
    assert isinstance(reply, Reply)
    assert json.loads(reply.text)["edits"]
    assert get(port, "/count")["kinds"]["optimiser"] == before + 1


def test_what_is_no_request_is_refused_and_the_server_goes_on(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for path, body, status in (
        ("/v1/chat/completions", "no json", 400),
        ("/v1/chat/completions", "[1]", 400),
        ("/v1/embeddings", "{}", 404),
        ("/v1/chat/completions", '{"messages": [{"role": "user", "content": "Hello"}]}', 200),
        ("/v1/chat/completions", '{"messages": "no list", "prompt": 3}', 200),
    ):
        connection.request("POST", path, body)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == status, body
    connection.close()
    assert get(port, "/v1/models")["data"][0]["id"] == "simulated"


def test_the_weather_is_as_ordered_and_a_retry_can_fare_better() -> None:
    with (
        server("--error", "0.3", "--busy", "0.3", "--retry-after", "2", "--garbage", "0.2") as port,
        model(port) as agent,
    ):
        found = [agent.complete(asked(case.input)) for case in cases(WORLD, "val", 40) for _ in range(2)]
        faults = get(port, "/count")["faults"]
    busy = [one for one in found if isinstance(one, RateLimited)]
    assert faults["busy"] == len(busy)
    assert busy[0].after == 2
    assert faults["garbage"] == sum(isinstance(one, Malformed) for one in found)
    assert faults["error"] == sum(isinstance(one, Unreachable) for one in found)
    assert all(count > 4 for count in faults.values())
    pairs = zip(found[::2], found[1::2], strict=True)
    assert any(not isinstance(first, Reply) and isinstance(second, Reply) for first, second in pairs)


def test_a_hanging_request_hangs_until_the_client_gives_up_and_latency_holds() -> None:
    with server("--hang", "1") as port, model(port) as agent:
        assert isinstance(agent.complete(asked("Job v0001: do it.", timeout=0.3)), TimedOut)
    with server("--latency", "0.2", "--wrong", "1") as port, model(port) as agent:
        began = time.monotonic()
        reply = agent.complete(asked("Job v0001: do it."))
        assert time.monotonic() - began >= 0.2
        assert isinstance(reply, Reply)
        assert reply.text == "v0001-open-0000"


def test_asked_to_be_fresh_it_gives_another_sample_each_time() -> None:
    with server("--fresh") as port, model(port) as agent:
        found = [agent.complete(asked("Job v0002: do it.")) for _ in range(12)]
    expected = [answer_to(WORLD, "v0002", "", sample) for sample in range(12)]
    assert [reply.text for reply in found if isinstance(reply, Reply)] == expected


def test_it_ends_with_its_parent() -> None:
    code = (
        "import subprocess, sys\n"
        f"command = [sys.executable, {SERVER!r}]\n"
        "child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)\n"
        "print(child.stdout.readline(), child.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    port = json.loads(line_of(parent, parent.stdout))["port"]
    child = int(line_of(parent, parent.stdout))
    parent.send_signal(signal.SIGKILL)
    parent.communicate(timeout=60)
    for _ in range(100):
        try:
            get(port, "/count")
        except OSError:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the server outlived its parent")
