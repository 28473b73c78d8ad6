"""The target that is a Python function."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.training.targets.prompt import skill_text
from metier.training.targets.target import Attempt, Broken
from metier.types.trials import Case

if TYPE_CHECKING:
    from metier.skills.package import Package

Agent = Callable[[Case, str], "str | Attempt | Broken"]
"""Tries a case with the text of a skill, empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallableTarget:
    """A function that is called once per attempt, from many threads; what it raises is a failure of the world."""

    function: Agent
    name: str = ""
    """What kept rollouts go by; change it when the function's answers change. Empty: where the function is defined."""
    clock: Callable[[], float] = time.monotonic

    @property
    def identity(self) -> str:
        """The name given, or the function's own."""
        own = (getattr(self.function, one, type(self.function).__name__) for one in ("__module__", "__qualname__"))
        return f"python {self.name or '.'.join(own)}"

    def run(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:  # noqa: ARG002 - it has no samples
        """What the function makes of the case."""
        began = self.clock()
        try:
            result = self.function(case, skill_text(skill))
        except Exception as error:  # noqa: BLE001 - it is somebody else's code
            return Broken(reason=f"the function raised {type(error).__name__}: {str(error)[:300]}")
        if isinstance(result, str):
            return Attempt(output=result, seconds=self.clock() - began)
        if isinstance(result, Attempt | Broken):  # pyright: ignore[reportUnnecessaryIsInstance] - functions lie
            return result
        return Broken(reason=f"the function gave {type(result).__name__}, not a text or an Attempt", again=False)
