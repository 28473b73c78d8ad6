"""Waits that end: for something to be true, a thread, a line of another process, a forked child."""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import threading
import time
import warnings
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, AnyStr

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

PATIENCE = 60
"""Seconds that a wait may take, however busy the machine is; who waits longer fails and says for what."""
STDERR = 2


def until(true: Callable[[], object], what: str, *, seconds: float = PATIENCE, pause: float = 0.005) -> None:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"waited {seconds:g} s in vain: {what}"
        time.sleep(pause)


def join(threads: Iterable[threading.Thread], seconds: float = PATIENCE) -> None:
    """Wait until all these threads have ended."""
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
        assert not thread.is_alive(), f"{thread.name} still works after {seconds:g} s"


@contextmanager
def running(command: Sequence[str], **how: Any) -> Generator[subprocess.Popen[Any]]:
    """A process that ends with the block, whatever happens in it."""
    with subprocess.Popen(command, **how) as process:
        try:
            yield process
        finally:
            process.kill()


def line_of(process: subprocess.Popen[AnyStr], stream: IO[AnyStr] | None, seconds: float = PATIENCE) -> AnyStr:
    """The next line that another process says; one that says nothing for so long is killed."""
    assert stream is not None
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        line = stream.readline()
    finally:
        timer.cancel()
    assert not late.is_set(), f"{process.args} said nothing for {seconds:g} s"
    return line


def fork(seconds: int = PATIENCE) -> int:
    """A forked child. One that hangs says where it stands and ends: other threads may have held a lock it needs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of just that
        child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        faulthandler.register(signal.SIGALRM, file=STDERR, chain=True)
        signal.alarm(seconds)
    return child


def status_of(child: int) -> int:
    """How a child made by `fork` ended, as the system tells it."""
    _, status = os.waitpid(child, 0)  # it ends itself
    hung = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
    assert not hung, "the forked child hung and was ended; stderr shows where it stood"
    return status
