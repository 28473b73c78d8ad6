"""The command line in a workspace, run in this process; and a chore that keeps coming up."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import forked
import pytest
from terminal import DECIDING

from metier.cli.app import run
from metier.types import Run, ToolCall
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True)
class Said:
    """What a command said."""

    code: int
    out: str
    err: str


@dataclass
class Shell:
    """Commands in one workspace."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def run(self, *words: str) -> Said:
        if words[:2] in DECIDING:
            return self.typed(*words)
        self.monkeypatch.setattr(sys, "argv", ["metier", "-w", str(self.folder), *words])
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            run()
        printed = self.capsys.readouterr()
        assert "Traceback" not in printed.err
        return Said(int(end.value.code or 0), printed.out, printed.err)

    def typed(self, *words: str, keys: str | None = None) -> Said:
        """The same at a real terminal: a person types these keys, or each word that is asked for."""
        done = forked.typed("-w", str(self.folder), *words, cwd=self.folder, keys=keys)
        assert "Traceback" not in done.stderr
        return Said(done.returncode, done.stdout, done.stderr)

    def ok(self, *words: str) -> str:
        said = self.run(*words)
        assert said.code == 0, said.err
        return said.out + said.err

    def json(self, *words: str, code: int = 0) -> Any:
        said = self.run(*words, "--json")
        assert (said.code, said.err) == (code, ""), said.err
        return json.loads(said.out)

    def trust(self) -> None:
        """Say yes to the skills that lie in the project."""
        Workspace.open(self.folder, trust_roots=True).close()

    def deliver(self, runs: Iterable[Run]) -> list[str]:
        with Workspace.open(self.folder) as ws:
            return [one.id for one in ws.deliver(runs)]


def bump(package: str, *, number: int = 0, done: bool = True) -> Run:
    """One run of a chore that keeps coming up."""
    output = f"{package} is at its newest version, and the whole suite passes." if done else ""
    return Run(
        message=f"bump the dependency {package} to its newest version and fix what breaks",
        output=output,
        status="completed" if done else "error",
        external_id=f"bump-{package}",
        session=f"s{number}",
        source="api",
        agent="claude-code",
        tools=(
            ToolCall(name="Bash", input=f"python tools/pin.py '{package}'", output="1 line changed"),
            ToolCall(name="Bash", input="pytest -q", output="424 passed", ok=done),
            ToolCall(name="Bash", input=f"git commit -am 'Bump {package}'", output="2 files changed"),
        ),
    )


def bumps(count: int = 4) -> list[Run]:
    """The chore, done with success."""
    names = ("httpx", "rich", "stripe", "celery", "uvicorn", "pydantic")
    return [bump(name, number=number) for number, name in enumerate(names[:count])]
