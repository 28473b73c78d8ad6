"""Tools of the fault tests: run a command, kill or fail its K-th system call, look at what is left."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import forked
import pytest
import states

BIN = Path(sys.executable).parent
METIER = str(BIN / "metier")
SPOOL = (sys.executable, "-m", "metier.hooks.record")
WORKER = (sys.executable, str(Path(__file__).with_name("fault_worker.py")))
SYSCALLS = (
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "ftruncate",
    "mkdir",
    "mkdirat",
    "rmdir",
)
"""Every call by which a file or a name changes. The worker acknowledges with `writev`, so that it is not counted."""
ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith("METIER_")}
ENVIRON |= {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
# below a file nobody can make a folder, not even root: no command reads or leaves anything in somebody's home
ENVIRON |= {"HOME": "/dev/null/home", "XDG_CONFIG_HOME": "/dev/null/home/.config"}
PATIENCE = 120
"""Seconds after which a command counts as hanging."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def killed(self) -> bool:
        return self.code == -9

    @property
    def acknowledged(self) -> list[str]:
        return self.out.split()


def home_of(folder: str | Path) -> Path:
    """The state home of a test's project: inside its folder, so that a copy has all of it; beside a git checkout."""
    folder = Path(folder)
    return (folder.parent if (folder / ".git").exists() else folder) / ".state"


def environ_of(folder: str | Path) -> dict[str, str]:
    """The environment of a command that works on a project."""
    return ENVIRON | {"METIER_HOME": str(home_of(folder))}


def state_of(folder: str | Path) -> Path:
    """The state folder of a project."""
    return states.state_of(folder, environ_of(folder))


def adopt(copy: Path) -> Path:
    """Let a copy of a folder use the state that was copied with it, if there is any."""
    return states.adopt(copy, environ_of(copy)) if home_of(copy).exists() else copy


def run(command: list[str], given: bytes | str = b"", **environ: str) -> Ended:
    """Run a command to its end, whichever that is."""
    given = given.encode() if isinstance(given, str) else given
    folder = folder_of(command)
    whole = environ_of(folder) | environ
    if command[0] == METIER or tuple(command[:2]) == WORKER:
        said = forked.run(command, cwd=folder, env=whole, given=given)
        return Ended(code=said.returncode, out=said.stdout, err=said.stderr)
    done = subprocess.run(command, input=given, capture_output=True, cwd=folder, env=whole, timeout=PATIENCE)
    return Ended(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())


def folder_of(command: list[str]) -> Path:
    """The project that a command is about, with a tracer before it or without."""
    if METIER in command:
        return Path(command[command.index("-w") + 1])
    if SPOOL[-1] in command:
        return Path(command[-1]).parent  # the state home lies in the project
    return next(Path(command[at + 2]) for at, word in enumerate(command) if word.endswith("_worker.py"))


def metier(folder: Path, *words: str, given: bytes | str = b"") -> Ended:
    """Run the command line on a workspace."""
    return run([METIER, "-w", str(folder), *words], given)


def worker(verb: str, folder: Path, *words: object) -> list[str]:
    """The command that runs a verb of `fault_worker.py`."""
    return [*WORKER, verb, str(folder), *map(str, words)]


def hook(folder: Path) -> list[str]:
    """The command of the hook that records, in a project without git; it goes by the folder that it is started in."""
    return [*SPOOL, str(home_of(folder))]


def spool(folder: Path, payload: object) -> Ended:
    """Call the hook's entry point with an object, or with raw bytes."""
    return run(hook(folder), payload if isinstance(payload, bytes) else json.dumps(payload))


