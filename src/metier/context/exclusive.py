"""At most one of a kind of work on a workspace at a time, across threads, processes and machines."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, cast

from metier.errors import BusyError
from metier.store.engines.exclusive import lock_by_file

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from metier.context.context import Context
    from metier.store.engines.postgres import PostgresEngine


@contextmanager
def exclusive_lock(ctx: Context, wait: float, work: str = "learn") -> Generator[None]:
    """Be the only one at this work on this workspace, or raise BusyError after so many seconds.

    The lock dies with its holder. It is not reentrant, and a forked child does not have it. A store at a PostgreSQL
    server may serve several machines, so there the server holds it.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(_lock(ctx, wait, work))
        except BusyError as error:
            raise BusyError(
                f"Another {work} is running in {ctx.root}: {error}. Nothing was changed; try again when it has ended."
            ) from None
        yield


def _lock(ctx: Context, wait: float, work: str) -> AbstractContextManager[None]:
    if not ctx.config.store:
        return lock_by_file(file_of(ctx, work), wait)
    from metier.store.engines.server_lock import by_server

    return by_server(cast("PostgresEngine", ctx.store), f"{work} {ctx.name}", wait)


def file_of(ctx: Context, work: str) -> Path:
    """The lock file of a work; several workspaces may share one state folder, so each has its own."""
    return ctx.state / f"{work}-{blake2b(ctx.name.encode('utf-8', 'surrogateescape'), digest_size=6).hexdigest()}.lock"
