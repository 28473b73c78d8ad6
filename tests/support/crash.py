"""A process that dies, or a disk that says no, at the N-th call by which files change: without a tracer, in no time."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from errno import ENOSYS
from typing import TYPE_CHECKING

from waiting import fork, status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator
    from types import FrameType

CHANGING = frozenset(
    ("open", "write", "fsync", "rename", "replace", "mkdir", "unlink", "remove", "rmdir", "link", "symlink", "fchmod")
)
"""Calls of the system by their names in `os`; a kill comes before one of them, so also after the one before."""
FAILED = 77
"""The exit code of a child in which the action itself raised."""


@dataclass(slots=True)
class Counter:
    """Counts the calls, and does something at one of them."""

    at: int
    names: Collection[str]
    then: Callable[[], None]
    exchange: bool = True
    """False: this is a system that cannot exchange two names."""
    seen: int = 0

    def __call__(self, frame: FrameType, event: str, what: object) -> None:
        if event == "c_call" and getattr(what, "__module__", "") == "posix":
            name = getattr(what, "__name__", "")
        elif (
            event == "call"
            and frame.f_code.co_name == "call"
            and frame.f_code.co_filename.endswith("library/disk/slot.py")
        ):
            name = "rename"
        else:
            return
        if name in self.names:
            self.seen += 1
            if self.seen == self.at:
                self.then()
        if event == "call" and not self.exchange:
            raise OSError(ENOSYS, os.strerror(ENOSYS))


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed(action: Callable[[], object], at: int, *, exchange: bool = True) -> bool:
    """Run an action in a child process that is killed before its N-th call; False: it ended before that."""
    child = fork()
    if child == 0:
        code = FAILED
        try:
            sys.setprofile(Counter(at=at, names=CHANGING, then=_die, exchange=exchange))
            action()
            code = 0
        except BaseException:
            sys.setprofile(None)
            traceback.print_exc()
        finally:
            sys.setprofile(None)
            os._exit(code)
    status = status_of(child)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.waitstatus_to_exitcode(status) == 0, "the action failed by itself"
    return False


@contextmanager
def failing(
    error: int, at: int, names: Collection[str] = ("write", "fsync"), *, exchange: bool = True
) -> Generator[Counter]:
    """Let the N-th call of these names fail in this process; the counter tells whether it came to that."""

    def fail() -> None:
        raise OSError(error, os.strerror(error))

    counter = Counter(at=at, names=names, then=fail, exchange=exchange)
    before = sys.getprofile()
    sys.setprofile(counter)
    try:
        yield counter
    finally:
        sys.setprofile(before)