def need_strace() -> None:
    """Skip where system calls cannot be disturbed."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    if subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, timeout=60).returncode:
        pytest.skip("strace may not trace here")


def need_root() -> None:
    """Skip where nothing may be mounted."""
    if os.geteuid() != 0 or subprocess.run(["mount", "--version"], capture_output=True, timeout=60).returncode:
        pytest.skip("mounting needs root")


def injected(command: list[str], syscall: str, fault: str, when: str | int, path: Path | None = None) -> list[str]:
    """The command under a fault: `signal=SIGKILL` or `error=EIO` at the K-th call of that name (on one path)."""
    only = ["-P", str(path)] if path else []
    quick = ["--seccomp-bpf"] if fault.startswith("error") else []  # with it strace sends no signal
    rules = ["-e", f"trace=?{syscall}", "-e", f"inject=?{syscall}:{fault}:when={when}", "-e", "signal=none"]
    return ["strace", "-f", "-qq", *quick, "-o", "/dev/null", *only, *rules, "--", *command]


def points(command: list[str], trace: Path, given: bytes = b"", **environ: str) -> list[tuple[str, int]]:
    """The calls of an undisturbed run in their order, each as its name and its number among those of that name."""
    names = ",".join(f"?{name}" for name in SYSCALLS)
    traced = ["strace", "-f", "-qq", "--seccomp-bpf", "-o", str(trace), "-e", f"trace={names}", "-e", "signal=none"]
    done = run([*traced, "--", *command], given, **environ)
    assert done.code == 0, done.err
    seen: Counter[str] = Counter()
    found: list[tuple[str, int]] = []
    for call in re.findall(r"^\d+ +(\w+)\(", trace.read_text(errors="replace"), re.MULTILINE):
        seen[call] += 1
        found.append((call, seen[call]))
    return found


def spread(values: list[tuple[str, int]], count: int) -> list[tuple[str, int]]:
    """At most so many of the values: the first, the last, and others evenly between them."""
    if len(values) <= count:
        return values
    return [values[round(index * (len(values) - 1) / (count - 1))] for index in range(count)]


def listed(folder: Path, command: list[str] | None = None) -> list[dict[str, object]]:
    """What a new process lists; every row is readable, none is there twice, and the database is sound."""
    done = run(command or worker("listed", folder))
    assert (done.code, done.err) == (0, ""), done.err
    rows = json.loads(done.out)
    seen = Counter((row["source"], row["external_id"] or row["id"]) for row in rows)
    assert not [key for key, count in seen.items() if count > 1], "there twice"
    check_database(folder)
    return rows


def listed_by_command(folder: Path) -> list[dict[str, object]]:
    """The same, through the command line."""
    return listed(folder, [METIER, "-w", str(folder), "runs", "list", "--json", "--limit", "100000"])


def names(folder: Path) -> set[str]:
    """The external ids that a new process lists."""
    return {str(row["external_id"]) for row in listed(folder)}


def check_database(folder: Path) -> None:
    """SQLite's own opinion."""
    frozen = "" if os.access(folder, os.W_OK) else "&immutable=1"
    connection = sqlite3.connect(f"{(state_of(folder) / 'metier.db').as_uri()}?mode=ro{frozen}", uri=True)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()


def leftovers(folder: Path) -> list[str]:
    """What no finished command leaves: half-written files, temporary folders, state that no project uses."""
    home, state = home_of(folder), state_of(folder)
    parts = [file for place in (home, folder / ".git") for file in place.rglob("*.part")]
    others = [one for one in home.iterdir() if one not in (state, home / "user", home / "at")]
    found = [*parts, *folder.glob("*.part"), *others, *state.glob("*-*/")]
    return sorted(str(file) for file in found if not file.name.startswith("metier.db-"))


def clear_line(done: Ended) -> None:
    """A failure that a person can read: exit 1 or 2, one line on stderr, no traceback, no acknowledgement."""
    assert done.code in (1, 2), (done.code, done.err)
    assert done.err.startswith("metier: "), done.err
    assert done.err.count("\n") == 1, done.err
    assert "Traceback" not in done.err
    assert "This is a bug" not in done.err, done.err
    assert done.out == ""
