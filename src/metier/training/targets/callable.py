"""The target that is a Python function."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import wraps
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from metier.async_calls import LoopThread
from metier.errors import UsageError
from metier.training.targets.prompt import skill_text
from metier.training.targets.target import Attempt, Broken
from metier.types.trials import Case

if TYPE_CHECKING:
    from metier.skills.package import Package
    from metier.training.targets.target import Target, TargetSetup

Agent = Callable[[Case, str], "str | Attempt | Broken | Awaitable[str | Attempt | Broken]"]
"""Tries a case with the text of a skill, empty for none; may be a coroutine function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallableTarget:
    """A function that is called once per attempt, from many threads; what it raises is a failure of the world.

    A coroutine function is awaited, all attempts on one event loop, so that they can share a client.
    """

    function: Agent
    name: str = ""
    """What kept rollouts go by; change it when the function's answers change. Empty: where the function is defined."""
    clock: Callable[[], float] = time.monotonic
    _loop: LoopThread = field(default_factory=LoopThread, init=False, repr=False, compare=False)

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
            if isawaitable(result):
                result = self._loop.wait_for(result)
        except Exception as error:  # noqa: BLE001 - it is somebody else's code
            return Broken(reason=f"the function raised {type(error).__name__}: {str(error)[:300]}")
        if isinstance(result, str):
            return Attempt(output=result, seconds=self.clock() - began)
        if isinstance(result, Attempt | Broken):  # pyright: ignore[reportUnnecessaryIsInstance] - functions lie
            return result
        return Broken(reason=f"the function gave {type(result).__name__}, not a text or an Attempt", again=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitedTarget:
    """A target whose `run` is a coroutine function."""

    target: Target
    _loop: LoopThread = field(default_factory=LoopThread, init=False, repr=False, compare=False)

    @property
    def identity(self) -> str:
        """The target's own."""
        return self.target.identity

    def run(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:
        """What the target makes of the case, awaited."""
        return self._loop.wait_for(cast("Awaitable[Attempt | Broken]", self.target.run(case, skill, sample)))


def target_from(text: str, _: TargetSetup) -> CallableTarget:
    """The target `python=MODULE:FUNCTION`."""
    return CallableTarget(function=function_of(text), name=text)


def function_of(text: str) -> Agent:
    """The function that MODULE:FUNCTION names; modules of the current folder are found, too."""
    module, _, name = text.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module), name or "run")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a module of somebody else runs when it is imported
        said = "it ends the program when it is imported" if isinstance(error, SystemExit) else error
        raise UsageError(f"There is no function {text}: {said}. Write python=MODULE:FUNCTION.") from None
    if not callable(found):
        raise UsageError(f"{text} cannot be called; name a function that takes a case and a skill's text.")
    return _staying(cast("Agent", found))


def _staying(function: Agent) -> Agent:
    """The same function; one that ends the program has failed at its case, no more."""

    @wraps(function)
    def run(case: Case, skill: str) -> str | Attempt | Broken | Awaitable[str | Attempt | Broken]:
        try:
            return function(case, skill)
        except SystemExit as end:
            raise RuntimeError(f"it called sys.exit({end.code!r})") from None

    return run
