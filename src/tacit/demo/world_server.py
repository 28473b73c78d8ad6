"""The simulated world as a server that speaks the OpenAI-compatible protocol, for any trainer to be pointed at.

    python -m tacit.demo.world_server --seed 1 --rho 0.8 --latency 0.05

It listens on this machine only, says its address in one line of JSON, ends with its parent or on SIGTERM. `GET /count`
tells how many calls of each kind came in, what went wrong on purpose, and the CPU it took. Skills must name their rules
as `tacit.demo.world.line` does, jobs as `world_jobs.cases` does; whether a call is a rollout or a question to the
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
from typing import TYPE_CHECKING

from tacit.demo.world import World, WorldSpec
from tacit.demo.world_optimiser import Optimiser
from tacit.demo.world_proposer import Proposer
from tacit.demo.world_service import Response, Service, Weather

if TYPE_CHECKING:
    from collections.abc import Sequence

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CLOSE = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)
GONE = (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError)
LOOK = 0.25
"""Seconds between two looks whether the parent is still there."""


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line: a world, its proposer, the weather."""
    parser = argparse.ArgumentParser(prog="python -m tacit.demo.world_server")
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
    optimiser = Optimiser(proposer=Proposer(world=world, edits=given.edits))
    return Service(world=world, optimiser=optimiser, weather=weather, fresh=given.fresh)


class Server:
    """Takes connections, each kept open for as long as its client likes."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.calls = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection's requests, one after the other."""
        with contextlib.suppress(*GONE, asyncio.CancelledError):  # the end of the server, which asyncio would report
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        method, path = head.split(b" ", 2)[:2]
        length = LENGTH.search(head)
        body = await reader.readexactly(int(length[1])) if length else b""
        response = self._answer(method, path.decode("latin-1"), body)
        if response.hangs:
            await reader.read(1)  # until the client gives up
            return False
        if response.delay:
            await asyncio.sleep(response.delay)
        writer.write(_wire(response))
        await writer.drain()
        return not CLOSE.search(head)

    def _answer(self, method: bytes, path: str, body: bytes) -> Response:
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
    server = await asyncio.start_server(Server(service).talk, "127.0.0.1", port, backlog=1024)
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
