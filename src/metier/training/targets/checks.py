"""Checks that cases bring along, run as commands in folders of their own that are gone afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from metier.processes import Failed, ProcessLimits, environment, folder, run
from metier.skills.names import path_problem
from metier.training.scoring.scorer import Ran
from metier.training.targets.target import Broken
from metier.training.targets.work_folder import write_texts

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandChecks:
    """Runs checks with little environment and nothing of it left behind."""

    environ: Mapping[str, str] = field(repr=False)
    passed: tuple[str, ...] = ()
    limits: ProcessLimits = field(default_factory=ProcessLimits)

    def check(self, command: tuple[str, ...], files: Mapping[str, str], seconds: float) -> Ran | Broken:
        """The exit code of a check among the files of its case and of the attempt."""
        if problem := next((path for path in files if path_problem(path)), None):
            return Broken(reason=f"the file {problem[:80]!r} cannot be written: {path_problem(problem)}", again=False)
        limits = replace(self.limits, seconds=min(seconds, self.limits.seconds))
        try:
            with folder() as place:
                work, home = place / "work", place / "home"
                home.mkdir()
                work.mkdir()
                write_texts(work, files.items())
                ended = run(command, work, environment(home, self.environ, self.passed), limits)
        except OSError as error:
            return Broken(reason=f"the throw-away folder cannot be used: {error.strerror or error}")
        if isinstance(ended, Failed):
            return Broken(reason=ended.reason, again=ended.again)
        return Ran(code=ended.code, output=ended.output.decode("utf-8", "replace"))
