"""Scorers that look beyond the text: tools called, exit codes, a check of the case's own, a function."""

from __future__ import annotations

import shlex
from inspect import isawaitable
from typing import TYPE_CHECKING

from metier.errors import InputError
from metier.formats.strict_json import word
from metier.training.scoring.scorer import Kind, Ran, score_of
from metier.types.trials import Case, Score, Scored, Unscored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.formats.strict_json import StrictObject
    from metier.training.scoring.scorer import Judge, Means
    from metier.training.targets.target import Attempt

SECONDS = 60.0
OUTPUT, INPUT, EXPECTED = "output.txt", "input.txt", "expected.txt"
"""Where a check finds the answer, the task, and what was expected."""


def _tool_called(settings: StrictObject, _: Case) -> Judge:
    wanted, never = settings.each("tools", word), settings.each("never", word)
    if not wanted and not never:
        raise InputError(f"{settings.where}.tools: missing; name the tools that must be called, or 'never' may be")

    def judge(attempt: Attempt, _: Means) -> Scored:
        found = [*(name in attempt.tools for name in wanted), *(name not in attempt.tools for name in never)]
        return score_of(all(found), sum(found) / len(found))

    return judge


def _exit_code(settings: StrictObject, _: Case) -> Judge:
    code = settings.count("code")

    def judge(attempt: Attempt, _: Means) -> Score:
        if attempt.exit_code is None:
            return Unscored(reason="the target reports no exit code; this scorer is for commands")
        return score_of(attempt.exit_code == code)

    return judge


def _command(settings: StrictObject, case: Case) -> Judge:
    words = _words(settings)
    seconds = settings.amount("seconds") or SECONDS

    def judge(attempt: Attempt, means: Means) -> Score:
        if means.commands is None:
            return Unscored(reason="checks that run a command were not allowed")
        done = means.commands.check(words, _laid_out(case, attempt), seconds)
        return score_of(done.code == 0) if isinstance(done, Ran) else Unscored(reason=f"the check: {done.reason}")

    return judge


def _function(settings: StrictObject, case: Case) -> Judge:
    name = settings.required("name")

    def judge(attempt: Attempt, means: Means) -> Score:
        if name not in means.functions:
            return Unscored(reason=f"there is no function {name!r}")
        value = means.functions[name](case, attempt)
        return _meant(means.loop.wait_for(value) if isawaitable(value) else value)

    return judge


def _meant(value: object) -> Score:
    """The score a function's result stands for."""
    match value:
        case Scored() | Unscored():
            return value
        case bool() | int() | float():
            return Scored(hard=float(value), soft=float(value))
        case (int() | float() as hard, int() | float() as soft):
            return Scored(hard=float(hard), soft=float(soft))
        case _:
            return Unscored(
                reason=f"the scorer gave {type(value).__name__}; it must give true, false or a number from 0 to 1"
            )


def _words(settings: StrictObject) -> tuple[str, ...]:
    given = settings.fields.get("command")
    try:
        words = tuple(shlex.split(given)) if isinstance(given, str) else settings.each("command", word)
    except ValueError as error:
        raise InputError(f"{settings.where}.command: {error}") from None
    if not words:
        raise InputError(f"{settings.where}.command: missing; write one such as ['python', 'check.py']")
    return words


def _laid_out(case: Case, attempt: Attempt) -> Mapping[str, str]:
    """The files a check finds; what the attempt left behind stands over what the case began with."""
    own = {OUTPUT: attempt.output, INPUT: case.input, EXPECTED: case.expected}
    return {**dict(case.files), **dict(attempt.files), **own}


KINDS = {
    "tool-called": Kind(fields=("tools", "never"), make=_tool_called),
    "exit-code": Kind(fields=("code",), make=_exit_code),
    "command": Kind(fields=("command", "seconds"), make=_command),
    "python": Kind(fields=("name",), make=_function),
}
