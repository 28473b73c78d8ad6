"""Commands in processes of their own that need not start Python: forks of one that has the package loaded.

Whatever looks at the start itself (the installed script, Python's own variables, a terminal) takes `subprocess`.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypedDict

from terminal import DECIDING, Person
from waiting import line_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PATIENCE = 100
"""Seconds after which a command is stopped."""
APART = {"metier.__main__", "metier.hooks.__main__"}
"""Modules that act when they are loaded."""
STREAMS = (os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)


class Wanted(TypedDict):
    """A command as the process that forks is told it."""

    script: str
    """A file of Python, or nothing for `metier`."""
    words: list[str]
    cwd: str
    env: dict[str, str]
    streams: list[str]
    """The files that are its input, output and errors."""


def metier(
    *words: str, cwd: Path, env: Mapping[str, str] | None = None, given: str | bytes = ""
) -> subprocess.CompletedProcess[str]:
    """What a command of Metier said; one that decides has a person at a terminal, who types the word it asks for."""
    if words[:2] in DECIDING and not given:
        return typed(*words, cwd=cwd, env=env)
    return run(["metier", *words], cwd=cwd, env=env, given=given)


def typed(
    *words: str, cwd: Path, env: Mapping[str, str] | None = None, keys: str | None = None
) -> subprocess.CompletedProcess[str]:
    """What a command said to a person at a terminal, who types these keys, or each word that is asked for."""
    environ = dict(os.environ if env is None else env) | {"TERM": "xterm", "NO_COLOR": "1"}
    with Person(keys) as person:
        streams = [person.tty, person.tty, person.errors]
        code = _asked(Wanted(script="", words=list(words), cwd=str(cwd), env=environ, streams=streams))
    return subprocess.CompletedProcess(["metier", *words], code, person.out, person.err)


def run(
    command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None, given: str | bytes = ""
) -> subprocess.CompletedProcess[str]:
    """What a command said that begins with `metier`, or with Python and a file."""
    script, *words = command[1:] if command[0] == sys.executable else ("", *command[1:])
    with tempfile.TemporaryDirectory(prefix="forked") as folder:
        streams = [Path(folder) / name for name in ("in", "out", "err")]
        streams[0].write_bytes(given if isinstance(given, bytes) else given.encode())
        wanted = Wanted(
            script=script,
            words=words,
            cwd=str(cwd or Path.cwd()),
            env=dict(os.environ if env is None else env),
            streams=list(map(str, streams)),
        )
        code = _asked(wanted)
        out, err = (stream.read_bytes().decode() for stream in streams[1:])
    return subprocess.CompletedProcess(command, code, out, err)


def _asked(wanted: Wanted) -> int:
    server = _server()
    assert server.stdin is not None
    server.stdin.write(json.dumps(wanted) + "\n")
    server.stdin.flush()
    code = line_of(server, server.stdout, PATIENCE + 10)
    assert code, "the process that forks has ended; its own error is on stderr"
    assert int(code) != -signal.SIGALRM, f"stopped after {PATIENCE} s: {wanted['words']}"
    return int(code)


@cache
def _server() -> subprocess.Popen[str]:
    """The one process that forks, for as long as the tests run."""
    server = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(_end, server)
    return server


def _end(server: subprocess.Popen[str]) -> None:
    try:
        server.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        server.kill()


def _serve(requests: IO[str]) -> None:
    """Fork for every line; answer with the exit code."""
    _load()
    gc.freeze()
    while line := requests.readline():
        child = os.fork()
        if not child:
            _become(json.loads(line))
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _load() -> None:
    """Have all modules, and the tables that review and redaction make when they are first used."""
    for module in pkgutil.walk_packages(import_module("metier").__path__, "metier."):
        if module.name not in APART:
            import_module(module.name)
    from metier.redaction import Redactor
    from metier.review.review import review_package
    from metier.skills.package import Package

    review_package(Package(files={"SKILL.md": b"# A skill\n"}))
    Redactor(b"key").redact("a text")


def _become(wanted: Wanted) -> None:
    """Be that command, and end."""
    signal.alarm(PATIENCE)
    code = 1
    try:
        _dress(wanted)
        _act(wanted["script"])
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
    except BaseException:  # nothing may get back into the loop of the parent
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _dress(wanted: Wanted) -> None:
    for number, (file, flags) in enumerate(zip(wanted["streams"], STREAMS, strict=True)):
        opened = os.open(file, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(wanted["env"])
    os.chdir(wanted["cwd"])
    sys.argv = [wanted["script"] or "metier", *wanted["words"]]


def _act(script: str) -> None:
    if script:
        sys.path.insert(0, str(Path(script).parent))
        runpy.run_path(script, run_name="__main__")
    else:
        from metier.cli import main

        main()


if __name__ == "__main__":
    _serve(sys.stdin)
