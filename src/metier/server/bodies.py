"""Bodies of batches: read within bounds of size, time and memory, unpacked as they come."""

from __future__ import annotations

import asyncio
import zlib
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from metier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.requests import Request

    from metier.server.intake import Intake

LARGEST = 16 * 1024 * 1024
"""Bytes of a batch, unpacked."""
PATIENCE = 30.0
"""Seconds in which a batch has to arrive."""
GZIP = 16 + zlib.MAX_WBITS


class LargeError(InputError):
    """A body is larger than any batch may be."""


class SlowError(InputError):
    """A body did not arrive in time."""


@asynccontextmanager
async def held_body(request: Request, intake: Intake) -> AsyncGenerator[bytes]:
    """The whole body of a request; the room it takes is held until the block ends."""
    body = _Body(intake, request.headers.get("content-encoding", "identity").strip().lower())
    try:
        try:
            async with asyncio.timeout(PATIENCE):
                async for piece in request.stream():
                    body.add(piece)
        except TimeoutError:
            raise SlowError(f"The request took longer than {PATIENCE:.0f} s.") from None
        yield body.whole()
    finally:
        body.release()


class _Body:
    """What has arrived of a body."""

    def __init__(self, intake: Intake, encoding: str) -> None:
        if encoding not in ("identity", "gzip", ""):
            raise InputError(f"The encoding '{encoding[:20]}' is not known. Send gzip or nothing.")
        self._unpack = zlib.decompressobj(GZIP) if encoding == "gzip" else None
        self._intake = intake
        self._parts: list[bytes] = []
        self._held = 0

    def add(self, piece: bytes) -> None:
        """Take in a piece, with the room that it needs."""
        if self._unpack is None:
            self._keep(piece)
            return
        while piece:
            try:
                self._keep(self._unpack.decompress(piece, 1024 * 1024))
            except zlib.error:
                raise InputError("The body is not gzip, or it is damaged.") from None
            if self._unpack.eof:
                if self._unpack.unused_data.strip(b"\0"):
                    raise InputError("There is more behind the end of the gzip body.")
                return
            piece = self._unpack.unconsumed_tail

    def whole(self) -> bytes:
        """All of it."""
        if self._unpack is not None and not self._unpack.eof:
            raise InputError("The gzip body is cut off.")
        return b"".join(self._parts)

    def release(self) -> None:
        """Give back the room."""
        self._intake.release(self._held)
        self._held = 0

    def _keep(self, piece: bytes) -> None:
        if self._held + len(piece) > LARGEST:
            raise LargeError(f"A batch may have {LARGEST // 2**20} MiB at most, unpacked. Send smaller ones.")
        self._intake.hold(len(piece))
        self._held += len(piece)
        self._parts.append(piece)
