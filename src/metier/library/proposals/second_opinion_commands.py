"""Second opinions from other programs: a process of its own for each, with little time and memory and no secrets."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from metier.folders import open_below
from metier.library.disk.atomic_files import WriteBatch, write_tree
from metier.types import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.skills.package import Package
    from metier.types import Severity

SECONDS = 20.0
MEGABYTES = 512
OUTPUT = 1024 * 1024
"""Bytes of an answer that are read; a longer one is none."""
_LIMITED = (
    "import os,resource as r,sys;n=int(sys.argv[1])*1048576;r.setrlimit(r.RLIMIT_AS,(n,n));"
    "r.setrlimit(r.RLIMIT_FSIZE,(n,n));r.setrlimit(r.RLIMIT_CORE,(0,0));os.execvp(sys.argv[2],sys.argv[2:])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpinionCommand:
    """A command that is given a skill's folder and prints its findings as JSON: `[{"rule", "severity", "reason"}]`."""

    command: str
    seconds: float = SECONDS
    megabytes: int = MEGABYTES

    @property
    def name(self) -> str:
        """The program's name."""
        return Path(next(iter(shlex.split(self.command)), "")).name or "nobody"

    def look(self, package: Package) -> tuple[Finding, ...] | None:
        """Its findings; None when it failed, took too long, or said too much."""
        with tempfile.TemporaryDirectory(prefix="metier-opinion-") as place:
            folder = Path(place) / (package.name or "skill")
            folder.mkdir()
            writes = WriteBatch(lasting=False)
            with open_below(folder) as handle:
                write_tree(handle, package, {}, writes)
            writes.close(lasting=False)
            answer = self._run(folder)
        return None if answer is None else tuple(_finding(one) for one in _parse_list(answer))

    def _run(self, folder: Path) -> bytes | None:
        words = [sys.executable, "-c", _LIMITED, str(self.megabytes), *shlex.split(self.command), str(folder)]
        environ = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder.parent), "LANG": "C.UTF-8"}
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(  # noqa: S603 - a command that the person configured
                words,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env=environ,
                start_new_session=True,
            )
            try:
                code = process.wait(self.seconds)
            except subprocess.TimeoutExpired:
                code = -1
            finally:
                _kill(process)
            out.seek(0)
            answer = out.read(OUTPUT + 1)
        return answer if code == 0 and len(answer) <= OUTPUT else None


def opinion_commands(commands: Sequence[str]) -> tuple[OpinionCommand, ...]:
    """The programs that were configured."""
    return tuple(OpinionCommand(command=command) for command in commands)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Leave nothing of it behind, children included."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.wait()


def _parse_list(answer: bytes) -> list[object]:
    found: object = json.loads(answer)
    if not isinstance(found, list):
        raise TypeError("it is not a list of findings")
    return cast("list[object]", found)


def _finding(value: object) -> Finding:
    if not isinstance(value, dict):
        raise TypeError("a finding is an object")
    fields = cast("dict[str, object]", value)
    reason, fix, file, excerpt = (str(fields.get(name, "")) for name in ("reason", "fix", "file", "excerpt"))
    line = fields.get("line", 0)
    return Finding(
        rule=f"second-{fields['rule']}",
        severity=cast("Severity", fields["severity"]),
        reason=reason,
        fix=fix,
        file=file,
        line=line if isinstance(line, int) else 0,
        excerpt=excerpt,
    )
