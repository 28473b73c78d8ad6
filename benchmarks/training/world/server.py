"""The simulated world as a server that speaks the OpenAI-compatible protocol, for any trainer to be pointed at.

    python benchmarks/training/world/server.py --seed 1 --rho 0.8 --latency 0.05

It listens on this machine only, says its address in one line of JSON, ends with its parent or on SIGTERM. `GET /count`
tells how many calls of each kind came in, what went wrong on purpose, and the CPU it took. Skills must name their rules
as `world.line` does, jobs as `jobs.cases` does; whether a call is a rollout or a question to the
optimiser is told by what it asks for.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import signal
import sys
import time
from dataclasses import fields
from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from service import Response, Service, Weather

from metier.cli.demo.world.optimiser import WorldOptimiser
from metier.cli.demo.world.proposer import Proposer
from metier.cli.demo.world.world import World, WorldSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CLOSE = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)
TICK = 0.0005
"""Half of what a loop rounds its waiting up to: an answer is as often early as late."""
LOOK = 0.25
"""Seconds between two looks whether the parent is still there."""


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line: a world, its proposer, the weather."""
    parser = argparse.ArgumentParser(prog="python benchmarks/training/world/server.py")
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    for one in fields(WorldSpec):
        parser.add_argument(f"--{one.name}", type=float if one.name == "rho" else int, default=one.default)
    parser.add_argument("--edits", type=int, default=1, help="edits in a proposal")
    parser.add_argument("--fresh", action="store_true", help="the same request again is another sample")
    for one in fields(Weather):
        parser.add_argument(f"--{one.name.replace('_', '-')}", type=float, default=one.default)
    return parser.parse_args(given)


def service_of(given: argparse.Namespace) -> Service:
    """The service a command line describes."""
    known = vars(given)
    world = World(spec=WorldSpec(**{one.name: known[one.name] for one in fields(WorldSpec)}))
    weather = Weather(**{one.name: known[one.name] for one in fields(Weather)})
    optimiser = WorldOptimiser(proposer=Proposer(world=world, edits=given.edits))
    return Service(world=world, optimiser=optimiser, weather=weather, fresh=given.fresh)


class Connection(asyncio.Protocol):
    """One client's requests, answered one after the other for as long as it likes.

    A request counts from when it comes in, not from when its turn to be thought about comes: however many others came
    with it, its answer leaves after the latency that was asked for.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._buffer = b""
        self._came = 0.0
        self._turn: asyncio.Handle | None = None
        """What is to happen next on this connection; nothing: it waits for a request."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The client is there."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """More of a request; what the client sends before it has its answer waits."""
        self._buffer += data
        if self._turn is None:
            self._came = self._loop.time()
            self._turn = self._loop.call_soon(self._next)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """The client is gone."""
        if self._turn:
            self._turn.cancel()

    def _next(self) -> None:
        """Think about a request if it is there, whole."""
        self._turn = None
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        size = int(length[1]) if length else 0
        if not found or len(rest) < size:
            return
        self._buffer = rest[size:]
        method, path = (*head.split(b" ", 2), b"", b"")[:2]
        response = self._server.answer(method, path.decode("latin-1"), rest[:size])
        last = CLOSE.search(head) is not None
        due = self._came + response.delay - TICK
        self._turn = None if response.hangs else self._loop.call_at(due, self._send, _wire(response), last)

    def _send(self, wire: bytes, last: bool) -> None:  # noqa: FBT001 - asyncio hands it on by place
        self._transport.write(wire)
        self._turn = None
        if last:
            self._transport.close()
        elif self._buffer:
            self.data_received(b"")


class Server:
    """Answers requests and counts them."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.calls = 0

    def answer(self, method: bytes, path: str, body: bytes) -> Response:
        """What a request is answered with."""
        if method == b"POST":
            self.calls += 1
            return self.service.respond(path, body)
        if path == "/count":
            return _json(self._counted())
        if path.endswith("/models"):
            return _json({"object": "list", "data": [{"id": "simulated", "object": "model"}]})
        return Response(status=404, body=b"{}")

    def _counted(self) -> dict[str, object]:
        kinds, faults = dict(self.service.kinds), dict(+self.service.faults)
        return {"calls": self.calls, "kinds": kinds, "faults": faults, "cpu_seconds": time.process_time()}


def _json(value: object) -> Response:
    return Response(status=200, body=json.dumps(value).encode())


def _wire(response: Response) -> bytes:
    lines = [f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}", "content-type: application/json"]
    lines += [f"{name}: {value}" for name, value in response.headers]
    return ("\r\n".join([*lines, f"content-length: {len(response.body)}"]) + "\r\n\r\n").encode() + response.body


async def serve(service: Service, port: int) -> None:
    """Serve until the parent is gone or SIGTERM or SIGINT comes."""
    parent, ended = os.getppid(), asyncio.Event()
    answering = Server(service)
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(answering), "127.0.0.1", port, backlog=1024
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    host, found = server.sockets[0].getsockname()
    said = {"address": f"http://{host}:{found}/v1", "count": f"http://{host}:{found}/count", "port": found}
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()
    while not ended.is_set() and os.getppid() == parent:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), LOOK)
    server.close()


def main(given: Sequence[str] | None = None) -> None:
    """Serve as the command line says."""
    parsed = arguments(given)
    asyncio.run(serve(service_of(parsed), parsed.port))


if __name__ == "__main__":
    main()
