"""One small call before the first attempt shows whether an agent is there, is logged in, and reaches its address."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.models.failures import one_line
from metier.training.targets.command import LOGIN
from metier.training.targets.target import Attempt
from metier.types.trials import Case

if TYPE_CHECKING:
    from metier.training.targets.command import CommandTarget
    from metier.training.targets.target import Broken

SECONDS = 60.0
"""What the call may take: an agent whose address does not answer may wait for it without end."""
CASE = Case(id="preflight", input="Reply with one word: ready")


def probe_of(target: CommandTarget) -> CommandTarget | None:
    """The same agent with a smaller request; None for a command that nobody knows."""
    if not target.check:
        return None
    limits = replace(target.limits, seconds=min(SECONDS, target.limits.seconds))
    return replace(target, words=target.check, check=(), limits=limits)


def problem_of(target: CommandTarget, result: Attempt | Broken) -> str:
    """Why nothing should be tried with an agent, and what to do; empty: it answered."""
    if isinstance(result, Attempt):
        if result.output.strip():
            return ""
        reason = "it answered with nothing"
    elif result.spent:
        return f"Nothing was run: {result.reason}."
    else:
        reason = one_line(result.reason)
    what = f"Nothing was run: {target.words[0]} does not work as the target: {reason.rstrip('.')}."
    return f"{what} {_advice(target, reason)}"


def _advice(target: CommandTarget, reason: str) -> str:
    program = target.words[0]
    if "cannot be started" in reason:
        return f"Install {program}, or name another target."
    if target.login:
        return f"Start {program} in a terminal: is it logged in, and does it answer?"
    own = f", or add {LOGIN} to use your own login" if target.may_log_in else ""
    if not any(target.environ.get(name) for name in target.keys):
        return f"No key is set. Set {' or '.join(target.keys)}{own}."
    return f"Check the key, the address and the options of {program}{own}."
