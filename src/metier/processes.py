"""A process in a throw-away folder: little environment, limited time and output, and nothing of it left behind."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import threading
    from collections.abc import Generator, Mapping, Sequence

PREFIX = "metier-try-"
MARK = "TRY_OF_METIER"
"""A variable that all descendants inherit: those that left the process group are found by it."""
_CARRIED = re.compile(rb"(?:^|\0)TRY_OF_METIER=(\d+-[0-9a-f]+)")
LOOK = 0.25
"""Seconds between two looks at how much was printed."""
PLAIN = ("LANG", "LC_ALL", "TERM", "TZ")
"""Variables that hold no secret, passed on where they are set; PATH is always there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLimits:
    """How long a process may take, and how much it may print."""

    seconds: float = 600.0
    output: int = 4 * 1024 * 1024
    """Bytes, of what it prints and of what it complains about each."""
    stop: threading.Event | None = None
    """Once set, processes are ended and none is begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessResult:
    """What became of a process."""

    code: int
    output: bytes = b""
    errors: bytes = b""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A process that did not come to its own end, and why."""

    reason: str
    again: bool = True
    output: bytes = b""
    errors: bytes = b""


@contextmanager
def folder() -> Generator[Path]:
    """A new folder, gone afterwards with all that is in it."""
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-") as place:
        yield Path(place).resolve()


def environment(home: Path, environ: Mapping[str, str], passed: Sequence[str] = ()) -> dict[str, str]:
    """What a process is given of ours: where programs are, the plain variables, and those that somebody named."""
    given = {name: environ[name] for name in (*PLAIN, *passed) if name in environ}
    return {"PATH": environ.get("PATH", os.defpath), **given, "HOME": str(home), "TMPDIR": str(home)}


def run(
    words: Sequence[str], work: Path, environ: Mapping[str, str], limits: ProcessLimits, said: str = ""
) -> ProcessResult | Failed:
    """Run a command to its end, with a text on its standard input; its descendants end with it."""
    mark = f"{os.getpid()}-{token_hex(8)}"
    began = time.monotonic()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(said.encode("utf-8", "replace"))
        given.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - a command that the person gave
                list(words),
                stdin=given,
                stdout=out,
                stderr=err,
                cwd=work,
                env={**environ, MARK: mark},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return Failed(reason=f"{words[0]!r} cannot be started: {_why(error)}", again=False)
        try:
            problem = _waited(process, (out, err), limits)
        finally:
            _end(process, mark)
        if problem is not None:
            return replace(problem, output=_content(out, limits.output), errors=_content(err, limits.output))
        return ProcessResult(
            code=process.returncode,
            output=_content(out, limits.output),
            errors=_content(err, limits.output),
            seconds=time.monotonic() - began,
        )


def sweep() -> None:
    """End what a killed process of ours left running, and take its folders away."""
    for pid, mark in _marked():
        if not _runs(int(mark.split("-")[0])):
            _kill(pid)
    for place in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        found = re.match(rf"{PREFIX}(\d+)-", place.name)
        if found and not _runs(int(found[1])) and place.is_dir() and place.stat().st_uid == os.getuid():
            shutil.rmtree(place, ignore_errors=True)


def _waited(process: subprocess.Popen[bytes], files: tuple[IO[bytes], ...], limits: ProcessLimits) -> Failed | None:
    deadline = time.monotonic() + limits.seconds
    while True:
        left = deadline - time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, min(LOOK, left)))
        if any(os.fstat(file.fileno()).st_size > limits.output for file in files):
            return Failed(reason=f"it printed more than {limits.output:,} bytes", again=False)
        if process.returncode is not None:
            return None
        if left <= 0:
            return Failed(reason=f"it was still running after {limits.seconds:g} s")
        if limits.stop is not None and limits.stop.is_set():
            return Failed(reason="it was stopped", again=False)


def _content(file: IO[bytes], most: int) -> bytes:
    file.seek(0)
    return file.read(most)


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End the whole process group, then whoever left it."""
    _kill(-process.pid)
    process.wait()
    for _ in range(5):
        left = [pid for pid, found in _marked() if found == mark]
        if not left:
            return
        for pid in left:
            _kill(pid)


def _marked() -> Generator[tuple[int, str]]:
    """Processes that carry a mark of ours, where the system shows environments."""
    for pid in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):  # noqa: PTH112, PTH208
        with suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123 - half the time of pathlib
            if found := _CARRIED.search(file.read()):
                yield int(pid), found[1].decode()


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "it is not on the PATH"
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
