"""The target a training tries its cases with, from one line of text.

chat                                 the configured model
chat=openai:NAME@http://host/v1      another one
completion=completion:NAME@http://…  a model that goes on writing, without chat
agent=claude-code                    a well-known agent, once per case in a throw-away folder
command=./run.sh {task}              any command
python=package.module:function       a function of your own: (case, skill text) -> answer
"""

from __future__ import annotations

from importlib import import_module
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, cast

from metier.errors import UsageError
from metier.training.service.models import identity_of
from metier.training.targets.callable import AwaitedTarget, CallableTarget

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.training.targets.callable import Agent
    from metier.training.targets.target import Target, TargetSetup

TARGETS = {
    "chat": "chat:target_from",
    "completion": "completion:target_from",
    "agent": "command:agent_from",
    "command": "command:command_from",
    "python": "callable:target_from",
}
"""Each kind of target and its `module:function` in this folder, which makes it of a text and a `TargetSetup`."""
ALONE = ("chat",)
"""Kinds that need no text behind them."""


def target_of(asked: str | Target | Agent, setup: TargetSetup) -> Target:
    """The target that a text names, or that a thing is; a UsageError says what is wrong with it."""
    if not isinstance(asked, str):
        return _thing(asked)
    kind, _, rest = (part.strip() for part in asked.partition("="))
    if kind not in TARGETS:
        raise UsageError(
            f"'{asked}' is not a target. Write one of {', '.join(TARGETS)}, such as chat or agent=claude-code."
        )
    if not rest and kind not in ALONE:
        raise UsageError(f"'{kind}' needs a name: {kind}=…. `metier train --help` shows examples.")
    module, _, function = TARGETS[kind].partition(":")
    make = getattr(import_module(f"metier.training.targets.{module}"), function)
    return make(rest, setup)


def target_name(ctx: Context, asked: str | Target | Agent) -> str:
    """What a target goes by, known before it is made."""
    if not isinstance(asked, str):
        return _thing(asked).identity
    kind, _, rest = asked.partition("=")
    return f"{asked} {identity_of(ctx, rest)}" if kind in ("chat", "completion") else asked


def is_named(asked: str | Target | Agent) -> bool:
    """Whether a target can be made of what is asked for, in any process."""
    return isinstance(asked, str) and asked.partition("=")[0].strip() in TARGETS


def model_of(asked: object) -> str | None:
    """The model that a target's text names, empty for the configured one; None where it is something else."""
    kind, _, rest = str(asked).partition("=")
    return rest.strip() if isinstance(asked, str) and kind.strip() in ("chat", "completion") else None


def _thing(asked: Target | Agent) -> Target:
    if not hasattr(asked, "run"):
        return CallableTarget(function=cast("Agent", asked))
    target = cast("Target", asked)
    return AwaitedTarget(target=target) if iscoroutinefunction(target.run) else target
