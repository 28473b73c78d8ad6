"""The ports of the dashboard and of the server."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import pytest

from metier.server.binding import Binding, open_socket
from metier.web.serve import open_port

if TYPE_CHECKING:
    from collections.abc import Callable


async def sends_at_once(listening: socket.socket) -> bool:
    """Whether a connection that was taken sends every part of an answer without waiting for the part before."""
    taken: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        taken.set_result(bool(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
        writer.close()

    async with await asyncio.start_server(take, sock=listening):
        _, writer = await asyncio.open_connection(*listening.getsockname()[:2])
        try:
            return await asyncio.wait_for(taken, 10)
        finally:
            writer.close()


@pytest.mark.parametrize(
    "listen",
    [
        lambda: open_port(0),
        lambda: open_socket(Binding(host="127.0.0.1", port=0, origin="http://127.0.0.1")),
        lambda: open_socket(Binding(host="::1", port=0, origin="http://[::1]")),
    ],
    ids=["dashboard", "server", "server on IPv6"],
)
def test_no_part_of_an_answer_waits_for_the_part_before(listen: Callable[[], socket.socket]) -> None:
    assert asyncio.run(sends_at_once(listen()))
