"""The target a training tries its cases with, from one line of text.

chat                                 the configured model
chat=openai:NAME@http://host/v1      another one
completion=completion:NAME@http://…  a model that goes on writing, without chat
agent=claude-code                    a well-known agent, once per case in a throw-away folder
command=./run.sh {task}              any command
python=package.module:function       a function of your own: (case, skill text) -> answer
"""

from __future__ import annotations

import importlib
import sys
from functools import wraps
from inspect import iscoroutinefunction
from pathlib import Path
from typing import TYPE_CHECKING, cast

from metier.errors import UsageError
from metier.training.service.models import identity_of
from metier.training.targets.callable import AwaitedTarget, CallableTarget
from metier.training.targets.chat import ChatTarget
from metier.training.targets.command import agent_target, command_target
from metier.training.targets.completion import CompletionTarget
from metier.training.targets.process import ProcessLimits

if TYPE_CHECKING:
    import threading
    from collections.abc import Awaitable, Mapping

    from metier.context.context import Context
    from metier.training.service.models import TrainingModels
    from metier.training.targets.callable import Agent
    from metier.training.targets.target import Attempt, Broken, Target
    from metier.types.trials import Case

KINDS = ("chat", "completion", "agent", "command", "python")


def target_of(
    asked: str | Target | Agent,
    lines: TrainingModels,
    environ: Mapping[str, str],
    *,
    seconds: float = 120.0,
    stop: threading.Event | None = None,
) -> Target:
    """The target a text names, or a thing is; a UsageError says what is wrong with it. `stop` ends its processes."""
    if not isinstance(asked, str):
        return _thing(asked)
    text = asked
    kind, _, rest = text.strip().partition("=")
    rest = rest.strip()
    match kind:
        case "chat":
            return ChatTarget(model=lines.open(rest, environ), seconds=seconds)
        case "completion":
            return CompletionTarget(model=lines.open(_named(kind, rest), environ), seconds=seconds)
        case "agent":
            return agent_target(_named(kind, rest), environ, ProcessLimits(seconds=seconds, stop=stop))
        case "command":
            return command_target(_named(kind, rest), environ, limits=ProcessLimits(seconds=seconds, stop=stop))
        case "python":
            return CallableTarget(function=function_of(_named(kind, rest)), name=rest)
        case _:
            raise UsageError(
                f"'{text}' is no target. Write one of {', '.join(KINDS)}, such as chat or agent=claude-code."
            )


def target_name(ctx: Context, asked: str | Target | Agent) -> str:
    """What a target goes by, known before it is made."""
    if not isinstance(asked, str):
        return _thing(asked).identity
    kind, _, rest = asked.partition("=")
    return f"{asked} {identity_of(ctx, rest)}" if kind in ("chat", "completion") else asked


def is_named(asked: str | Target | Agent) -> bool:
    """Whether a target can be made of what is asked for, in any process."""
    return isinstance(asked, str) and asked.partition("=")[0].strip() in KINDS


def model_of(asked: object) -> str | None:
    """The model that a target's text names, empty for the configured one; None where it is something else."""
    kind, _, rest = str(asked).partition("=")
    return rest.strip() if isinstance(asked, str) and kind.strip() in ("chat", "completion") else None


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


def _thing(asked: Target | Agent) -> Target:
    if not hasattr(asked, "run"):
        return CallableTarget(function=cast("Agent", asked))
    target = cast("Target", asked)
    return AwaitedTarget(target=target) if iscoroutinefunction(target.run) else target


def _named(kind: str, rest: str) -> str:
    if not rest:
        raise UsageError(f"'{kind}' needs a name behind it: {kind}=…. `metier train --help` shows examples.")
    return rest
