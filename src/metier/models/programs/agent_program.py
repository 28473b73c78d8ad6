"""A coding agent that answers as a model: an empty folder, a time limit of its own, two processes at a time.

Three things keep an agent from starting itself without end: its flags switch hooks, plugins and tools off; its folder
is no project, and its environment carries a mark that `find_program` refuses; and hooks never ask a model.
"""

from __future__ import annotations

import os
import threading
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from metier.models.failures import Refused, TimedOut, Unreachable
from metier.processes import MARK, Failed, ProcessLimits, folder, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.models.failures import Failure
    from metier.models.model import Message, Reply, Request, Texts, Vectors
    from metier.models.spec import ModelSpec
    from metier.processes import ProcessResult

AT_ONCE = 2
"""Processes at the same time: each takes a core to start and some 200 MB."""
PATIENCE = 600.0
"""Seconds that a question waits for its turn; the time of its own process begins afterwards."""
OF_A_SESSION = ("CLAUDECODE", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "AI_AGENT")
"""Variables by which an agent knows that it runs inside another session."""
STANDARD = "You answer one question. Reply with the answer alone."


class Command(Protocol):
    """What the module of each agent knows: how it is started, and what it prints."""

    PROGRAM: str
    TITLE: str

    def words_of(self, name: str, system: Path, work: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
        """The words after the program's name."""
        ...

    def variables(self, request: Request) -> dict[str, str]:
        """What its environment says beside the person's own."""
        ...

    def models_file(self, program: str, environ: Mapping[str, str]) -> str:
        """The text of a file `models.json` beside the system text; empty: none."""
        ...

    def read_reply(self, done: ProcessResult) -> Reply | Failure:
        """The answer in what it printed."""
        ...


def command_of(spec: ModelSpec) -> Command:
    """The module of a spec's agent, which is named like its protocol."""
    return cast("Command", import_module(f"metier.models.programs.{spec.protocol.replace('-', '_')}"))


def find_program(name: str, environ: Mapping[str, str]) -> str:
    """The program's path; empty if it is in no folder of PATH. Folders that are relative to this one do not count."""
    for place in environ.get("PATH", os.defpath).split(os.pathsep):
        file = Path(place) / name
        if file.is_absolute() and file.is_file() and os.access(file, os.X_OK):
            return str(file)
    return ""


def is_started_by_metier(environ: Mapping[str, str]) -> bool:
    """Whether this process belongs to an agent that Metier started."""
    return MARK in environ


class AgentProgram:
    """A model that is a program; safe for many threads."""

    def __init__(self, spec: ModelSpec, environ: Mapping[str, str], program: str) -> None:
        self.spec = spec
        self.program = program
        self._command = command_of(spec)
        self._environ = {name: value for name, value in environ.items() if name not in OF_A_SESSION}
        self._slots = threading.BoundedSemaphore(AT_ONCE)
        self._stop = threading.Event()
        self._models: str | None = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        """Program and model's name."""
        return self.spec.identity

    def complete(self, request: Request) -> Reply | Failure:
        """One reply, by one process; what it leaves on disk is gone afterwards."""
        if not self._slots.acquire(timeout=PATIENCE):
            return TimedOut(reason=f"{self._command.TITLE} was busy with other questions")
        try:
            done = self._run(request)
        finally:
            self._slots.release()
        if not isinstance(done, Failed):
            return self._command.read_reply(done)
        if self._stop.is_set():
            return Refused(reason="it was stopped")
        if not done.again:
            return Unreachable(reason=done.reason)
        return TimedOut(reason=f"{self._command.TITLE}: {done.reason}", billed=True)

    def embed(self, texts: Texts) -> Vectors | Failure:  # noqa: ARG002
        """An agent has no vectors."""
        return Refused(reason=f"{self._command.TITLE} offers no embeddings; choose another model for them")

    def close(self) -> None:
        """End the processes under way; their questions end without an answer."""
        self._stop.set()

    def __enter__(self) -> AgentProgram:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, request: Request) -> ProcessResult | Failed:
        with folder() as place:
            system, work = place / "system.md", place / "empty"
            work.mkdir()
            system.write_text(request.system or STANDARD, encoding="utf-8", errors="replace")
            environ = self._environ | self._command.variables(request) | {"METIER_ENABLED": "false"}
            if models := self._models_file(environ):
                (place / "models.json").write_text(models, encoding="utf-8")
            words = (self.program, *self._command.words_of(self.spec.name, system, work, environ))
            limits = ProcessLimits(seconds=request.timeout, stop=self._stop)
            return run(words, work, environ, limits, one_prompt(request.messages))

    def _models_file(self, environ: Mapping[str, str]) -> str:
        """Asked for once, by the first question."""
        with self._lock:
            if self._models is None:
                self._models = self._command.models_file(self.program, environ)
            return self._models


def one_prompt(messages: tuple[Message, ...]) -> str:
    """A conversation as one text, for a program that takes one."""
    first, *others = messages
    parts = [first.text]
    parts += [f"Your earlier answer was:\n\n{one.text}" if one.role == "assistant" else one.text for one in others]
    return "\n\n".join(parts)
