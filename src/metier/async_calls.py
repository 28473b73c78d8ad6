"""How a verb is done: at once, or in a thread that async code awaits; and a coroutine, awaited from a thread."""

from __future__ import annotations

import threading
import weakref
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator

S = TypeVar("S")
P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E")
R = TypeVar("R")


def in_thread(verb: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """The same method to be awaited: it is done in a thread, and the event loop goes on meanwhile."""

    @wraps(verb)
    async def run(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        import asyncio

        return await asyncio.to_thread(verb, self, *args, **kwargs)

    return _describe(run, verb)


def at_once(
    verb: Callable[Concatenate[S, P], Generator[E, None, R]],
) -> Callable[Concatenate[S, P], DoneWork[E, R]]:
    """The same method done at once, whether anybody looks at its events or not."""

    @wraps(verb)
    def run(self: S, *args: P.args, **kwargs: P.kwargs) -> DoneWork[E, R]:
        return DoneWork(verb(self, *args, **kwargs))

    cast("Any", run).__name__ = _name(verb)
    return run


def as_async_work(
    verb: Callable[Concatenate[S, P], Generator[E, None, R]],
) -> Callable[Concatenate[S, P], AsyncWork[E, R]]:
    """The same method for async code: `async for event in …`, or `await …` for its result alone."""

    @wraps(verb)
    def run(self: S, *args: P.args, **kwargs: P.kwargs) -> AsyncWork[E, R]:
        return AsyncWork(lambda: verb(self, *args, **kwargs))

    return _describe(run, verb)


class DoneWork(Generic[E, R]):
    """Long work that has been done: iterates over its events, and has the result."""

    def __init__(self, steps: Generator[E, None, R]) -> None:
        self.events: list[E] = []
        while True:
            try:
                self.events.append(next(steps))
            except StopIteration as end:
                self.result: R = end.value
                break
        self._left = iter(self)

    def __iter__(self) -> Generator[E, None, R]:
        """The events, in the order in which they happened; `yield from` ends with the result."""
        yield from self.events
        return self.result

    def __next__(self) -> E:
        """The next event that nobody has asked for."""
        return next(self._left)


class AsyncWork(Generic[E, R]):
    """Long work for async code, all of it in one thread: `async for event in work`, or `await work` for its result."""

    def __init__(self, begin: Callable[[], Generator[E, None, R]]) -> None:
        self._begin = begin
        self.result: R | None = None
        """What it came to; None until its last event."""

    async def __aiter__(self) -> AsyncGenerator[E, None]:
        """Its events; when nobody listens any more, it is closed."""
        import asyncio
        from concurrent.futures import ThreadPoolExecutor
        from contextvars import copy_context

        loop, context = asyncio.get_running_loop(), copy_context()
        thread = ThreadPoolExecutor(1, thread_name_prefix="metier")
        steps = await loop.run_in_executor(thread, lambda: context.run(self._begin))
        try:
            while event := await loop.run_in_executor(thread, lambda: context.run(self._next, steps)):
                yield event[0]
        finally:
            await loop.run_in_executor(thread, steps.close)
            thread.shutdown(wait=False)

    def __await__(self) -> Generator[Any, None, R]:
        return self._finish().__await__()

    def _next(self, steps: Generator[E, None, R]) -> tuple[E] | None:
        try:
            return (next(steps),)
        except StopIteration as end:
            self.result = end.value
            return None

    async def _finish(self) -> R:
        async for _ in self:
            pass
        return cast("R", self.result)


class LoopThread:
    """One event loop in a thread of its own, begun when it is first needed, ended with its owner."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: AbstractEventLoop | None = None

    def wait_for(self, awaitable: Awaitable[T]) -> T:
        """What something comes to that is awaited on the loop; many threads may wait at once."""
        import asyncio

        return asyncio.run_coroutine_threadsafe(_settle(awaitable), self._running()).result()

    def _running(self) -> AbstractEventLoop:
        import asyncio

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_run_loop, args=(self._loop,), name="metier-loop", daemon=True).start()
                weakref.finalize(self, _stop, self._loop)
            return self._loop


async def _settle(awaitable: Awaitable[T]) -> T:
    """The result; what would end the program ends this one call."""
    try:
        return await awaitable
    except SystemExit as end:
        raise RuntimeError(f"it called sys.exit({end.code!r})") from None


def _run_loop(loop: AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _stop(loop: AbstractEventLoop) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)


def _name(verb: Callable[..., object]) -> str:
    return getattr(verb, "__name__", "").lstrip("_")


def _describe(run: T, verb: Callable[..., object]) -> T:
    name = _name(verb)
    cast("Any", run).__name__ = f"a{name}"
    cast("Any", run).__doc__ = f"`{name}` for async code. {verb.__doc__ or ''}"
    return run
